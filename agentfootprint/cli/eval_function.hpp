// One pure function of `agentfootprint eval`.
//
// What: a name and a function from the object of an input line to the value of "out". A function
// answers "refused" by throwing `Refusal`; Error "json-missing" and "json-type" of a typed getter
// become a refusal with code "eval-input".
//
// When to use: each area exposes `std::vector<EvalFunction> <area>_eval_functions()` in
// cli/eval_<area>.hpp and gets its line in `eval_functions()` of cli/eval.cpp.
//
// Not guaranteed: that two calls share anything; a function keeps no state.
//
// Example:
//   EvalFunction same{"same", [](const json::Value& in) { return in; }};
//   (void)same.run(json::object({{"a", 1}}));
#pragma once

#include <string_view>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint {

struct EvalFunction {
  std::string_view name;
  json::Value (*run)(const json::Value& in);
};

}  // namespace agentfootprint
