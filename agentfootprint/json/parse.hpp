// Reading JSON text into values.
//
// What: `parse` reads one whole document strictly (RFC 8259); `parse_lenient` also takes what real
// tools print (NaN, Infinity, single quotes, Python's None/True/False, trailing commas, comments,
// invalid UTF-8, control characters in strings, lone surrogates) and says what it tolerated;
// `parse_leading` reads the values a text opens with and says where they end; `parse_prefix` reads
// a document that was cut short and keeps what is complete.
//
// When to use: `parse` for configuration and wire messages, the others for evidence. To look at
// every leaf without building values use the scanner (scanner.hpp).
//
// Not guaranteed: `parse` does not reject duplicate keys; all are kept.
//
// Limits: `max_depth` brackets open at once, `max_bytes` of text; both are reported with the line,
// the column (code points, from 1) and the byte (from 0). Reading and destroying are iterative at
// any depth.
//
// Example:
//   auto parsed = json::parse(R"({"n": 1.50, "n": 2})");
//   if (!parsed) {
//     (void)parsed.error().message();   // "line 1, column 7 (byte 6): …"
//   } else {
//     (void)parsed->size();             // 2: duplicates stay
//   }
//   json::Value value = json::parse_or_throw("[1, 2]");
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/base/expected.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::json {

struct ParseOptions {
  std::size_t max_depth = 10'000;
  std::size_t max_bytes = std::size_t{1} << 32;
};

struct ParseError {
  std::string code;      // json-syntax, json-cut, json-depth, json-size
  std::string reason;    // what was found and what was expected
  std::size_t byte = 0;  // from 0
  std::size_t line = 1;
  std::size_t column = 1;  // in code points
  [[nodiscard]] std::string message() const;
};

[[nodiscard]] Expected<Value, ParseError> parse(std::string_view text, ParseOptions options = {});

// Throws Error with the parse error's code and message.
[[nodiscard]] Value parse_or_throw(std::string_view text, ParseOptions options = {});

// Something lenient reading let pass.
struct Tolerated {
  std::string what;      // "nan", "single-quotes", "python-literal", "trailing-comma", "comment",
                         // "invalid-utf8", "control-character", "lone-surrogate"
  std::size_t byte = 0;  // of the first occurrence
  std::size_t count = 0;
};

struct LenientValue {
  Value value;
  std::vector<Tolerated> tolerated;  // empty when the text is strict JSON
};
// NaN and infinities become strings with their spelling (they are no numbers).
[[nodiscard]] Expected<LenientValue, ParseError> parse_lenient(std::string_view text,
                                                               ParseOptions options = {});

struct LeadingValues {
  std::vector<Value> values;  // in order; white space between them
  std::size_t end = 0;        // byte behind the last one
};
// Never fails: no value at the start gives an empty list and end 0. Only objects and arrays count
// as values here.
[[nodiscard]] LeadingValues parse_leading(std::string_view text, ParseOptions options = {});

struct PrefixValue {
  Value value;            // complete leaves only, brackets closed where the text ends
  std::string cut_words;  // the whole words of a string the text ends inside, "" otherwise
  bool cut = false;       // false: the document was complete
};
// Empty when the text is not JSON cut short (a foreign token, a mismatched bracket).
[[nodiscard]] Expected<PrefixValue, ParseError> parse_prefix(std::string_view text,
                                                             ParseOptions options = {});

}  // namespace agentfootprint::json
