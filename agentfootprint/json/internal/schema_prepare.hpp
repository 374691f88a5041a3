// Makes a schema fit to be compiled: refuses what could crash or run away, and hands the keywords
// that we check ourselves (numbers exactly, patterns by RE2, lengths in code points) to checks of
// our own.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "agentfootprint/base/expected.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::json::internal {

// The fault of a value, or nothing.
using SchemaCheck = std::function<std::optional<std::string>(const Value&)>;

// Keywords with a check of ours, by the name a prepared schema spells them with.
inline constexpr std::string_view kOwnPrefix = "af:";
inline constexpr std::string_view kOwnKeywords[] = {
    "type",       "minimum", "maximum",     "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "pattern", "uniqueItems", "minLength",        "maxLength"};

struct PreparedSchema {
  Value schema;
  // Values nested deeper are not checked: the check calls itself once a level and subschema.
  std::size_t max_value_depth = 0;
};
// The error says what is wrong and where.
[[nodiscard]] Expected<PreparedSchema, std::string> prepare_schema(const Value& schema);

// The check behind one keyword; the error is about its value.
[[nodiscard]] Expected<SchemaCheck, std::string> make_check(std::string_view keyword,
                                                            const Value& argument);

// A pattern as RE2 has it: `\uXXXX` and `(?<name>` are respelled.
[[nodiscard]] std::string re2_pattern(std::string_view pattern);
[[nodiscard]] std::optional<std::string> pattern_fault(std::string_view pattern);

// How deep a value nests; iterative.
[[nodiscard]] std::size_t depth_of(const Value& value);

// "an object", "a string", …; an integer is called that.
[[nodiscard]] std::string_view type_of(const Value& value) noexcept;

}  // namespace agentfootprint::json::internal
