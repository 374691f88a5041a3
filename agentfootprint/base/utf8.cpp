// UTF-8 decoding by the table of well-formed sequences of the Unicode Standard (table 3-7).
#include "agentfootprint/base/utf8.hpp"

#include <cstring>

namespace agentfootprint::utf8 {
namespace {

constexpr std::uint8_t byte_at(std::string_view text, std::size_t at) noexcept {
  return static_cast<std::uint8_t>(text[at]);
}

constexpr bool is_continuation(std::uint8_t byte) noexcept {
  return (byte & 0xC0) == 0x80;
}

constexpr char kHex[] = "0123456789abcdef";

bool is_bidirectional_control(char32_t c) noexcept {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029 || c == 0xFEFF;
}

void append_escape(std::string& out, char32_t c) {
  if (c <= 0xFF) {
    out += "\\x";
    out += kHex[(c >> 4) & 15];
    out += kHex[c & 15];
    return;
  }
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(c >> shift) & 15];
}

}  // namespace

Decoded decode(std::string_view text, std::size_t at) noexcept {
  if (at >= text.size()) return {0, 0, false};
  const std::uint8_t first = byte_at(text, at);
  if (first < 0x80) return {first, 1, true};
  const std::size_t left = text.size() - at;
  const Decoded bad{kReplacement, 1, false};
  if (first < 0xC2 || first > 0xF4) return bad;
  const std::uint32_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (left < length) return bad;
  const std::uint8_t second = byte_at(text, at + 1);
  if (!is_continuation(second)) return bad;
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
    return bad;
  }
  char32_t point = first & (0x7FU >> length);
  for (std::uint32_t i = 1; i < length; ++i) {
    const std::uint8_t next = byte_at(text, at + i);
    if (!is_continuation(next)) return bad;
    point = (point << 6) | (next & 0x3FU);
  }
  return {point, length, true};
}

Decoded decode_before(std::string_view text, std::size_t at) noexcept {
  if (at == 0 || at > text.size()) return {0, 0, false};
  for (std::size_t back = 1; back <= 4 && back <= at; ++back) {
    const Decoded found = decode(text, at - back);
    if (found.valid && found.length == back) return found;
    if (!is_continuation(byte_at(text, at - back))) break;
  }
  return {kReplacement, 1, false};
}

void append(std::string& out, char32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = kReplacement;
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

bool is_ascii(std::string_view text) noexcept {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    if ((word & 0x8080808080808080ULL) != 0) return false;
  }
  for (; at < text.size(); ++at) {
    if (byte_at(text, at) >= 0x80) return false;
  }
  return true;
}

bool is_valid(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t word = 0;
    while (at + 8 <= text.size() &&
           (std::memcpy(&word, text.data() + at, 8), (word & 0x8080808080808080ULL) == 0)) {
      at += 8;
    }
    if (at >= text.size()) break;
    const Decoded found = decode(text, at);
    if (!found.valid) return false;
    at += found.length;
  }
  return true;
}

std::size_t count(std::string_view text) noexcept {
  std::size_t points = 0;
  for (std::size_t at = 0; at < text.size(); at += decode(text, at).length) ++points;
  return points;
}

std::string_view clip(std::string_view text, std::size_t max_code_points) noexcept {
  if (text.size() <= max_code_points) return text;
  std::size_t at = 0;
  for (std::size_t points = 0; points < max_code_points && at < text.size(); ++points) {
    at += decode(text, at).length;
  }
  return text.substr(0, at);
}

std::string sanitize(std::string_view text) {
  if (is_valid(text)) return std::string(text);
  std::string out;
  out.reserve(text.size() + 16);
  for (std::size_t at = 0; at < text.size();) {
    const Decoded found = decode(text, at);
    if (found.valid) {
      out.append(text, at, found.length);
    } else {
      append(out, kReplacement);
    }
    at += found.length;
  }
  return out;
}

std::string printable(std::string_view text, bool keep_newlines) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Decoded found = decode(text, at);
    const char32_t c = found.code_point;
    if (!found.valid) {
      append_escape(out, byte_at(text, at));
    } else if (c == '\n') {
      out += keep_newlines ? "\n" : "\\n";
    } else if (c == '\t') {
      out += keep_newlines ? "\t" : "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c < 0x20 || (c >= 0x7F && c <= 0x9F) || is_bidirectional_control(c)) {
      append_escape(out, c);
    } else {
      out.append(text, at, found.length);
    }
    at += found.length;
  }
  return out;
}

}  // namespace agentfootprint::utf8
