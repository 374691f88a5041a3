// The log of a run: one row per executed step, with what it read, from whom, and what it changed.
//
// What: rows are numbered from 0 in the order of execution (branches of a fork: in order of
// declaration). A row says what its step wrote, net: a write that left the value as it was is not
// there. Each read carries the row whose write it saw, recorded when the read happened. The state
// behind every row is kept; asking for it costs nothing.
//
// When to use: to explain a run (slice.hpp, provenance.hpp), to store it (`to_json`), to look back
// (`state_at`).
//
// Not guaranteed: that step numbers follow row numbers where branches of a fork ran at the same
// time: the number is taken when a step starts, the row's place when the fork joins.
//
// A Log shares the run's memory; copies are cheap and may be read from several threads once the run
// has ended. `path/stage#n` names a step: `path` the mounts around it, `n` its number in the run.
//
// Example (file scope):
//   inline std::string last_writer(const agentfootprint::flow::Log& log) {
//     const auto row = log.last_writer(agentfootprint::flow::Path("score"));
//     return row ? log.row(*row).id() : std::string();   // "assess#3"
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/flow/key.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::flow {

namespace internal {
struct LogData;
struct View;
}  // namespace internal

enum class Verb : std::uint8_t { set, append, erase };
enum class RowKind : std::uint8_t { stage, decide, fork, select, mount_in, mount_out };
enum class RowStatus : std::uint8_t { done, failed, paused, cancelled };
[[nodiscard]] std::string_view name_of(Verb verb) noexcept;
[[nodiscard]] std::string_view name_of(RowKind kind) noexcept;
[[nodiscard]] std::string_view name_of(RowStatus status) noexcept;

struct ReadRecord {
  std::string pointer;
  bool present = false;  // false: nothing was there
  bool own = false;      // the step read what it had written itself
  std::optional<std::size_t>
      writer;  // the row whose write it saw; empty: from before the first row
};

struct WriteRecord {
  std::string pointer;
  Verb verb = Verb::set;
  json::Value value;             // set: the value; append: an array of what was added; erase: null
  std::size_t reads_before = 0;  // how many reads of the step came before it
  bool redacted = false;         // then `value` is a placeholder
};

struct ConditionRecord {
  std::string pointer;
  std::string op;
  json::Value threshold;
  std::optional<json::Value> actual;  // empty: absent
  bool result = false;
  bool redacted = false;
};

struct RuleRecord {
  std::size_t index = 0;
  std::string branch;
  std::string label;
  bool matched = false;
  bool function = false;  // its inputs are the reads of the row
  std::string error;      // what a function threw; it counts as no match
  std::vector<ConditionRecord> conditions;
};

struct DecisionRecord {
  std::vector<std::string> chosen;  // one branch for a decide
  std::optional<std::size_t> rule;  // the rule that matched first
  std::string label;                // of that rule, or of the default
  bool by_default = false;
  std::vector<RuleRecord> rules;  // those that were evaluated
};

class Log;

// One row. Refers to its log: keep the log.
class RowView {
 public:
  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  [[nodiscard]] std::string id() const;                   // "sub/ask#4"
  [[nodiscard]] std::string_view stage() const noexcept;  // "ask"; "each~" in a for_each
  [[nodiscard]] std::string path() const;                 // "sub", "" for the run itself
  [[nodiscard]] std::uint32_t step() const noexcept;      // 4
  [[nodiscard]] RowKind kind() const noexcept;
  [[nodiscard]] RowStatus status() const noexcept;
  [[nodiscard]] std::string note() const;     // why it broke or failed, "" otherwise
  [[nodiscard]] bool broke() const noexcept;  // it ended the chart
  [[nodiscard]] std::vector<ReadRecord> reads() const;
  [[nodiscard]] std::vector<WriteRecord> writes() const;
  [[nodiscard]] std::size_t read_count() const noexcept;
  [[nodiscard]] std::size_t write_count() const noexcept;
  // What it used that no read records: "input", "silent".
  [[nodiscard]] std::vector<std::string> untracked() const;
  // The decision that had it run, and the label of the rule that did.
  [[nodiscard]] std::optional<std::size_t> governor() const noexcept;
  [[nodiscard]] std::optional<DecisionRecord> decision() const;

 private:
  friend class Log;
  RowView(const internal::LogData& data, std::size_t index) : data_(&data), index_(index) {}
  const internal::LogData* data_;
  std::size_t index_;
};

// A state: a moment of a log.
class State {
 public:
  [[nodiscard]] std::optional<json::Value> find(const Path& path) const;
  template <class T>
  [[nodiscard]] std::optional<T> get(const Key<T>& key) const {
    const auto value = find(key.path());
    return value ? Codec<T>::from_json(*value) : std::nullopt;
  }
  // Everything, as one object; members in the order their keys were first used. Redacted keys are
  // not scrubbed here: this is the state itself.
  [[nodiscard]] json::Value to_json() const;

 private:
  friend class Log;
  State(std::shared_ptr<const internal::LogData> data, const void* node, std::uint32_t height)
      : data_(std::move(data)), node_(node), height_(height) {}
  std::shared_ptr<const internal::LogData> data_;
  const void* node_;
  std::uint32_t height_;
};

class Log {
 public:
  explicit Log(std::shared_ptr<const internal::LogData> data) : data_(std::move(data)) {}

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] RowView row(std::size_t index) const;  // throws Error "flow-row"
  [[nodiscard]] std::optional<std::size_t> find(std::string_view step_id) const;
  // The last row before `before` (exclusive) that wrote the path, one above it or one below it, in
  // the run's own state (not in a mount's).
  [[nodiscard]] std::optional<std::size_t> last_writer(
      const Path& path, std::optional<std::size_t> before = std::nullopt) const;
  // The state behind a row: of the run, or for a row inside a mount of that mount.
  [[nodiscard]] State state_at(std::size_t row) const;
  [[nodiscard]] State initial_state() const;
  // The run's own state behind its last row.
  [[nodiscard]] State final_state() const;
  // Rows, structure and hash of the chart; values of redacted keys replaced by "REDACTED".
  [[nodiscard]] json::Value to_json() const;
  [[nodiscard]] json::Value row_json(std::size_t index) const;
  // Bytes the columns, values' slots and state nodes hold (not the values' own heap).
  [[nodiscard]] std::size_t bytes() const noexcept;
  [[nodiscard]] const internal::LogData& data() const noexcept { return *data_; }

 private:
  std::shared_ptr<const internal::LogData> data_;
};

// `path/stage#n` in its parts; split at the last `#`, then at the last `/`. Without `#` the number
// is 0 and no path is reported.
struct StepId {
  std::string path;
  std::string stage;
  std::uint32_t number = 0;
};
[[nodiscard]] StepId parse_step_id(std::string_view id);

}  // namespace agentfootprint::flow
