// The eval function `evidence.arguments`.
//
// What: judges the arguments of a call as `evidence/arguments.hpp` does, from one input line.
//
// When to use: by the table of eval functions.
//
// Not guaranteed: anything the line does not ask for; see docs/eval.md.
//
// Example:
//   (void)arguments_eval_functions().size();   // 1
#pragma once

#include <vector>

#include "agentfootprint/cli/eval_function.hpp"

namespace agentfootprint {

[[nodiscard]] std::vector<EvalFunction> arguments_eval_functions();

}  // namespace agentfootprint
