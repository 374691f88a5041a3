// The one scanner of JSON text: events with byte spans, no allocation for values.
//
// What: walks a text once, iteratively, and calls a handler for every bracket, key and leaf with
// the byte span in the source. It serves `parse` (json/parse.hpp), the evidence reader and the
// readers of transcripts: whole documents, cut ones, several in a row, strict or lenient.
//
// When to use: when you need positions or speed and no tree.
//
// Not guaranteed: that a string span holds decoded text: spans are raw, without the quotes; decode
// with `decode_string` only when `escaped` is set. A number that ends where a cut text ends is not
// reported: it may lack digits.
//
// Strict scanning refuses escapes JSON does not have, surrogate escapes that stand alone and text
// that is not UTF-8.
//
// A handler has these members (all return void; `Span` is a half-open byte range of the text):
//     void begin_object(std::size_t at);     void end_object(std::size_t at);
//     void begin_array(std::size_t at);      void end_array(std::size_t at);
//     void key(Span raw, bool escaped);      void string(Span raw, bool escaped);
//     void number(Span raw);
//     void literal(Span raw);   // true, false, null; leniently also NaN, None, …
//     void cut_string(Span raw, bool escaped);   // a string value the text ends inside
//     void tolerated(const char* what, std::size_t at);   // only in lenient mode
//
// Example:
//   struct Counter {
//     int numbers = 0;
//     void begin_object(std::size_t) {}
//     void end_object(std::size_t) {}
//     void begin_array(std::size_t) {}
//     void end_array(std::size_t) {}
//     void key(json::Span, bool) {}
//     void string(json::Span, bool) {}
//     void number(json::Span) { ++numbers; }
//     void literal(json::Span) {}
//     void cut_string(json::Span, bool) {}
//     void tolerated(const char*, std::size_t) {}
//   };
//   Counter counter;
//   json::ScanResult result = json::scan("[1, 2, {\"a\": 3}]", counter, json::ScanOptions());
//   (void)result.status; (void)counter.numbers;   // complete, 3
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agentfootprint::json {

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
  [[nodiscard]] std::string_view in(std::string_view text) const noexcept {
    return text.substr(begin, end - begin);
  }
  friend bool operator==(const Span&, const Span&) = default;
};

struct ScanOptions {
  bool lenient = false;   // see parse_lenient
  bool one_value = true;  // false: stop quietly behind the first value (for values in a row)
  std::size_t start = 0;  // byte to start at
  std::size_t max_depth = 10'000;
};

enum class ScanStatus : std::uint8_t { complete, cut, syntax, too_deep };

struct ScanResult {
  ScanStatus status = ScanStatus::complete;
  std::size_t at = 0;       // byte behind the value, or where it went wrong
  const char* reason = "";  // static text, for syntax and too_deep
};

// Appends the decoded text of a raw string span (escapes resolved, surrogate pairs joined, a lone
// surrogate becomes U+FFFD). False when an escape is not JSON's: `\'` and `\x41` are read as Python
// has them, any other stands as it came.
bool decode_string(std::string_view raw, std::string& out);

// The decoded whole words of the raw span of a cut string: without its last word, which may lack
// its end.
[[nodiscard]] std::string whole_words_of_cut(std::string_view raw);

template <class Handler>
ScanResult scan(std::string_view text, Handler& handler, const ScanOptions& options);

}  // namespace agentfootprint::json

#include "agentfootprint/json/internal/scan.hpp"
