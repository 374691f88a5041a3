// Interned paths: every path a run touches has a small number, dense from 1; 0 is the whole state.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/flow/key.hpp"

namespace agentfootprint::flow::internal {

using PathId = std::uint32_t;
inline constexpr PathId kRootPath = 0;
inline constexpr PathId kNoPath = 0xffffffff;

class PathTable {
 public:
  struct Entry {
    std::string token;
    std::uint64_t hash = 0;  // of the token under the parent's hash
    PathId parent = kRootPath;
    PathId first_child = kNoPath;
    PathId last_child = kNoPath;
    PathId next_sibling = kNoPath;
    std::uint32_t depth = 0;
    bool redacted = false;
  };

  PathTable();

  [[nodiscard]] const Entry& operator[](PathId id) const noexcept { return entries_[id]; }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  // Interns.
  PathId resolve(const Path& path) {
    const PathId hint = path.hint();
    if (hint != 0 && hint < entries_.size() && entries_[hint].hash == path.hash_ &&
        matches(hint, path)) {
      return hint;
    }
    return intern(path);
  }
  PathId child(PathId parent, std::string_view token);
  // The path `below` re-rooted under `prefix`.
  PathId under(PathId prefix, PathId below);

  [[nodiscard]] PathId find_child(PathId parent, std::string_view token) const noexcept;
  [[nodiscard]] bool is_ancestor(PathId ancestor, PathId id) const noexcept;
  [[nodiscard]] std::string pointer(PathId id) const;
  void append_pointer(std::string& out, PathId id) const;
  void mark_redacted(PathId id) noexcept { entries_[id].redacted = true; }
  // The entry itself or one above it is marked.
  [[nodiscard]] bool is_redacted(PathId id) const noexcept;

  [[nodiscard]] static std::uint64_t hash_token(std::uint64_t parent, std::string_view token);

 private:
  [[nodiscard]] bool matches(PathId id, const Path& path) const noexcept;
  PathId intern(const Path& path);
  [[nodiscard]] PathId probe(PathId parent, std::uint64_t hash, std::string_view token,
                             std::size_t& slot) const noexcept;
  void grow();

  std::vector<Entry> entries_;
  std::vector<PathId> table_;  // open addressing; kNoPath is free
};

// The array index a token spells, or kNoPath.
[[nodiscard]] std::uint32_t index_of_token(std::string_view token) noexcept;

// What a token leads to in a value: a member, an element, or nothing.
[[nodiscard]] const json::Value* step_into(const json::Value& value,
                                           std::string_view token) noexcept;

}  // namespace agentfootprint::flow::internal
