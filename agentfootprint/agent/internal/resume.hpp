// Going on where a pause left off: what a resumption holds, and how it re-enters the pipeline.
#pragma once

#include <vector>

#include "agentfootprint/agent/internal/run_state.hpp"
#include "agentfootprint/base/task.hpp"

namespace agentfootprint::internal {

// Answers the pending calls that have a resolution, each through the same gates from where it
// stood. Calls without one stay pending.
[[nodiscard]] Task<void> resume_pending(RunState& run);

}  // namespace agentfootprint::internal
