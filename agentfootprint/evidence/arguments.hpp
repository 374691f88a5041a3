// Values in the arguments of a call: did they come from anywhere?
//
// What: judges the string leaves of a call's arguments (and its numbers, when asked) as an answer
// is judged, each with its JSON pointer. A parameter has a class: `value` and `identifier` are
// judged, `text` (queries, code, prose the model composes) is not.
//
// The class is declared or it is `value`; nothing is guessed from a name or a description. In
// order: the caller's declaration for the parameter; the schema's `x-evidence` (`value`,
// `identifier`, `text`); the schema's `format` (`uuid`, `ipv4`, `ipv6`, `hostname`, `email`,
// `idn-email`, `uri`, `date`, `time`, `date-time` are identifiers or values; `regex`, `markdown`,
// `sql`, `code`, `textarea` are text) or `contentMediaType` (text). What stands in the schema as
// `enum`, `const` or `default` was declared by the tool's author and is not judged.
//
// When to use: at dispatch, and on the calls of any transcript.
//
// Not guaranteed: that an argument without a digit is looked at.
//
// Limits: those of the judge; arguments deeper than 64 levels are not read further.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::tool_result("c1", "find", R"({"id": "C-4471"})"));
//   auto index = evidence::ConversationIndex::of(conversation);
//   evidence::Judge judge(index, evidence::JudgeOptions());
//   auto verdict = evidence::check_arguments(
//       judge, json::parse_or_throw(R"({"id": "C-4471", "phone": "+15550100999"})"));
//   (void)verdict.values[1].path;   // "/phone", unsupported
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/evidence/judge.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::evidence {

enum class ParameterClass : std::uint8_t { value, identifier, text };
[[nodiscard]] std::string_view name_of(ParameterClass parameter_class) noexcept;
[[nodiscard]] std::optional<ParameterClass> parse_parameter_class(std::string_view name) noexcept;

struct ArgumentOptions {
  // By parameter name, or by JSON pointer for something inside one.
  std::map<std::string, ParameterClass> classes;
  json::Value schema;    // the tool's input schema; null when there is none
  bool numbers = false;  // judge JSON numbers too
};

struct ArgumentValue {
  std::string path;  // JSON pointer of the leaf
  ParameterClass parameter_class = ParameterClass::value;
  JudgedValue judged;
};

struct ArgumentsVerdict {
  std::vector<ArgumentValue> values;     // in order of the leaves
  std::vector<std::size_t> unsupported;  // positions in `values`; empty when truncated
  std::size_t candidates = 0;
  bool truncated = false;
};

// `arguments` is the object the model wrote.
[[nodiscard]] ArgumentsVerdict check_arguments(const Judge& judge, const json::Value& arguments,
                                               const ArgumentOptions& options = {});

// The class of a parameter by its schema alone; empty when the schema says nothing.
[[nodiscard]] std::optional<ParameterClass> class_of_schema(const json::Value& schema);

}  // namespace agentfootprint::evidence
