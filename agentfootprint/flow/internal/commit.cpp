// From staged writes to a row: what changed, the new root, and the columns.
#include <algorithm>
#include <string_view>

#include "agentfootprint/flow/internal/machine.hpp"

namespace agentfootprint::flow::internal {

namespace {

json::Value with_tail(const json::Value& head, const std::vector<json::Value>& tail) {
  std::vector<json::Value> all(head.elements().begin(), head.elements().end());
  all.insert(all.end(), tail.begin(), tail.end());
  return json::array(std::move(all));
}

bool is_plain_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || text.front() == '0') return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// `==` with a short way for what state is mostly made of.
bool same_value(const json::Value& a, const json::Value& b) {
  if (a.kind() != b.kind()) return false;
  if (a.same_storage(b)) return true;
  if (a.is_number()) {
    const std::string_view left = *a.number_text();
    const std::string_view right = *b.number_text();
    if (left == right) return true;
    // Integers as they are printed have one spelling each.
    if (is_plain_integer(left) && is_plain_integer(right)) return false;
  }
  if (a.is_string()) return *a.as_string() == *b.as_string();
  return a == b;
}

// Does a write of this step that is kept stand above `path`? Then what the state held before does
// not matter for it.
bool below_a_kept_write(const LogData& log, const Root& target, std::uint32_t first_write,
                        PathId path) {
  for (PathId above = log.paths[path].parent; above != kRootPath; above = log.paths[above].parent) {
    if (target.get(above) > first_write) return true;
  }
  return false;
}

// Would the write leave the path as it stands?
bool leaves_as_is(const View& before, const Staged& staged, WriteRef governing) {
  const LogData& log = before.log;
  const PathTable::Entry& entry = log.paths[staged.path];
  if (governing == kNever && entry.first_child == kNoPath) return staged.verb == Verb::erase;
  if (entry.depth == 1 && entry.first_child == kNoPath) {
    const Write& old = log.writes[governing - 1];
    if (old.verb == Verb::erase) return staged.verb == Verb::erase;
    if (old.lane == kNone) return staged.verb == Verb::set && same_value(old.value, staged.value);
  }
  const auto old = before.read(staged.path);
  if (staged.verb == Verb::erase) return !old;
  return old && same_value(*old, staged.value);
}

}  // namespace

std::uint32_t Machine::commit_here(Line& line, RowKind kind, RowStatus status) {
  return commit(line, kind, status, line.place.root, line.place.instance, line.place.instance,
                line.place.node);
}

std::uint32_t Machine::commit(Line& line, RowKind kind, RowStatus status, Root& target,
                              std::uint32_t instance, std::uint32_t shown_in, std::uint32_t node) {
  LogData& log = *log_;
  StepFrame& frame = line.frame;
  const bool branch_state = line.parent != nullptr && instance == line.own_instance;
  const auto number = static_cast<std::uint32_t>(log.rows.size());
  Row row;
  row.step = frame.step;
  row.instance = instance;
  row.shown_in = shown_in;
  row.node = node;
  if (log.instances[shown_in].chart->nodes[node].each_body) row.item = line.item;
  row.first_read = static_cast<std::uint32_t>(log.reads.size());
  row.read_count = static_cast<std::uint32_t>(frame.reads.size());
  row.first_write = static_cast<std::uint32_t>(log.writes.size());
  row.governor = governor_of(line.place);
  row.kind = kind;
  row.status = status;
  row.flags = static_cast<std::uint16_t>(frame.flags | (frame.broke ? kBroke : 0));
  row.prefix = branch_state ? line.prefix : kRootPath;
  log.reads.insert(log.reads.end(), frame.reads.begin(), frame.reads.end());
  if (!frame.staged.items.empty()) {
    ++log.epoch;
    for (Staged& staged : frame.staged.items) {
      if (staged.dead) continue;
      const bool forced = log.paths[staged.path].depth > 1 &&
                          below_a_kept_write(log, target, row.first_write, staged.path);
      commit_write(line, staged, target, number, forced, branch_state);
    }
    row.write_count = static_cast<std::uint32_t>(log.writes.size()) - row.first_write;
  }
  row.root = target;
  log.rows.push_back(row);
  if (line.parent != nullptr) {
    if (!line.rows.empty() && line.rows.back().end == number) {
      ++line.rows.back().end;
    } else {
      line.rows.push_back({number, number + 1});
    }
  }
  if (frame.broke) log.notes[number] = frame.break_reason;
  if (observed(EventKind::stage_ended) && status == RowStatus::done) {
    Event event;
    event.kind = EventKind::stage_ended;
    notify(event, &line);
  }
  if (observed(EventKind::committed)) {
    Event event;
    event.kind = EventKind::committed;
    event.row = number;
    event.number = row.write_count;
    const Log so_far(log_);
    event.log = &so_far;
    notify(event, &line);
  }
  return number;
}

void Machine::commit_write(Line& line, Staged& staged, Root& target, std::uint32_t row, bool forced,
                           bool own) {
  LogData& log = *log_;
  const View before{log, target, nullptr};
  Write write;
  write.path = staged.path;
  write.row = row;
  write.reads_before = staged.reads_before;
  write.verb = staged.verb;
  write.before = before.governing(staged.path).writer;
  if (staged.verb == Verb::append) {
    if (staged.tail.empty()) return;
    commit_append(write, staged);
  } else {
    if (!staged.tail.empty()) staged.value = with_tail(staged.value, staged.tail);
    if (!forced && !staged.keep && leaves_as_is(before, staged, write.before)) return;
    if (staged.verb == Verb::set) write.value = std::move(staged.value);
  }
  const PathId path = write.path;
  const WriteRef reference = log.add(std::move(write));
  target = target.set(log.arena, log.epoch, path, reference);
  if (own) line.applied.emplace_back(path, reference);
}

// Puts the appended elements on the lane of what was there: at its tip in place, else on a new
// lane.
void Machine::commit_append(Write& write, Staged& staged) {
  LogData& log = *log_;
  const auto self = static_cast<WriteRef>(log.writes.size() + 1);
  const Write& old = log.writes[write.before - 1];
  std::uint32_t number = old.lane;
  if (number == kNone || log.lanes[number].elements.size() != old.length) {
    Lane lane;
    if (number == kNone) {
      const auto elements = old.value.elements();
      lane.elements.assign(elements.begin(), elements.end());
      lane.births.assign(elements.size(), write.before);
    } else {
      const auto length = static_cast<std::ptrdiff_t>(old.length);
      const Lane& from = log.lanes[number];
      lane.elements.assign(from.elements.begin(), from.elements.begin() + length);
      lane.births.assign(from.births.begin(), from.births.begin() + length);
    }
    number = static_cast<std::uint32_t>(log.lanes.size());
    log.lanes.push_back(std::move(lane));
  }
  Lane& lane = log.lanes[number];
  for (json::Value& element : staged.tail) {
    lane.elements.push_back(std::move(element));
    lane.births.push_back(self);
  }
  write.lane = number;
  write.length = static_cast<std::uint32_t>(lane.elements.size());
}

}  // namespace agentfootprint::flow::internal
