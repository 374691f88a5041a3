// The agent loop as a chart: seed, window (where one is armed), context, model call, route, tool
// calls, corrections, wrap-up, final.
#pragma once

#include "agentfootprint/flow/chart.hpp"

namespace agentfootprint {
struct AgentConfig;
}

namespace agentfootprint::internal {

// Stages reach the run through the scope's context (a RunState).
[[nodiscard]] flow::Chart build_loop(const AgentConfig& config);

}  // namespace agentfootprint::internal
