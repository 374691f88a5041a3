// Reading the words of a block.
#include "agentfootprint/evidence/internal/words.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace agentfootprint::evidence::internal {
namespace {

constexpr std::size_t kMaxWords = 400;
constexpr std::size_t kMaxPhraseWords = 6;

struct Word {
  std::size_t begin;
  std::size_t end;
  std::string small;
};

bool is_word_byte(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || u >= 0x80;
}

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < text.size() && words.size() < kMaxWords;) {
    if (!is_word_byte(text[at])) {
      ++at;
      continue;
    }
    Word word{at, at, {}};
    while (at < text.size() && is_word_byte(text[at])) {
      const char c = text[at++];
      word.small += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    word.end = at;
    words.push_back(std::move(word));
  }
  return words;
}

constexpr std::array<std::string_view, 11> kCounts = {
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"};

std::optional<std::int64_t> number_word(std::string_view word) {
  for (std::size_t i = 0; i < kCounts.size(); ++i) {
    if (word == kCounts[i]) return static_cast<std::int64_t>(i) + 2;
  }
  return std::nullopt;
}

// A written number of a duration: `one`, `two`, `3`.
std::optional<std::int64_t> small_count(std::string_view word) {
  if (word == "one") return 1;
  if (const auto count = number_word(word)) return count;
  if (word.empty() || word.size() > 4) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

struct Unit {
  std::string_view name;
  std::int64_t seconds;
  std::int32_t months;
};
constexpr std::array<Unit, 9> kUnits = {{{"second", 1, 0},
                                         {"minute", 60, 0},
                                         {"hour", 3600, 0},
                                         {"day", 86'400, 0},
                                         {"night", 86'400, 0},
                                         {"week", 604'800, 0},
                                         {"fortnight", 1'209'600, 0},
                                         {"month", 0, 1},
                                         {"year", 0, 12}}};

std::optional<Unit> unit_word(std::string_view word) {
  if (word.size() > 3 && word.ends_with('s')) word.remove_suffix(1);
  if (word == "morning" || word == "evening" || word == "afternoon") word = "day";
  for (const Unit& unit : kUnits) {
    if (unit.name == word) return unit;
  }
  return std::nullopt;
}

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_back(std::string_view word) {
  return one_of(word, {"before", "earlier", "ago", "prior", "previously"});
}
bool is_forth(std::string_view word) {
  return one_of(word, {"later", "after", "from", "hence"});
}

class ShiftReader {
 public:
  ShiftReader(std::string_view text, const std::vector<Word>& words, std::vector<Shift>& out)
      : text_(text), words_(words), out_(out) {}

  void read() {
    for (std::size_t i = 0; i < words_.size(); ++i) at(i);
  }

 private:
  std::string_view word(std::size_t i) const {
    return i < words_.size() ? std::string_view(words_[i].small) : std::string_view();
  }

  void add(std::int64_t times, const Unit& unit, std::size_t first, std::size_t last) {
    Shift shift;
    shift.seconds = times * unit.seconds;
    shift.months = static_cast<std::int32_t>(times * unit.months);
    shift.text = text_.substr(words_[first].begin, words_[last].end - words_[first].begin);
    out_.push_back(std::move(shift));
  }

  void at(std::size_t i) {
    const std::string_view here = word(i);
    const Unit day{"day", 86'400, 0};
    if (here == "tomorrow") add(1, day, i, i);
    if (here == "yesterday") add(-1, day, i, i);
    const auto next = unit_word(word(i + 1));
    if (next && one_of(here, {"next", "following"})) add(1, *next, i, i + 1);
    if (next && one_of(here, {"previous", "preceding", "last"})) add(-1, *next, i, i + 1);
    if (const auto unit = unit_word(here)) {
      const bool counted = i > 0 && (small_count(word(i - 1)) || one_of(word(i - 1), {"a", "an"}));
      if (!counted && is_forth(word(i + 1))) add(1, *unit, i, i + 1);
      if (!counted && is_back(word(i + 1))) add(-1, *unit, i, i + 1);
    }
    if (!next) return;
    const std::string_view behind = word(i + 2);
    if (one_of(here, {"a", "an"})) {
      if (is_forth(behind)) add(1, *next, i, i + 2);
      if (is_back(behind)) add(-1, *next, i, i + 2);
    } else if (const auto times = small_count(here)) {
      add(is_back(behind) ? -*times : *times, *next, i, is_back(behind) ? i + 2 : i + 1);
    }
  }

  std::string_view text_;
  const std::vector<Word>& words_;
  std::vector<Shift>& out_;
};

bool is_fall(std::string_view word) {
  constexpr std::array<std::string_view, 19> kFalls = {
      "fell", "fall",   "falling", "fallen", "loss",    "lost",     "below",
      "down", "under",  "less",    "lower",  "decline", "declined", "dropped",
      "drop", "shrank", "fewer",   "minus",  "off"};
  return std::find(kFalls.begin(), kFalls.end(), word) != kFalls.end() ||
         word.starts_with("decreas") || word.starts_with("reduc") || word.starts_with("sav") ||
         word.starts_with("discount");
}

}  // namespace

BlockWords read_words(std::string_view block) {
  BlockWords out;
  const std::vector<Word> words = words_of(block);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const auto count = number_word(words[i].small))
      out.counts.emplace_back(*count, words[i].small);
    out.falls = out.falls || is_fall(words[i].small);
    for (std::size_t k = i; k < std::min(i + kMaxPhraseWords, words.size()); ++k) {
      const std::size_t size = words[k].end - words[i].begin;
      if (size > kMaxGroupBytes) break;
      out.phrases.push_back(text_hash(block.substr(words[i].begin, size)));
    }
  }
  ShiftReader(block, words, out.shifts).read();
  std::sort(out.phrases.begin(), out.phrases.end());
  out.phrases.erase(std::unique(out.phrases.begin(), out.phrases.end()), out.phrases.end());
  return out;
}

}  // namespace agentfootprint::evidence::internal
