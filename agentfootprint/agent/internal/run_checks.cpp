// Wiring of the checks: what is asked where, and how a finding is told.
#include "agentfootprint/agent/internal/run_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "agentfootprint/agent/internal/run_findings.hpp"
#include "agentfootprint/agent/internal/run_state.hpp"
#include "agentfootprint/evidence/argument_support.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::internal {
namespace {

using Outcome = CheckRow::Outcome;

// What went wrong, where, and about what; the payload of a finding.
struct Finding {
  std::string_view kind;
  std::string_view seam;
  std::vector<std::pair<std::string_view, std::string>> subjects;
  std::string predicate;
  std::vector<json::Value> witnesses;
  std::string message;
  bool advisory = false;
};

std::string identity_of(const Finding& finding) {
  std::vector<std::string> subjects;
  for (const auto& [kind, id] : finding.subjects)
    subjects.push_back(fmt::format("{}:{}", kind, id));
  std::sort(subjects.begin(), subjects.end());
  return fmt::format("{}\n{}\n{}\n{}", finding.kind, finding.seam, fmt::join(subjects, "\n"),
                     finding.predicate);
}

json::Value to_json(const Finding& finding, std::uint32_t iteration) {
  json::ArrayBuilder subjects;
  for (const auto& [kind, id] : finding.subjects) {
    subjects.add(json::object({{"kind", kind}, {"id", id}}));
  }
  json::ObjectBuilder built;
  built.add("kind", finding.kind).add("seam", finding.seam).add("subjects", subjects.build());
  if (!finding.predicate.empty()) built.add("predicate", finding.predicate);
  built.add("witnesses", json::array(finding.witnesses)).add("message", finding.message);
  if (finding.advisory) built.add("advisory", true);
  return built.add("iteration", iteration).build();
}

// One event and one line of the record a defect and run; an advisory finding fires nothing.
void file(RunState& run, const Finding& finding) {
  const bool fresh = run.integrity.filed.insert(identity_of(finding)).second;
  const json::Value payload = to_json(finding, run.iteration);
  if (fresh) {
    run.record_row("event", json::object({{"name", "agentfootprint.integrity.context_error"},
                                          {"value", payload}}));
  }
  run.note_check(finding.kind, finding.advisory ? Outcome::passed : Outcome::fired, finding.message,
                 fresh ? &payload : nullptr);
}

bool has_grounds(const AgentConfig& config) {
  return std::any_of(config.tools.begin(), config.tools.end(), [](const RegisteredTool& one) {
    return !one.tool.argument_grounds().empty();
  });
}

void check_claims_of(RunState& run) {
  const AgentConfig& config = run.config();
  if (config.claims.empty()) return;
  const auto answer = json::parse(run.response.text);
  if (!answer || run.contract_unmet) {
    run.note_check(kClaimCheck, Outcome::could_not_run, "the answer does not meet its schema");
    return;
  }
  const evidence::ClaimLedger& ledger = run.integrity.claims;
  for (const evidence::CheckedClaim& claim :
       evidence::check_claims(config.claims, *answer, ledger)) {
    const evidence::ClaimPath& bound = config.claims[claim.entry];
    using Claim = evidence::ClaimOutcome;
    switch (claim.outcome) {
      case Claim::passed:
        run.note_check(kClaimCheck, Outcome::passed);
        continue;
      case Claim::not_applicable:
        run.note_check(kClaimCheck, Outcome::not_applicable);
        continue;
      case Claim::could_not_run:
        run.note_check(kClaimCheck, Outcome::could_not_run,
                       fmt::format("nothing was read for {} of {}", bound.field, bound.entity));
        continue;
      default:
        break;
    }
    Finding finding;
    finding.kind = kClaimCheck;
    finding.seam = "claim";
    finding.subjects = {{"entity", bound.entity}};
    finding.predicate = bound.field;
    finding.advisory = claim.outcome == Claim::advisory;
    finding.witnesses = {json::object({{"path", bound.path}, {"claimed", *claim.claimed}}),
                         evidence::to_json(ledger.rows()[*claim.settled])};
    for (const std::size_t row : claim.earlier) {
      finding.witnesses.push_back(
          json::with_member(evidence::to_json(ledger.rows()[row]), "quoted", json::Value(true)));
    }
    finding.message =
        finding.advisory
            ? fmt::format("the answer doubts {} of {}, which was read", bound.field, bound.entity)
            : fmt::format("the answer's {} is not what was read last for {} of {}", bound.path,
                          bound.field, bound.entity);
    file(run, finding);
  }
}

void check_facts(RunState& run) {
  if (!run.findings) return;
  const findings::LedgerFold& fold = run.findings->ledger.fold();
  const auto conflicts = fold.conflicts();
  if (conflicts.empty()) {
    run.note_check(kFactsCheck, fold.asserted().empty() ? Outcome::not_applicable : Outcome::passed,
                   fold.asserted().empty() ? "no fact was asserted" : "");
  }
  for (const findings::Conflict& conflict : conflicts) {
    const findings::Assertion& first = *conflict.assertions.front().assertion;
    Finding finding;
    finding.kind = kFactsCheck;
    finding.seam = "claim";
    finding.subjects = {{first.subject_kind, first.subject_id}};
    finding.predicate = first.predicate;
    for (const findings::AssertedRef& ref : conflict.assertions) {
      finding.witnesses.push_back(json::object(
          {{"value", ref.assertion->value}, {"provenance", ref.assertion->provenance}}));
    }
    finding.message = fmt::format("results that were declared facts state different values of {}",
                                  first.predicate);
    file(run, finding);
  }
}

}  // namespace

void register_checks(RunState& run) {
  const AgentConfig& config = run.config();
  const bool grounds = has_grounds(config);
  const std::pair<std::string_view, bool> armed[] = {
      {kEvidenceCheck, config.gate.has_value()},
      {kContingentCheck, config.gate && config.findings},
      {kPriorTurnCheck, config.notice_prior_turn},
      {kArgumentCheck, grounds},
      {kGroundsCheck, grounds && config.window},
      {kLookupCheck, config.notice_empty_lookups},
      {kClaimCheck, !config.claims.empty()},
      {kFactsCheck, config.findings.has_value()},
  };
  if (std::none_of(std::begin(armed), std::end(armed),
                   [](const auto& one) { return one.second; })) {
    return;
  }
  for (const auto& [name, on] : armed) {
    CheckRow& row = run.checks.emplace_back();
    row.check = std::string(name);
    if (!on) row.note = "not armed";
  }
}

void check_call_arguments(RunState& run, const CallState& call) {
  if (call.tool == nullptr || call.tool->tool.argument_grounds().empty()) return;
  if (call.wire.arguments_malformed) return;
  run.index_conversation();
  const evidence::Judge judge(
      run.index, run.config().gate ? run.config().gate->judge : evidence::JudgeOptions());
  const evidence::ServedWords words{run.conversation, run.config().system};
  const evidence::ArgumentSupport support = evidence::check_argument_support(
      judge, words, call.arguments, call.tool->tool.schema().input_schema);
  if (support.truncated) {
    run.note_check(kArgumentCheck, Outcome::could_not_run, "the evidence index is incomplete");
    return;
  }
  if (support.findings.empty()) {
    run.note_check(kArgumentCheck, support.checked > 0 ? Outcome::passed : Outcome::not_applicable);
    return;
  }
  for (const evidence::UnsupportedArgument& one : support.findings) {
    Finding finding;
    finding.kind = kArgumentCheck;
    finding.seam = "choice";
    finding.subjects = {{"tool", call.wire.name}, {"value", one.value}};
    finding.predicate = one.path;
    finding.witnesses = {
        json::object({{"call", agentfootprint::to_json(call.key)}, {"value", one.value}}),
        json::object({{"servedTexts", one.said_by_model ? "only the model's own" : "none"}})};
    finding.message =
        one.said_by_model
            ? fmt::format("the argument {} of {} was said before by the model alone", one.path,
                          call.wire.name)
            : fmt::format("the argument {} of {} stands in nothing the model was served", one.path,
                          call.wire.name);
    file(run, finding);
  }
}

void check_grounds_in_view(RunState& run) {
  if (!run.window || run.window->state.view.whole() || !has_grounds(run.config())) return;
  std::vector<std::string> left_out;
  std::vector<std::string> in_view;
  for (const std::uint32_t index : run.conversation.results()) {
    const Message& message = run.conversation[index];
    if (!message.dispatched || !message.tool_name) continue;
    (run.window->state.view.holds(index) ? in_view : left_out).push_back(*message.tool_name);
  }
  bool fired = false;
  for (const RegisteredTool& registered : run.config().tools) {
    const auto dangling =
        evidence::dangling_grounds(registered.tool.argument_grounds(), left_out, in_view);
    if (dangling.empty()) continue;
    fired = true;
    Finding finding;
    finding.kind = kGroundsCheck;
    finding.seam = "compose";
    finding.subjects = {{"tool", registered.tool.schema().name}};
    for (const std::string& ground : dangling) {
      finding.subjects.emplace_back("ground", ground);
      finding.witnesses.push_back(json::object({{"leftOut", ground}}));
    }
    finding.message = fmt::format("{} takes its arguments from results that went out of view: {}",
                                  registered.tool.schema().name, fmt::join(dangling, ", "));
    file(run, finding);
  }
  if (!fired) run.note_check(kGroundsCheck, Outcome::passed);
}

void check_lookup(RunState& run, const CallState& call) {
  if (!run.config().notice_empty_lookups || call.tool->tool.argument_grounds().empty()) return;
  const bool empty =
      call.status == ToolStatus::absent || (call.full.is_array() && call.full.elements().empty());
  if (!empty) {
    run.note_check(kLookupCheck, call.full.is_array() ? Outcome::passed : Outcome::not_applicable);
    return;
  }
  const auto known = evidence::known_arguments(run.conversation, call.tool->tool.argument_grounds(),
                                               call.arguments);
  if (!known) {
    run.note_check(kLookupCheck, Outcome::could_not_run, "no ground of the tool was called before");
    return;
  }
  if (known->empty()) run.note_check(kLookupCheck, Outcome::passed);
  for (const evidence::KnownArgument& one : *known) {
    Finding finding;
    finding.kind = kLookupCheck;
    finding.seam = "write";
    finding.subjects = {{"consumer", call.wire.name}, {"producer", one.producer}};
    finding.predicate = one.path;
    finding.advisory = true;
    finding.witnesses = {
        json::object({{"call", agentfootprint::to_json(call.key)}, {"found", "nothing"}}),
        json::object({{"path", one.path}, {"value", one.value}}),
        json::object({{"call", agentfootprint::to_json(one.call)}, {"shows", one.value}})};
    finding.message = fmt::format("{} found nothing for {}, which {} has shown", call.wire.name,
                                  one.path, one.producer);
    file(run, finding);
  }
}

void read_claims(RunState& run, const CallState& call, const json::Value& envelope) {
  if (run.config().claims.empty()) return;
  run.integrity.claims.add(envelope, call.wire.name, call.key, run.iteration);
}

void check_final_answer(RunState& run) {
  check_claims_of(run);
  check_facts(run);
}

void settle_checks(RunState& run) {
  const bool answered = run.outcome && std::holds_alternative<Answer>(*run.outcome);
  for (CheckRow& row : run.checks) {
    const bool reached =
        row.fired + row.passed + row.did_not_apply + row.could_not > 0 || !row.note.empty();
    if (reached) continue;
    const bool at_dispatch =
        row.check == kArgumentCheck || row.check == kGroundsCheck || row.check == kLookupCheck;
    if (answered || at_dispatch) {
      row.note = at_dispatch ? "nothing called for it" : "there was nothing to check";
    } else {
      row.outcome = Outcome::could_not_run;
      row.note = "the run ended before its answer was checked";
    }
  }
}

}  // namespace agentfootprint::internal
