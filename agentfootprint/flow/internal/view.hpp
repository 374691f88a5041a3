// Reading a state: a root of the tree, and for a running step what it has staged on top.
//
// A path's value is governed by the latest write at the path or above it; writes below it that are
// later still lie on top. So writing `o/a` leaves the writer of `o/b` alone, and nothing is copied.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "agentfootprint/flow/internal/log_data.hpp"

namespace agentfootprint::flow::internal {

struct Staged {
  PathId path = kRootPath;
  Verb verb = Verb::set;
  bool dead = false;  // replaced by a later write of the step
  bool keep = false;  // written also when the path stands so already
  std::uint32_t reads_before = 0;
  json::Value value;
  std::vector<json::Value> tail;  // appended elements
};

// The writes of a running step, newest last.
struct StagedWrites {
  std::vector<Staged> items;
  std::unordered_map<PathId, std::uint32_t> index;  // used from 16 writes on

  [[nodiscard]] WriteRef find(PathId id) const noexcept;
  void add(Staged entry);
  void clear() noexcept {
    items.clear();
    if (!index.empty()) index.clear();
  }
};

struct Seen {
  PathId path = kRootPath;
  WriteRef writer = kNever;
};

struct View {
  const LogData& log;
  Root root;
  const StagedWrites* staged = nullptr;

  // The last write at exactly this path.
  [[nodiscard]] WriteRef lookup(PathId id) const noexcept;
  // The last write at the path or above it, and where it is.
  [[nodiscard]] Seen governing(PathId id) const noexcept;
  // The value at the path, with every writer it comes from added to `seen` (the governing one
  // first).
  [[nodiscard]] std::optional<json::Value> read(PathId id, std::vector<Seen>* seen = nullptr) const;
  // The same for a path that may not be interned.
  [[nodiscard]] std::optional<json::Value> read(const Path& path) const;
  [[nodiscard]] json::Value whole() const;

  struct ArrayInfo {
    bool is_array = false;
    bool plain = false;  // no element or member was written by itself
    std::uint32_t size = 0;
  };
  // What stands at the path, without making a value of a grown array.
  [[nodiscard]] ArrayInfo array_info(PathId id) const;
  // The kind of what stands at the path, cheaply.
  struct Shape {
    bool present = false;
    json::Kind kind = json::Kind::null;
    std::uint32_t size = 0;
  };
  [[nodiscard]] Shape shape_of(PathId id) const;
  // One element of a plain array with the write it was born with.
  [[nodiscard]] std::optional<json::Value> element(PathId id, std::uint32_t index,
                                                   WriteRef& birth) const;

 private:
  [[nodiscard]] std::optional<json::Value> value_of(PathId at, WriteRef write) const;
  [[nodiscard]] std::optional<json::Value> from_governing(PathId id, Seen governing) const;
  bool lay_children(PathId id, WriteRef above, std::optional<json::Value>& value,
                    std::vector<Seen>* seen) const;
  [[nodiscard]] bool child_written(PathId id, WriteRef above) const;
};

// The first `length` elements as one value. `keep` remembers it for the next reader: only while the
// run that owns the lane is under way.
[[nodiscard]] json::Value whole_of(const Lane& lane, std::uint32_t length, bool keep);

}  // namespace agentfootprint::flow::internal
