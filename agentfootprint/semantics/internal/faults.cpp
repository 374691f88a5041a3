// Collecting faults; unknown keys with the spelling that was meant.
#include "agentfootprint/semantics/internal/faults.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics::internal {
namespace {

// Without `_` and `-`, in lower case: two spellings of one key have the same normal key.
std::string normal_key(std::string_view key) {
  std::string normal;
  for (const char c : key) {
    if (c == '_' || c == '-') continue;
    normal += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return normal;
}

std::string known_list(std::span<const std::string_view> known, Spelling spelling) {
  std::string list;
  for (const std::string_view key : known) {
    if (!list.empty()) list += ", ";
    list += spelled(key, spelling);
  }
  return list;
}

void report_unknown(const json::Value& object, std::string_view object_field, std::string_view key,
                    std::span<const std::string_view> known, Spelling spelling, Faults& faults) {
  const std::string field = join_field(object_field, utf8::printable(utf8::clip(key, 60)));
  const std::string meant = spelled(known_spelling(key, known), spelling);
  const std::string owner = object_field.empty() ? "this declaration" : std::string(object_field);
  if (meant.empty()) {
    faults.malformed(field, fmt::format("{} is not a known field and would be lost; {} takes {}",
                                        field, owner, known_list(known, spelling)));
    return;
  }
  faults.malformed(
      field, fmt::format("{} is not a known field and would be lost; write {} ({} takes {})", field,
                         meant, owner, known_list(known, spelling)));
  if (!object.contains(meant)) faults.explain(join_field(object_field, meant));
}

}  // namespace

std::string spelled(std::string_view wire_key, Spelling spelling) {
  if (spelling == Spelling::wire) return std::string(wire_key);
  std::string camel;
  bool upper = false;
  for (const char c : wire_key) {
    if (c == '_') {
      upper = true;
      continue;
    }
    camel += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return camel;
}

std::string join_field(std::string_view object, std::string_view key) {
  if (object.empty()) return std::string(key);
  return fmt::format("{}.{}", object, key);
}

std::string index_field(std::string_view list, std::size_t index) {
  return fmt::format("{}[{}]", list, index);
}

void Faults::add(std::string_view code, std::string_view field, std::string message) {
  if (explained(field)) return;
  if (!field.empty()) message += fmt::format(" (field: {})", field);
  issues_.push_back(Issue{std::string(code), std::string(field), std::move(message)});
}

bool Faults::explained(std::string_view field) const {
  return std::find(explained_.begin(), explained_.end(), field) != explained_.end();
}

bool Faults::any_under(std::string_view object) const {
  return std::any_of(issues_.begin(), issues_.end(), [&](const Issue& issue) {
    const std::string_view field = issue.field;
    return field.starts_with(object) &&
           (field.size() == object.size() || field[object.size()] == '.' ||
            field[object.size()] == '[');
  });
}

void Faults::throw_if_any() && {
  if (!issues_.empty()) throw Refusal(std::move(issues_));
}

void check_keys(const json::Value& object, std::string_view object_field,
                std::span<const std::string_view> known, Spelling spelling, Faults& faults) {
  std::vector<std::string_view> seen;
  for (const json::Member& member : object.members()) {
    const std::string_view key = member.key();
    const bool is_known = std::any_of(known.begin(), known.end(), [&](std::string_view candidate) {
      return key == spelled(candidate, spelling);
    });
    if (!is_known) {
      report_unknown(object, object_field, key, known, spelling, faults);
    } else if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      const std::string field = join_field(object_field, key);
      faults.malformed(
          field, fmt::format("{} stands twice, and one of the two would be lost; keep one", field));
    }
    seen.push_back(key);
  }
}

std::string_view known_spelling(std::string_view key, std::span<const std::string_view> known) {
  const auto found = std::find_if(known.begin(), known.end(), [&](std::string_view candidate) {
    return normal_key(candidate) == normal_key(key);
  });
  return found == known.end() ? std::string_view() : *found;
}

bool is_text(const json::Value* value) noexcept {
  if (value == nullptr) return false;
  const auto text = value->as_string();
  return text && !is_blank(*text);
}

std::string_view marker_of(const json::Value& value) noexcept {
  if (!value.is_object()) return {};
  for (const std::string_view marker : {kSemanticsMarker, kAbsenceMarker, kCoverageMarker}) {
    if (value.contains(marker)) return marker;
  }
  return {};
}

bool is_effects_envelope(const json::Value& value) noexcept {
  if (!value.is_object()) return false;
  const json::Value* effects = value.find("effects");
  if (effects == nullptr || !effects->is_array() || !value.contains("content")) return false;
  return std::all_of(
      value.members().begin(), value.members().end(), [](const json::Member& member) {
        return member.key() == "content" || member.key() == "effects" || member.key() == "status";
      });
}

std::string quoted(std::string_view text) {
  const std::string_view head = utf8::clip(text, 60);
  return fmt::format("'{}{}'", utf8::printable(head), head.size() < text.size() ? "…" : "");
}

}  // namespace agentfootprint::semantics::internal
