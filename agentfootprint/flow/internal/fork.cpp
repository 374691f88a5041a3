// Forks: branches as lines of their own, and the join that brings their writes together.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "agentfootprint/flow/internal/machine.hpp"

namespace agentfootprint::flow::internal {

void Machine::open_branches(Line& line, const Node& node, const std::vector<std::uint32_t>& chosen,
                            std::uint32_t row) {
  line.step_open = false;
  if (chosen.empty()) {
    go(line, node.next);
    return;
  }
  const bool too_deep = line.depth + line.mounts.size() + 1 > options_.budgets.depth;
  if (too_deep || chosen.size() > options_.budgets.width) {
    line.ended_at = step_id(line);
    fail(line, LineStatus::exhausted, "flow-exhausted", too_deep ? "depth" : "width");
    return;
  }
  if (observed(EventKind::forked)) {
    Event event;
    event.kind = EventKind::forked;
    event.number = chosen.size();
    notify(event, &line);
  }
  line.fork = std::make_unique<ForkState>();
  line.fork->node = &node;
  line.fork->first_row = static_cast<std::uint32_t>(log_->rows.size());
  if (concurrent && node.has_async && node.fork.on_error == OnBranchError::fail_fast) {
    line.fork->cancel = std::make_unique<CancelSource>(line.token);
  }
  line.fork->children.reserve(chosen.size());
  for (const std::uint32_t branch : chosen) {
    auto child =
        node.each ? make_branch(line, node, 0, branch) : make_branch(line, node, branch, kNone);
    if (row != kNone) child->place.governor_floor = row;
    line.fork->children.push_back(std::move(child));
  }
}

std::unique_ptr<Line> Machine::make_branch(Line& line, const Node& node, std::uint32_t branch,
                                           std::uint32_t item) {
  auto child = std::make_unique<Line>();
  child->parent = &line;
  child->branch = branch;
  child->item = item;
  child->depth = line.depth + static_cast<std::uint32_t>(line.mounts.size()) + 1;
  child->own_instance = line.place.instance;
  child->token = line.fork && line.fork->cancel ? line.fork->cancel->token() : line.token;
  const bool same_state = line.parent != nullptr && line.place.instance == line.own_instance;
  child->prefix = same_state ? line.prefix : kRootPath;
  child->isolated_since = same_state ? line.isolated_since : 0;
  if (node.fork.join == Join::isolated) {
    const PathId runs = log_->paths.child(child->prefix, "runs");
    child->prefix = log_->paths.child(runs, node.branches[branch].id);
    child->isolated_since = static_cast<std::uint32_t>(log_->writes.size());
  }
  child->place.chart = line.place.chart;
  child->place.instance = line.place.instance;
  child->place.root = line.place.root;
  child->place.governor_floor = governor_of(line.place);
  child->place.loop_counts.assign(line.place.chart->loops, 0);
  child->frame.machine = this;
  child->frame.line = child.get();
  arrive(child->place, node.branches[branch].first.node);
  return child;
}

// Decides what the line does next: run a branch, wait for branches, or join.
Need Machine::advance_fork(Line& line, Line*& child) {
  ForkState& fork = *line.fork;
  if (line.status != LineStatus::running) return Need::done;
  const bool at_once = concurrent && fork.node->has_async;
  if (at_once) {
    for (const auto& one : fork.children) {
      if (one->status == LineStatus::running) return Need::branches;
    }
  } else {
    const bool fail_fast = fork.node->fork.on_error == OnBranchError::fail_fast;
    for (; fork.next < fork.children.size(); ++fork.next) {
      Line& one = *fork.children[fork.next];
      if (one.status == LineStatus::running) {
        child = &one;
        return Need::done;
      }
      if (one.status == LineStatus::failed && fail_fast) {
        for (const auto& later : fork.children) {
          if (later->status == LineStatus::running) later->status = LineStatus::cancelled;
        }
        break;
      }
    }
  }
  if (!settle_fork(line)) return Need::done;
  const Node& node = *fork.node;
  const bool joined = join(line);
  publish(fork);
  line.fork.reset();
  if (!joined) return Need::done;
  if (observed(EventKind::joined)) {
    Event event;
    event.kind = EventKind::joined;
    notify(event, &line);
  }
  go(line, node.next);
  return Need::done;
}

// What the branches' ends mean for the line. True: join.
bool Machine::settle_fork(Line& line) {
  ForkState& fork = *line.fork;
  const Line* failed = nullptr;
  const Line* ended = nullptr;  // cancelled from outside, or a budget
  bool paused = false;
  const bool cancelled = line.token.armed() && line.token.cancelled();
  for (const auto& one : fork.children) {
    if (one->status == LineStatus::failed && failed == nullptr) failed = one.get();
    if (one->status == LineStatus::exhausted && ended == nullptr) ended = one.get();
    if (one->status == LineStatus::cancelled && cancelled && ended == nullptr) ended = one.get();
    paused = paused || one->status == LineStatus::paused;
  }
  if (ended == nullptr && failed != nullptr &&
      fork.node->fork.on_error != OnBranchError::tolerate) {
    const bool wait = fork.node->fork.on_error == OnBranchError::wait_all && paused;
    if (!wait) ended = failed;
  }
  if (ended != nullptr) {
    line.ended_at = ended->ended_at;
    line.error = ended->error;
    // The rows of the branches stay; their writes are laid into the state as after any failure.
    (void)join(line);
    publish(fork);
    const LineStatus status = ended->status;
    const std::string code = ended->code;
    const std::string reason = ended->reason;
    line.fork.reset();
    line.status = status;
    line.code = code;
    line.reason = reason;
    return false;
  }
  if (paused) {
    line.status = LineStatus::paused;
    return false;
  }
  return true;
}

bool Machine::check_disjoint(Line& line) {
  struct Owner {
    std::size_t child;
  };
  std::unordered_map<PathId, Owner> owners;
  const auto& children = line.fork->children;
  const auto conflict = [&](PathId path, std::size_t a, std::size_t b) {
    line.ended_at = step_id(line);
    const auto& branches = line.fork->node->branches;
    fail(line, LineStatus::failed, "flow-fork-conflict",
         fmt::format(
             "branches '{}' and '{}' of '{}' both wrote {}: let one of them write it, or fork "
             "with Join::isolated",
             branches[children[a]->branch].id, branches[children[b]->branch].id,
             line.fork->node->id, log_->paths.pointer(path)));
    return false;
  };
  for (std::size_t i = 0; i < children.size(); ++i) {
    for (const auto& [path, write] : children[i]->applied) {
      const auto [at, added] = owners.emplace(path, Owner{i});
      if (!added && at->second.child != i) return conflict(path, at->second.child, i);
    }
  }
  for (std::size_t i = 0; i < children.size(); ++i) {
    for (const auto& [path, write] : children[i]->applied) {
      for (PathId above = log_->paths[path].parent; above != kRootPath;
           above = log_->paths[above].parent) {
        const auto at = owners.find(above);
        if (at != owners.end() && at->second.child != i)
          return conflict(above, at->second.child, i);
      }
    }
  }
  return true;
}

// Where the join puts the writes of a branch.
PathId Machine::place_of_branch(const Line& line, const Line& child) {
  if (line.fork->node->fork.join != Join::isolated) return kRootPath;
  const PathId runs = log_->paths.child(kRootPath, "runs");
  return log_->paths.child(runs, line.fork->node->branches[child.branch].id);
}

// Lays write number `i` of a branch over `root`.
void Machine::lay_write(Line& line, const Line& child, std::size_t i, PathId under, Root& root) {
  const auto [path, write] = child.applied[i];
  const PathId at = log_->paths.under(under, path);
  root = root.set(log_->arena, log_->epoch, at, write);
  const bool collect = line.parent != nullptr && line.place.instance == line.own_instance;
  if (collect) line.applied.emplace_back(at, write);
}

// The writes that a checkpoint brought back: they were made before every row of this log. Those of
// branches inside this one stand behind rows of others that were joined before them.
void Machine::apply_restored(Line& line, const Line& child, Root& root) {
  const PathId under = place_of_branch(line, child);
  ++log_->epoch;
  for (std::size_t i = 0; i < child.applied.size(); ++i) {
    if (log_->writes[child.applied[i].second - 1].row == kNone) {
      lay_write(line, child, i, under, root);
    }
  }
}

// Lays the other writes of some rows of a branch over `root`, row by row, so that each row has the
// state that replaying the log up to it gives. `next` is the write of the branch to begin with.
void Machine::apply_rows(Line& line, const Line& child, RowRange rows, std::size_t& next,
                         Root& root) {
  LogData& log = *log_;
  const PathId under = place_of_branch(line, child);
  for (std::uint32_t row = rows.begin; row < rows.end; ++row) {
    if (log.rows[row].instance != line.place.instance) continue;
    ++log.epoch;
    for (; next < child.applied.size(); ++next) {
      const std::uint32_t writer = log.writes[child.applied[next].second - 1].row;
      if (writer == row) lay_write(line, child, next, under, root);
      if (writer != row && writer != kNone) break;
    }
    log.rows[row].root = root;
  }
}

// The rows of all branches in the order they will have in the log: that of declaration where
// `publish` sees to it, else as they came, which answers to pauses in turn may have mixed.
std::vector<Machine::BranchRows> Machine::rows_of_branches(const ForkState& fork) const {
  std::vector<BranchRows> all;
  for (std::size_t i = 0; i < fork.children.size(); ++i) {
    for (const RowRange& rows : fork.children[i]->rows) all.push_back({i, rows});
  }
  if (!concurrent || !fork.node->has_async) {
    std::sort(all.begin(), all.end(),
              [](const BranchRows& a, const BranchRows& b) { return a.rows.begin < b.rows.begin; });
  }
  return all;
}

bool Machine::join(Line& line) {
  ForkState& fork = *line.fork;
  const bool merges = fork.node->fork.join == Join::merge_disjoint;
  const bool disjoint = !merges || check_disjoint(line);
  Root root = line.place.root;
  for (const auto& child : fork.children) {
    if (disjoint) apply_restored(line, *child, root);
  }
  std::vector<std::size_t> next(fork.children.size(), 0);
  for (const auto& [branch, rows] : rows_of_branches(fork)) {
    if (disjoint) apply_rows(line, *fork.children[branch], rows, next[branch], root);
    if (line.parent != nullptr) line.rows.push_back(rows);
  }
  if (disjoint) line.place.root = root;
  return disjoint;
}

// Puts the rows of branches that ran at the same time in order of declaration.
void Machine::publish(const ForkState& fork) {
  if (!concurrent || !fork.node->has_async) return;
  const Line& parent = *fork.children.front()->parent;
  if (parent.parent != nullptr) return;  // the outermost fork does it for all
  LogData& log = *log_;
  const std::uint32_t first = fork.first_row;
  std::vector<std::uint32_t> order;
  for (const auto& child : fork.children) {
    for (const RowRange& range : child->rows) {
      for (std::uint32_t row = range.begin; row < range.end; ++row) order.push_back(row);
    }
  }
  if (std::is_sorted(order.begin(), order.end())) return;
  std::vector<std::uint32_t> moved(order.size());
  std::vector<Row> rows;
  rows.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    moved[order[i] - first] = first + static_cast<std::uint32_t>(i);
    rows.push_back(log.rows[order[i]]);
  }
  const auto place_of = [&](std::uint32_t row) {
    return row == kNone || row < first ? row : moved[row - first];
  };
  std::map<std::uint32_t, std::string> notes;
  for (auto& [row, note] : log.notes) notes[place_of(row)] = std::move(note);
  log.notes = std::move(notes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    row.governor = place_of(row.governor);
    for (std::uint32_t w = 0; w < row.write_count; ++w) {
      log.writes[row.first_write + w].row = first + static_cast<std::uint32_t>(i);
    }
    log.rows[first + i] = row;
  }
  const auto by_row = [](const auto& a, const auto& b) { return a.row < b.row; };
  for (Evaluation& one : log.evaluations) one.row = place_of(one.row);
  std::stable_sort(log.evaluations.begin(), log.evaluations.end(), by_row);
  for (Decision& one : log.decisions) one.row = place_of(one.row);
  std::stable_sort(log.decisions.begin(), log.decisions.end(), by_row);
}

}  // namespace agentfootprint::flow::internal
