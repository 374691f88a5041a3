// Slices by breadth-first search over the recorded edges.
#include "agentfootprint/flow/slice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_set>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/flow/internal/log_data.hpp"
#include "agentfootprint/flow/internal/view.hpp"

namespace agentfootprint::flow {

using internal::kNever;
using internal::kNone;
using internal::kNoPath;
using internal::kRootPath;
using internal::kStagedBit;
using internal::LogData;
using internal::PathId;
using internal::Read;
using internal::Row;
using internal::Seen;
using internal::View;
using internal::Write;
using internal::WriteRef;

namespace {

// The nodes of a slice by row.
class NodeSet {
 public:
  NodeSet(Slice& slice, std::size_t rows, const SliceOptions& options)
      : slice_(slice), options_(options), of_row_(rows, kNone) {}

  [[nodiscard]] std::uint32_t find(std::uint32_t row) const { return of_row_[row]; }
  // The node of the row, made if need be; kNone when there may be no more.
  std::uint32_t take(std::uint32_t row, std::uint32_t depth) {
    if (of_row_[row] != kNone) return of_row_[row];
    if (slice_.nodes.size() >= options_.max_nodes) {
      slice_.cut_by_nodes = true;
      return kNone;
    }
    of_row_[row] = static_cast<std::uint32_t>(slice_.nodes.size());
    slice_.nodes.push_back({row, depth});
    return of_row_[row];
  }

 private:
  Slice& slice_;
  const SliceOptions& options_;
  std::vector<std::uint32_t> of_row_;
};

bool same_edge(const SliceEdge& a, const SliceEdge& b) {
  return a.from == b.from && a.to == b.to && a.kind == b.kind && a.path == b.path &&
         a.element == b.element;
}

std::string name_of_edge(const SliceEdge& edge) {
  return fmt::format("{}.{}.{}.{}.{}", edge.from, edge.to, static_cast<int>(edge.kind), edge.path,
                     edge.element);
}

class Backward {
 public:
  Backward(Slice& slice, const SliceOptions& options)
      : slice_(slice),
        log_(slice.log().data()),
        options_(options),
        nodes_(slice, log_.rows.size(), options) {}

  void start_row(std::uint32_t row) {
    const std::uint32_t node = nodes_.take(row, 0);
    if (node == kNone) return;
    Task task{node, log_.rows[row].read_count, {}};
    for (std::uint32_t i = 0; i < log_.rows[row].write_count; ++i) {
      add_chain(task, log_.rows[row].first_write + i + 1);
    }
    tasks_.push_back(std::move(task));
  }

  void start_write(PathId path, WriteRef write) {
    const std::uint32_t row = log_.writes[write - 1].row;
    if (row == kNone) return;
    const std::uint32_t node = nodes_.take(row, 0);
    if (node != kNone) tasks_.push_back(task_for(node, path, kNone, write));
  }

  void run() {
    for (; !tasks_.empty(); tasks_.pop_front()) expand(std::move(tasks_.front()));
  }

 private:
  // Expand a node through its first `reads` reads, and through what appended-to arrays held before.
  struct Task {
    std::uint32_t node;
    std::uint32_t reads;
    std::vector<WriteRef> chains;
  };

  void add_chain(Task& task, WriteRef write) {
    if (log_.writes[write - 1].verb != Verb::append) return;
    if (chained_.empty()) chained_.assign(log_.writes.size(), false);
    if (chained_[write - 1]) return;
    chained_[write - 1] = true;
    task.chains.push_back(write);
  }

  Task task_for(std::uint32_t node, PathId read, std::uint32_t element, WriteRef writer) {
    const Write& write = log_.writes[writer - 1];
    const Row& row = log_.rows[write.row];
    Task task{node, options_.per_write ? write.reads_before : row.read_count, {}};
    // The whole array was read, not something inside it: then what it held before counts too.
    const std::uint32_t written = log_.paths[row.prefix].depth + log_.paths[write.path].depth;
    if (element == kNone && log_.paths[read].depth <= written) add_chain(task, writer);
    return task;
  }

  // Adds the edge unless the node has it. Few edges are compared one by one, many through a table.
  void add_edge(SliceEdge edge) {
    constexpr std::uint32_t kFew = 16;
    Progress& progress = expanded_[edge.from];
    if (progress.degree < kFew) {
      for (std::uint32_t at = progress.last_edge; at != kNone; at = before_[at]) {
        if (same_edge(slice_.edges[at], edge)) return;
      }
    } else {
      if (progress.degree == kFew) {
        for (std::uint32_t at = progress.last_edge; at != kNone; at = before_[at]) {
          known_.insert(name_of_edge(slice_.edges[at]));
        }
      }
      if (!known_.insert(name_of_edge(edge)).second) return;
    }
    before_.push_back(progress.last_edge);
    progress.last_edge = static_cast<std::uint32_t>(slice_.edges.size());
    ++progress.degree;
    slice_.edges.push_back(edge);
  }

  void follow(std::uint32_t node, PathId path, std::uint32_t element, WriteRef writer) {
    if (writer == kNever || writer == kStagedBit) return;
    const std::uint32_t row = log_.writes[writer - 1].row;
    if (row == kNone) {
      slice_.gaps.emplace_back(node, log_.paths.pointer(path));
      return;
    }
    const std::uint32_t to = nodes_.take(row, slice_.nodes[node].depth + 1);
    if (to == kNone) return;
    add_edge({node, to, EdgeKind::data, path, element});
    tasks_.push_back(task_for(to, path, element, writer));
  }

  void expand(Task task) {
    if (expanded_.size() < slice_.nodes.size()) expanded_.resize(slice_.nodes.size());
    Progress& progress = expanded_[task.node];
    const Row& row = log_.rows[slice_.nodes[task.node].row];
    const bool governed = options_.control && !progress.governed && row.governor != kNone;
    if (task.reads <= progress.reads && task.chains.empty() && !governed) return;
    if (slice_.nodes[task.node].depth >= options_.max_depth) {
      slice_.cut_by_depth = true;
      return;
    }
    const std::uint32_t begin = std::min(progress.reads, task.reads);
    progress.reads = std::max(progress.reads, task.reads);
    if (governed) progress.governed = true;
    for (std::uint32_t i = begin; i < task.reads; ++i) {
      const Read& read = log_.reads[row.first_read + i];
      follow(task.node, read.path, read.element, read.writer);
    }
    for (const WriteRef write : task.chains) {
      const Write& at = log_.writes[write - 1];
      follow(task.node, at.path, kNone, at.before);
    }
    if (governed) {
      const std::uint32_t to = nodes_.take(row.governor, slice_.nodes[task.node].depth + 1);
      if (to == kNone) return;
      add_edge({task.node, to, EdgeKind::control, kRootPath, kNone});
      tasks_.push_back({to, log_.rows[row.governor].read_count, {}});
    }
  }

  struct Progress {
    std::uint32_t reads = 0;
    std::uint32_t degree = 0;
    std::uint32_t last_edge = kNone;
    bool governed = false;
  };

  Slice& slice_;
  const LogData& log_;
  const SliceOptions& options_;
  NodeSet nodes_;
  std::deque<Task> tasks_;
  std::vector<Progress> expanded_;
  std::vector<bool> chained_;
  std::vector<std::uint32_t> before_;      // by edge: the edge of the same node before it
  std::unordered_set<std::string> known_;  // edges of nodes that have many
};

// Who read each write, and whom each decision had run: the edges turned around.
class Forward {
 public:
  Forward(Slice& slice, const SliceOptions& options)
      : slice_(slice),
        log_(slice.log().data()),
        options_(options),
        nodes_(slice, log_.rows.size(), options) {
    index();
  }

  void run(std::uint32_t row) {
    if (nodes_.take(row, 0) == kNone) return;
    for (std::uint32_t i = 0; i < log_.rows[row].write_count; ++i) {
      push(log_.rows[row].first_write + i + 1);
    }
    push_governed(row);
    while (!queue_.empty()) {
      const Item item = queue_.front();
      queue_.pop_front();
      if (item.write != kNever) {
        spread_write(item.write);
      } else {
        spread_decision(item.row);
      }
    }
  }

 private:
  struct Use {
    WriteRef write = kNever;
    std::uint32_t row = 0;
    std::uint32_t read = kNone;  // which read of the row; kNone: it appended to what the write left
    std::uint32_t feeds = kNone;  // then the append it fed
  };
  struct Item {
    WriteRef write;
    std::uint32_t row;
  };

  void index() {
    for (std::uint32_t r = 0; r < log_.rows.size(); ++r) {
      const Row& row = log_.rows[r];
      for (std::uint32_t i = 0; i < row.read_count; ++i) {
        const WriteRef writer = log_.reads[row.first_read + i].writer;
        if (writer != kNever && writer != kStagedBit) uses_.push_back({writer, r, i, kNone});
      }
      for (std::uint32_t i = 0; i < row.write_count; ++i) {
        const WriteRef self = row.first_write + i + 1;
        const Write& write = log_.writes[self - 1];
        if (write.verb == Verb::append) uses_.push_back({write.before, r, kNone, self});
      }
      if (row.governor != kNone) governed_.emplace_back(row.governor, r);
    }
    std::stable_sort(uses_.begin(), uses_.end(),
                     [](const Use& a, const Use& b) { return a.write < b.write; });
    std::sort(governed_.begin(), governed_.end());
    written_.assign(log_.writes.size(), false);
    decided_.assign(log_.rows.size(), false);
  }

  void push(WriteRef write) {
    if (written_[write - 1]) return;
    written_[write - 1] = true;
    queue_.push_back({write, 0});
  }
  void push_governed(std::uint32_t row) {
    const RowKind kind = log_.rows[row].kind;
    if (!options_.control || decided_[row]) return;
    if (kind != RowKind::decide && kind != RowKind::select) return;
    decided_[row] = true;
    queue_.push_back({kNever, row});
  }

  // kNone when the limits stop it.
  std::uint32_t reach(std::uint32_t from, std::uint32_t row) {
    const std::uint32_t depth = slice_.nodes[from].depth + 1;
    if (nodes_.find(row) == kNone && depth > options_.max_depth) {
      slice_.cut_by_depth = true;
      return kNone;
    }
    return nodes_.take(row, depth);
  }

  void spread_write(WriteRef write) {
    const std::uint32_t from = nodes_.find(log_.writes[write - 1].row);
    auto use = std::lower_bound(uses_.begin(), uses_.end(), write,
                                [](const Use& one, WriteRef at) { return one.write < at; });
    for (; use != uses_.end() && use->write == write; ++use) {
      const std::uint32_t to = reach(from, use->row);
      if (to == kNone) continue;
      const Row& row = log_.rows[use->row];
      if (use->read == kNone) {
        const PathId path = log_.writes[use->feeds - 1].path;
        slice_.edges.push_back({from, to, EdgeKind::data, path, kNone});
        push(use->feeds);
        continue;
      }
      const Read& read = log_.reads[row.first_read + use->read];
      slice_.edges.push_back({from, to, EdgeKind::data, read.path, read.element});
      for (std::uint32_t i = 0; i < row.write_count; ++i) {
        const WriteRef fed = row.first_write + i + 1;
        if (!options_.per_write || log_.writes[fed - 1].reads_before > use->read) push(fed);
      }
      push_governed(use->row);
    }
  }

  void spread_decision(std::uint32_t row) {
    const std::uint32_t from = nodes_.find(row);
    auto at =
        std::lower_bound(governed_.begin(), governed_.end(), std::pair(row, std::uint32_t{0}));
    for (; at != governed_.end() && at->first == row; ++at) {
      const std::uint32_t to = reach(from, at->second);
      if (to == kNone) continue;
      slice_.edges.push_back({from, to, EdgeKind::control, kRootPath, kNone});
      const Row& governed = log_.rows[at->second];
      for (std::uint32_t i = 0; i < governed.write_count; ++i) push(governed.first_write + i + 1);
      push_governed(at->second);
    }
  }

  Slice& slice_;
  const LogData& log_;
  const SliceOptions& options_;
  NodeSet nodes_;
  std::vector<Use> uses_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> governed_;
  std::vector<bool> written_;
  std::vector<bool> decided_;
  std::deque<Item> queue_;
};

}  // namespace

Slice backward_slice(const Log& log, std::size_t row, const SliceOptions& options) {
  Slice slice(log);
  if (row >= log.size()) {
    slice.missing = log.size() == 0 ? "empty-log" : "no-such-row";
    return slice;
  }
  Backward walk(slice, options);
  walk.start_row(static_cast<std::uint32_t>(row));
  walk.run();
  return slice;
}

Slice slice_of(const Log& log, const Path& path, std::optional<std::size_t> before,
               const SliceOptions& options) {
  Slice slice(log);
  const LogData& data = log.data();
  if (data.rows.empty()) {
    slice.missing = "empty-log";
    return slice;
  }
  std::size_t row = std::min(before.value_or(data.rows.size()), data.rows.size());
  while (row > 0 && data.rows[row - 1].instance != 0) --row;
  const View view{data, row > 0 ? data.rows[row - 1].root : data.base, nullptr};
  PathId id = kRootPath;
  for (const std::string& token : path.tokens()) {
    const PathId next = data.paths.find_child(id, token);
    if (next == kNoPath) break;
    id = next;
  }
  std::vector<Seen> seen;
  if (id != kRootPath) (void)view.read(id, &seen);
  Backward walk(slice, options);
  // The latest writer first: it is the one a reader would name.
  std::sort(seen.begin(), seen.end(),
            [](const Seen& a, const Seen& b) { return a.writer > b.writer; });
  for (const Seen& one : seen) {
    if (one.writer != kNever) walk.start_write(id, one.writer);
  }
  if (slice.nodes.empty()) {
    slice.missing = "never-written";
    return slice;
  }
  walk.run();
  return slice;
}

Slice forward_slice(const Log& log, std::size_t row, const SliceOptions& options) {
  Slice slice(log);
  if (row >= log.size()) {
    slice.missing = log.size() == 0 ? "empty-log" : "no-such-row";
    return slice;
  }
  Forward(slice, options).run(static_cast<std::uint32_t>(row));
  return slice;
}

std::string Slice::key_of(const SliceEdge& edge) const {
  if (edge.kind == EdgeKind::control) return "";
  std::string key = log_.data().paths.pointer(edge.path);
  if (edge.element != kNone) key += fmt::format("/{}", edge.element);
  return key;
}

std::string Slice::label_of(const SliceEdge& edge) const {
  if (edge.kind != EdgeKind::control) return "";
  const auto decision = log_.row(nodes[edge.to].row).decision();
  return decision ? decision->label : "";
}

json::Value Slice::to_json() const {
  json::ObjectBuilder out;
  if (missing) {
    out.add("missing", *missing);
    return out.build();
  }
  json::ArrayBuilder node_list;
  for (const SliceNode& node : nodes) {
    const RowView row = log_.row(node.row);
    json::ObjectBuilder one;
    one.add("step", row.id()).add("row", node.row).add("depth", node.depth);
    json::ArrayBuilder keys;
    for (const WriteRecord& write : row.writes()) keys.add(write.pointer);
    if (!keys.empty()) one.add("writes", keys.build());
    json::ArrayBuilder sources;
    for (const std::string& source : row.untracked()) sources.add(source);
    if (!sources.empty()) one.add("incomplete", sources.build());
    node_list.add(one.build());
  }
  json::ArrayBuilder edge_list;
  for (const SliceEdge& edge : edges) {
    json::ObjectBuilder one;
    one.add("from", edge.from).add("to", edge.to);
    one.add("kind", edge.kind == EdgeKind::data ? "data" : "control");
    if (edge.kind == EdgeKind::data) one.add("key", key_of(edge));
    if (const std::string label = label_of(edge); !label.empty()) one.add("label", label);
    edge_list.add(one.build());
  }
  out.add("nodes", node_list.build()).add("edges", edge_list.build());
  json::ArrayBuilder gap_list;
  for (const auto& [node, key] : gaps) {
    gap_list.add(json::object({{"node", node}, {"key", key}, {"gap", "before-first-row"}}));
  }
  if (!gap_list.empty()) out.add("gaps", gap_list.build());
  if (cut_by_depth || cut_by_nodes) {
    out.add("truncated", json::object({{"byDepth", cut_by_depth}, {"byNodes", cut_by_nodes}}));
  }
  return out.build();
}

std::string Slice::to_text() const {
  if (missing) return fmt::format("no slice: {}\n", *missing);
  std::vector<std::vector<std::uint32_t>> leading(nodes.size());
  for (std::uint32_t i = 0; i < edges.size(); ++i) leading[edges[i].to].push_back(i);
  std::string out;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    out.append(std::min<std::size_t>(nodes[i].depth, 20) * 2, ' ');
    out += utf8::printable(step_of(i));
    for (const std::uint32_t e : leading[i]) {
      const SliceEdge& edge = edges[e];
      const std::string label = label_of(edge);
      std::string how = edge.kind == EdgeKind::data ? key_of(edge) : "decided";
      if (!label.empty()) how += " '" + label + "'";
      out += fmt::format("  <- {} ({})", utf8::printable(step_of(edge.from)), utf8::printable(how));
    }
    out += '\n';
  }
  for (const auto& [node, key] : gaps) {
    out += fmt::format("{} read {} from before the first row\n", utf8::printable(step_of(node)),
                       utf8::printable(key));
  }
  if (cut_by_depth) out += "cut: deeper steps were left out\n";
  if (cut_by_nodes) out += "cut: further steps were left out\n";
  return out;
}

}  // namespace agentfootprint::flow
