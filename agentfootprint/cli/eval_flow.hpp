// The eval function of the flow engine: `flow.script`.
//
// What: runs a chart written as JSON (cli/flow_script.hpp) and answers with its outcome, its rows,
// its state, and what was asked of its log. docs/flow.md describes the members of a line.
//
// When to use: through `agentfootprint eval`.
//
// Not guaranteed: asynchronous stages; time stands still and moves only by `advance` and backoff.
//
// Example:
//   const auto functions = flow_eval_functions();
//   (void)functions.size();   // 1
#pragma once

#include <vector>

#include "agentfootprint/cli/eval_function.hpp"

namespace agentfootprint {

[[nodiscard]] std::vector<EvalFunction> flow_eval_functions();

}  // namespace agentfootprint
