// The scope: recorded reads, staged writes.
#include "agentfootprint/flow/scope.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/flow/internal/machine.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::flow {

using internal::kNever;
using internal::kNone;
using internal::kNoPath;
using internal::kRootPath;
using internal::kStagedBit;
using internal::LogData;
using internal::PathId;
using internal::PathTable;
using internal::Seen;
using internal::Staged;
using internal::StagedWrites;
using internal::StepFrame;
using internal::View;
using internal::Write;
using internal::WriteRef;

namespace internal {

View StepFrame::view() const {
  return View{machine->log(), read_root, mapping ? nullptr : &staged};
}

void StepFrame::clear() noexcept {
  staged.clear();
  reads.clear();
  flags = 0;
  mapping = false;
  read_only = false;
  broke = false;
  if (!break_reason.empty()) break_reason.clear();
}

void StepFrame::note_read(PathId path, WriteRef writer, std::uint32_t element) {
  if ((writer & kStagedBit) != 0) writer = kStagedBit;
  // A read that repeats one of the last few adds nothing.
  const std::size_t from = reads.size() > 8 ? reads.size() - 8 : 0;
  for (std::size_t i = reads.size(); i-- > from;) {
    const Read& one = reads[i];
    if (one.path == path && one.writer == writer && one.element == element) return;
  }
  reads.push_back(Read{path, writer, element});
}

void throw_type_error(const Path& path, const json::Value& value) {
  throw Error("flow-type",
              fmt::format("{} holds {} {}: not what its key says", path.pointer(),
                          json::name_of(value.kind()), json::dump(value).substr(0, 80)));
}

void throw_missing(const Path& path) {
  throw Error(
      "flow-missing",
      fmt::format("{} is absent: set it before this stage, or read it with get", path.pointer()));
}

namespace {

void notify_value(StepFrame& frame, EventKind kind, PathId path, const json::Value* value) {
  static const json::Value kPlaceholder("[REDACTED]");
  const LogData& log = frame.machine->log();
  const std::string pointer = log.paths.pointer(path);
  Event event;
  event.kind = kind;
  event.name = pointer;
  event.redacted = log.paths.is_redacted(path);
  event.value = event.redacted && value != nullptr ? &kPlaceholder : value;
  frame.machine->notify(event, frame.line);
}

// The array a path with an index at its end leads into, when nothing below it was written by
// itself.
PathId plain_array_above(StepFrame& frame, const Path& path, std::uint32_t& index) {
  const auto& tokens = path.tokens();
  if (tokens.size() < 2) return kNoPath;
  index = index_of_token(tokens.back());
  if (index == kNoPath) return kNoPath;
  PathTable& paths = frame.machine->log().paths;
  PathId id = kRootPath;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) id = paths.child(id, tokens[i]);
  const View::ArrayInfo info = frame.view().array_info(id);
  return info.is_array && info.plain ? id : kNoPath;
}

bool read_element(StepFrame& frame, PathId array, std::uint32_t index, json::Value& out) {
  WriteRef birth = kNever;
  auto value = frame.view().element(array, index, birth);
  frame.note_read(array, birth, index);
  if (!value) return false;
  out = std::move(*value);
  return true;
}

// Is the write from before the isolated branch that this step belongs to? Where the join puts the
// branch's writes nothing of it is, so what builds on it is written whole. The branch's own writes
// come behind it, also those that a checkpoint brought back.
bool is_inherited(const StepFrame& frame, WriteRef writer) {
  const Line& line = *frame.line;
  if (line.prefix == kRootPath || !line.mounts.empty()) return false;
  if ((writer & kStagedBit) != 0 || writer == kNever) return false;
  return writer <= line.isolated_since;
}

// The value the step's writes lie on, recorded as a read.
std::optional<json::Value> read_target(StepFrame& frame, PathId id) {
  const View view{frame.machine->log(), frame.write_root, &frame.staged};
  frame.seen.clear();
  auto value = view.read(id, &frame.seen);
  for (std::size_t i = 0; i < frame.seen.size(); ++i) {
    frame.note_read(i == 0 ? id : frame.seen[i].path, frame.seen[i].writer);
  }
  return value;
}

// Refuses a write below something that has no members.
void check_container(StepFrame& frame, PathId id) {
  const LogData& log = frame.machine->log();
  const View view{log, frame.write_root, &frame.staged};
  for (PathId above = log.paths[id].parent, below = id; above != kRootPath;
       below = above, above = log.paths[above].parent) {
    const View::Shape shape = view.shape_of(above);
    if (!shape.present || shape.kind == json::Kind::object) {
      if (shape.present) return;
      continue;
    }
    if (shape.kind == json::Kind::array && index_of_token(log.paths[below].token) < shape.size)
      return;
    throw Error("flow-path",
                fmt::format("{} holds {}: {} cannot be written below it", log.paths.pointer(above),
                            json::name_of(shape.kind), log.paths.pointer(id)));
  }
}

// What the step wrote before at the path or below it no longer counts.
void bury(StepFrame& frame, PathId id) {
  const PathTable& paths = frame.machine->log().paths;
  StagedWrites& staged = frame.staged;
  if (const WriteRef old = staged.find(id); old != kNever) {
    staged.items[(old & ~kStagedBit) - 1].dead = true;
    if (!staged.index.empty()) staged.index.erase(id);
  }
  if (paths[id].first_child == kNoPath) return;
  for (Staged& old : staged.items) {
    if (old.dead || !paths.is_ancestor(id, old.path)) continue;
    old.dead = true;
    if (!staged.index.empty()) staged.index.erase(old.path);
  }
}

void stage_write(StepFrame& frame, PathId id, Verb verb, json::Value value) {
  if (frame.read_only) {
    throw Error("flow-read-only", "a rule's function only reads: write in a stage");
  }
  if (frame.machine->log().paths[id].depth > 1) check_container(frame, id);
  if (!frame.staged.items.empty()) bury(frame, id);
  if (frame.machine->observed(EventKind::wrote)) {
    notify_value(frame, EventKind::wrote, id, verb == Verb::erase ? nullptr : &value);
  }
  Staged staged;
  staged.path = id;
  staged.verb = verb;
  staged.reads_before = static_cast<std::uint32_t>(frame.reads.size());
  if (verb == Verb::append) {
    staged.tail.push_back(std::move(value));
  } else {
    staged.value = std::move(value);
  }
  frame.staged.add(std::move(staged));
}

}  // namespace
}  // namespace internal

bool Scope::read(const Path& path, json::Value& out) {
  StepFrame& frame = frame_;
  LogData& log = frame.machine->log();
  std::uint32_t index = kNoPath;
  if (path.tokens().size() > 1) {
    const PathId array = internal::plain_array_above(frame, path, index);
    if (array != kNoPath) return internal::read_element(frame, array, index, out);
  }
  const PathId id = log.paths.resolve(path);
  const internal::PathTable::Entry& entry = log.paths[id];
  bool found = false;
  if (frame.staged.items.empty() && entry.depth == 1 && entry.first_child == kNoPath) {
    const WriteRef writer = frame.read_root.get(id);
    frame.note_read(id, writer);
    if (writer != kNever) {
      const Write& write = log.writes[writer - 1];
      found = write.verb != Verb::erase;
      if (found) {
        out = write.lane == kNone ? write.value
                                  : internal::whole_of(log.lanes[write.lane], write.length, true);
      }
    }
  } else {
    frame.seen.clear();
    auto value = frame.view().read(id, &frame.seen);
    // The governing write answers for the path itself, the others for what they lie on.
    for (std::size_t i = 0; i < frame.seen.size(); ++i) {
      frame.note_read(i == 0 ? id : frame.seen[i].path, frame.seen[i].writer);
    }
    found = value.has_value();
    if (found) out = std::move(*value);
  }
  if (frame.machine->observed(EventKind::read)) {
    internal::notify_value(frame, EventKind::read, id, found ? &out : nullptr);
  }
  return found;
}

bool Scope::has(const Path& path) {
  json::Value ignored;
  return read(path, ignored);
}

std::size_t Scope::size(const Path& path) {
  const PathId id = frame_.machine->log().paths.resolve(path);
  const View view = frame_.view();
  const View::ArrayInfo info = view.array_info(id);
  if (info.is_array && info.plain) {
    frame_.note_read(id, view.governing(id).writer);
    return info.size;
  }
  json::Value value;
  return read(path, value) ? value.size() : 0;
}

std::optional<json::Value> Scope::element(const Path& array, std::size_t index) {
  return get(array / index);
}

std::optional<json::Value> Scope::peek(const Path& path) {
  frame_.flags |= internal::kReadSilently;
  return frame_.view().read(frame_.machine->log().paths.resolve(path));
}

void Scope::write(const Path& path, json::Value value) {
  PathTable& paths = frame_.machine->log().paths;
  const PathId id = paths.resolve(path);
  const PathId parent = paths[id].parent;
  if (parent != kRootPath && frame_.line->prefix != kRootPath) {
    // An element of an array that an isolated branch inherited: the array is written whole.
    const View view{frame_.machine->log(), frame_.write_root, &frame_.staged};
    const View::Shape shape = view.shape_of(parent);
    const std::uint32_t index = internal::index_of_token(paths[id].token);
    if (shape.kind == json::Kind::array && index < shape.size &&
        internal::is_inherited(frame_, view.governing(parent).writer)) {
      const json::Value array = *internal::read_target(frame_, parent);
      std::vector<json::Value> all(array.elements().begin(), array.elements().end());
      all[index] = std::move(value);
      internal::stage_write(frame_, parent, Verb::set, json::array(std::move(all)));
      return;
    }
  }
  internal::stage_write(frame_, id, Verb::set, std::move(value));
}

void Scope::erase(const Path& path) {
  const PathId id = frame_.machine->log().paths.resolve(path);
  const PathId parent = frame_.machine->log().paths[id].parent;
  if (parent != kRootPath) {
    const View view{frame_.machine->log(), frame_.write_root, &frame_.staged};
    if (view.array_info(parent).is_array) {
      throw Error("flow-path", fmt::format("{} is an element: set the array without it instead",
                                           path.pointer()));
    }
  }
  internal::stage_write(frame_, id, Verb::erase, json::Value());
}

void Scope::append(const Path& path, json::Value element) {
  LogData& log = frame_.machine->log();
  const PathId id = log.paths.resolve(path);
  const View view{log, frame_.write_root, &frame_.staged};
  const Seen top = view.governing(id);
  if ((top.writer & kStagedBit) != 0 && top.path == id) {
    Staged& staged = frame_.staged.items[(top.writer & ~kStagedBit) - 1];
    if (staged.verb != Verb::erase && (staged.verb == Verb::append || staged.value.is_array())) {
      if (frame_.machine->observed(EventKind::wrote)) {
        internal::notify_value(frame_, EventKind::wrote, id, &element);
      }
      staged.reads_before = static_cast<std::uint32_t>(frame_.reads.size());
      staged.tail.push_back(std::move(element));
      return;
    }
  }
  const View::ArrayInfo info = view.array_info(id);
  if (info.is_array && info.plain && top.path == id && (top.writer & kStagedBit) == 0 &&
      !internal::is_inherited(frame_, top.writer)) {
    internal::stage_write(frame_, id, Verb::append, std::move(element));
    return;
  }
  const auto value = internal::read_target(frame_, id);
  if (value && !value->is_array()) {
    throw Error("flow-path", fmt::format("{} holds {}: only an array can be appended to",
                                         path.pointer(), json::name_of(value->kind())));
  }
  std::vector<json::Value> all;
  if (value) all.assign(value->elements().begin(), value->elements().end());
  all.push_back(std::move(element));
  internal::stage_write(frame_, id, Verb::set, json::array(std::move(all)));
}

void Scope::merge(const Path& path, const json::Value& value) {
  json::Value current;
  const bool found = read(path, current);
  if (!value.is_object() || !found || !current.is_object()) {
    write(path, found ? smart_merge(current, value) : value);
    return;
  }
  for (const json::Member& member : value.members()) {
    const Path below = path / member.key();
    if (member.value.is_object()) {
      merge(below, member.value);
    } else if (member.value.is_array()) {
      json::Value old;
      const bool had = read(below, old);
      write(below, had ? smart_merge(old, member.value) : member.value);
    } else {
      write(below, member.value);
    }
  }
}

const json::Value& Scope::input() {
  frame_.flags |= internal::kReadInput;
  return frame_.machine->options().input;
}

void* Scope::context_of(const std::type_info& type) const {
  const RunOptions& options = frame_.machine->options();
  if (options.context == nullptr || *options.context_type != type) {
    throw Error("flow-context",
                "the stage asks for a context of a type that the run was not given: "
                "hand it over with RunOptions::with_context");
  }
  return options.context;
}

void Scope::break_chart(std::string reason) {
  frame_.broke = true;
  frame_.break_reason = std::move(reason);
}

json::Value Scope::interrupt(json::Value payload) {
  internal::Line& line = *frame_.line;
  if (line.answers_used < line.answers.size()) return line.answers[line.answers_used++];
  throw internal::InterruptSignal{std::move(payload)};
}

std::optional<Resumed> Scope::resumed() const {
  const internal::Line& line = *frame_.line;
  if (line.answers.empty()) return std::nullopt;
  return Resumed(line.asked, line.answers.back());
}

void Scope::pause(json::Value payload) {
  throw internal::InterruptSignal{std::move(payload)};
}

void Scope::emit(std::string_view name, const json::Value& value) {
  if (!frame_.machine->observed(EventKind::emitted)) return;
  Event event;
  event.kind = EventKind::emitted;
  event.name = name;
  event.value = &value;
  frame_.machine->notify(event, frame_.line);
}

std::string Scope::step_id() const {
  return frame_.machine->step_id(*frame_.line);
}
std::string_view Scope::stage_id() const noexcept {
  return frame_.node->id;
}
int Scope::attempt() const noexcept {
  return frame_.line->attempt;
}
const CancelToken& Scope::cancel_token() const noexcept {
  return frame_.line->token;
}
const Clock& Scope::clock() const noexcept {
  return *frame_.machine->options().clock;
}

namespace {

json::Value union_of(const json::Value& target, const json::Value& source) {
  if (source.empty()) return source;
  std::vector<json::Value> out;
  const auto add = [&out](const json::Value& one) {
    const bool composite = one.is_object() || one.is_array();
    if (!composite && std::find(out.begin(), out.end(), one) != out.end()) return;
    out.push_back(one);
  };
  for (const json::Value& one : target.elements()) add(one);
  for (const json::Value& one : source.elements()) add(one);
  return json::array(std::move(out));
}

}  // namespace

json::Value smart_merge(const json::Value& target, const json::Value& source) {
  if (source.is_array() && target.is_array()) return union_of(target, source);
  if (!source.is_object() || !target.is_object()) return source;
  json::Value out = target;
  for (const json::Member& member : source.members()) {
    const json::Value* old = out.find(member.key());
    out = json::with_member(out, member.key(),
                            old != nullptr ? smart_merge(*old, member.value) : member.value);
  }
  return out;
}

}  // namespace agentfootprint::flow
