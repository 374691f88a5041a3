// The rarer paths of the scanner: escapes, cut sequences, words of other languages.
#include "agentfootprint/json/scanner.hpp"

#include <array>

namespace agentfootprint::json {
namespace internal {
namespace {

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// `count` hex digits from `at` on; -1 when one is no hex digit, -2 when the text ends first.
int hex_digits(std::string_view text, std::size_t at, std::size_t count) noexcept {
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (at + i >= text.size()) return -2;
    const int digit = hex_value(text[at + i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

bool is_high_surrogate(int unit) noexcept {
  return unit >= 0xD800 && unit <= 0xDBFF;
}
bool is_low_surrogate(int unit) noexcept {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

Escape read_unicode_escape(std::string_view text, std::size_t at) noexcept {
  const int unit = hex_digits(text, at + 2, 4);
  if (unit == -2) return {0, Escape::Sort::plain};
  if (unit == -1) return {2, Escape::Sort::foreign};
  if (is_low_surrogate(unit)) return {6, Escape::Sort::lone_surrogate};
  if (!is_high_surrogate(unit)) return {6, Escape::Sort::plain};
  const std::size_t next = at + 6;
  if (next >= text.size()) return {0, Escape::Sort::plain};
  if (text[next] != '\\') return {6, Escape::Sort::lone_surrogate};
  if (next + 1 >= text.size()) return {0, Escape::Sort::plain};
  if (text[next + 1] != 'u') return {6, Escape::Sort::lone_surrogate};
  const int low = hex_digits(text, next + 2, 4);
  if (low == -2) return {0, Escape::Sort::plain};
  if (!is_low_surrogate(low)) return {6, Escape::Sort::lone_surrogate};
  return {12, Escape::Sort::plain};
}

// The character a two-byte escape stands for, or 0.
char short_escape(char c) noexcept {
  switch (c) {
    case '"':
      return '"';
    case '\\':
      return '\\';
    case '/':
      return '/';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return '\0';
  }
}

struct Word {
  std::string_view text;
  const char* what;
};
constexpr std::array<Word, 9> kWords{{{"NaN", "nan"},
                                      {"nan", "nan"},
                                      {"Infinity", "nan"},
                                      {"-Infinity", "nan"},
                                      {"inf", "nan"},
                                      {"-inf", "nan"},
                                      {"None", "python-literal"},
                                      {"True", "python-literal"},
                                      {"False", "python-literal"}}};

}  // namespace

LenientWord lenient_word(std::string_view text) noexcept {
  for (const Word& word : kWords) {
    if (text.substr(0, word.text.size()) == word.text) {
      return {word.text.size(), word.what, false};
    }
    if (!text.empty() && text.size() < word.text.size() &&
        word.text.substr(0, text.size()) == text) {
      return {0, "", true};
    }
  }
  return {};
}

bool is_cut_sequence(std::string_view text, std::size_t at) noexcept {
  const std::size_t left = text.size() - at;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  if (left == 0 || left > 3 || byte(0) < 0xC2 || byte(0) > 0xF4) return false;
  const std::size_t length = byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  if (left >= length) return false;
  // Complete it with the lowest continuation bytes that are allowed and see whether that is UTF-8.
  std::string whole(text.substr(at));
  if (whole.size() == 1) whole += byte(0) == 0xE0 ? '\xA0' : byte(0) == 0xF0 ? '\x90' : '\x80';
  while (whole.size() < length) whole += '\x80';
  return utf8::decode(whole, 0).valid;
}

Escape read_escape(std::string_view text, std::size_t at) noexcept {
  if (at + 1 >= text.size()) return {0, Escape::Sort::plain};
  if (text[at + 1] == 'u') return read_unicode_escape(text, at);
  if (short_escape(text[at + 1]) != '\0') return {2, Escape::Sort::plain};
  if (text[at + 1] == 'x') {
    const int value = hex_digits(text, at + 2, 2);
    if (value == -2) return {0, Escape::Sort::plain};
    return {value == -1 ? std::size_t{2} : std::size_t{4}, Escape::Sort::foreign};
  }
  // The backslash alone: what follows is read as if it were not escaped, except a quote.
  return {text[at + 1] == '\'' ? std::size_t{2} : std::size_t{1}, Escape::Sort::foreign};
}

}  // namespace internal

namespace {

void append_escape(std::string_view raw, std::size_t at, const internal::Escape& escape,
                   std::string& out) {
  const std::string_view text = raw.substr(at, escape.length);
  switch (escape.sort) {
    case internal::Escape::Sort::lone_surrogate:
      utf8::append(out, utf8::kReplacement);
      return;
    case internal::Escape::Sort::foreign:
      if (text == "\\'") {
        out += '\'';
      } else if (text.size() == 4) {
        utf8::append(out, static_cast<char32_t>(internal::hex_digits(text, 2, 2)));
      } else {
        out += text;
      }
      return;
    case internal::Escape::Sort::plain:
      break;
  }
  if (escape.length == 2) {
    out += internal::short_escape(text[1]);
    return;
  }
  const char32_t unit = static_cast<char32_t>(internal::hex_digits(text, 2, 4));
  if (escape.length == 6) return utf8::append(out, unit);
  const char32_t low = static_cast<char32_t>(internal::hex_digits(text, 8, 4));
  utf8::append(out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
}

}  // namespace

bool decode_string(std::string_view raw, std::string& out) {
  bool good = true;
  for (std::size_t at = 0; at < raw.size();) {
    const std::size_t slash = raw.find('\\', at);
    if (slash == std::string_view::npos) {
      out += raw.substr(at);
      break;
    }
    out += raw.substr(at, slash - at);
    internal::Escape escape = internal::read_escape(raw, slash);
    if (escape.length == 0) {
      // The end of the text: a high surrogate whose partner could not follow, or a broken escape.
      const bool whole = raw.size() - slash >= 6;
      if (!whole) {
        out += raw.substr(slash);
        return false;
      }
      escape = {6, internal::Escape::Sort::lone_surrogate};
    }
    if (escape.sort == internal::Escape::Sort::foreign) good = false;
    append_escape(raw, slash, escape, out);
    at = slash + escape.length;
  }
  return good;
}

std::string whole_words_of_cut(std::string_view raw) {
  // What an escape or a sequence lacks at the end belongs to the last word, which goes anyway.
  std::size_t end = raw.size();
  for (std::size_t at = raw.find('\\'); at != std::string_view::npos; at = raw.find('\\', at)) {
    const internal::Escape escape = internal::read_escape(raw, at);
    if (escape.length == 0) {
      end = at;
      break;
    }
    at += escape.length;
  }
  std::string text;
  decode_string(raw.substr(0, end), text);
  const std::size_t space = text.find_last_of(" \t\r\n");
  text.erase(space == std::string::npos ? 0 : space);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r' ||
                           text.back() == '\n')) {
    text.pop_back();
  }
  return text;
}

}  // namespace agentfootprint::json
