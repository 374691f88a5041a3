// `agentfootprint eval`: the pure functions as a filter over JSON Lines.
//
// What: `eval_functions` is the table of all of them; `eval_answer` answers one input line's value;
// `eval_stream` answers line by line until the input ends or a line cannot be read.
//
// When to use: the command, and the text cases under tests/cases, which run the same functions in
// process.
//
// Not guaranteed: the order of `eval_functions`.
//
// Limits: a line nests at most 2,000 brackets deep.
//
// Example:
//   json::Value answer = eval_answer({"same", [](const json::Value& in) { return in; }},
//                                    json::object({{"id", "a"}, {"n", 1}}));
//   (void)answer;   // {"id":"a","out":{"id":"a","n":1}}
#pragma once

#include <cstddef>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/cli/eval_function.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint {

// Every function, sorted by name.
[[nodiscard]] const std::vector<EvalFunction>& eval_functions();
[[nodiscard]] const EvalFunction* find_eval_function(std::string_view name);

// {"id":…, "out":…} or {"id":…, "refused":{…}}; `id` only when the input has one.
[[nodiscard]] json::Value eval_answer(const EvalFunction& function, const json::Value& in);

struct EvalStreamResult {
  std::size_t lines_read = 0;
  std::size_t bad_line = 0;  // from 1; 0 when every line could be read
  std::string reason;
};
// One answer line per input line; blank lines are skipped. Each answer is flushed before the next
// read that would wait, so the filter can be used in a dialogue.
EvalStreamResult eval_stream(const EvalFunction& function, std::istream& in, std::ostream& out);

}  // namespace agentfootprint
