// Where the function of a text case is found.
#include "tests/functions/functions.hpp"

#include "agentfootprint/cli/eval.hpp"

namespace agentfootprint::text_cases {

const EvalFunction* find_function(std::string_view name) {
  if (const EvalFunction* function = find_eval_function(name)) return function;
  static const std::vector<EvalFunction> only_here = [] {
    std::vector<EvalFunction> all = artifact_functions();
    for (const EvalFunction& function : agent_functions()) all.push_back(function);
    return all;
  }();
  for (const EvalFunction& function : only_here) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace agentfootprint::text_cases
