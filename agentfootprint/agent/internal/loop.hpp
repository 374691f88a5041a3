// The agent loop as a chart: seed, context, model call, route, tool calls, corrections, wrap-up,
// final.
#pragma once

#include "agentfootprint/flow/chart.hpp"

namespace agentfootprint::internal {

// Stages reach the run through the scope's context (a RunState).
[[nodiscard]] flow::Chart build_loop();

}  // namespace agentfootprint::internal
