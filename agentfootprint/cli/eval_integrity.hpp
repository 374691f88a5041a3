// `evidence.conflicts`, `evidence.claims`, `evidence.support`: the checks that need no model.
//
// Example:
//   for (const EvalFunction& function : integrity_eval_functions()) (void)function.name;
#pragma once

#include <vector>

#include "agentfootprint/cli/eval_function.hpp"

namespace agentfootprint {

[[nodiscard]] std::vector<EvalFunction> integrity_eval_functions();

}  // namespace agentfootprint
