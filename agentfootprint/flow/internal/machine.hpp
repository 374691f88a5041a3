// The driver: lines of execution over node tables, without recursion over history.
//
// A run is one line; a fork gives each branch a line of its own, which starts from the root the
// fork saw. A mount is a frame on its line. `drive` runs until the line ends or something outside
// is needed (a coroutine to await, branches to run at the same time, a backoff to wait for).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agentfootprint/flow/internal/log_data.hpp"
#include "agentfootprint/flow/internal/view.hpp"
#include "agentfootprint/flow/run.hpp"

namespace agentfootprint::flow::internal {

struct Line;

// One step under way. Reused by its line.
struct StepFrame {
  Machine* machine = nullptr;
  Line* line = nullptr;
  const Node* node = nullptr;
  Root read_root;
  Root write_root;
  bool mapping = false;    // reads one state, writes another
  bool read_only = false;  // a function rule
  bool broke = false;
  std::uint16_t flags = 0;
  std::uint32_t step = 0;
  StagedWrites staged;
  std::vector<Read> reads;
  std::vector<Seen> seen;  // scratch
  std::string break_reason;

  [[nodiscard]] View view() const;
  void clear() noexcept;
  void note_read(PathId path, WriteRef writer, std::uint32_t element = kNone);
};

// A loop under way whose repetition a decision chose.
struct LoopGovernor {
  std::uint32_t sequence = 0;
  std::uint32_t last_position = 0;
  std::uint32_t row = 0;
};

// Where a line stands in one chart.
struct Place {
  const ChartData* chart = nullptr;
  std::uint32_t node = kNone;
  std::uint32_t instance = 0;
  Root root;
  std::vector<std::uint32_t> governors;  // rows of the decisions around, by level
  std::vector<LoopGovernor> loop_governors;
  std::vector<std::uint32_t> loop_counts;
  std::uint32_t governor_floor = kNone;  // what governs where nothing inside does
  bool broke = false;
};

enum class LineStatus : std::uint8_t { running, finished, paused, failed, cancelled, exhausted };

struct RowRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct ForkState {
  const Node* node = nullptr;
  std::vector<std::unique_ptr<Line>> children;
  std::size_t next = 0;
  std::uint32_t first_row = 0;
  std::unique_ptr<CancelSource> cancel;  // fail_fast with coroutines
};

struct Line {
  Line* parent = nullptr;
  std::uint32_t branch = 0;
  std::uint32_t item = kNone;  // the element a for_each made it for
  std::uint32_t depth = 0;
  std::uint32_t own_instance = 0;
  PathId prefix = kRootPath;  // where its rows say their writes are
  // How many writes were made before the nearest isolated branch: this one or one around it.
  std::uint32_t isolated_since = 0;
  Place place;
  std::vector<Place> mounts;  // the places outside, innermost last
  LineStatus status = LineStatus::running;
  bool broke = false;
  bool step_open = false;
  int attempt = 1;
  std::int64_t wait_ms = 0;
  std::string reason;
  std::string code;
  std::string ended_at;
  std::exception_ptr error;
  std::optional<PendingPause> pause;
  json::Value asked;                 // what the pause answered last had asked
  std::vector<json::Value> answers;  // to the interrupts of the stage under way
  std::size_t answers_used = 0;
  std::vector<RowRange> rows;                        // of a branch
  std::vector<std::pair<PathId, WriteRef>> applied;  // its writes, for the join
  std::unique_ptr<ForkState> fork;
  CancelToken token;
  StepFrame frame;
};

enum class Need : std::uint8_t { done, stage, branches, wait };

// Thrown by Scope::interrupt.
struct InterruptSignal {
  json::Value payload;
};

class Machine {
 public:
  Machine(std::shared_ptr<const ChartData> chart, RunOptions options);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Runs `top` and its branches; `at` is the line that needs something.
  Need drive(Line& top, Line*& at);
  // The coroutine of `line`'s open stage has ended.
  void stage_ended(Line& line, std::exception_ptr error);
  [[nodiscard]] RunResult result(const std::shared_ptr<Machine>& self);
  void answer(std::vector<PauseAnswer> answers);
  void run_sync();

  [[nodiscard]] json::Value checkpoint() const;
  void restore(const json::Value& document);

  [[nodiscard]] bool observed(EventKind kind) const noexcept {
    return (mask_ & mask_of(kind)) != 0;
  }
  void notify(Event event, const Line* line);
  [[nodiscard]] LogData& log() noexcept { return *log_; }
  [[nodiscard]] const RunOptions& options() const noexcept { return options_; }
  [[nodiscard]] Line& top() noexcept { return top_; }
  [[nodiscard]] std::string step_id(const Line& line) const;
  void start();

  bool concurrent = false;  // branches with coroutines run at the same time

 private:
  Need advance(Line& line, Line*& child);
  Need advance_fork(Line& line, Line*& child);
  bool open_step(Line& line, const Node& node);
  void run_stage(Line& line, const Node& node);
  void run_pausable(Line& line, const Node& node);
  void run_decide(Line& line, const Node& node);
  void run_fork(Line& line, const Node& node);
  std::size_t stage_results(Line& line, const Node& node);
  static void map_item(Line& line);
  void map_result(Line& line);
  void enter_mount(Line& line, const Node& node);
  void leave_mount(Line& line);
  // Runs the body of a step. False: the line has ended or waits, or the step is to be run again.
  template <class F>
  bool guarded(Line& line, const Node& node, F body) {
    try {
      body();
      return true;
    } catch (InterruptSignal& signal) {
      line.frame.staged.clear();
      pause(line, node, std::move(signal.payload));
    } catch (...) {
      handle_failure(line, node, std::current_exception());
    }
    return false;
  }
  bool handle_failure(Line& line, const Node& node, std::exception_ptr error);
  void pause(Line& line, const Node& node, json::Value data);
  void finish_stage(Line& line, const Node& node);

  // Rules.
  std::vector<std::uint32_t> matching(Line& line, const Node& node, bool all, Decision& decision);
  bool rule_matches(Line& line, const Rule& rule, std::uint16_t number);

  // Commits.
  std::uint32_t commit(Line& line, RowKind kind, RowStatus status, Root& target,
                       std::uint32_t instance, std::uint32_t shown_in, std::uint32_t node);
  std::uint32_t commit_here(Line& line, RowKind kind, RowStatus status);
  void commit_write(Line& line, Staged& staged, Root& target, std::uint32_t row, bool forced,
                    bool own);
  void commit_append(Write& write, Staged& staged);

  // Moving.
  void go(Line& line, Jump jump);
  void arrive(Place& place, std::uint32_t node);
  [[nodiscard]] static std::uint32_t governor_of(const Place& place) noexcept;
  void end_broken(Line& line, const std::string& reason);
  void fail(Line& line, LineStatus status, std::string code, std::string reason);

  // Forks (fork.cpp).
  void open_branches(Line& line, const Node& node, const std::vector<std::uint32_t>& chosen,
                     std::uint32_t row);
  std::unique_ptr<Line> make_branch(Line& line, const Node& node, std::uint32_t branch,
                                    std::uint32_t item);
  bool settle_fork(Line& line);
  bool join(Line& line);
  bool check_disjoint(Line& line);
  [[nodiscard]] PathId place_of_branch(const Line& line, const Line& child);
  void lay_write(Line& line, const Line& child, std::size_t i, PathId under, Root& root);
  void apply_restored(Line& line, const Line& child, Root& root);
  void apply_rows(Line& line, const Line& child, RowRange rows, std::size_t& next, Root& root);
  struct BranchRows {
    std::size_t branch = 0;  // place among the fork's children
    RowRange rows;
  };
  [[nodiscard]] std::vector<BranchRows> rows_of_branches(const ForkState& fork) const;
  void publish(const ForkState& fork);

  // Checkpoints (checkpoint.cpp).
  void write_line(const Line& line, std::optional<std::size_t> parent,
                  std::vector<json::Value>& out) const;
  [[nodiscard]] json::Value place_json(const Place& place, bool with_state) const;
  void restore_line(Line& line, const json::Value& document);
  void restore_places(Line& line, const json::Value& places);
  [[nodiscard]] Root restore_state(Root root, const json::Value& state);

  std::shared_ptr<const ChartData> chart_;
  RunOptions options_;
  std::shared_ptr<LogData> log_;
  EventMask mask_ = 0;
  Line top_;
  std::uint32_t next_step_ = 0;
  std::uint64_t observer_errors_ = 0;
};

}  // namespace agentfootprint::flow::internal
