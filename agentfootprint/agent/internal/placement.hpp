// Tickets at the doors of a call: oversized results out, wanted datasets in.
#pragma once

#include "agentfootprint/agent/internal/run_state.hpp"

namespace agentfootprint::internal {

// Replaces a clean result longer than the spec's inline limit by a ticket; a store that fails
// changes nothing.
[[nodiscard]] Task<void> place_result(RunState& run, CallState& call);

}  // namespace agentfootprint::internal
