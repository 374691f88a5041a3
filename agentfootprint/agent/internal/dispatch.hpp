// The one pipeline every tool call passes, for a fresh batch and for every resume.
//
// Before execute: lookup, tool_start, permission, capabilities, before-middleware, validation,
// check-in, wants, credentials. Behind it: envelope, coverage, described result, ceiling, call
// teardown, after-middleware, placement, cap, tool_end, notes, history. A call that cannot go on is
// settled with a status and a text the model can act on; a batch that is cut settles every sibling
// at once.
#pragma once

#include "agentfootprint/agent/internal/run_state.hpp"
#include "agentfootprint/base/task.hpp"

namespace agentfootprint::internal {

// Where a call stands behind the gates.
enum class GateOutcome : std::uint8_t {
  go,       // execute
  settled,  // a result is there (denied, invalid, unknown)
  paused,   // a question was added to the run's pending ones
  halted,   // the run is over
};

// The entry gate of a resolved call: where the list is re-entered.
enum class GateEntry : std::uint8_t { start, after_middleware_ask, after_check_in, credential };

// Passes one call through the gates in front of execute.
[[nodiscard]] Task<GateOutcome> pass_gates(RunState& run, CallState& call, GateEntry entry);

// Runs the tool, bounded by its time and the run's token. What it throws becomes an error result;
// only a cancelled run leaves as an exception.
[[nodiscard]] Task<ToolResult> execute_call(RunState& run, CallState& call);

// Everything behind execute, up to the message in the conversation. False: the tool asked a person
// (the question was added to the pending ones) and the batch ends here.
[[nodiscard]] Task<bool> finish_call(RunState& run, CallState& call, ToolResult result);
// The same for a call that a gate settled: tool_end and the message.
void finish_unexecuted(RunState& run, CallState& call);
// A person's answer as the result of a plain ask.
void finish_answered(RunState& run, CallState& call, const json::Value& answer);

// Settles a call that did not run, with a library sentence; `status` and `text` reach the model.
void settle_call(RunState& run, CallState& call, ToolStatus status, std::string text);

// The whole batch of the newest assistant message; leaves every call settled or waiting for an
// answer.
[[nodiscard]] Task<void> run_batch(RunState& run);
// One call whose question was answered, from `entry` on.
[[nodiscard]] Task<void> resume_call(RunState& run, CallState& call, GateEntry entry);

// Data arguments in place of tickets (`wants`).
[[nodiscard]] Task<GateOutcome> resolve_wanted(RunState& run, CallState& call);
// Has this call landed with the same outcome so often that running it again helps nobody?
[[nodiscard]] bool repeats_too_often(const RunState& run, const CallState& call);
// What a person who is asked to agree should see: what will be done, and after which calls.
[[nodiscard]] json::Value check_in_evidence(const RunState& run, const CallState& call);

// A text shortened to `max` code points with a statement of the cut.
[[nodiscard]] std::string clip_with_note(std::string_view text, std::size_t max);

}  // namespace agentfootprint::internal
