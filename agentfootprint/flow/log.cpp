// Reading the columns back: rows, states, JSON.
#include "agentfootprint/flow/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/flow/internal/log_data.hpp"
#include "agentfootprint/flow/internal/view.hpp"

namespace agentfootprint::flow {

using internal::Decision;
using internal::Evaluation;
using internal::kNever;
using internal::kNone;
using internal::kNoPath;
using internal::kRootPath;
using internal::kStagedBit;
using internal::LogData;
using internal::Node;
using internal::PathId;
using internal::Read;
using internal::Root;
using internal::Row;
using internal::View;
using internal::Write;

std::string_view name_of(Verb verb) noexcept {
  static constexpr std::string_view kNames[] = {"set", "append", "erase"};
  return kNames[static_cast<std::size_t>(verb)];
}
std::string_view name_of(RowKind kind) noexcept {
  static constexpr std::string_view kNames[] = {"stage",  "decide",   "fork",
                                                "select", "mount-in", "mount-out"};
  return kNames[static_cast<std::size_t>(kind)];
}
std::string_view name_of(RowStatus status) noexcept {
  static constexpr std::string_view kNames[] = {"done", "failed", "paused", "cancelled"};
  return kNames[static_cast<std::size_t>(status)];
}

namespace internal {

const Node& LogData::node_of(const Row& row) const {
  return instances[row.shown_in].chart->nodes[row.node];
}

std::string LogData::id_of(const Row& row) const {
  return step_name(row.shown_in, node_of(row), row.item, row.step);
}

std::string LogData::step_name(std::uint32_t instance, const Node& node, std::uint32_t item,
                               std::uint32_t step) const {
  // Asked for every row that is written down: without the reading of a format.
  const auto add = [](std::string& name, std::uint32_t number) {
    const fmt::format_int digits(number);
    name.append(digits.data(), digits.size());
  };
  std::string name = instances[instance].path + node.id;
  if (node.each_body) add(name, item);
  name += '#';
  add(name, step);
  return name;
}

namespace {

// The rows of `column` that belong to one row; the column is ordered by row.
template <class T>
std::pair<std::size_t, std::size_t> span_of(const std::vector<T>& column, std::size_t row) {
  const auto less = [](const T& one, std::size_t at) { return one.row < at; };
  const auto begin = std::lower_bound(column.begin(), column.end(), row, less);
  const auto end = std::lower_bound(begin, column.end(), row + 1, less);
  return {static_cast<std::size_t>(begin - column.begin()),
          static_cast<std::size_t>(end - column.begin())};
}

json::Value value_of_write(const LogData& log, const Write& write) {
  if (write.verb == Verb::erase) return json::Value();
  if (write.lane == kNone) return write.value;
  const Lane& lane = log.lanes[write.lane];
  const Write* before = write.before != kNever ? &log.writes[write.before - 1] : nullptr;
  std::size_t from = 0;
  if (before != nullptr) {
    from = before->lane != kNone ? before->length : before->value.size();
  }
  json::ArrayBuilder tail;
  for (std::size_t i = from; i < write.length; ++i) tail.add(lane.elements[i]);
  return tail.build();
}

}  // namespace
}  // namespace internal

std::string RowView::id() const {
  return data_->id_of(data_->rows[index_]);
}
std::string_view RowView::stage() const noexcept {
  return data_->node_of(data_->rows[index_]).id;
}
std::string RowView::path() const {
  std::string path = data_->instances[data_->rows[index_].shown_in].path;
  if (!path.empty()) path.pop_back();
  return path;
}
std::uint32_t RowView::step() const noexcept {
  return data_->rows[index_].step;
}
RowKind RowView::kind() const noexcept {
  return data_->rows[index_].kind;
}
RowStatus RowView::status() const noexcept {
  return data_->rows[index_].status;
}
std::size_t RowView::read_count() const noexcept {
  return data_->rows[index_].read_count;
}
std::size_t RowView::write_count() const noexcept {
  return data_->rows[index_].write_count;
}
bool RowView::broke() const noexcept {
  return (data_->rows[index_].flags & internal::kBroke) != 0;
}
std::string RowView::note() const {
  const auto found = data_->notes.find(static_cast<std::uint32_t>(index_));
  return found == data_->notes.end() ? std::string() : found->second;
}

std::vector<ReadRecord> RowView::reads() const {
  const Row& row = data_->rows[index_];
  std::vector<ReadRecord> out;
  out.reserve(row.read_count);
  for (std::size_t i = 0; i < row.read_count; ++i) {
    const Read& read = data_->reads[row.first_read + i];
    ReadRecord record;
    record.pointer = data_->paths.pointer(read.path);
    if (read.element != kNone) record.pointer += fmt::format("/{}", read.element);
    record.own = read.writer == kStagedBit;
    record.present = read.writer != kNever;
    if (!record.own && read.writer != kNever) {
      const Write& write = data_->writes[read.writer - 1];
      if (write.row != kNone) record.writer = write.row;
      record.present = write.verb != Verb::erase;
    }
    out.push_back(std::move(record));
  }
  return out;
}

std::vector<WriteRecord> RowView::writes() const {
  static const json::Value kPlaceholder("REDACTED");
  const Row& row = data_->rows[index_];
  std::vector<WriteRecord> out;
  out.reserve(row.write_count);
  for (std::size_t i = 0; i < row.write_count; ++i) {
    const Write& write = data_->writes[row.first_write + i];
    WriteRecord record;
    record.pointer = data_->paths.pointer(row.prefix) + data_->paths.pointer(write.path);
    record.verb = write.verb;
    record.reads_before = write.reads_before;
    record.redacted = data_->paths.is_redacted(write.path);
    record.value = record.redacted ? kPlaceholder : internal::value_of_write(*data_, write);
    out.push_back(std::move(record));
  }
  return out;
}

std::vector<std::string> RowView::untracked() const {
  std::vector<std::string> out;
  const Row& row = data_->rows[index_];
  if ((row.flags & internal::kReadInput) != 0) out.emplace_back("input");
  if ((row.flags & internal::kReadSilently) != 0) out.emplace_back("silent");
  return out;
}

std::optional<std::size_t> RowView::governor() const noexcept {
  const std::uint32_t row = data_->rows[index_].governor;
  return row == kNone ? std::nullopt : std::optional<std::size_t>(row);
}

std::optional<DecisionRecord> RowView::decision() const {
  const auto [at, end] = internal::span_of(data_->decisions, index_);
  if (at == end) return std::nullopt;
  const Decision& decision = data_->decisions[at];
  const Node& node = data_->node_of(data_->rows[index_]);
  DecisionRecord out;
  out.by_default = decision.by_default;
  if (decision.branch != kNone) out.chosen.push_back(node.branches[decision.branch].id);
  for (const std::uint32_t branch : decision.selected)
    out.chosen.push_back(node.branches[branch].id);
  if (decision.rule != kNone) {
    out.rule = decision.rule;
    out.label = node.rules->rules()[decision.rule].label;
  } else if (decision.by_default && node.rules) {
    out.label = node.rules->otherwise_label();
  }
  const auto [first, last] = internal::span_of(data_->evaluations, index_);
  for (std::size_t i = first; i < last; ++i) {
    const Evaluation& one = data_->evaluations[i];
    const Rule& rule = node.rules->rules()[one.rule];
    if (out.rules.empty() || out.rules.back().index != one.rule) {
      RuleRecord record;
      record.index = one.rule;
      record.branch = rule.branch;
      record.label = rule.label;
      record.function = static_cast<bool>(rule.function);
      record.matched = true;
      out.rules.push_back(std::move(record));
    }
    RuleRecord& record = out.rules.back();
    record.matched = record.matched && one.result;
    if (rule.function) {
      if (one.present) record.error = std::string(one.actual.as_string().value_or(""));
      continue;
    }
    const Condition& condition = rule.conditions[one.condition];
    ConditionRecord seen;
    seen.pointer = condition.path.pointer();
    seen.op = name_of(condition.op);
    seen.threshold = condition.threshold;
    seen.result = one.result;
    seen.redacted = one.redacted;
    if (one.redacted && one.present) {
      seen.actual = json::Value("[REDACTED]");
    } else if (one.present) {
      seen.actual = one.actual;
    }
    record.conditions.push_back(std::move(seen));
  }
  return out;
}

std::optional<json::Value> State::find(const Path& path) const {
  return View{*data_, Root{node_, height_}, nullptr}.read(path);
}

json::Value State::to_json() const {
  return View{*data_, Root{node_, height_}, nullptr}.whole();
}

std::size_t Log::size() const noexcept {
  return data_->rows.size();
}

RowView Log::row(std::size_t index) const {
  if (index >= data_->rows.size()) {
    throw Error("flow-row",
                fmt::format("the log has {} rows: there is no row {}", data_->rows.size(), index));
  }
  return RowView(*data_, index);
}

std::optional<std::size_t> Log::find(std::string_view step_id) const {
  const StepId parts = parse_step_id(step_id);
  for (std::size_t i = 0; i < data_->rows.size(); ++i) {
    if (data_->rows[i].step == parts.number && data_->id_of(data_->rows[i]) == step_id) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> Log::last_writer(const Path& path,
                                            std::optional<std::size_t> before) const {
  PathId id = kRootPath;
  for (const std::string& token : path.tokens()) {
    const PathId next = data_->paths.find_child(id, token);
    if (next == kNoPath) break;
    id = next;
  }
  if (id == kRootPath) return std::nullopt;
  std::size_t row = std::min(before.value_or(size()), size());
  while (row-- > 0) {
    const Row& at = data_->rows[row];
    if (at.instance != 0) continue;
    for (std::size_t i = 0; i < at.write_count; ++i) {
      const PathId written = data_->writes[at.first_write + i].path;
      const PathId whole = at.prefix == kRootPath ? written : kNoPath;
      if (whole != kNoPath &&
          (data_->paths.is_ancestor(whole, id) || data_->paths.is_ancestor(id, whole))) {
        return row;
      }
      if (whole == kNoPath) {
        const std::string pointer = data_->paths.pointer(at.prefix) + data_->paths.pointer(written);
        const std::string wanted = path.pointer();
        if (pointer == wanted || pointer.starts_with(wanted + "/") ||
            wanted.starts_with(pointer + "/")) {
          return row;
        }
      }
    }
  }
  return std::nullopt;
}

State Log::state_at(std::size_t row) const {
  (void)this->row(row);
  const Root& root = data_->rows[row].root;
  return State(data_, root.node, root.height);
}

State Log::initial_state() const {
  return State(data_, data_->base.node, data_->base.height);
}

State Log::final_state() const {
  for (std::size_t i = data_->rows.size(); i-- > 0;) {
    if (data_->rows[i].instance == 0) return state_at(i);
  }
  return initial_state();
}

namespace {

json::Value reads_json(const RowView& row) {
  json::ArrayBuilder out;
  for (const ReadRecord& read : row.reads()) {
    json::ObjectBuilder one;
    one.add("key", read.pointer);
    if (read.own) {
      one.add("own", true);
    } else if (read.writer) {
      one.add("writer", *read.writer);
    } else if (read.present) {
      one.add("writer", "before the first row");
    }
    if (!read.present) one.add("absent", true);
    out.add(one.build());
  }
  return out.build();
}

json::Value writes_json(const RowView& row) {
  json::ArrayBuilder out;
  for (const WriteRecord& write : row.writes()) {
    json::ObjectBuilder one;
    one.add("key", write.pointer).add("verb", name_of(write.verb));
    if (write.verb != Verb::erase) one.add("value", write.value);
    one.add("readsBefore", write.reads_before);
    if (write.redacted) one.add("redacted", true);
    out.add(one.build());
  }
  return out.build();
}

json::Value rules_json(const DecisionRecord& decision) {
  json::ArrayBuilder out;
  for (const RuleRecord& rule : decision.rules) {
    json::ObjectBuilder one;
    one.add("type", rule.function ? "function" : "filter").add("ruleIndex", rule.index);
    one.add("branch", rule.branch).add("matched", rule.matched);
    if (!rule.label.empty()) one.add("label", rule.label);
    if (!rule.error.empty()) one.add("error", rule.error);
    json::ArrayBuilder conditions;
    for (const ConditionRecord& condition : rule.conditions) {
      json::ObjectBuilder c;
      c.add("key", condition.pointer).add("op", condition.op);
      if (condition.op != "absent" && condition.op != "present") {
        c.add("threshold", condition.threshold);
      }
      c.add_if("actual", condition.actual);
      c.add("result", condition.result);
      if (condition.redacted) c.add("redacted", true);
      conditions.add(c.build());
    }
    if (!conditions.empty()) one.add("conditions", conditions.build());
    out.add(one.build());
  }
  return out.build();
}

json::Value decision_json(const DecisionRecord& decision) {
  json::ObjectBuilder out;
  json::ArrayBuilder chosen;
  for (const std::string& branch : decision.chosen) chosen.add(branch);
  out.add("chosen", chosen.build());
  if (decision.rule) out.add("rule", *decision.rule);
  if (!decision.label.empty()) out.add("label", decision.label);
  if (decision.by_default) out.add("byDefault", true);
  if (!decision.rules.empty()) out.add("rules", rules_json(decision));
  return out.build();
}

}  // namespace

json::Value Log::row_json(std::size_t index) const {
  const RowView row = this->row(index);
  json::ObjectBuilder out;
  out.add("row", index).add("step", row.id()).add("kind", name_of(row.kind()));
  if (row.status() != RowStatus::done) out.add("status", name_of(row.status()));
  if (row.broke()) out.add("broke", true);
  if (const std::string note = row.note(); !note.empty()) out.add("note", note);
  if (row.read_count() > 0) out.add("reads", reads_json(row));
  if (row.write_count() > 0) out.add("writes", writes_json(row));
  if (const auto untracked = row.untracked(); !untracked.empty()) {
    json::ArrayBuilder sources;
    for (const std::string& source : untracked) sources.add(source);
    out.add("untracked", sources.build());
  }
  out.add_if("governor", row.governor());
  if (const auto decision = row.decision()) out.add("decision", decision_json(*decision));
  return out.build();
}

json::Value Log::to_json() const {
  json::ArrayBuilder rows;
  rows.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) rows.add(row_json(i));
  json::ObjectBuilder out;
  out.add("format", "agentfootprint.flow.log").add("version", 1);
  out.add("chart", data_->chart->hash).add("structure", data_->chart->structure);
  out.add("rows", rows.build());
  return out.build();
}

std::size_t Log::bytes() const noexcept {
  std::size_t bytes = sizeof(LogData) + data_->arena.bytes();
  bytes += data_->rows.capacity() * sizeof(Row) + data_->writes.capacity() * sizeof(Write);
  bytes += data_->reads.capacity() * sizeof(Read);
  bytes += data_->evaluations.capacity() * sizeof(Evaluation);
  bytes += data_->decisions.capacity() * sizeof(Decision);
  for (const internal::Lane& lane : data_->lanes) {
    bytes += lane.elements.capacity() * sizeof(json::Value) + lane.births.capacity() * 4;
  }
  return bytes;
}

StepId parse_step_id(std::string_view id) {
  StepId out;
  const std::size_t hash = id.rfind('#');
  if (hash == std::string_view::npos) {
    out.stage = std::string(id);
    return out;
  }
  const std::string_view digits = id.substr(hash + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), out.number);
  const std::string_view place = id.substr(0, hash);
  const std::size_t slash = place.rfind('/');
  if (slash == std::string_view::npos) {
    out.stage = std::string(place);
  } else {
    out.path = std::string(place.substr(0, slash));
    out.stage = std::string(place.substr(slash + 1));
  }
  return out;
}

}  // namespace agentfootprint::flow
