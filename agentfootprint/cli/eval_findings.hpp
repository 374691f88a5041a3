// The eval functions of findings/: `findings.*`.
//
// What: the pure functions of the ledger as filters. When to use: the table of cli/eval.cpp. Not
// guaranteed: anything beyond docs/findings.md and the members a function names.
//
// Example:
//   std::vector<EvalFunction> functions = findings_eval_functions();
//   (void)functions.front().name;   // "findings.split"
#pragma once

#include <vector>

#include "agentfootprint/cli/eval_function.hpp"

namespace agentfootprint {

[[nodiscard]] std::vector<EvalFunction> findings_eval_functions();

}  // namespace agentfootprint
