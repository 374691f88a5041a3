// Which subtrees of a declared result are not evidence.
#include "agentfootprint/semantics/evidence_projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "agentfootprint/json/cursor.hpp"
#include "agentfootprint/semantics/absence.hpp"
#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics {
namespace {

constexpr std::array<std::string_view, 4> kItemLists = {"checked", "not_checked", "cannot_cover",
                                                        "in_progress"};

bool is_item_list(std::string_view key) noexcept {
  return std::find(kItemLists.begin(), kItemLists.end(), key) != kItemLists.end();
}

void omit_of_items(const json::Value& list, const std::string& path,
                   std::vector<std::string>& out) {
  for (std::size_t i = 0; i < list.elements().size(); ++i) {
    const json::Value& item = list.elements()[i];
    for (const std::string_view key : {"short", "kind"}) {
      if (item.contains(key)) out.push_back(fmt::format("{}/{}/{}", path, i, key));
    }
  }
}

// The record-only parts of an object that holds item lists and perhaps a period.
void omit_of_lists(const json::Value& object, const std::string& path,
                   std::vector<std::string>& out) {
  for (const json::Member& member : object.members()) {
    const std::string_view key = member.key();
    if (is_item_list(key)) omit_of_items(member.value, fmt::format("{}/{}", path, key), out);
    if (key == "period" && member.value.contains("verdict"))
      out.push_back(path + "/period/verdict");
    if (key == "looked_for" && is_absence(object)) out.push_back(path + "/looked_for");
  }
}

json::Value without(const json::Value& value, const std::vector<std::string>& pointers,
                    const std::string& path) {
  const auto inside = [&](const std::string& pointer) {
    return pointer.size() > path.size() && pointer.starts_with(path) && pointer[path.size()] == '/';
  };
  if (std::none_of(pointers.begin(), pointers.end(), inside)) return value;
  if (value.is_array()) {
    json::ArrayBuilder array;
    for (std::size_t i = 0; i < value.elements().size(); ++i) {
      array.add(without(value.elements()[i], pointers, fmt::format("{}/{}", path, i)));
    }
    return array.build();
  }
  json::ObjectBuilder object;
  for (const json::Member& member : value.members()) {
    const std::string here = path + "/" + json::pointer_token(member.key());
    if (std::find(pointers.begin(), pointers.end(), here) != pointers.end()) continue;
    object.add(member.key(), without(member.value, pointers, here));
  }
  return object.build();
}

}  // namespace

std::vector<std::string> evidence_omissions(const json::Value& value) {
  std::vector<std::string> out;
  if (is_absence(value)) {
    omit_of_lists(value, "", out);
  } else if (is_coverage_ledger(value)) {
    const bool around_absence = is_absence(value.at("result"));
    for (const json::Member& member : value.members()) {
      const std::string_view key = member.key();
      const std::string path = "/" + json::pointer_token(key);
      if (key == kCoverageMarker) {
        omit_of_lists(member.value, path, out);
      } else if (key == "result") {
        if (around_absence) omit_of_lists(member.value, path, out);
      } else if (around_absence) {
        out.push_back(path);
      }
    }
  } else if (const json::Value* marker = value.find(kSemanticsMarker);
             marker != nullptr && marker->as_bool().value_or(false)) {
    if (const json::Value* coverage = value.find("coverage"))
      omit_of_lists(*coverage, "/coverage", out);
    const json::Value* period = value.find("period");
    if (period != nullptr && period->contains("verdict")) out.push_back("/period/verdict");
  }
  return out;
}

json::Value evidence_projection(const json::Value& value) {
  const std::vector<std::string> omissions = evidence_omissions(value);
  return omissions.empty() ? value : without(value, omissions, "");
}

}  // namespace agentfootprint::semantics
