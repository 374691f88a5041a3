// `evidence.conflicts`, `evidence.claims`, `evidence.support`.
#include "agentfootprint/cli/eval_integrity.hpp"

#include "agentfootprint/cli/eval_messages.hpp"
#include "agentfootprint/evidence/argument_support.hpp"
#include "agentfootprint/evidence/assertions.hpp"
#include "agentfootprint/evidence/claims.hpp"

namespace agentfootprint {
namespace {

// `assertions[{subject: {kind, id}, predicate, value, epoch?, stratum?}]`, `multiValued[]?` →
// `conflicts[{key, assertions[]}]`.
json::Value eval_conflicts(const json::Value& in) {
  std::vector<evidence::StatedAssertion> assertions;
  for (const json::Value& at : eval_required(in, "assertions", json::Kind::array).elements()) {
    const json::Value& subject = eval_required(at, "subject", json::Kind::object);
    evidence::StatedAssertion one(eval_required_text(subject, "kind"),
                                  eval_required_text(subject, "id"),
                                  eval_required_text(at, "predicate"), eval_required(at, "value"));
    if (const json::Value* epoch = at.find("epoch")) one.epoch = *epoch;
    if (const auto* stratum = eval_optional(at, "stratum", json::Kind::string)) {
      one.quoted = stratum->as_string() == "quoted";
    }
    assertions.push_back(std::move(one));
  }
  json::ArrayBuilder conflicts;
  for (const auto& conflict : evidence::conflicts_of(assertions, eval_texts(in, "multiValued"))) {
    json::ArrayBuilder members;
    for (const std::size_t at : conflict.assertions) members.add(at);
    conflicts.add(json::object({{"key", conflict.key}, {"assertions", members.build()}}));
  }
  return json::object({{"conflicts", conflicts.build()}});
}

// `contract[{path, entity, field}]`, `answer`, `envelopes[]` (in the order they landed) →
// `claims[{path, outcome, settled?, earlier?}]`.
json::Value eval_claims(const json::Value& in) {
  std::vector<evidence::ClaimPath> contract;
  for (const json::Value& at : eval_required(in, "contract", json::Kind::array).elements()) {
    contract.push_back({eval_required_text(at, "path"), eval_required_text(at, "entity"),
                        eval_required_text(at, "field")});
  }
  evidence::check_claims_contract(contract);
  evidence::ClaimLedger ledger;
  std::uint32_t landed = 0;
  for (const json::Value& at : eval_required(in, "envelopes", json::Kind::array).elements()) {
    ledger.add(at, "tool", CallKey{landed, 0, false}, landed);
    ++landed;
  }
  json::ArrayBuilder claims;
  for (const auto& one : evidence::check_claims(contract, eval_required(in, "answer"), ledger)) {
    json::ObjectBuilder row;
    row.add("path", contract[one.entry].path).add("outcome", name_of(one.outcome));
    if (one.settled) row.add("settled", ledger.rows()[*one.settled].value);
    if (!one.earlier.empty()) {
      json::ArrayBuilder earlier;
      for (const std::size_t at : one.earlier) earlier.add(ledger.rows()[at].value);
      row.add("earlier", earlier.build());
    }
    claims.add(row.build());
  }
  return json::object({{"claims", claims.build()}});
}

// `messages[]`, `args`, `schema?`, `system?` → `findings[{path, value, saidByModel?}]`, `checked`,
// `truncated`.
json::Value eval_support(const json::Value& in) {
  const Conversation conversation = eval_conversation(in);
  auto index = evidence::ConversationIndex::of(conversation);
  std::string system;
  if (const auto* text = eval_optional(in, "system", json::Kind::string)) {
    system = std::string(*text->as_string());
    index.supply(system, evidence::SuppliedBy::app);
  }
  const evidence::Judge judge(index, evidence::JudgeOptions());
  const json::Value* schema = eval_optional(in, "schema", json::Kind::object);
  const auto support = evidence::check_argument_support(
      judge, evidence::ServedWords{conversation, system},
      eval_required(in, "args", json::Kind::object), schema == nullptr ? json::Value() : *schema);
  json::ArrayBuilder findings;
  for (const evidence::UnsupportedArgument& one : support.findings) {
    json::ObjectBuilder row;
    row.add("path", one.path).add("value", one.value);
    if (one.said_by_model) row.add("saidByModel", true);
    findings.add(row.build());
  }
  return json::object({{"findings", findings.build()},
                       {"checked", support.checked},
                       {"truncated", support.truncated}});
}

}  // namespace

std::vector<EvalFunction> integrity_eval_functions() {
  return {{"evidence.claims", eval_claims},
          {"evidence.conflicts", eval_conflicts},
          {"evidence.support", eval_support}};
}

}  // namespace agentfootprint
