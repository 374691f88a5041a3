// The stages of the loop. Each reads and writes tracked keys beside doing its work on the run, so
// that the log says what every decision was made on.
#include "agentfootprint/agent/internal/loop.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

#include "agentfootprint/agent/internal/dispatch.hpp"
#include "agentfootprint/agent/internal/judge.hpp"
#include "agentfootprint/agent/internal/middleware_chain.hpp"
#include "agentfootprint/agent/internal/model_call.hpp"
#include "agentfootprint/agent/internal/resume.hpp"
#include "agentfootprint/agent/internal/run_state.hpp"
#include "agentfootprint/agent/internal/sentences.hpp"
#include "agentfootprint/agent/internal/state_keys.hpp"
#include "agentfootprint/flow/async.hpp"
#include "agentfootprint/flow/scope.hpp"

namespace agentfootprint::internal {
namespace {

using flow::Scope;

RunState& run_of(Scope& scope) {
  return scope.context<RunState>();
}

// The stages watch the run's token themselves and must reach their end: a batch settles every call
// before it lets go. So the flow's own way of cutting a coroutine short is switched off.
Task<void> finish_what_is_begun() {
  co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
}

// The input passes its middleware before it enters the conversation, on every turn.
void seed(Scope& scope) {
  RunState& run = run_of(scope);
  scope.set(keys::kRunId, run.run_id);
  scope.set(keys::kMaxIterations, run.config().max_iterations);
  if (run.resumption) return;
  run.emit(EventKind::turn_start, [&](Event& event) { event.text = run.input; });
  const ChainOutcome chain = run_message(run, Moment::input, run.input);
  if (chain.kind == Decision::Kind::deny) {
    Stopped stopped;
    stopped.reason = Stopped::Reason::input_denied;
    stopped.message = fmt::format("{} denied the input: {}", chain.by, chain.why);
    run.outcome = RunResult::Outcome(std::move(stopped));
    scope.break_chart("input denied");
    return;
  }
  run.input = std::string(*chain.value.as_string());
  scope.set(keys::kInput, run.input);
  run.conversation.append(Message::user(run.input));
}

void open_iteration(RunState& run) {
  ++run.iteration;
  run.emit(EventKind::iteration_start, [](Event&) {});
}

// A batch that was cut and answered goes on here; a fresh turn passes through.
Task<void> answer_pending(Scope& scope) {
  co_await finish_what_is_begun();
  RunState& run = run_of(scope);
  if (!run.resumption) co_return;
  co_await resume_pending(run);
  if (run.outcome || !run.pending.empty()) {
    scope.break_chart(run.outcome ? "stopped" : "paused");
    co_return;
  }
  if (run.iteration > 0) run.emit(EventKind::iteration_end, [](Event&) {});
}

// What of the conversation is shown from here on; where a model writes summaries this waits for it.
void window(Scope& scope) {
  RunState& run = run_of(scope);
  open_iteration(run);
  move_window(run);
  scope.set(keys::kLeftOut, messages_left_out(run));
}

Task<void> summarise(Scope& scope) {
  co_await finish_what_is_begun();
  RunState& run = run_of(scope);
  open_iteration(run);
  run.phase = "model";
  co_await summarise_window(run);
  run.phase = "loop";
  scope.set(keys::kLeftOut, messages_left_out(run));
}

void context(Scope& scope) {
  RunState& run = run_of(scope);
  if (run.window) {
    static_cast<void>(scope.get(keys::kLeftOut));
  } else {
    open_iteration(run);
  }
  if (!run.correction.empty()) scope.set(keys::kCorrection, run.correction);
  prepare_request(run);
  scope.set(keys::kIteration, run.iteration);
  scope.set(keys::kServedMessages, static_cast<std::uint32_t>(run.request->messages().size()));
  scope.set(keys::kServedTools, static_cast<std::uint32_t>(run.request->tools().size()));
}

Task<void> model(Scope& scope) {
  co_await finish_what_is_begun();
  RunState& run = run_of(scope);
  static_cast<void>(scope.get(keys::kServedMessages));
  run.phase = "model";
  co_await call_model(run);
  run.phase = "loop";
  scope.set(keys::kDraft, run.response.text);
  json::ArrayBuilder calls;
  for (const ToolCall& call : run.response.calls) {
    json::ObjectBuilder row;
    row.add("tool", call.name).add("args", call.arguments);
    calls.add(row.build());
  }
  scope.set(keys::kCalls, calls.build());
  if (run.usage.input_tokens) scope.set(keys::kInputTokens, *run.usage.input_tokens);
  if (run.usage.output_tokens) scope.set(keys::kOutputTokens, *run.usage.output_tokens);
}

std::string route(Scope& scope) {
  RunState& run = run_of(scope);
  static_cast<void>(scope.get(keys::kIteration));
  static_cast<void>(scope.get(keys::kMaxIterations));
  static_cast<void>(scope.get(keys::kDraft));
  static_cast<void>(scope.get(keys::kCalls));
  if (run.config().gate) static_cast<void>(scope.size(keys::kResults));
  const RouteDecision decision = decide_route(run);
  scope.set(keys::kRouteReason, decision.reason);
  run.emit(EventKind::route, [&](Event& event) { event.text = name_of(decision.route); });
  return std::string(name_of(decision.route));
}

void open_batch(RunState& run) {
  std::vector<ToolCall> calls = run.response.calls;
  Message message = Message::assistant(run.response.text, std::move(calls));
  const std::uint32_t index = run.conversation.append(std::move(message));
  run.on_assistant(index);
  run.batch.clear();
  const Message& stored = run.conversation[index];
  for (std::uint32_t i = 0; i < stored.calls.size(); ++i) {
    const ToolCall& wire = stored.calls[i];
    CallState call(CallKey{index, i, false}, wire);
    call.tool = run.config().find_tool(wire.name);
    call.arguments = wire.arguments;
    run.batch.push_back(std::move(call));
  }
  run.on_batch();
  // A tool may take its time, or the process with it: the record shows what was asked.
  if (run.record) run.record->writer().flush();
}

void keep_results(Scope& scope, const RunState& run) {
  for (const CallState& call : run.batch) {
    if (!call.settled) continue;
    json::ObjectBuilder row;
    row.add("call", to_json(call.key))
        .add("tool", call.wire.name)
        .add("status", name_of(call.status))
        .add("chars", call.served.size());
    scope.append(keys::kResults, row.build());
  }
}

Task<void> tool_calls(Scope& scope) {
  co_await finish_what_is_begun();
  RunState& run = run_of(scope);
  static_cast<void>(scope.get(keys::kCalls));
  open_batch(run);
  run.phase = "tool";
  std::exception_ptr error;
  try {
    co_await run_batch(run);
  } catch (...) {
    error = std::current_exception();
  }
  keep_results(scope, run);
  if (error) std::rethrow_exception(error);
  run.on_batch_end();
  co_await ask_judge(run);
  run.phase = "loop";
  if (run.outcome || !run.pending.empty()) {
    scope.break_chart(run.outcome ? "stopped" : "paused");
    co_return;
  }
  run.emit(EventKind::iteration_end,
           [&](Event& event) { event.number = static_cast<std::int64_t>(run.batch.size()); });
}

// Schema and evidence re-asks: budgeted apart from iterations' tool calls, told in the request
// only.
void correct(Scope& scope) {
  RunState& run = run_of(scope);
  ++run.corrections;
  --run.iteration;  // a correction asks the same question again; it spends no iteration
  scope.set(keys::kCorrections, run.corrections);
  run.emit(EventKind::iteration_end, [](Event&) {});
}

void wrap_up(Scope& scope) {
  RunState& run = run_of(scope);
  run.wrap_up_asked = true;
  run.early_stop->wrapped_up = true;
  run.correction = sentences::wrap_up(name_of(run.early_stop->reason));
  scope.set(keys::kEarlyStop, std::string(name_of(run.early_stop->reason)));
  run.emit(EventKind::iteration_end, [](Event&) {});
}

void final_answer(Scope& scope) {
  RunState& run = run_of(scope);
  static_cast<void>(scope.get(keys::kDraft));
  static_cast<void>(scope.get(keys::kRouteReason));
  run.emit(EventKind::iteration_end, [](Event&) {});
  if (run.outcome) {
    scope.break_chart("stopped");
    return;
  }
  Answer answer = compose_answer(run);
  scope.set(keys::kAnswer, answer.text);
  if (!run.response.text.empty() || !run.said.empty()) {
    // What the model said stands in the conversation, declarations included; a text that middleware
    // changed replaces it, and the coverage block is the library's and stays outside.
    const bool as_said = run.response.text == run.peeled;
    const std::uint32_t index =
        run.conversation.append(Message::assistant(as_said ? run.said : run.response.text));
    run.on_assistant(index);
  }
  if (!run.consent_missing.empty()) {
    const auto& [service, url] = *run.consent_missing.begin();
    Stopped stopped;
    stopped.reason = Stopped::Reason::consent_required;
    stopped.message = fmt::format("consent for {} is missing", service);
    stopped.authorization_url = url;
    run.outcome = RunResult::Outcome(std::move(stopped));
    return;
  }
  run.outcome = RunResult::Outcome(std::move(answer));
}

}  // namespace

flow::Chart build_loop(const AgentConfig& config) {
  const std::string head = config.window ? "window" : "context";
  const auto again = [&head](std::string id, auto stage) {
    return flow::steps().stage(std::move(id), stage).loop_to(head);
  };
  flow::ChartBuilder chart("agent");
  chart.stage("seed", seed).stage("answer-pending", answer_pending);
  if (config.summariser) {
    chart.stage("window", summarise);
  } else if (config.window) {
    chart.stage("window", window);
  }
  return chart.stage("context", context)
      .stage("call-model", model)
      .decide("route", route)
      .branch("tool-calls", again("run-tools", tool_calls))
      .branch("output-retry", again("ask-for-form", correct))
      .branch("evidence-recheck", again("ask-for-evidence", correct))
      .branch("wrap-up", again("ask-for-summary", wrap_up))
      .branch("final", final_answer)
      .build();
}

}  // namespace agentfootprint::internal
