// Runs a tool: functions in place, coroutines beside the run so that they can be given up.
#include "agentfootprint/agent/internal/call_context.hpp"
#include "agentfootprint/agent/internal/dispatch.hpp"
#include "agentfootprint/agent/internal/race.hpp"
#include "agentfootprint/agent/internal/sentences.hpp"

namespace agentfootprint::internal {
namespace {

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "something that is no std::exception was thrown";
  }
}

std::optional<std::int64_t> timeout_of(const RunState& run, const CallState& call) {
  const auto own = call.tool->tool.timeout_ms();
  return own ? own : run.config().tool_timeout_ms;
}

ToolResult failed(const CallState& call, const std::exception_ptr& error) {
  return ToolResult::error(sentences::tool_failed(call.wire.name, text_of(error)));
}

// A function cannot be interrupted; one that returns behind its time has still timed out.
ToolResult run_function(RunState& run, CallState& call, CallContext& context,
                        std::optional<std::int64_t> timeout_ms) {
  const std::int64_t from = run.clock->steady_ns();
  ToolResult result = ToolResult::text("");
  try {
    result = call.tool->tool.function()(call.arguments, context);
  } catch (...) {
    result = failed(call, std::current_exception());
  }
  if (timeout_ms && run.clock->steady_ns() - from > *timeout_ms * 1'000'000) {
    call.late = true;
    return ToolResult::error(sentences::timed_out(call.wire.name, *timeout_ms));
  }
  return result;
}

// The coroutine owns its context and, through it, the spec: it may be left behind.
Task<ToolResult> owned(std::shared_ptr<CallContext> context, const Tool* tool,
                       json::Value arguments) {
  co_return co_await tool->coroutine()(std::move(arguments), *context);
}

Task<ToolResult> run_coroutine(RunState& run, CallState& call, std::shared_ptr<CallContext> context,
                               std::optional<std::int64_t> timeout_ms) {
  auto slot = std::make_shared<RaceSlot>();
  co_await start_in_slot(owned(context, &call.tool->tool, call.arguments), slot);
  std::optional<std::int64_t> deadline;
  if (timeout_ms) deadline = run.clock->steady_ns() + *timeout_ms * 1'000'000;
  const RaceEnd end = co_await wait_for_slot(*run.clock, slot, deadline, run.cancel.token());
  if (end == RaceEnd::done) {
    if (slot->error) co_return failed(call, slot->error);
    co_return std::move(*slot->result);
  }
  context->end(end == RaceEnd::deadline ? "the tool's time is over" : run.cancel.token().reason());
  if (end == RaceEnd::cancelled) {
    run.cancel.token().throw_if_cancelled();
  }
  call.late = true;
  co_return ToolResult::error(sentences::timed_out(call.wire.name, timeout_ms.value_or(0)));
}

}  // namespace

Task<ToolResult> execute_call(RunState& run, CallState& call) {
  auto context = std::make_shared<CallContext>(run.shared_from_this(), call);
  const std::optional<std::int64_t> timeout_ms = timeout_of(run, call);
  call.executed = true;
  call.context = context;
  if (call.tool->tool.function()) co_return run_function(run, call, *context, timeout_ms);
  if (timeout_ms || run.cancel.token().armed()) {
    co_return co_await run_coroutine(run, call, context, timeout_ms);
  }
  std::exception_ptr error;
  try {
    co_return co_await call.tool->tool.coroutine()(call.arguments, *context);
  } catch (...) {
    error = std::current_exception();
  }
  co_return failed(call, error);
}

}  // namespace agentfootprint::internal
