// The eval functions of artifacts: `artifacts.script`, `datasets.stage`.
//
// What: a script runs the verbs of a fresh store step by step; `datasets.stage` stages a list of
// datasets into one. Stores on disk live in a temporary folder that is removed at the end. Time
// stands still and moves only by `advance`.
//
// When to use: through `agentfootprint eval`.
//
// Not guaranteed: that two runs mint the same tickets.
//
// Example:
//   const auto functions = artifacts_eval_functions();
//   (void)functions.size();   // 2
#pragma once

#include <vector>

#include "agentfootprint/cli/eval_function.hpp"

namespace agentfootprint {

[[nodiscard]] std::vector<EvalFunction> artifacts_eval_functions();

}  // namespace agentfootprint
