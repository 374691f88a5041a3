// Cutting a text into sentences, Markdown lists and Markdown tables.
#include "agentfootprint/evidence/blocks.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint::evidence {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

enum class LineKind : std::uint8_t { blank, heading, fence, item, row, rule, text };

struct Line {
  json::Span span;  // without the line feed
  LineKind kind = LineKind::text;
  std::size_t indent = 0;
};

// `- `, `* `, `+ `, `• `, `1. `, `1) `: the bytes of the marker, 0 when there is none.
std::size_t marker_length(std::string_view rest) {
  if (rest.size() > 1 && (rest[0] == '-' || rest[0] == '*' || rest[0] == '+') &&
      is_blank(rest[1])) {
    return 2;
  }
  if (rest.starts_with("\xe2\x80\xa2")) return 3;  // the bullet U+2022
  std::size_t digits = 0;
  while (digits < rest.size() && digits < 9 && is_digit(rest[digits])) ++digits;
  const bool closed = digits > 0 && digits + 1 < rest.size() &&
                      (rest[digits] == '.' || rest[digits] == ')') && is_blank(rest[digits + 1]);
  return closed ? digits + 2 : 0;
}

bool is_table_rule(std::string_view rest) {
  bool dash = false;
  bool bar = false;
  for (const char c : rest) {
    if (c == '-') {
      dash = true;
    } else if (c == '|') {
      bar = true;
    } else if (c != ':' && !is_blank(c)) {
      return false;
    }
  }
  return dash && bar;
}

LineKind kind_of(std::string_view rest) {
  if (rest.empty()) return LineKind::blank;
  if (rest.starts_with("```") || rest.starts_with("~~~")) return LineKind::fence;
  if (rest[0] == '#') {
    const std::size_t hashes = std::min(rest.find_first_not_of('#'), rest.size());
    if (hashes <= 6 && (hashes == rest.size() || is_blank(rest[hashes]))) return LineKind::heading;
  }
  if (is_table_rule(rest)) return LineKind::rule;
  if (rest[0] == '|') return LineKind::row;
  if (marker_length(rest) > 0) return LineKind::item;
  return LineKind::text;
}

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    Line line;
    line.span = {at, end};
    std::size_t first = at;
    while (first < end && is_blank(text[first])) ++first;
    line.indent = first - at;
    std::size_t last = end;
    while (last > first && is_blank(text[last - 1])) --last;
    line.kind = kind_of(text.substr(first, last - first));
    lines.push_back(line);
    at = end + 1;
  }
  // A table without outer bars is known by its rule: the line above it and the lines with bars
  // below.
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].kind != LineKind::rule) continue;
    const auto barred = [&](std::size_t k) {
      return lines[k].kind == LineKind::text &&
             lines[k].span.in(text).find('|') != std::string_view::npos;
    };
    if (i > 0 && barred(i - 1)) lines[i - 1].kind = LineKind::row;
    for (std::size_t k = i + 1; k < lines.size() && barred(k); ++k) lines[k].kind = LineKind::row;
  }
  return lines;
}

constexpr std::array<std::string_view, 22> kAbbreviations = {
    "e.g", "i.e", "vs",  "no",  "nr",  "approx", "ca",  "mr",  "mrs", "ms",   "dr",
    "st",  "inc", "fig", "sec", "min", "max",    "avg", "est", "al",  "dept", "cf"};

// Does the word that ends before `dot` make the dot one of an abbreviation?
bool is_abbreviation(std::string_view text, std::size_t dot) {
  std::size_t begin = dot;
  while (begin > 0 && (is_letter(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  std::string word(text.substr(begin, dot - begin));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::find(kAbbreviations.begin(), kAbbreviations.end(), word) != kAbbreviations.end();
}

// The byte behind a sentence end at `at` (its closing quotes and brackets included), or 0.
std::size_t sentence_end(std::string_view text, std::size_t at, std::size_t limit) {
  const std::string_view three = text.substr(at, 3);
  if (three == "\xe3\x80\x82" || three == "\xef\xbc\x81" || three == "\xef\xbc\x9f") return at + 3;
  const char c = text[at];
  if (c != '.' && c != '!' && c != '?') return 0;
  std::size_t end = at + 1;
  while (end < limit && std::string_view("\"')]*_`.!?").find(text[end]) != std::string_view::npos) {
    ++end;
  }
  if (end < limit && !is_blank(text[end])) return 0;
  std::size_t next = end;
  while (next < limit && is_blank(text[next])) ++next;
  if (c == '.' && next < limit && (is_lower(text[next]) || is_abbreviation(text, at))) return 0;
  return end;
}

}  // namespace

class BlockCutter {
 public:
  explicit BlockCutter(std::string_view text) : text_(text), lines_(lines_of(text)) {}

  Blocks cut() {
    std::size_t i = 0;
    while (i < lines_.size()) {
      switch (lines_[i].kind) {
        case LineKind::blank:
        case LineKind::fence:
          ++i;
          break;
        case LineKind::heading:
          i = sentences(i, i + 1);
          break;
        case LineKind::row:
        case LineKind::rule:
          i = table(i);
          break;
        case LineKind::item:
          i = list(i);
          break;
        case LineKind::text:
          i = paragraph(i);
          break;
      }
    }
    return std::move(out_);
  }

 private:
  std::size_t paragraph(std::size_t first) {
    std::size_t last = first;
    while (last < lines_.size() && lines_[last].kind == LineKind::text) ++last;
    return sentences(first, last);
  }

  std::size_t sentences(std::size_t first, std::size_t last) {
    std::size_t begin = lines_[first].span.begin;
    const std::size_t limit = lines_[last - 1].span.end;
    for (std::size_t at = begin; at < limit; ++at) {
      const std::size_t end = sentence_end(text_, at, limit);
      if (end == 0) continue;
      add(BlockKind::sentence, begin, end);
      begin = end;
      at = end - 1;
    }
    if (begin < limit) add(BlockKind::sentence, begin, limit);
    return last;
  }

  std::size_t table(std::size_t first) {
    std::size_t last = first;
    while (last < lines_.size() &&
           (lines_[last].kind == LineKind::row || lines_[last].kind == LineKind::rule)) {
      ++last;
    }
    add(BlockKind::table, lines_[first].span.begin, lines_[last - 1].span.end);
    std::uint32_t row = 0;
    for (std::size_t i = first; i < last; ++i, ++row) cells(lines_[i].span, row);
    return last;
  }

  void cells(json::Span line, std::uint32_t row) {
    std::size_t begin = line.begin;
    while (begin < line.end && (is_blank(text_[begin]) || text_[begin] == '|')) ++begin;
    std::uint32_t cell = 0;
    start(begin, row, cell);
    for (std::size_t at = begin; at < line.end; ++at) {
      if (text_[at] == '|' && text_[at - 1] != '\\') start(at + 1, row, ++cell);
    }
  }

  // A list goes on over lines without a marker, and over blank lines when an item or an indented
  // line follows.
  std::size_t list(std::size_t first) {
    std::size_t last = first;
    std::size_t i = first;
    while (i < lines_.size()) {
      const LineKind kind = lines_[i].kind;
      if (kind == LineKind::heading || (kind == LineKind::row && lines_[i].indent == 0)) break;
      if (kind == LineKind::blank) {
        std::size_t next = i;
        while (next < lines_.size() && lines_[next].kind == LineKind::blank) ++next;
        const bool goes_on = next < lines_.size() &&
                             (lines_[next].kind == LineKind::item || lines_[next].indent >= 2);
        if (!goes_on) break;
        i = next;
        continue;
      }
      last = ++i;
    }
    add(BlockKind::list, lines_[first].span.begin, lines_[last - 1].span.end);
    std::uint32_t item = 0;
    for (std::size_t k = first; k < last; ++k) {
      if (lines_[k].kind != LineKind::item) continue;
      const std::size_t at = lines_[k].span.begin + lines_[k].indent;
      start(at, item++, 0);
    }
    return last;
  }

  void add(BlockKind kind, std::size_t begin, std::size_t end) {
    out_.blocks_.push_back({kind, {begin, end}});
    start(begin, 0, 0);
  }

  void start(std::size_t byte, std::uint32_t item, std::uint32_t cell) {
    out_.starts_.push_back(
        {byte, {static_cast<std::uint32_t>(out_.blocks_.size() - 1), item, cell}});
  }

  std::string_view text_;
  std::vector<Line> lines_;
  Blocks out_;
};

Blocks Blocks::of(std::string_view text) {
  return BlockCutter(text).cut();
}

BlockPlace Blocks::place(std::size_t byte) const noexcept {
  const auto after =
      std::upper_bound(starts_.begin(), starts_.end(), byte,
                       [](std::size_t value, const Start& start) { return value < start.byte; });
  return after == starts_.begin() ? BlockPlace() : std::prev(after)->place;
}

bool numbers_item(std::string_view text, const json::Span& number) noexcept {
  constexpr std::size_t kMaxDigits = 3;
  if (number.size() > kMaxDigits) return false;
  std::size_t begin = number.begin;
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
  if (begin > 0 && text[begin - 1] != '\n') return false;
  const std::string_view marker = text.substr(number.begin, number.size() + 2);
  return marker_length(marker) == marker.size() && marker.size() > number.size() &&
         marker.back() != '\n';
}

}  // namespace agentfootprint::evidence
