// SWE-agent trajectories (`.traj`) and the agent logs of who-and-when.
//
// What: one object with `history` (and, for SWE-agent, `trajectory`). Demonstrations (`is_demo`)
// are left out: they are worked examples, not evidence. An action without a structured call becomes
// a call of the tool `action` whose result is the observation that follows. A log of plain messages
// has no tool results as such: its conversation is read and marked as not structured.
//
// When to use: the transcript reader. Not guaranteed: steps that only `trajectory` holds, other
// than the last ones.
//
// Example:
//   Transcript transcript = transcript::internal::read_agent_history(json::object(
//       {{"history", json::array({json::object({{"role", "user"}, {"content", "go"}})})}}));
//   (void)transcript.structured;   // false: no action, no tool result
#pragma once

#include "agentfootprint/transcript/internal/assembler.hpp"

namespace agentfootprint::transcript::internal {

[[nodiscard]] bool is_agent_history(const json::Value& root);
[[nodiscard]] Transcript read_agent_history(const json::Value& root);

}  // namespace agentfootprint::transcript::internal
