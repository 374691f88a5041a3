// The judge of a draft answer: output middleware, schema, evidence; and what an answer carries.
#pragma once

#include <string>

#include "agentfootprint/agent/internal/run_state.hpp"

namespace agentfootprint::internal {

enum class Route : std::uint8_t {
  tool_calls,
  output_retry,
  evidence_recheck,
  wrap_up,
  final_answer
};
[[nodiscard]] std::string_view name_of(Route route) noexcept;

struct RouteDecision {
  Route route = Route::final_answer;
  std::string reason;
};

// Decides what follows the newest model response. May set the run's outcome (a denied or refused
// answer).
[[nodiscard]] RouteDecision decide_route(RunState& run);

// The answer of a finished turn.
[[nodiscard]] Answer compose_answer(RunState& run);

}  // namespace agentfootprint::internal
