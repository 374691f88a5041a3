// A paused run as a flat JSON document, and back.
//
// Lines stand in one array, each after its parent; nothing nests by step. A line says where it
// stands in each chart around it and holds its states; a branch of a fork holds its writes instead,
// which the join needs.
#include <fmt/format.h>

#include <set>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/flow/internal/machine.hpp"

namespace agentfootprint::flow::internal {

namespace {

constexpr std::string_view kFormat = "agentfootprint.flow.checkpoint";
constexpr std::int64_t kVersion = 1;
constexpr std::string_view kStatusNames[] = {"running", "finished",  "paused",
                                             "failed",  "cancelled", "exhausted"};

[[noreturn]] void damaged(std::string_view what) {
  throw Error(
      "flow-checkpoint",
      fmt::format("the checkpoint cannot be used: {}. Start the run anew, or take the document "
                  "as RunResult::checkpoint gave it",
                  what));
}

const json::Value& member(const json::Value& object, std::string_view key) {
  const json::Value* found = object.find(key);
  if (found == nullptr) damaged(fmt::format("'{}' is missing", key));
  return *found;
}

std::string text(const json::Value& object, std::string_view key) {
  const json::Value& value = member(object, key);
  if (!value.is_string()) damaged(fmt::format("'{}' is not a string", key));
  return std::string(*value.as_string());
}

std::uint32_t number(const json::Value& value, std::string_view what) {
  const auto found = value.as_int64();
  if (!found || *found < 0 || *found > 0xfffffffe)
    damaged(fmt::format("'{}' is not a count", what));
  return static_cast<std::uint32_t>(*found);
}

std::string optional_text(const json::Value& object, std::string_view key) {
  return object.contains(key) ? text(object, key) : std::string();
}

}  // namespace

json::Value Machine::place_json(const Place& place, bool with_state) const {
  json::ObjectBuilder out;
  if (place.node != kNone) out.add("at", place.chart->nodes[place.node].id);
  if (with_state) out.add("state", View{*log_, place.root, nullptr}.whole());
  json::ArrayBuilder loops;
  for (const std::uint32_t turns : place.loop_counts) loops.add(turns);
  if (!loops.empty()) out.add("loops", loops.build());
  if (place.broke) out.add("broke", true);
  return out.build();
}

void Machine::write_line(const Line& line, std::optional<std::size_t> parent,
                         std::vector<json::Value>& out) const {
  const std::size_t self = out.size();
  json::ObjectBuilder document;
  if (parent) {
    document.add("parent", *parent);
    document.add("branch", line.parent->fork->node->branches[line.branch].id);
    if (line.item != kNone) document.add("item", line.item);
  }
  document.add("status", kStatusNames[static_cast<std::size_t>(line.status)]);
  json::ArrayBuilder places;
  for (std::size_t i = 0; i < line.mounts.size(); ++i) {
    places.add(place_json(line.mounts[i], i > 0 || !parent));
  }
  places.add(place_json(line.place, !line.mounts.empty() || !parent));
  document.add("places", places.build());
  if (parent) {
    const Root root = line.mounts.empty() ? line.place.root : line.mounts.front().root;
    json::ArrayBuilder writes;
    std::set<PathId> seen;
    for (const auto& [path, write] : line.applied) {
      if (!seen.insert(path).second) continue;
      json::ObjectBuilder one;
      one.add("key", log_->paths.pointer(path));
      one.add_if("value", View{*log_, root, nullptr}.read(path));
      writes.add(one.build());
    }
    if (!writes.empty()) document.add("writes", writes.build());
  }
  if (line.pause) {
    document.add("pause", json::object({{"id", line.pause->id}, {"data", line.pause->data}}));
  }
  if (!line.answers.empty()) document.add("answers", json::array(line.answers));
  if (line.broke) document.add("broke", true);
  if (!line.reason.empty()) document.add("reason", line.reason);
  if (!line.code.empty()) document.add("code", line.code);
  if (!line.ended_at.empty()) document.add("endedAt", line.ended_at);
  if (line.fork) document.add("fork", line.frame.step);  // the step that opened it
  out.push_back(document.build());
  if (!line.fork) return;
  for (const auto& child : line.fork->children) write_line(*child, self, out);
}

json::Value Machine::checkpoint() const {
  std::vector<json::Value> lines;
  write_line(top_, std::nullopt, lines);
  json::ObjectBuilder out;
  static const json::Value kFormatValue(kFormat);  // shared by all checkpoints
  out.add("format", kFormatValue).add("version", kVersion);
  out.add("chart", chart_->hash).add("name", chart_->name);
  out.add("step", next_step_).add("input", options_.input);
  out.add("lines", json::array(std::move(lines)));
  return out.build();
}

Root Machine::restore_state(Root root, const json::Value& state) {
  if (!state.is_object()) damaged("'state' is not an object");
  const std::uint32_t epoch = ++log_->epoch;
  for (const json::Member& one : state.members()) {
    Write write;
    write.path = log_->paths.child(kRootPath, one.key());
    write.value = one.value;
    const PathId path = write.path;
    root = root.set(log_->arena, epoch, path, log_->add(std::move(write)));
  }
  return root;
}

void Machine::restore_places(Line& line, const json::Value& places) {
  if (!places.is_array() || places.empty()) damaged("'places' is not a list of places");
  for (std::size_t i = 0; i < places.size(); ++i) {
    const json::Value& document = places.elements()[i];
    if (i > 0) {
      Place inner;
      const Node& node = line.place.chart->nodes[line.place.node];
      inner.chart = node.mounted.get();
      inner.instance = static_cast<std::uint32_t>(log_->instances.size());
      Instance instance;
      instance.parent = line.place.instance;
      instance.node = line.place.node;
      instance.chart = inner.chart;
      instance.path = log_->instances[line.place.instance].path + node.id;
      if (node.each_body) instance.path += std::to_string(line.item);
      instance.path += '/';
      log_->instances.push_back(std::move(instance));
      line.mounts.push_back(std::move(line.place));
      line.place = std::move(inner);
    }
    Place& place = line.place;
    place.node = kNone;
    if (document.contains("at")) {
      place.node = place.chart->node_named(text(document, "at"));
      if (place.node == kNone) damaged("it names a step the chart does not have");
      if (place.chart->nodes[place.node].each_body && line.item == kNone) {
        damaged("it stands in a for_each without an element");
      }
    }
    place.loop_counts.assign(place.chart->loops, 0);
    if (const json::Value* loops = document.find("loops"); loops != nullptr) {
      if (loops->size() != place.loop_counts.size()) damaged("'loops' has another length");
      for (std::size_t l = 0; l < place.loop_counts.size(); ++l) {
        place.loop_counts[l] = number(loops->elements()[l], "loops");
      }
    }
    place.broke = document.contains("broke");
    if (const json::Value* state = document.find("state"); state != nullptr) {
      place.root = restore_state(Root{}, *state);
    }
    const bool last = i + 1 == places.size();
    if (!last && (place.node == kNone || place.chart->nodes[place.node].kind != NodeKind::mount)) {
      damaged("a place inside a mount does not follow a mount");
    }
  }
}

void Machine::restore_line(Line& line, const json::Value& document) {
  const std::string status = text(document, "status");
  bool known = false;
  for (std::size_t i = 0; i < std::size(kStatusNames); ++i) {
    if (status != kStatusNames[i]) continue;
    line.status = static_cast<LineStatus>(i);
    known = true;
  }
  if (!known) damaged(fmt::format("a line has the unknown status '{}'", status));
  if (line.parent != nullptr) {
    if (const json::Value* writes = document.find("writes"); writes != nullptr) {
      const std::uint32_t epoch = ++log_->epoch;
      for (const json::Value& one : writes->elements()) {
        Write write;
        write.path = log_->paths.resolve(Path::from_pointer(text(one, "key")));
        const json::Value* value = one.find("value");
        write.verb = value != nullptr ? Verb::set : Verb::erase;
        if (value != nullptr) write.value = *value;
        const PathId path = write.path;
        const WriteRef reference = log_->add(std::move(write));
        line.place.root = line.place.root.set(log_->arena, epoch, path, reference);
        line.applied.emplace_back(path, reference);
      }
    }
  }
  restore_places(line, member(document, "places"));
  if (const json::Value* paused = document.find("pause"); paused != nullptr) {
    line.pause = PendingPause{text(*paused, "id"), member(*paused, "data")};
  }
  if (const json::Value* answers = document.find("answers"); answers != nullptr) {
    line.answers.assign(answers->elements().begin(), answers->elements().end());
  }
  line.broke = document.contains("broke");
  line.reason = optional_text(document, "reason");
  line.code = optional_text(document, "code");
  line.ended_at = optional_text(document, "endedAt");
}

void Machine::restore(const json::Value& document) {
  if (!document.is_object() || text(document, "format") != kFormat) {
    damaged("it is not a flow checkpoint");
  }
  if (member(document, "version").as_int64() != kVersion) damaged("it is of another version");
  if (text(document, "chart") != chart_->hash) {
    damaged(
        fmt::format("it belongs to another chart, or to another version of '{}'", chart_->name));
  }
  next_step_ = number(member(document, "step"), "step");
  options_.input = member(document, "input");
  const json::Value& lines = member(document, "lines");
  if (!lines.is_array() || lines.empty()) damaged("'lines' is not a list of lines");
  std::vector<Line*> restored;
  for (const json::Value& one : lines.elements()) {
    if (restored.empty()) {
      restore_line(top_, one);
      restored.push_back(&top_);
      log_->base = top_.mounts.empty() ? top_.place.root : top_.mounts.front().root;
      continue;
    }
    const std::uint32_t parent = number(member(one, "parent"), "parent");
    if (parent >= restored.size()) damaged("a line stands before its parent");
    Line& above = *restored[parent];
    if (above.place.node == kNone ||
        above.place.chart->nodes[above.place.node].kind != NodeKind::fork) {
      damaged("a branch does not follow a fork");
    }
    const Node& node = above.place.chart->nodes[above.place.node];
    const std::uint32_t branch = node.branch_named(text(one, "branch"));
    if (branch == kNone) damaged("it names a branch the fork does not have");
    if (!above.fork) {
      above.fork = std::make_unique<ForkState>();
      above.fork->node = &node;
      // What ends the fork later (branches that contradict, a loop out of turns) is told by its
      // step, which ran before the pause.
      above.frame.node = &node;
      above.frame.step = number(member(lines.elements()[parent], "fork"), "fork");
      if (concurrent && node.has_async && node.fork.on_error == OnBranchError::fail_fast) {
        above.fork->cancel = std::make_unique<CancelSource>(above.token);
      }
    }
    const std::uint32_t item = node.each ? number(member(one, "item"), "item") : kNone;
    above.fork->children.push_back(make_branch(above, node, branch, item));
    restore_line(*above.fork->children.back(), one);
    restored.push_back(above.fork->children.back().get());
  }
  log_->base_writes = static_cast<std::uint32_t>(log_->writes.size());
}

}  // namespace agentfootprint::flow::internal
