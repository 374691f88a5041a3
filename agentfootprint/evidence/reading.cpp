// Reading a whole text into values.
#include "agentfootprint/evidence/reading.hpp"

#include <algorithm>
#include <array>

#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/fold.hpp"
#include "agentfootprint/evidence/internal/lexeme.hpp"
#include "agentfootprint/evidence/internal/readings.hpp"

namespace agentfootprint::evidence {

std::string_view name_of(ValueKind kind) noexcept {
  static constexpr std::array<std::string_view, 8> kNames = {
      "number", "quantity", "identifier", "date", "time", "instant", "duration", "shape"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(ReadingNote note) noexcept {
  static constexpr std::array<std::string_view, 10> kNames = {
      "",         "grouped",      "decimal-comma", "decimal-point", "day-first", "month-first",
      "half-day", "leading-zero", "sign-word",     "other-unit"};
  return kNames[static_cast<std::size_t>(note)];
}

std::vector<Value> read_text(std::string_view text, const ReadOptions& options) {
  const UnitTable& units = options.units == nullptr ? UnitTable::standard() : *options.units;
  internal::WorkText work;
  work.assign(text, false);
  internal::Lexer lexer(work.text(), units);
  std::vector<Value> out;
  internal::Lexeme lexeme;
  constexpr std::size_t kBytesAValue = 24;
  constexpr std::size_t kMostExpected = 256;
  out.reserve(std::min(text.size() / kBytesAValue + 1, kMostExpected));
  for (std::size_t at = 0; lexer.next(at, lexeme); at = lexeme.next) {
    internal::make_value(work, text, 0, lexeme, units, options.answer, true, out.emplace_back());
  }
  return out;
}

std::string fold_text(std::string_view text) {
  internal::WorkText work;
  work.assign(text, false);
  std::string out;
  internal::append_comparable(out, work.text());
  return out;
}

bool is_token_boundary(std::string_view text, std::size_t at) noexcept {
  using internal::is_joiner;
  using internal::is_word;
  // Bytes beyond ASCII count as letters here; the reader itself folds first.
  std::size_t left = at;
  while (left > 0 && is_joiner(text[left - 1])) --left;
  std::size_t right = at;
  while (right < text.size() && is_joiner(text[right])) ++right;
  const bool word_left = left > 0 && is_word(text[left - 1]);
  const bool word_right = right < text.size() && is_word(text[right]);
  // Between a letter and the end of its word stands a boundary; inside a token none.
  return !(word_left && word_right);
}

std::vector<std::string> forms_of(const Value& value) {
  std::vector<std::string> forms = {value.value};
  const auto add = [&](const std::string& form) {
    for (const std::string& known : forms) {
      if (known == form) return;
    }
    forms.push_back(form);
  };
  if (value.kind == ValueKind::quantity) {
    std::string glued;
    for (const char c : fold_text(value.raw)) {
      if (c != ',' && c != '_' && c != '\'' && c != ' ') glued.push_back(c);
    }
    add(glued);
  }
  for (std::size_t i = 0, count = forms.size(); i < count; ++i) {
    if (forms[i].size() > 2 && forms[i].starts_with("0x")) add(forms[i].substr(2));
  }
  return forms;
}

Decimal scaled_number(const Reading& reading) {
  return reading.number.shifted(reading.scale).value_or(reading.number);
}

}  // namespace agentfootprint::evidence
