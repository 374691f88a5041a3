// The parts of a C++ declaration as JSON, for the mint.
#include "agentfootprint/semantics/declaration.hpp"

#include <utility>

namespace agentfootprint::semantics {

json::Value Texts::to_json() const {
  json::ArrayBuilder list;
  if (vector_ != nullptr) {
    list.reserve(vector_->size());
    for (const std::string& text : *vector_) list.add(text);
  } else {
    for (const std::optional<Text>& text : inline_) {
      if (text) list.add(text->view());
    }
  }
  return list.build();
}

json::Value CoverageItem::to_json() const {
  json::ObjectBuilder item;
  item.add("what", what_);
  item.add_if("why", why_);
  item.add_if("short", short_);
  item.add_if("kind", kind_);
  return item.build();
}

json::Value CoverageItems::to_json() const {
  json::ArrayBuilder list;
  if (vector_ != nullptr) {
    for (const CoverageItem& item : *vector_) list.add(item.to_json());
  } else {
    for (const CoverageItem& item : inline_) {
      if (item.stated_) list.add(item.to_json());
    }
  }
  return list.build();
}

json::Value LimitItems::to_json() const {
  if (vector_ == nullptr) return items_.to_json();
  json::ArrayBuilder list;
  for (const LimitItem& item : *vector_) list.add(item.item_.to_json());
  return list.build();
}

}  // namespace agentfootprint::semantics
