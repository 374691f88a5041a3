// Words and text judgements shared by every rule of the folder.
#include "agentfootprint/semantics/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/semantics/internal/faults.hpp"

namespace agentfootprint::semantics {
namespace {

bool is_space(char32_t c) noexcept {
  if (c <= 0x20) return c == 0x20 || (c >= 0x09 && c <= 0x0D);
  if (c < 0x2000) return c == 0xA0 || c == 0x1680;
  return c <= 0x200A || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000 ||
         c == 0xFEFF;
}

bool is_counter_word(std::string_view word) noexcept {
  const auto known = [](std::string_view w) {
    return std::find(kCounterAggregationWords.begin(), kCounterAggregationWords.end(), w) !=
           kCounterAggregationWords.end();
  };
  return known(word) || (word.ends_with('s') && known(word.substr(0, word.size() - 1)));
}

}  // namespace

std::string_view name_of(ResultClass result_class) noexcept {
  return kResultClasses[static_cast<std::size_t>(result_class)];
}

std::optional<ResultClass> parse_result_class(std::string_view name) noexcept {
  if (name == "triage") return ResultClass::triage;
  if (name == "inventory") return ResultClass::inventory;
  return std::nullopt;
}

std::optional<ResultClass> checked_result_class(std::string_view tool,
                                                const std::optional<std::string_view>& name) {
  if (!name) return std::nullopt;
  if (const auto known = parse_result_class(*name)) return known;
  throw Refusal(
      "unknown-result-class", "resultClass",
      fmt::format("tool {} has resultClass {}, which is not one of triage, inventory; name one of "
                  "them or leave it out",
                  internal::quoted(tool), internal::quoted(*name)));
}

bool is_counter_looking_aggregation(std::string_view aggregation) noexcept {
  std::array<char, 16> word{};  // longer than any counter word with its s
  std::size_t length = 0;
  for (std::size_t i = 0; i <= aggregation.size(); ++i) {
    const char raw = i < aggregation.size() ? aggregation[i] : ' ';
    const char c = raw >= 'A' && raw <= 'Z' ? static_cast<char>(raw - 'A' + 'a') : raw;
    if (c >= 'a' && c <= 'z') {
      if (length < word.size()) word[length] = c;
      ++length;
      continue;
    }
    if (length <= word.size() && is_counter_word(std::string_view(word.data(), length)))
      return true;
    length = 0;
  }
  return false;
}

bool is_blank(std::string_view text) noexcept {
  return trimmed(text).empty();
}

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty()) {
    const utf8::Decoded first = utf8::decode(text, 0);
    if (!first.valid || !is_space(first.code_point)) break;
    text.remove_prefix(first.length);
  }
  while (!text.empty()) {
    const utf8::Decoded last = utf8::decode_before(text, text.size());
    if (!last.valid || !is_space(last.code_point)) break;
    text.remove_suffix(last.length);
  }
  return text;
}

json::Value canonical_notes() {
  std::vector<json::Value> words(kCounterAggregationWords.begin(), kCounterAggregationWords.end());
  std::vector<json::Value> classes(kResultClasses.begin(), kResultClasses.end());
  json::ObjectBuilder notes;
  notes.add("semanticsMarker", kSemanticsMarker);
  notes.add("absenceMarker", kAbsenceMarker);
  notes.add("coverageMarker", kCoverageMarker);
  notes.add("semanticsNote", kSemanticsNote);
  notes.add("absenceNote", kAbsenceNote);
  notes.add("coverageNote", kCoverageNote);
  notes.add("coverageBlockHeading", kCoverageBlockHeading);
  notes.add("counterAggregationWords", json::array(std::move(words)));
  notes.add("resultClasses", json::array(std::move(classes)));
  return notes.build();
}

}  // namespace agentfootprint::semantics
