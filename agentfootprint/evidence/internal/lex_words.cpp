// What the words around a value say: a year, last digits, a sign.
#include <array>

#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/lexeme.hpp"

namespace agentfootprint::evidence::internal {
namespace {

constexpr std::size_t kWordsLookedAt = 6;

// Words of change whose amount is negative. With `rose` and `up` they also keep `by 2024` from
// being a year.
constexpr std::array<std::string_view, 27> kDownWords = {
    "fell",      "fall",     "falls",     "down",     "dropped",  "drop",     "drops",
    "decreased", "decrease", "decreases", "declined", "decline",  "declines", "lost",
    "loss",      "losses",   "below",     "minus",    "negative", "reduced",  "shrank",
    "shrunk",    "slipped",  "lower",     "refund",   "refunded", "refunds"};
constexpr std::array<std::string_view, 14> kUpWords = {
    "rose", "rise",     "rises",     "up",      "grew",   "gained", "increased",
    "grow", "increase", "increases", "climbed", "jumped", "added",  "higher"};
constexpr std::array<std::string_view, 13> kFillWords = {
    "by",     "of",         "a",      "an",     "about",
    "around", "roughly",    "nearly", "almost", "approximately",
    "the",    "difference", "amount"};
constexpr std::array<std::string_view, 12> kNumberWords = {"one",  "two", "three",  "four",
                                                           "five", "six", "seven",  "eight",
                                                           "nine", "ten", "eleven", "twelve"};

template <std::size_t N>
bool among(std::string_view word, const std::array<std::string_view, N>& words) noexcept {
  for (const std::string_view each : words) {
    if (same_word(word, each)) return true;
  }
  return false;
}

// The words before a place, nearest first, in one stretch without a sentence end.
class WordsBefore {
 public:
  WordsBefore(const Scan& scan, std::size_t at) : s_(scan), at_(at) {}

  // The next word to the left; empty at the start or a sentence end. `loose` steps over signs.
  std::string_view next(bool loose) {
    std::size_t p = at_;
    while (p > 0 && !is_word(s_.w[p - 1])) {
      const char c = s_.w[p - 1];
      if (c == '\n' || c == ';' || c == '!' || (c == '.' && p < at_)) return {};
      const bool between =
          c == ' ' || c == kGroupSpace || c == '~' || c == '$' || c == ':' || c == '*';
      if (!loose && !between) return {};
      --p;
    }
    const std::size_t end = p;
    while (p > 0 && is_word(s_.w[p - 1])) --p;
    at_ = p;
    return s_.w.substr(p, end - p);
  }

 private:
  const Scan& s_;
  std::size_t at_;
};

bool is_year_place(const Scan& scan, const Lexeme& lexeme) {
  if (!lexeme.number.bare || lexeme.end - lexeme.begin != 4 || lexeme.number.begin != lexeme.begin)
    return false;
  const int year = scan.number(lexeme.begin, lexeme.end);
  if (year < 1500 || year > 2199) return false;
  WordsBefore words(scan, lexeme.begin);
  const std::string_view before = words.next(false);
  if (same_word(before, "in") || same_word(before, "since") || same_word(before, "year"))
    return true;
  if (!same_word(before, "by")) return false;
  const std::string_view verb = words.next(false);
  return !among(verb, kDownWords) && !among(verb, kUpWords);
}

bool is_ending_verb(std::string_view word) noexcept {
  return same_word(word, "ending") || same_word(word, "ends") || same_word(word, "ended") ||
         same_word(word, "end");
}
bool is_small(std::string_view word) noexcept {
  static constexpr std::array<std::string_view, 10> kSmall = {"in",  "with",  "are", "is", "of",
                                                              "the", "being", "x",   "xx", "xxxx"};
  return among(word, kSmall);
}

// `**** 1111`, `xxxx-1111`, `XXXX 1111`: what stands for the digits before.
bool is_masked_place(const Scan& scan, std::size_t begin) {
  std::size_t at = begin;
  if (at > 0 && (scan.at(at - 1) == ' ' || scan.at(at - 1) == '-')) --at;
  const auto run_of = [&](char small) {
    std::size_t first = at;
    while (first > 0 && lower(scan.at(first - 1)) == small) --first;
    return at - first;
  };
  // Two or three stars are emphasis.
  return run_of('*') >= 4 || run_of('x') >= 3;
}

// `ending in`, `ends with`, `last four digits`, with signs and small words between.
bool is_ending_place(const Scan& scan, const Lexeme& lexeme) {
  if (is_masked_place(scan, lexeme.begin)) return true;
  WordsBefore words(scan, lexeme.begin);
  std::string_view later;
  bool only_small = true;
  for (std::size_t i = 0; i < kWordsLookedAt; ++i) {
    const std::string_view word = words.next(true);
    if (word.empty()) return false;
    if (only_small && (same_word(later, "in") || same_word(later, "with")) &&
        is_ending_verb(word)) {
      return true;
    }
    if (same_word(word, "digits") || same_word(word, "digit")) {
      const std::string_view count = words.next(true);
      const bool number = !count.empty() && (is_digit(count[0]) || among(count, kNumberWords));
      return number && same_word(words.next(true), "last");
    }
    only_small = only_small && is_small(word);
    later = word;
  }
  return false;
}

bool has_sign_word(const Scan& scan, const Lexeme& lexeme) {
  WordsBefore words(scan, lexeme.begin);
  std::string_view word = words.next(false);
  while (among(word, kFillWords)) word = words.next(false);
  if (among(word, kDownWords)) return true;
  if (scan.at(lexeme.whole_end) != ' ') return false;
  const std::string_view behind = scan.word_from(lexeme.whole_end + 1);
  return same_word(behind, "below") || same_word(behind, "loss") || same_word(behind, "lower") ||
         same_word(behind, "less") || same_word(behind, "decrease") || same_word(behind, "drop") ||
         same_word(behind, "decline");
}

}  // namespace

void read_words_around(const Scan& scan, Lexeme& lexeme) {
  if (lexeme.kind != ValueKind::number && lexeme.kind != ValueKind::quantity &&
      !(lexeme.kind == ValueKind::identifier && lexeme.number.leading_zero)) {
    return;
  }
  // Nothing to look at when the text begins here.
  if (lexeme.begin == 0 && lexeme.whole_end >= scan.w.size()) return;
  if (lexeme.number.bare && lexeme.kind != ValueKind::quantity && is_ending_place(scan, lexeme)) {
    lexeme.ending = true;
    return;
  }
  if (lexeme.kind == ValueKind::number && is_year_place(scan, lexeme)) {
    lexeme.year = true;
    lexeme.kind = ValueKind::date;
    lexeme.date = CivilDate{static_cast<std::int16_t>(scan.number(lexeme.begin, lexeme.end)), 0, 0};
    return;
  }
  if (!lexeme.negative) lexeme.sign_word = has_sign_word(scan, lexeme);
}

}  // namespace agentfootprint::evidence::internal
