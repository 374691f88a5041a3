// One model call: the served view of the conversation, and what came back.
#pragma once

#include "agentfootprint/agent/internal/run_state.hpp"
#include "agentfootprint/base/task.hpp"

namespace agentfootprint::internal {

// The request of this iteration. Consecutive requests share their prefix up to the last message.
void prepare_request(RunState& run);

// {input?, output?, cacheRead?, cacheWrite?}; what is not known is left out.
[[nodiscard]] json::Value usage_json(const Usage& usage);

// Adds what a call cost to the run; `prices` are those of the budget when empty.
void count_usage(RunState& run, const Usage& usage, const std::optional<Prices>& prices);

// Calls the model; the response stands in the run. Throws ModelError and Error
// "cancelled"/"deadline".
[[nodiscard]] Task<void> call_model(RunState& run);

}  // namespace agentfootprint::internal
