// The scanner behind `scan` (scanner.hpp). Included by it; not for direct use.
//
// Every step takes the place it stands at and gives the place behind what it read, or null when the
// scan is over; so the place stays in a register, and only outcomes are written to members.
#pragma once

#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint::json::internal {

// One bit a level: is it an object? The first 64 levels need no memory.
class BracketStack {
 public:
  void push(bool object) {
    if (depth_ != 0 && depth_ % 64 == 0) full_.push_back(word_);
    word_ = (word_ << 1) | (object ? 1U : 0U);
    ++depth_;
  }
  void pop() {
    --depth_;
    word_ >>= 1;
    if (depth_ != 0 && depth_ % 64 == 0) {
      word_ = full_.back();
      full_.pop_back();
    }
  }
  [[nodiscard]] bool in_object() const noexcept { return (word_ & 1) != 0; }
  [[nodiscard]] std::size_t depth() const noexcept { return depth_; }

 private:
  std::uint64_t word_ = 0;
  std::size_t depth_ = 0;
  std::vector<std::uint64_t> full_;
};

// The length of a word of the lenient vocabulary that `text` opens with, and what to call it.
struct LenientWord {
  std::size_t length = 0;
  const char* what = "";
  bool cut = false;  // the text ends inside a word
};
[[nodiscard]] LenientWord lenient_word(std::string_view text) noexcept;

// Is the rest of a text from `at` on the beginning of a UTF-8 sequence that lacks its end?
[[nodiscard]] bool is_cut_sequence(std::string_view text, std::size_t at) noexcept;

// What stands behind a backslash (`at` is on the backslash): the length of the whole escape; 0 when
// the text ends inside it. `pair` joins two surrogate escapes.
struct Escape {
  std::size_t length = 0;
  enum class Sort : std::uint8_t { plain, lone_surrogate, foreign } sort = Sort::plain;
};
[[nodiscard]] Escape read_escape(std::string_view text, std::size_t at) noexcept;

template <class Handler, bool kLenient>
class Scanner {
 public:
  Scanner(std::string_view text, Handler& handler, const ScanOptions& options)
      : text_(text),
        begin_(text.data()),
        end_(text.data() + text.size()),
        handler_(handler),
        options_(options) {}

  ScanResult run() {
    Place p = begin_ + (options_.start < text_.size() ? options_.start : text_.size());
    if constexpr (kLenient) p = skip_mark(p);
    p = skip_space(p);
    while (p != nullptr) {
      p = value(p);
      if (p == nullptr) break;
      if (opened_) {
        opened_ = false;
        continue;
      }
      p = behind_value(p);
      if (p != nullptr && brackets_.depth() == 0) {
        finish(p);
        break;
      }
    }
    return result_;
  }

 private:
  using Place = const char*;

  [[nodiscard]] std::size_t offset(Place p) const noexcept {
    return static_cast<std::size_t>(p - begin_);
  }
  Place fail(Place at, const char* reason, ScanStatus status = ScanStatus::syntax) {
    result_ = {status, offset(at), reason};
    return nullptr;
  }
  Place cut() { return fail(end_, "the text ends inside a value", ScanStatus::cut); }
  void tolerate(const char* what, Place at) { handler_.tolerated(what, offset(at)); }

  Place skip_mark(Place p) {
    if (p == begin_ && text_.substr(0, 3) == "\xEF\xBB\xBF") {
      tolerate("byte-order-mark", p);
      return p + 3;
    }
    return p;
  }

  static bool is_space(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

  // White space and, leniently, comments. Null when a comment is cut.
  Place skip_space(Place p) {
    if (p != end_ && static_cast<unsigned char>(*p) > ' ') [[likely]] {
      if constexpr (!kLenient) return p;
    }
    for (;;) {
      while (p != end_ && is_space(*p)) p = skip_run(p + 1);
      if constexpr (!kLenient) return p;
      if (p == end_ || *p != '/') return p;
      p = comment(p);
      if (p == nullptr) return p;
    }
  }
  // Indentation: eight spaces at a time.
  Place skip_run(Place p) const noexcept {
    while (end_ - p >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, p, 8);
      if (word != 0x2020202020202020ULL) break;
      p += 8;
    }
    return p;
  }

  Place comment(Place p) {
    if (end_ - p < 2)
      return brackets_.depth() > 0 ? cut() : fail(p, "expected a comment after '/'");
    std::size_t end = std::string_view::npos;
    if (p[1] == '/') {
      end = text_.find('\n', offset(p));
      if (end == std::string_view::npos) end = text_.size();
    } else if (p[1] == '*') {
      end = text_.find("*/", offset(p) + 2);
      if (end == std::string_view::npos) return cut();
      end += 2;
    } else {
      return fail(p, "expected a comment after '/'");
    }
    tolerate("comment", p);
    return begin_ + end;
  }

  // Reads a leaf, or opens a container up to its first value (then `opened_` is set).
  Place value(Place p) {
    if (p == end_) return cut();
    switch (*p) {
      case '"':
        return string(p);
      case '{':
        return open_object(p);
      case '[':
        return open_array(p);
      case '-':
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9':
        return number(p);
      case 't':
        return literal(p, "true");
      case 'f':
        return literal(p, "false");
      case 'n':
        if (kLenient && end_ - p > 1 && p[1] != 'u') return word(p);
        return literal(p, "null");
      default:
        break;
    }
    if constexpr (kLenient) {
      if (*p == '\'') return string(p);
      return word(p);
    }
    return fail(p, "expected a value");
  }

  bool enter(Place p, bool object) {
    if (brackets_.depth() >= options_.max_depth) {
      fail(p, "more brackets are open than the limit allows", ScanStatus::too_deep);
      return false;
    }
    brackets_.push(object);
    return true;
  }

  Place open_object(Place p) {
    if (!enter(p, true)) return nullptr;
    handler_.begin_object(offset(p));
    p = skip_space(p + 1);
    if (p == nullptr) return p;
    if (p == end_) return cut();
    if (*p == '}') return leave(p);
    opened_ = true;
    return key(p);
  }

  Place open_array(Place p) {
    if (!enter(p, false)) return nullptr;
    handler_.begin_array(offset(p));
    p = skip_space(p + 1);
    if (p == nullptr) return p;
    if (p == end_) return cut();
    if (*p == ']') return leave(p);
    opened_ = true;
    return p;
  }

  Place leave(Place p) {
    const bool object = brackets_.in_object();
    brackets_.pop();
    if (object) {
      handler_.end_object(offset(p));
    } else {
      handler_.end_array(offset(p));
    }
    return p + 1;
  }

  // A key with its colon and the space behind it.
  Place key(Place p) {
    if (p == end_) return cut();
    if (*p != '"' && !(kLenient && *p == '\'')) return fail(p, "expected a key in quotes or '}'");
    bool escaped = false;
    const Place close = string_end(p, escaped);
    if (close == nullptr) return nullptr;
    handler_.key({offset(p) + 1, offset(close)}, escaped);
    p = skip_space(close + 1);
    if (p == nullptr) return p;
    if (p == end_) return cut();
    if (*p != ':') return fail(p, "expected ':' after a key");
    return skip_space(p + 1);
  }

  // Commas and closing brackets, up to the next value; at depth 0 the place behind the value.
  Place behind_value(Place p) {
    while (brackets_.depth() != 0) {
      p = skip_space(p);
      if (p == nullptr) return p;
      if (p == end_) return cut();
      const bool object = brackets_.in_object();
      const char closing = object ? '}' : ']';
      if (*p == ',') {
        const Place comma = p;
        p = skip_space(p + 1);
        if (p == nullptr) return p;
        if constexpr (kLenient) {
          if (p != end_ && *p == closing) {
            tolerate("trailing-comma", comma);
            p = leave(p);
            continue;
          }
        }
        return object ? key(p) : p;
      }
      if (*p != closing) return fail(p, object ? "expected ',' or '}'" : "expected ',' or ']'");
      p = leave(p);
    }
    return p;
  }

  void finish(Place p) {
    result_.at = offset(p);
    if (!options_.one_value) return;
    p = skip_space(p);
    if (p == nullptr) return;
    if (p != end_) fail(p, "expected the end of the text behind the value");
  }

  Place string(Place p) {
    bool escaped = false;
    const Place close = string_end(p, escaped);
    if (close == nullptr) {
      if (result_.status == ScanStatus::cut) {
        handler_.cut_string({offset(p) + 1, text_.size()}, escaped);
      }
      return nullptr;
    }
    handler_.string({offset(p) + 1, offset(close)}, escaped);
    return close + 1;
  }

  // The place of the closing quote of the string that opens at `p`.
  Place string_end(Place p, bool& escaped) {
    const char quote = *p;
    if constexpr (kLenient) {
      if (quote == '\'') tolerate("single-quotes", p);
    }
    ++p;
    for (;;) {
      p = plain_end(p, quote);
      if (p == end_) return cut();
      if (*p == quote) return p;
      p = odd_character(p, escaped);
      if (p == nullptr) return p;
    }
  }

  // The first byte that is the quote, a backslash, a control character or not ASCII.
  Place plain_end(Place p, char quote) const noexcept {
#if defined(__SSE2__)
    const __m128i quotes = _mm_set1_epi8(quote);
    const __m128i slashes = _mm_set1_epi8('\\');
    const __m128i spaces = _mm_set1_epi8(' ');
    while (end_ - p >= 16) {
      const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
      // As signed bytes, control characters and everything beyond ASCII are below a space.
      const __m128i odd =
          _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, quotes), _mm_cmpeq_epi8(block, slashes)),
                       _mm_cmplt_epi8(block, spaces));
      const int mask = _mm_movemask_epi8(odd);
      if (mask != 0) return p + std::countr_zero(static_cast<unsigned>(mask));
      p += 16;
    }
#endif
    while (p != end_ && *p != quote && *p != '\\' && static_cast<signed char>(*p) >= ' ') ++p;
    return p;
  }

  // Escapes, control characters and what is not ASCII.
  Place odd_character(Place p, bool& escaped) {
    const unsigned char c = static_cast<unsigned char>(*p);
    if (c == '\\') {
      escaped = true;
      return escape(p);
    }
    if (c < ' ') {
      if constexpr (!kLenient) return fail(p, "a control character in a string must be escaped");
      tolerate("control-character", p);
      return p + 1;
    }
    do {
      const utf8::Decoded found = utf8::decode(text_, offset(p));
      if (!found.valid) {
        if (is_cut_sequence(text_, offset(p))) return cut();
        if constexpr (!kLenient) return fail(p, "the string is not valid UTF-8");
        tolerate("invalid-utf8", p);
      }
      p += found.length;
    } while (p != end_ && static_cast<signed char>(*p) < 0);
    return p;
  }

  Place escape(Place p) {
    const Escape found = read_escape(text_, offset(p));
    if (found.length == 0) return cut();
    if (found.sort == Escape::Sort::lone_surrogate) {
      if constexpr (!kLenient) return fail(p, "a surrogate escape stands alone");
      tolerate("lone-surrogate", p);
    } else if (found.sort == Escape::Sort::foreign) {
      if constexpr (!kLenient) return fail(p, "JSON has no such escape");
      tolerate("foreign-escape", p);
    }
    return p + found.length;
  }

  static bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }
  Place digits(Place p) const noexcept {
    while (p != end_ && is_digit(*p)) ++p;
    return p;
  }

  Place number(Place p) {
    const Place start = p;
    if (*p == '-') {
      if (++p == end_) return cut();
      if (!is_digit(*p)) {
        if constexpr (kLenient) return word(start);
        return fail(p, "expected a digit after '-'");
      }
    }
    if (*p == '0') {
      if (++p != end_ && is_digit(*p)) return fail(p, "a number has a leading zero");
    } else {
      p = digits(p);
    }
    if (p != end_ && *p == '.') {
      p = some_digits(p + 1, "expected a digit after the decimal point");
      if (p == nullptr) return p;
    }
    if (p != end_ && (*p == 'e' || *p == 'E')) {
      ++p;
      if (p != end_ && (*p == '+' || *p == '-')) ++p;
      p = some_digits(p, "expected a digit in the exponent");
      if (p == nullptr) return p;
    }
    // At the very end of a cut text more digits may have followed.
    if (p == end_ && brackets_.depth() != 0) return cut();
    handler_.number({offset(start), offset(p)});
    return p;
  }

  Place some_digits(Place p, const char* reason) {
    if (p == end_) return cut();
    if (!is_digit(*p)) return fail(p, reason);
    return digits(p);
  }

  Place literal(Place p, std::string_view name) {
    const std::string_view rest = text_.substr(offset(p), name.size());
    if (rest == name) {
      handler_.literal({offset(p), offset(p) + name.size()});
      return p + name.size();
    }
    if (name.substr(0, rest.size()) == rest) return cut();
    return fail(p, "expected a value");
  }

  // NaN, the infinities, and Python's literals.
  Place word(Place p) {
    const LenientWord found = lenient_word(text_.substr(offset(p)));
    if (found.cut) return cut();
    if (found.length == 0) return fail(p, "expected a value");
    tolerate(found.what, p);
    handler_.literal({offset(p), offset(p) + found.length});
    return p + found.length;
  }

  std::string_view text_;
  Place begin_;
  Place end_;
  Handler& handler_;
  const ScanOptions& options_;
  BracketStack brackets_;
  bool opened_ = false;
  ScanResult result_;
};

}  // namespace agentfootprint::json::internal

namespace agentfootprint::json {

template <class Handler>
ScanResult scan(std::string_view text, Handler& handler, const ScanOptions& options) {
  if (options.lenient) return internal::Scanner<Handler, true>(text, handler, options).run();
  return internal::Scanner<Handler, false>(text, handler, options).run();
}

}  // namespace agentfootprint::json
