// What follows a model response, and what an answer carries.
#include "agentfootprint/agent/internal/judge.hpp"

#include "agentfootprint/agent/internal/middleware_chain.hpp"
#include "agentfootprint/agent/internal/sentences.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/evidence/gate_text.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::internal {
namespace {

bool is_blank(std::string_view text) noexcept {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool can_correct(const RunState& run) {
  return run.corrections < run.config().max_corrections && !run.wrap_up_asked;
}

// A correction that is wanted and cannot be paid for is told once.
void tell_corrections_spent(RunState& run) {
  if (run.wrap_up_asked || std::exchange(run.corrections_told, true)) return;
  json::Value detail;
  run.emit(EventKind::budget, [&](Event& event) {
    event.name = "corrections";
    event.text = "spent";
    detail = json::object({{"limit", run.config().max_corrections}, {"actual", run.corrections}});
    event.detail = &detail;
  });
}

// Calls are pending; may they run?
RouteDecision route_calls(RunState& run) {
  const bool cost_halt = run.cost_hit && run.config().cost && run.config().cost->halt;
  if (run.iteration < run.config().max_iterations && !cost_halt && !run.wrap_up_asked) {
    return {Route::tool_calls, "the model asked for tools"};
  }
  EarlyStop stop;
  if (run.early_stop) stop = *run.early_stop;
  if (!run.wrap_up_asked) {
    stop.reason = cost_halt ? EarlyStop::Reason::cost_budget : EarlyStop::Reason::max_iterations;
    stop.iteration = run.iteration;
    for (const ToolCall& call : run.response.calls) stop.pending_tools.push_back(call.name);
  }
  run.early_stop = std::move(stop);
  const bool wrap = run.config().wrap_up && !run.wrap_up_asked && !cost_halt;
  json::Value detail;
  run.emit(EventKind::budget, [&](Event& event) {
    event.name = name_of(run.early_stop->reason);
    event.text = wrap ? "wrapped-up" : "cut-short";
    detail = json::object({{"limit", run.config().max_iterations},
                           {"iteration", run.iteration},
                           {"pendingCalls", run.response.calls.size()}});
    event.detail = &detail;
  });
  if (wrap) return {Route::wrap_up, std::string(name_of(run.early_stop->reason))};
  return {Route::final_answer, std::string(name_of(run.early_stop->reason))};
}

struct SchemaVerdict {
  bool ok = true;
  std::string stage;
  std::string error;
};

SchemaVerdict judge_schema(const OutputContract& contract, std::string_view text) {
  const auto parsed = json::parse(text);
  if (!parsed) return {false, "json-parse", parsed.error().message()};
  if (!contract.compiled) return {};
  const auto issues = contract.compiled->check(*parsed, 10);
  if (issues.empty()) return {};
  std::string error;
  for (const json::SchemaIssue& issue : issues) {
    if (!error.empty()) error += "; ";
    error += (issue.path.empty() ? std::string("the answer") : issue.path) + ": " + issue.message;
  }
  return {false, "schema-validate", error};
}

// Empty: the draft stands as far as its form goes.
std::optional<RouteDecision> judge_form(RunState& run, std::string_view before_middleware,
                                        const std::string& changed_by) {
  if (!run.config().output) return std::nullopt;
  const OutputContract& contract = *run.config().output;
  const SchemaVerdict verdict = judge_schema(contract, run.response.text);
  const auto tell = [&](std::string_view what) {
    run.emit(EventKind::output_schema, [&](Event& event) {
      event.text = what;
      event.number = run.schema_attempts;
    });
  };
  ++run.schema_attempts;
  if (verdict.ok) {
    run.contract_unmet.reset();
    tell("passed");
    return std::nullopt;
  }
  // Text that fitted before a middleware changed it is not the model's fault: asking again cannot
  // help.
  const bool broken = !changed_by.empty() && judge_schema(contract, before_middleware).ok;
  const bool wanted = !broken && run.schema_attempts <= contract.retries;
  if (wanted && !can_correct(run)) tell_corrections_spent(run);
  if (wanted && can_correct(run)) {
    run.correction = sentences::schema_correction(verdict.stage, verdict.error, run.response.text);
    tell("retried");
    return RouteDecision{Route::output_retry, verdict.stage};
  }
  tell("exhausted");
  run.contract_unmet = broken ? fmt::format("the middleware {} broke an answer that fitted: {}",
                                            changed_by, verdict.error)
                              : fmt::format("{}: {}", verdict.stage, verdict.error);
  if (contract.canned) run.response.text = *contract.canned;
  return std::nullopt;
}

evidence::RecoveryContext recovery_context(const RunState& run, const evidence::GateVerdict& gate) {
  evidence::RecoveryContext context;
  context.attempt = 1;
  context.iteration = run.iteration;
  context.original_request = run.input;
  context.rejected_draft = run.response.text;
  context.unsupported = gate.unsupported;
  return context;
}

void keep_unsupported(RunState& run, const evidence::GateVerdict& gate) {
  UnsupportedValues kept;
  for (const evidence::ReportedValue& value : gate.unsupported) kept.values.push_back(value.value);
  kept.count = static_cast<std::uint32_t>(gate.unsupported_count);
  kept.candidates = static_cast<std::uint32_t>(gate.candidates);
  kept.revised = gate.after_revision;
  kept.posture = std::string(evidence::name_of(gate.posture));
  run.unsupported = std::move(kept);
}

// An answer that stands only on what earlier turns read: told, never held against it.
void notice_prior_turn(RunState& run, const evidence::GateVerdict& gate) {
  using Outcome = CheckRow::Outcome;
  constexpr std::string_view kCheck = kPriorTurnCheck;
  const evidence::TurnGrounding& turns = gate.grounding;
  if (turns.index_truncated) {
    run.note_check(kCheck, Outcome::not_applicable, "the evidence index is incomplete");
  } else if (turns.current_turn == 0 || turns.from_this_turn + turns.from_prior_turns == 0) {
    run.note_check(kCheck, Outcome::could_not_run, "no value of the answer was read from a result");
  } else if (turns.from_this_turn > 0) {
    run.note_check(kCheck, Outcome::passed);
  } else {
    run.note_check(kCheck, Outcome::fired,
                   turns.tool_results_this_turn == 0
                       ? "every value was read in an earlier turn, and this turn fetched nothing"
                       : "every value was read in an earlier turn");
  }
}

constexpr std::size_t kMaxMarked = 12;

// Values that were read in results which the request did not show any more.
void mark_out_of_view(RunState& run) {
  if (!run.window || run.window->state.view.whole()) return;
  json::ArrayBuilder marked;
  std::size_t count = 0;
  for (const evidence::JudgedValue& value : run.verdict->values) {
    json::ArrayBuilder calls;
    std::size_t gone = 0;
    for (const evidence::Carrier& carrier : value.grounding.carriers) {
      const evidence::ResultEntry& entry = run.index.results()[carrier.result];
      if (run.window->state.view.holds(entry.message)) continue;
      if (gone++ < kMaxMarked) calls.add(to_json(entry.call));
    }
    if (gone == 0 || count++ >= kMaxMarked) continue;
    json::ObjectBuilder one;
    one.add("value", utf8::clip(value.value.raw, evidence::kMaxReportedChars))
        .add("calls", calls.build())
        .add("everyCarrier", gone == value.grounding.carriers.size());
    marked.add(one.build());
  }
  if (count == 0) return;
  run.gate_verdict =
      json::with_member(run.gate_verdict, "noLongerInView",
                        json::object({{"count", count}, {"values", marked.build()}}));
}

std::optional<RouteDecision> judge_evidence(RunState& run) {
  if (!run.config().gate || is_blank(run.response.text)) return std::nullopt;
  const evidence::GateOptions& options = *run.config().gate;
  run.index_conversation();
  run.verdict = evidence::check_answer(run.response.text, run.index, options.judge);
  evidence::GateSituation situation;
  situation.schema_failed = run.contract_unmet.has_value();
  situation.revision_spent = run.revision_spent || !can_correct(run);
  situation.limit_fired = run.early_stop.has_value();
  const bool wanted = options.posture != evidence::Posture::assist && !run.revision_spent;
  if (wanted && !run.verdict->unsupported.empty() && !can_correct(run)) tell_corrections_spent(run);
  const evidence::GateVerdict gate = evidence::decide(*run.verdict, run.index, options, situation);
  run.gate_verdict = evidence::evidence_checked_event(gate, run.iteration);
  mark_out_of_view(run);
  run.emit(EventKind::evidence, [&](Event& event) {
    event.text = evidence::name_of(gate.action);
    event.number = static_cast<std::int64_t>(gate.unsupported_count);
    event.detail = &run.gate_verdict;
  });
  run.note_check(kEvidenceCheck, static_cast<CheckRow::Outcome>(gate.outcome), gate.reason);
  if (run.config().notice_prior_turn) notice_prior_turn(run, gate);
  run.unsupported.reset();
  run.judge_used_values(gate.action != evidence::GateAction::revision_asked &&
                        gate.action != evidence::GateAction::refused);
  switch (gate.action) {
    case evidence::GateAction::revision_asked:
      run.revision_spent = true;
      run.correction = evidence::recovery_text(recovery_context(run, gate), options);
      return RouteDecision{Route::evidence_recheck, "unsupported values"};
    case evidence::GateAction::refused: {
      keep_unsupported(run, gate);
      Stopped stopped;
      stopped.reason = Stopped::Reason::unsupported_values;
      stopped.message = evidence::refusal_text(gate);
      stopped.evidence = run.gate_verdict;
      run.outcome = RunResult::Outcome(std::move(stopped));
      return RouteDecision{Route::final_answer, "refused"};
    }
    case evidence::GateAction::flagged:
      keep_unsupported(run, gate);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// Output middleware may change the draft or deny it. Returns who changed it.
std::optional<std::string> pass_output(RunState& run) {
  const ChainOutcome chain = run_message(run, Moment::output, run.response.text);
  if (chain.kind == Decision::Kind::deny) {
    Stopped stopped;
    stopped.reason = Stopped::Reason::output_denied;
    stopped.message = fmt::format("{} denied the answer: {}", chain.by, chain.why);
    run.outcome = RunResult::Outcome(std::move(stopped));
    return std::nullopt;
  }
  if (!chain.changed) return std::string();
  run.response.text = std::string(*chain.value.as_string());
  return chain.by;
}

}  // namespace

std::string_view name_of(Route route) noexcept {
  static constexpr std::string_view kNames[] = {"tool-calls", "output-retry", "evidence-recheck",
                                                "wrap-up", "final"};
  return kNames[static_cast<std::size_t>(route)];
}

RouteDecision decide_route(RunState& run) {
  const StopReason stop = run.response.stop_reason;
  if (stop == StopReason::refusal || stop == StopReason::content_filter) {
    Stopped stopped;
    stopped.reason = Stopped::Reason::refused_by_model;
    stopped.message = fmt::format("the model withheld its answer ({})", name_of(stop));
    run.outcome = RunResult::Outcome(std::move(stopped));
    return {Route::final_answer, std::string(name_of(stop))};
  }
  if (!run.response.calls.empty()) {
    RouteDecision calls = route_calls(run);
    if (calls.route != Route::final_answer) return calls;
  }
  if (run.early_stop) run.early_stop->answer_was_empty = is_blank(run.response.text);
  run.peel_answer();
  const std::string before = run.response.text;
  const std::optional<std::string> changed_by = pass_output(run);
  if (!changed_by) return {Route::final_answer, "denied"};
  if (auto decision = judge_form(run, before, *changed_by)) return *decision;
  if (auto decision = judge_evidence(run)) return *decision;
  check_final_answer(run);
  return {Route::final_answer, "the answer stands"};
}

Answer compose_answer(RunState& run) {
  Answer answer;
  answer.text = run.config().limits_travel
                    ? semantics::with_limits(run.response.text, run.declared_coverage)
                    : run.response.text;
  answer.evidence = run.gate_verdict;
  answer.unsupported = run.unsupported;
  answer.contingent = run.answer_contingent_rows();
  answer.coverage = run.coverage_rows;
  answer.early_stop = run.early_stop;
  answer.contract_unmet = run.contract_unmet;
  answer.malformed_declarations = static_cast<std::uint32_t>(run.malformed_declarations());
  return answer;
}

}  // namespace agentfootprint::internal
