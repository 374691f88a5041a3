// Slices: which steps a value or a step depends on, and what it fed.
//
// What: a backward slice walks from a step or from the writers of a key along recorded edges:
// *data* (it read what that row wrote) and *control* (that decision had it run). It is thin:
// through a write it follows only what its step had read before that write. Slices cross joins,
// mounts and loops, since every read carries the row it saw. A forward slice walks the same edges
// the other way.
//
// When to use: to answer "because of what" and "what came of it". For the elements of an array and
// the history of a key see provenance.hpp.
//
// Not guaranteed: completeness where a step used something no read records: its input, or a silent
// read. Such nodes carry `incomplete`; values from before the first row are `gaps`. What a stage
// knows by other ways (a capture, a clock) is not in the log.
//
// Limits: depth 20 and 100 nodes unless told otherwise; a slice that was cut says by what. Time and
// memory grow with the nodes and edges found.
//
// Example (file scope):
//   inline std::string because(const agentfootprint::flow::Log& log) {
//     const agentfootprint::flow::Path decision("decision");
//     return agentfootprint::flow::slice_of(log, decision).to_text();
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/flow/log.hpp"

namespace agentfootprint::flow {

class SliceOptions {
 public:
  SliceOptions() {}
  // No limit but the log's own size.
  [[nodiscard]] static SliceOptions unlimited() {
    SliceOptions options;
    options.max_depth = 0xffffffff;
    options.max_nodes = 0xffffffff;
    return options;
  }
  std::uint32_t max_depth = 20;
  std::uint32_t max_nodes = 100;
  bool control = true;    // follow decisions
  bool per_write = true;  // false: every read of a step counts for every write of it
};

enum class EdgeKind : std::uint8_t { data, control };

struct SliceNode {
  std::size_t row = 0;
  std::uint32_t depth = 0;  // edges from the start, at least
};

// `from` and `to` are numbers of nodes. Backward: `from` depends on `to`. Forward: `from` fed `to`.
struct SliceEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  EdgeKind kind = EdgeKind::data;
  std::uint32_t path = 0;  // of a data edge; rendered by `Slice::key_of`
  std::uint32_t element = 0xffffffff;
};

class Slice {
 public:
  explicit Slice(Log log) : log_(std::move(log)) {}

  std::vector<SliceNode> nodes;  // in order of discovery: by depth
  std::vector<SliceEdge> edges;
  std::vector<std::pair<std::uint32_t, std::string>>
      gaps;  // node, key it read from before the first row
  bool cut_by_depth = false;
  bool cut_by_nodes = false;
  // Why there is no slice: "empty-log", "never-written", "no-such-row".
  std::optional<std::string> missing;

  [[nodiscard]] const Log& log() const noexcept { return log_; }
  [[nodiscard]] std::string key_of(const SliceEdge& edge) const;
  // Of a control edge: the label of the rule that chose, "" when it has none.
  [[nodiscard]] std::string label_of(const SliceEdge& edge) const;
  [[nodiscard]] std::string step_of(std::uint32_t node) const {
    return log_.row(nodes[node].row).id();
  }
  [[nodiscard]] json::Value to_json() const;
  // One line a node, indented by depth, with the edges that led to it.
  [[nodiscard]] std::string to_text() const;

 private:
  Log log_;
};

// What the step of this row depends on.
[[nodiscard]] Slice backward_slice(const Log& log, std::size_t row,
                                   const SliceOptions& options = SliceOptions());
// What the value of a key depends on, as it stood before row `before` (exclusive; none: at the
// end), in the run's own state.
[[nodiscard]] Slice slice_of(const Log& log, const Path& path,
                             std::optional<std::size_t> before = std::nullopt,
                             const SliceOptions& options = SliceOptions());
// What the writes of this row fed.
[[nodiscard]] Slice forward_slice(const Log& log, std::size_t row,
                                  const SliceOptions& options = SliceOptions());

}  // namespace agentfootprint::flow
