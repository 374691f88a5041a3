// The eval functions of semantics/: declaring, judging, reading and the gate.
//
// What: `semantics.describe`, `.issues`, `.read`, `.model_view`, `.absent`, `.coverage`,
// `.counter_word` and `.gate`. When to use: the table of cli/eval.cpp. Not guaranteed: anything
// about other members of an input line; they are ignored.
//
// Example:
//   std::vector<EvalFunction> functions = semantics_eval_functions();
//   (void)functions.front().name;
#pragma once

#include <vector>

#include "agentfootprint/cli/eval_function.hpp"

namespace agentfootprint {

[[nodiscard]] std::vector<EvalFunction> semantics_eval_functions();

}  // namespace agentfootprint
