// Making rows, and their JSON form.
#include "agentfootprint/findings/rows.hpp"

#include <fmt/format.h>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::findings {
namespace {

constexpr std::string_view kKinds[] = {"basis",
                                       "standing",
                                       "conflict",
                                       "judgment",
                                       "judgment-error",
                                       "contingent",
                                       "unsettled-by-absence",
                                       "malformed"};
static_assert(std::size(kKinds) == std::variant_size_v<Row>);

void add_call(json::ObjectBuilder& out, const std::optional<CallKey>& call) {
  if (!call) return;
  out.add("call", to_json(*call));
  if (call->orphan) out.add("orphan", true);
}

json::Value subject_of(const std::string& kind, const std::string& id) {
  return json::object({{"kind", kind}, {"id", id}});
}

json::Value carriers_json(const std::vector<ContingentCarrier>& carriers) {
  json::ArrayBuilder list;
  for (const ContingentCarrier& carrier : carriers) list.add(to_json(carrier));
  return list.build();
}

json::Value items_json(const std::vector<UnsettledItem>& items) {
  json::ArrayBuilder list;
  for (const UnsettledItem& item : items) {
    json::ObjectBuilder one;
    one.add("what", item.what);
    one.add_if("why", item.why);
    list.add(one.build());
  }
  return list.build();
}

void write(json::ObjectBuilder& out, const BasisRow& row) {
  add_result(out, row.result);
  out.add("toolName", row.tool_name);
  out.add("iteration", row.iteration);
  out.add("basis", name_of(row.basis));
  if (row.expect) out.add("expect", name_of(*row.expect));
  out.add_if("proposition", row.proposition);
  out.add_if("predicts", row.predicts);
  if (row.malformed > 0) out.add("malformed", row.malformed);
}

void write(json::ObjectBuilder& out, const StandingRow& row) {
  add_result(out, row.result);
  out.add_if("toolName", row.tool_name);
  out.add_if("ref", row.ref);
  out.add("standing", name_of(row.standing));
  out.add_if("sought", row.sought);
  out.add_if("settles", row.settles);
  out.add_if("line", row.line);
  json::ArrayBuilder assertions;
  for (const Assertion& assertion : row.assertions) assertions.add(to_json(assertion));
  out.add("assertions", assertions.build());
  out.add("declaredOn", to_json(row.declared_on));
  out.add("iteration", row.iteration);
  if (row.unknown_id) out.add("unknownId", true);
  if (row.by != DeclaredBy::model) out.add("by", name_of(row.by));
  out.add_if("who", row.who);
}

void write(json::ObjectBuilder& out, const ConflictRow& row) {
  out.add("key", row.key);
  json::ArrayBuilder witnesses;
  for (const Witness& witness : row.witnesses) {
    json::ObjectBuilder one;
    add_result(one, witness.result);
    one.add("subject", subject_of(witness.subject_kind, witness.subject_id));
    one.add("predicate", witness.predicate);
    witnesses.add(one.build());
  }
  out.add("witnesses", witnesses.build());
  out.add("iteration", row.iteration);
}

void write(json::ObjectBuilder& out, const JudgmentRow& row) {
  add_result(out, row.result);
  out.add("toolName", row.tool_name);
  out.add("source", "judge");
  out.add("judge", json::object({{"name", row.judge_name}, {"model", row.judge_model}}));
  out.add("against", row.against_proposition ? "proposition" : "question");
  out.add("standing", name_of(row.standing));
  json::ObjectBuilder probabilities;
  for (const auto& [standing, probability] : row.probabilities) {
    probabilities.add(name_of(standing), probability);
  }
  out.add("probabilities", probabilities.build());
  out.add_if("confidence", row.confidence);
  out.add_if("testsSubject", row.tests_subject);
  if (row.usage) {
    out.add("usage", json::object({{"inputTokens", row.usage->input_tokens},
                                   {"outputTokens", row.usage->output_tokens}}));
  }
  out.add("latencyMs", row.latency_ms);
  if (row.clipped) out.add("clipped", true);
  out.add("iteration", row.iteration);
}

void write(json::ObjectBuilder& out, const JudgmentErrorRow& row) {
  add_result(out, row.result);
  out.add("toolName", row.tool_name);
  out.add("source", "judge");
  out.add("judge", json::object({{"name", row.judge_name}}));
  out.add_if("status", row.status);
  out.add("message", row.message);
  out.add("latencyMs", row.latency_ms);
  out.add("iteration", row.iteration);
}

void write(json::ObjectBuilder& out, const ContingentRow& row) {
  out.add("declaredOn", to_json(row.declared_on));
  out.add("value", row.value);
  out.add("carriers", carriers_json(row.carriers));
  out.add("iteration", row.iteration);
  if (row.draft) out.add("draft", true);
  if (row.echo_ignored) out.add("echoIgnored", true);
  out.add_if("level", row.level);
  out.add_if("formula", row.formula);
  if (row.operands.empty()) return;
  json::ArrayBuilder operands;
  for (const ContingentOperand& operand : row.operands) {
    operands.add(
        json::object({{"raw", operand.raw}, {"carriers", carriers_json(operand.carriers)}}));
  }
  out.add("operands", operands.build());
}

void write(json::ObjectBuilder& out, const UnsettledRow& row) {
  add_result(out, row.result);
  if (!row.not_checked.empty()) out.add("notChecked", items_json(row.not_checked));
  if (!row.cannot_cover.empty()) out.add("cannotCover", items_json(row.cannot_cover));
  out.add_if("tryInstead", row.try_instead);
  out.add("iteration", row.iteration);
}

void write(json::ObjectBuilder& out, const MalformedRow& row) {
  out.add("declaredOn", to_json(row.declared_on));
  out.add("malformed", row.malformed);
  out.add("iteration", row.iteration);
}

std::string text_of(const json::Value& content) {
  if (const auto text = content.as_string()) return std::string(*text);
  Message message;
  message.role = Role::tool;
  message.content = content;
  return message.text();
}

}  // namespace

std::string Assertion::key() const {
  std::string joined = subject_kind;
  joined += '\0';
  joined += subject_id;
  joined += '\0';
  joined += predicate;
  joined += '\0';
  if (epoch) joined += json::dump_canonical(*epoch);
  return joined;
}

std::string_view name_of(DeclaredBy by) noexcept {
  switch (by) {
    case DeclaredBy::model:
      return "model";
    case DeclaredBy::app:
      return "app";
    case DeclaredBy::person:
      return "person";
  }
  return "";
}

std::string_view kind_of(const Row& row) noexcept {
  return kKinds[row.index()];
}

std::uint32_t iteration_of(const Row& row) noexcept {
  return std::visit([](const auto& one) { return one.iteration; }, row);
}

void add_result(json::ObjectBuilder& out, const ResultRef& result) {
  out.add("toolCallId", result.tool_call_id);
  add_call(out, result.call);
}

json::Value to_json(const Row& row) {
  json::ObjectBuilder out;
  out.add("kind", kind_of(row));
  std::visit([&out](const auto& one) { write(out, one); }, row);
  return out.build();
}

json::Value to_json(const Assertion& assertion) {
  json::ObjectBuilder out;
  out.add("subject", subject_of(assertion.subject_kind, assertion.subject_id));
  out.add("predicate", assertion.predicate);
  out.add("value", assertion.value);
  if (assertion.epoch) out.add("epoch", *assertion.epoch);
  out.add("stratum", assertion.stratum == Stratum::asserted ? "asserted" : "quoted");
  out.add("provenance", assertion.provenance);
  return out.build();
}

json::Value to_json(const DeclaredOn& declared_on) {
  if (declared_on.on_answer()) return "answer";
  json::ObjectBuilder out;
  add_result(out, *declared_on.call);
  return out.build();
}

json::Value to_json(const ContingentCarrier& carrier) {
  json::ObjectBuilder out;
  add_result(out, carrier.result);
  out.add("standing", name_of(carrier.standing));
  return out.build();
}

void KnownResults::add(KnownResult result) {
  if (result.result.tool_call_id.empty()) return;
  const auto [at, added] = by_id_.try_emplace(result.result.tool_call_id, results_.size());
  (void)at;
  if (added) results_.push_back(std::move(result));
}

void KnownResults::put(KnownResult result) {
  if (result.result.tool_call_id.empty()) return;
  const auto [at, added] = by_id_.try_emplace(result.result.tool_call_id, results_.size());
  if (!added) {
    results_[at->second] = KnownResult();
    at->second = results_.size();
  }
  results_.push_back(std::move(result));
}

std::vector<KnownResult> KnownResults::in_order() const {
  std::vector<KnownResult> list;
  for (const KnownResult& result : results_) {
    if (!result.result.tool_call_id.empty()) list.push_back(result);
  }
  return list;
}

const KnownResult* KnownResults::find(std::string_view id) const {
  const auto found = by_id_.find(std::string(id));
  return found == by_id_.end() ? nullptr : &results_[found->second];
}

std::optional<std::string> placement_ref(const json::Value& content) {
  const std::string text = text_of(content);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || text[start] != '{') return std::nullopt;
  // A ticket is small; a large result that opens with a brace is not parsed for this test.
  constexpr std::size_t kTicketBytes = 64 * 1024;
  if (text.size() > kTicketBytes || text.find("\"placed\"") == std::string::npos) {
    return std::nullopt;
  }
  const auto parsed = json::parse(text);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  const json::Value& ticket = *parsed;
  const json::Value* placed = ticket.find("placed");
  const json::Value* ref = ticket.find("ref");
  const json::Value* reason = ticket.find("reason");
  if (placed == nullptr || placed->as_bool() != true) return std::nullopt;
  if (ref == nullptr || reason == nullptr || !reason->is_string()) return std::nullopt;
  const auto name = ref->as_string();
  if (!name) return std::nullopt;
  return std::string(*name);
}

BasisRow basis_row_from(const ResultRef& call, std::string tool_name,
                        const Declaration& declaration, std::size_t malformed,
                        std::uint32_t iteration) {
  if (!declaration.basis) {
    throw Error("findings-no-basis",
                "a basis row needs a declaration with a basis: check `basis` before making one");
  }
  BasisRow row;
  row.result = call;
  row.tool_name = std::move(tool_name);
  row.iteration = iteration;
  row.basis = *declaration.basis;
  row.expect = declaration.expect;
  if (declaration.proposition) row.proposition = clip(*declaration.proposition, kPropositionChars);
  if (declaration.predicts) row.predicts = clip(*declaration.predicts, kPropositionChars);
  row.malformed = malformed;
  return row;
}

std::vector<StandingRow> standing_rows_from(const KnownResults& known,
                                            const Declaration& declaration,
                                            const DeclaredOn& declared_on,
                                            std::uint32_t iteration) {
  std::vector<StandingRow> rows;
  if (!declaration.previous) return rows;
  rows.reserve(declaration.previous->size());
  for (const DeclaredStanding& entry : *declaration.previous) {
    StandingRow row;
    row.result = ResultRef(entry.tool_call_id);
    if (const KnownResult* found = known.find(entry.tool_call_id)) {
      row.result.call = found->result.call;
      row.tool_name = found->tool_name;
      row.ref = placement_ref(found->content);
    } else {
      row.unknown_id = true;
    }
    row.standing = entry.standing;
    row.sought = entry.sought;
    row.settles = entry.settles;
    row.line = entry.line;
    row.declared_on = declared_on;
    row.iteration = iteration;
    if (entry.assertions && entry.standing != Standing::noise) {
      const std::string provenance =
          row.ref ? "artifact:" + *row.ref : "tool:" + entry.tool_call_id;
      const Stratum stratum =
          entry.standing == Standing::fact ? Stratum::asserted : Stratum::quoted;
      for (const DeclaredAssertion& declared : *entry.assertions) {
        row.assertions.push_back({declared.subject_kind, declared.subject_id, declared.predicate,
                                  declared.value, std::nullopt, stratum, provenance});
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace agentfootprint::findings
