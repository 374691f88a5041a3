// Assembles values from the writes that govern them.
#include "agentfootprint/flow/internal/view.hpp"

#include <algorithm>
#include <unordered_map>

namespace agentfootprint::flow::internal {

json::Value whole_of(const Lane& lane, std::uint32_t length, bool keep) {
  if (lane.whole_length == length) return lane.whole;
  json::Value whole = json::array(std::vector<json::Value>(
      lane.elements.begin(), lane.elements.begin() + static_cast<std::ptrdiff_t>(length)));
  if (keep) {
    lane.whole = whole;
    lane.whole_length = length;
  }
  return whole;
}

WriteRef StagedWrites::find(PathId id) const noexcept {
  if (!index.empty()) {
    const auto found = index.find(id);
    return found == index.end() ? kNever : kStagedBit | (found->second + 1);
  }
  for (std::size_t i = items.size(); i-- > 0;) {
    if (items[i].path == id && !items[i].dead) return kStagedBit | static_cast<WriteRef>(i + 1);
  }
  return kNever;
}

void StagedWrites::add(Staged entry) {
  constexpr std::size_t kIndexFrom = 16;
  items.push_back(std::move(entry));
  if (items.size() < kIndexFrom) return;
  if (index.empty()) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!items[i].dead) index.insert_or_assign(items[i].path, static_cast<std::uint32_t>(i));
    }
  } else {
    index.insert_or_assign(items.back().path, static_cast<std::uint32_t>(items.size() - 1));
  }
}

WriteRef View::lookup(PathId id) const noexcept {
  if (staged != nullptr && !staged->items.empty()) {
    if (const WriteRef found = staged->find(id); found != kNever) return found;
  }
  return root.get(id);
}

Seen View::governing(PathId id) const noexcept {
  Seen best{id, lookup(id)};
  for (PathId at = id; at != kRootPath;) {
    at = log.paths[at].parent;
    if (at == kRootPath) break;
    if (const WriteRef write = lookup(at); write > best.writer) best = Seen{at, write};
  }
  return best;
}

std::optional<json::Value> View::value_of(PathId at, WriteRef write) const {
  if (write == kNever) return std::nullopt;
  if ((write & kStagedBit) != 0) {
    const Staged& entry = staged->items[(write & ~kStagedBit) - 1];
    if (entry.verb == Verb::erase) return std::nullopt;
    if (entry.tail.empty()) return entry.value;
    json::Value head = entry.value;
    if (entry.verb == Verb::append) {
      const View committed{log, root, nullptr};
      head = committed.read(at).value_or(json::array(std::vector<json::Value>{}));
    }
    std::vector<json::Value> all(head.elements().begin(), head.elements().end());
    all.insert(all.end(), entry.tail.begin(), entry.tail.end());
    return json::array(std::move(all));
  }
  const Write& entry = log.writes[write - 1];
  if (entry.verb == Verb::erase) return std::nullopt;
  if (entry.lane != kNone) return whole_of(log.lanes[entry.lane], entry.length, staged != nullptr);
  return entry.value;
}

std::optional<json::Value> View::from_governing(PathId id, Seen governing) const {
  if (governing.path == id) return value_of(id, governing.writer);
  std::vector<PathId> below;
  for (PathId at = id; at != governing.path; at = log.paths[at].parent) below.push_back(at);
  auto value = value_of(governing.path, governing.writer);
  for (std::size_t i = below.size(); value && i-- > 0;) {
    const json::Value* next = step_into(*value, log.paths[below[i]].token);
    value = next != nullptr ? std::optional<json::Value>(*next) : std::nullopt;
  }
  return value;
}

namespace {

using Change = std::pair<std::string_view, std::optional<json::Value>>;

void apply_to_array(const std::vector<Change>& changes, std::optional<json::Value>& value) {
  std::vector<json::Value> elements(value->elements().begin(), value->elements().end());
  for (const auto& [token, change] : changes) {
    const std::uint32_t index = index_of_token(token);
    if (index < elements.size() && change) elements[index] = *change;
  }
  value = json::array(std::move(elements));
}

void apply_to_object(const std::vector<Change>& changes, std::optional<json::Value>& value) {
  std::vector<json::Member> members;
  std::vector<bool> used(changes.size(), false);
  std::unordered_map<std::string_view, std::size_t> by_token;
  for (std::size_t i = 0; i < changes.size(); ++i) by_token.emplace(changes[i].first, i);
  if (value && value->is_object()) {
    members.reserve(value->size() + changes.size());
    for (const json::Member& member : value->members()) {
      const auto found = by_token.find(member.key());
      if (found == by_token.end()) {
        members.push_back(member);
      } else if (!used[found->second]) {
        used[found->second] = true;
        const auto& change = changes[found->second].second;
        if (change) members.emplace_back(member.key_value, *change);
      }
    }
  }
  bool any = value && value->is_object();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (used[i] || !changes[i].second) continue;
    members.emplace_back(changes[i].first, *changes[i].second);
    any = true;
  }
  if (any) value = json::object(std::move(members));
}

}  // namespace

bool View::lay_children(PathId id, WriteRef above, std::optional<json::Value>& value,
                        std::vector<Seen>* seen) const {
  std::vector<Change> changes;
  for (PathId child = log.paths[id].first_child; child != kNoPath;
       child = log.paths[child].next_sibling) {
    const WriteRef write = lookup(child);
    const bool later = write > above;
    const bool has_below = log.paths[child].first_child != kNoPath;
    if (!later && !has_below) continue;
    std::optional<json::Value> below;
    if (later) {
      below = value_of(child, write);
      if (seen != nullptr) seen->push_back(Seen{child, write});
    } else if (value) {
      const json::Value* member = step_into(*value, log.paths[child].token);
      if (member != nullptr) below = *member;
    }
    bool changed = later;
    if (has_below) changed |= lay_children(child, std::max(above, write), below, seen);
    if (changed) changes.emplace_back(log.paths[child].token, std::move(below));
  }
  if (changes.empty()) return false;
  if (value && value->is_array()) {
    apply_to_array(changes, value);
  } else {
    apply_to_object(changes, value);
  }
  return true;
}

std::optional<json::Value> View::read(PathId id, std::vector<Seen>* seen) const {
  const Seen top = governing(id);
  if (seen != nullptr) seen->push_back(top);
  auto value = from_governing(id, top);
  if (log.paths[id].first_child != kNoPath) lay_children(id, top.writer, value, seen);
  return value;
}

std::optional<json::Value> View::read(const Path& path) const {
  PathId id = kRootPath;
  std::size_t depth = 0;
  for (const std::string& token : path.tokens()) {
    const PathId next = log.paths.find_child(id, token);
    if (next == kNoPath) break;
    id = next;
    ++depth;
  }
  if (id == kRootPath) return std::nullopt;
  auto value = read(id);
  for (; value && depth < path.tokens().size(); ++depth) {
    const json::Value* next = step_into(*value, path.tokens()[depth]);
    value = next != nullptr ? std::optional<json::Value>(*next) : std::nullopt;
  }
  return value;
}

json::Value View::whole() const {
  std::optional<json::Value> value;
  lay_children(kRootPath, kNever, value, nullptr);
  return value ? *value : json::object(std::vector<json::Member>{});
}

bool View::child_written(PathId id, WriteRef above) const {
  for (PathId child = log.paths[id].first_child; child != kNoPath;
       child = log.paths[child].next_sibling) {
    const WriteRef write = lookup(child);
    if (write > above || child_written(child, std::max(above, write))) return true;
  }
  return false;
}

View::ArrayInfo View::array_info(PathId id) const {
  ArrayInfo info;
  const Seen top = governing(id);
  info.plain = !child_written(id, top.writer);
  if (info.plain && top.path == id && top.writer != kNever && (top.writer & kStagedBit) == 0) {
    const Write& write = log.writes[top.writer - 1];
    if (write.lane != kNone && write.verb != Verb::erase) {
      return ArrayInfo{true, true, write.length};
    }
  }
  const auto value = read(id);
  info.is_array = value && value->is_array();
  if (info.is_array) info.size = static_cast<std::uint32_t>(value->size());
  return info;
}

View::Shape View::shape_of(PathId id) const {
  const Seen top = governing(id);
  if (top.path == id && top.writer != kNever && (top.writer & kStagedBit) == 0) {
    const Write& write = log.writes[top.writer - 1];
    if (write.lane != kNone && write.verb != Verb::erase) {
      return Shape{true, json::Kind::array, write.length};
    }
  }
  const auto value = from_governing(id, top);
  if (value) return Shape{true, value->kind(), static_cast<std::uint32_t>(value->size())};
  return Shape{child_written(id, top.writer), json::Kind::object, 0};
}

std::optional<json::Value> View::element(PathId id, std::uint32_t index, WriteRef& birth) const {
  const Seen top = governing(id);
  birth = top.writer;
  if (top.path == id && top.writer != kNever && (top.writer & kStagedBit) == 0) {
    const Write& write = log.writes[top.writer - 1];
    if (write.lane != kNone && write.verb != Verb::erase) {
      if (index >= write.length) return std::nullopt;
      birth = log.lanes[write.lane].births[index];
      return log.lanes[write.lane].elements[index];
    }
  }
  const auto value = read(id);
  if (!value || !value->is_array() || index >= value->size()) return std::nullopt;
  return value->elements()[index];
}

}  // namespace agentfootprint::flow::internal
