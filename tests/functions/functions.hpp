// Functions that only text cases know, beside those of `eval`.
//
// What: `artifacts.damage` is `artifacts.script` with steps that look into the store's folder and
// harm what is in it; `datasets.execute` wraps a scripted execution; `agent.script` runs an agent
// whose model and tools are written as JSON. They have no place in a command: each does what a
// user never should, or needs the agent, which `eval` does not link.
//
// When to use: tests/text_cases_test.cpp finds the function of a case here.
//
// Example:
//   (void)text_cases::find_function("artifacts.damage");
#pragma once

#include <string_view>
#include <vector>

#include "agentfootprint/cli/eval_function.hpp"

namespace agentfootprint::text_cases {

[[nodiscard]] std::vector<EvalFunction> artifact_functions();
[[nodiscard]] std::vector<EvalFunction> agent_functions();

// A function of `eval` or one of these; null when there is neither.
[[nodiscard]] const EvalFunction* find_function(std::string_view name);

}  // namespace agentfootprint::text_cases
