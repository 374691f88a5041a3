// UTF-8: validity, code points, clipping, sanitising.
//
// What: the few operations on UTF-8 text that more than one folder needs. Lengths in every limit of
// the project are code points, and a clip never splits one. Bytes that are not UTF-8 (overlong
// forms, surrogates and values above U+10FFFF included) count one code point each and decode to
// U+FFFD.
//
// When to use: whenever text is cut, counted or shown. For folding and normal forms see json and
// evidence; this file has no tables.
//
// Not guaranteed: grapheme boundaries. A clip may part a letter from its accent.
//
// Example:
//   std::string text = utf8::sanitize("caf\xc3\xa9 \x97");   // "café " and U+FFFD
//   std::string_view head = utf8::clip(text, 4);             // "café"
//   std::size_t length = utf8::count(text);                  // 6
//   (void)head; (void)length;
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agentfootprint::utf8 {

inline constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
  char32_t code_point = 0;
  std::uint32_t length =
      0;  // bytes taken; 1 for a byte that is not UTF-8, 0 only at the end of the text
  bool valid = false;
};

// The code point at byte `at`.
[[nodiscard]] Decoded decode(std::string_view text, std::size_t at) noexcept;

// The code point that ends before byte `at`.
[[nodiscard]] Decoded decode_before(std::string_view text, std::size_t at) noexcept;

void append(std::string& out, char32_t code_point);

[[nodiscard]] bool is_valid(std::string_view text) noexcept;
[[nodiscard]] bool is_ascii(std::string_view text) noexcept;

// Number of code points.
[[nodiscard]] std::size_t count(std::string_view text) noexcept;

// The longest prefix of at most `max_code_points`.
[[nodiscard]] std::string_view clip(std::string_view text, std::size_t max_code_points) noexcept;

// The text with every byte that is not UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string sanitize(std::string_view text);

// The text made safe for a terminal or a log: C0, DEL, C1 and bidirectional controls are written as
// visible escapes (`\n`, `\x1b`, `\u202e`), invalid bytes as `\xNN`; one record cannot fake
// another's line. `keep_newlines` leaves line feeds.
[[nodiscard]] std::string printable(std::string_view text, bool keep_newlines = false);

}  // namespace agentfootprint::utf8
