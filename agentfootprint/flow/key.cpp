// Paths and the table that interns them.
#include "agentfootprint/flow/key.hpp"

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/hash.hpp"
#include "agentfootprint/flow/internal/paths.hpp"

namespace agentfootprint::flow {

using internal::PathTable;

namespace {

constexpr std::size_t kMaxTokens = 64;

void append_token(std::string& out, std::string_view token) {
  out += '/';
  for (const char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
}

std::string unescape(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
      out += token[++i] == '0' ? '~' : '/';
    } else {
      out += token[i];
    }
  }
  return out;
}

}  // namespace

Path::Path(std::string_view key) {
  push(key);
}

Path Path::from_pointer(std::string_view pointer) {
  if (pointer.empty() || pointer.front() != '/') {
    throw Error("flow-path",
                "a path is written like /key/member, not '" + std::string(pointer) + "'");
  }
  Path path;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    path.push(unescape(pointer.substr(0, end)));
    pointer.remove_prefix(end);
  }
  return path;
}

Path& Path::operator=(const Path& other) {
  tokens_ = other.tokens_;
  hash_ = other.hash_;
  hint_.store(other.hint(), std::memory_order_relaxed);
  return *this;
}

Path& Path::operator=(Path&& other) noexcept {
  tokens_ = std::move(other.tokens_);
  hash_ = other.hash_;
  hint_.store(other.hint(), std::memory_order_relaxed);
  return *this;
}

void Path::push(std::string_view token) {
  if (tokens_.size() == kMaxTokens) throw Error("flow-path", "a path has at most 64 tokens");
  tokens_.emplace_back(token);
  hash_ = PathTable::hash_token(hash_, token);
  hint_.store(0, std::memory_order_relaxed);
}

std::string Path::pointer() const {
  std::string out;
  for (const std::string& token : tokens_) append_token(out, token);
  return out;
}

namespace internal {

PathTable::PathTable() {
  entries_.emplace_back();
  table_.assign(32, kNoPath);
}

std::uint64_t PathTable::hash_token(std::uint64_t parent, std::string_view token) {
  return hash64(token, parent);
}

bool PathTable::matches(PathId id, const Path& path) const noexcept {
  for (std::size_t i = path.tokens_.size(); i-- > 0;) {
    if (id == kRootPath || entries_[id].token != path.tokens_[i]) return false;
    id = entries_[id].parent;
  }
  return id == kRootPath;
}

PathId PathTable::intern(const Path& path) {
  PathId id = kRootPath;
  for (const std::string& token : path.tokens_) id = child(id, token);
  path.hint_.store(id, std::memory_order_relaxed);
  return id;
}

PathId PathTable::probe(PathId parent, std::uint64_t hash, std::string_view token,
                        std::size_t& slot) const noexcept {
  const std::size_t mask = table_.size() - 1;
  for (slot = hash & mask; table_[slot] != kNoPath; slot = (slot + 1) & mask) {
    const Entry& entry = entries_[table_[slot]];
    if (entry.hash == hash && entry.parent == parent && entry.token == token) return table_[slot];
  }
  return kNoPath;
}

PathId PathTable::child(PathId parent, std::string_view token) {
  const std::uint64_t hash = hash_token(entries_[parent].hash, token);
  std::size_t slot = 0;
  if (const PathId found = probe(parent, hash, token, slot); found != kNoPath) return found;
  if ((entries_.size() + 1) * 4 > table_.size() * 3) {
    grow();
    (void)probe(parent, hash, token, slot);
  }
  const auto id = static_cast<PathId>(entries_.size());
  table_[slot] = id;
  Entry entry;
  entry.token = std::string(token);
  entry.hash = hash;
  entry.parent = parent;
  entry.depth = entries_[parent].depth + 1;
  entries_.push_back(std::move(entry));
  Entry& above = entries_[parent];
  if (above.last_child == kNoPath) {
    above.first_child = id;
  } else {
    entries_[above.last_child].next_sibling = id;
  }
  above.last_child = id;
  return id;
}

void PathTable::grow() {
  table_.assign(table_.size() * 2, kNoPath);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    std::size_t slot = entries_[i].hash & mask;
    while (table_[slot] != kNoPath) slot = (slot + 1) & mask;
    table_[slot] = static_cast<PathId>(i);
  }
}

PathId PathTable::under(PathId prefix, PathId below) {
  if (below == kRootPath) return prefix;
  if (prefix == kRootPath) return below;
  const PathId parent = under(prefix, entries_[below].parent);
  const std::string token = entries_[below].token;  // a copy: interning may move the entries
  return child(parent, token);
}

PathId PathTable::find_child(PathId parent, std::string_view token) const noexcept {
  std::size_t slot = 0;
  return probe(parent, hash_token(entries_[parent].hash, token), token, slot);
}

bool PathTable::is_ancestor(PathId ancestor, PathId id) const noexcept {
  while (entries_[id].depth > entries_[ancestor].depth) id = entries_[id].parent;
  return id == ancestor;
}

void PathTable::append_pointer(std::string& out, PathId id) const {
  if (id == kRootPath) return;
  append_pointer(out, entries_[id].parent);
  append_token(out, entries_[id].token);
}

std::string PathTable::pointer(PathId id) const {
  std::string out;
  append_pointer(out, id);
  return out;
}

bool PathTable::is_redacted(PathId id) const noexcept {
  for (; id != kRootPath; id = entries_[id].parent) {
    if (entries_[id].redacted) return true;
  }
  return false;
}

std::uint32_t index_of_token(std::string_view token) noexcept {
  if (token.empty() || token.size() > 9 || (token.size() > 1 && token[0] == '0')) return kNoPath;
  std::uint32_t index = 0;
  for (const char c : token) {
    if (c < '0' || c > '9') return kNoPath;
    index = index * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return index;
}

const json::Value* step_into(const json::Value& value, std::string_view token) noexcept {
  if (value.is_object()) return value.find(token);
  if (!value.is_array()) return nullptr;
  const std::uint32_t index = index_of_token(token);
  return index < value.size() ? &value.elements()[index] : nullptr;
}

}  // namespace internal
}  // namespace agentfootprint::flow
