// Marks that tools, shells and frameworks put where they cut a result.
#include "agentfootprint/evidence/internal/cut_marks.hpp"

#include <array>
#include <cstddef>

#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/lexeme.hpp"

namespace agentfootprint::evidence::internal {
namespace {

constexpr std::size_t kLongestMark = 80;  // bytes between the brackets
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

constexpr std::array<std::string_view, 5> kCutWords = {"truncated", "clipped", "omitted", "elided",
                                                       "cut"};
// What a mark says was cut.
constexpr std::array<std::string_view, 21> kCutThings = {
    "output",  "response",  "result",     "results", "content", "contents", "text",
    "message", "data",      "line",       "lines",   "row",     "rows",     "char",
    "chars",   "character", "characters", "bytes",   "items",   "entries",  "tokens"};

// Steps over what may stand before the words of a mark: dots, dashes, blanks, counts.
std::size_t skip_filling(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const char c = text[at];
    if (text.substr(at).starts_with(kEllipsis)) {
      at += kEllipsis.size();
    } else if (c == ' ' || c == '.' || c == '-' || c == '+' || c == ',' || c == ':' ||
               is_digit(c)) {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_letter(text[end])) ++end;
  return text.substr(at, end - at);
}

template <std::size_t N>
bool among(std::string_view word, const std::array<std::string_view, N>& words) {
  for (const std::string_view each : words) {
    if (same_word(word, each)) return true;
  }
  return false;
}

// `truncated …`, `12 lines omitted`, `output was cut`, `more rows`, from `at` on.
bool says_cut(std::string_view text, std::size_t at) {
  at = skip_filling(text, at);
  std::string_view word = word_at(text, at);
  // `cut` alone is too common a word to be a mark.
  if (among(word, kCutWords)) return !same_word(word, "cut");
  bool more = false;
  for (int words = 0; words < 4 && !word.empty(); ++words) {
    const bool thing = among(word, kCutThings);
    if (thing && more) return true;
    more = more || same_word(word, "more");
    const bool small = more || same_word(word, "was") || same_word(word, "were") ||
                       same_word(word, "have") || same_word(word, "been") || same_word(word, "of");
    if (!thing && !small) return words > 0 && among(word, kCutWords);
    at = skip_filling(text, at + word.size());
    word = word_at(text, at);
  }
  return !word.empty() && among(word, kCutWords);
}

char closing(char open) {
  switch (open) {
    case '[':
      return ']';
    case '(':
      return ')';
    case '<':
      return '>';
    default:
      return 0;
  }
}

}  // namespace

bool tells_cut(std::string_view tail) {
  for (std::size_t at = 0; at < tail.size(); ++at) {
    if (const char close = closing(tail[at]); close != 0) {
      const std::string_view inside = tail.substr(at + 1, kLongestMark);
      const std::size_t end = inside.find(close);
      if (end != std::string_view::npos && says_cut(inside.substr(0, end), 0)) return true;
    }
    // Behind dots or an ellipsis, without brackets.
    const bool dots = tail.substr(at).starts_with("...");
    if (!dots && !tail.substr(at).starts_with(kEllipsis)) continue;
    if (says_cut(tail, at)) return true;
  }
  return false;
}

}  // namespace agentfootprint::evidence::internal
