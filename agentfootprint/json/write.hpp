// Writing values as JSON text.
//
// What: *compact form* (insertion order, no white space, numbers with their source text) is what
// digests and models see; *canonical form* (members sorted by UTF-8 bytes of the key, numbers in
// the shortest exact spelling, strings with the fewest escapes) is what fingerprints and equality
// see. `pretty` is for people. Duplicate keys are written as they stand; canonical form keeps their
// relative order.
//
// Not guaranteed: that compact form is byte-equal to the text a value was read from: white space
// and string escapes are normalised.
//
// Strings that are not valid UTF-8 are written with U+FFFD: the output is always valid JSON.
//
// Example:
//   json::Value value = json::object({{"b", 1}, {"a", json::Value::number("2.50")}});
//   std::string compact = json::dump(value);               // {"b":1,"a":2.50}
//   std::string canonical = json::dump_canonical(value);   // {"a":2.5,"b":1}
#pragma once

#include <string>
#include <string_view>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::json {

[[nodiscard]] std::string dump(const Value& value);
void dump_to(std::string& out, const Value& value);
[[nodiscard]] std::string dump_canonical(const Value& value);
[[nodiscard]] std::string dump_pretty(const Value& value, int indent = 2);

// A JSON string literal with its quotes.
void append_quoted(std::string& out, std::string_view text);

// A finite double as ECMAScript prints it (`0.1`, `1e+21`, `-0` as `0`). Throws Error "json-number"
// for one that is not finite.
[[nodiscard]] std::string number_text(double value);

}  // namespace agentfootprint::json
