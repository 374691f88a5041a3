// `evidence.check`: the judge over messages and an answer, as an eval function.
//
// What: the area's table, and the JSON of one judged value, which other functions print too.
//
// When to use: through `agentfootprint eval` and the text cases.
//
// Not guaranteed: members of an input line that are not named in the eval page are ignored.
//
// Example:
//   std::vector<EvalFunction> functions = evidence_eval_functions();
//   (void)functions.front().name;   // "evidence.check"
#pragma once

#include <vector>

#include "agentfootprint/cli/eval_function.hpp"
#include "agentfootprint/evidence/judge.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint {

[[nodiscard]] std::vector<EvalFunction> evidence_eval_functions();

// {raw, value, kind, grounding, mode?, suppliedBy?, notes?, carriers[…], formula?, operands?,
// chance?}
[[nodiscard]] json::Value evidence_value_json(const evidence::JudgedValue& judged,
                                              const evidence::ConversationIndex& index);
// `messages[]` and `supplied[]` of an input line, indexed.
[[nodiscard]] evidence::ConversationIndex evidence_index_of(const json::Value& in);
// `options` of an input line.
[[nodiscard]] evidence::JudgeOptions evidence_options_of(const json::Value& in);

}  // namespace agentfootprint
