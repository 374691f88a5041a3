// A verdict as JSON, in the words of the eval answers.
//
// What: `values[]`, `unsupported[]`, `candidates`, `truncated` as docs/eval.md describes them; with
// `places` also the tool, the JSON pointer and the byte span of each carrier.
//
// When to use: `audit --json`, `eval evidence.check`, `why --json`.
//
// Not guaranteed: the texts of results; only where a value stands in them.
//
// Example:
//   evidence::ConversationIndex index;
//   evidence::Verdict verdict = evidence::check_answer("fc1/3 is down", index);
//   json::Value value = verdict_to_json(verdict, index, false);
//   (void)value;   // {"values":[{"raw":"fc1/3",…}],"unsupported":["fc1/3"],…}
#pragma once

#include "agentfootprint/evidence/judge.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint {

[[nodiscard]] json::Value verdict_to_json(const evidence::Verdict& verdict,
                                          const evidence::ConversationIndex& index, bool places);
[[nodiscard]] json::Value judged_value_to_json(const evidence::JudgedValue& value,
                                               const evidence::ConversationIndex& index,
                                               bool places);
[[nodiscard]] json::Value carriers_to_json(const std::vector<evidence::Carrier>& carriers,
                                           const evidence::ConversationIndex& index, bool places);
// "number", "shape:iata".
[[nodiscard]] std::string kind_name(const evidence::Value& value);

}  // namespace agentfootprint
