// An explanation for people and as JSON.
//
// What: `why_text` prints the values, what each stands on, and the calls behind them with the
// origin of their arguments; `why_json` gives the same as one object. Every line carries its tier:
// what was written down is recorded, what the rules of evidence/ conclude is derived.
//
// When to use: `agentfootprint why`. Not guaranteed: the wording of the text.
//
// Example:
//   Explanation explanation;
//   std::string text = why_text(explanation);
//   json::Value value = why_json(explanation);
//   (void)text; (void)value;
#pragma once

#include <string>

#include "agentfootprint/explain/why.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint {

[[nodiscard]] std::string why_text(const Explanation& explanation);
[[nodiscard]] json::Value why_json(const Explanation& explanation);

}  // namespace agentfootprint
