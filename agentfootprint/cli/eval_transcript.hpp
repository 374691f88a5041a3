// The eval function of transcript/: `transcript.read`.
//
// What: reads a transcript from `path` or `text` and counts what the reader found. When to use: the
// table of cli/eval.cpp. Not guaranteed: anything beyond docs of the function's members.
//
// Example:
//   std::vector<EvalFunction> functions = transcript_eval_functions();
//   (void)functions.size();   // 1
#pragma once

#include <vector>

#include "agentfootprint/cli/eval_function.hpp"

namespace agentfootprint {

[[nodiscard]] std::vector<EvalFunction> transcript_eval_functions();

}  // namespace agentfootprint
