// Reading declared coverage from its wire form, and the lines that follow from it.
#include "agentfootprint/semantics/coverage_lists.hpp"

#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics {
namespace {

std::optional<std::string> text_of(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  if (value == nullptr) return std::nullopt;
  const auto text = value->as_string();
  if (!text || is_blank(*text)) return std::nullopt;
  return std::string(*text);
}

std::vector<DeclaredItem> read_items(const json::Value* list) {
  std::vector<DeclaredItem> items;
  if (list == nullptr) return items;
  for (const json::Value& entry : list->elements()) {
    if (const auto text = entry.as_string(); text && !is_blank(*text)) {
      items.push_back(DeclaredItem{std::string(*text)});
      continue;
    }
    auto what = text_of(entry, "what");
    if (!what) continue;
    items.push_back(DeclaredItem{std::move(*what), text_of(entry, "why"), text_of(entry, "short"),
                                 text_of(entry, "kind")});
  }
  return items;
}

json::Value items_json(const std::vector<DeclaredItem>& items) {
  json::ArrayBuilder list;
  list.reserve(items.size());
  for (const DeclaredItem& item : items) list.add(to_json(item));
  return list.build();
}

}  // namespace

DeclaredCoverage read_declared_coverage(const json::Value& wire) {
  DeclaredCoverage declared;
  declared.checked = read_items(wire.find("checked"));
  declared.not_checked = read_items(wire.find("not_checked"));
  declared.cannot_cover = read_items(wire.find("cannot_cover"));
  return declared;
}

std::vector<InProgressItem> read_in_progress(const json::Value& wire_list) {
  std::vector<InProgressItem> items;
  for (const json::Value& entry : wire_list.elements()) {
    auto what = text_of(entry, "what");
    if (!what) continue;
    InProgressItem item{std::move(*what), text_of(entry, "why"), text_of(entry, "short")};
    if (const json::Value* count = entry.find("count")) item.count = count->as_uint64();
    items.push_back(std::move(item));
  }
  return items;
}

json::Value to_json(const DeclaredCoverage& declared) {
  json::ObjectBuilder object;
  object.add("checked", items_json(declared.checked));
  object.add("notChecked", items_json(declared.not_checked));
  object.add("cannotCover", items_json(declared.cannot_cover));
  return object.build();
}

json::Value to_json(const DeclaredItem& item) {
  json::ObjectBuilder object;
  object.add("what", item.what);
  object.add_if("why", item.why);
  object.add_if("short", item.short_text);
  object.add_if("kind", item.kind);
  return object.build();
}

json::Value to_json(const InProgressItem& item) {
  json::ObjectBuilder object;
  object.add("what", item.what);
  object.add_if("why", item.why);
  object.add_if("short", item.short_text);
  object.add_if("count", item.count);
  return object.build();
}

std::vector<std::string> compose_not_covered(const DeclaredCoverage& declared) {
  std::vector<std::string> lines;
  lines.reserve(declared.not_checked.size() + declared.cannot_cover.size());
  for (const auto* list : {&declared.not_checked, &declared.cannot_cover}) {
    for (const DeclaredItem& item : *list) {
      lines.push_back(item.why ? item.what + " — " + *item.why : item.what);
    }
  }
  return lines;
}

}  // namespace agentfootprint::semantics
