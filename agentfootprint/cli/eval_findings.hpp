// The eval functions `findings.*`.
#pragma once

#include <vector>

#include "agentfootprint/cli/eval_function.hpp"

namespace agentfootprint {

[[nodiscard]] std::vector<EvalFunction> findings_eval_functions();

}  // namespace agentfootprint
