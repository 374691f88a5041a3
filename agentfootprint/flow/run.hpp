// Running a chart, and resuming one that paused.
//
// What: `run` drives a chart to its outcome on this thread. `RunResult` says how it ended, holds
// the log and the state, and for a paused run what it waits for. `resume` goes on where it stood,
// inside loops, forks and mounts: from the result itself (the log goes on) or from a checkpoint,
// which is JSON and may come from another process with the same chart.
//
// When to use: for charts whose stages are plain functions. With coroutine stages use `run_async`
// of flow/async.hpp (`run` refuses them with Error "flow-async").
//
// Not guaranteed: rollback. What a stage wrote before it failed is committed and in the log.
//
// Budgets are separate, and exhausting one is the outcome `exhausted`: `depth` of mounts and forks
// on one path, `width` of one fork, `loop_turns` of one loop (in one execution of its chart),
// `steps` in all. Cancellation and deadline are asked before every step.
//
// Example (file scope):
//   inline agentfootprint::json::Value once(const agentfootprint::flow::Chart& chart) {
//     auto options = agentfootprint::flow::RunOptions().with_state("score", 700);
//     const auto result = agentfootprint::flow::run(chart, std::move(options));
//     return result.state().to_json();
//   }
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "agentfootprint/base/cancel.hpp"
#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/flow/chart.hpp"
#include "agentfootprint/flow/log.hpp"
#include "agentfootprint/flow/observer.hpp"
#include "agentfootprint/flow/scope.hpp"

namespace agentfootprint::flow {

struct Budgets {
  std::uint32_t depth = 100;
  std::uint32_t width = 10'000;
  std::uint32_t loop_turns = 100'000;
  std::uint32_t steps = 10'000'000;
};

enum class Outcome : std::uint8_t { completed, paused, failed, cancelled, exhausted };
[[nodiscard]] std::string_view name_of(Outcome outcome) noexcept;

struct PendingPause {
  std::string id;    // the step that asked, "sub/ask#4"
  json::Value data;  // what it asked
};

struct PauseAnswer {
  std::string id;
  json::Value answer;
};

class RunOptions {
 public:
  RunOptions() {}
  RunOptions& with_state(const Path& path, json::Value value) {
    state.emplace_back(path, std::move(value));
    return *this;
  }
  RunOptions& with_input(json::Value value) {
    input = std::move(value);
    return *this;
  }
  // An object of the application that stages reach with `Scope::context<T>()`. It must outlive the
  // run.
  template <class T>
  RunOptions& with_context(T& object) {
    context = const_cast<std::remove_const_t<T>*>(&object);
    context_type = &typeid(T);
    return *this;
  }
  RunOptions& with_budgets(const Budgets& value) {
    budgets = value;
    return *this;
  }
  RunOptions& with_cancel(CancelToken token) {
    cancel = std::move(token);
    return *this;
  }
  // Coroutine stages watch the token themselves: they are awaited as they are, not each through a
  // coroutine that cuts them short when the token fires. The token still ends the run between
  // stages.
  RunOptions& with_self_cancelling_stages() {
    self_cancelling_stages = true;
    return *this;
  }
  // For backoff and for what stages ask of `Scope::clock()`.
  RunOptions& with_clock(const Clock& port) {
    clock = &port;
    return *this;
  }
  // How a synchronous run waits for a backoff; the default sleeps.
  RunOptions& with_sleep(std::function<void(std::int64_t ms)> function) {
    sleep = std::move(function);
    return *this;
  }
  // Values at and below these paths are replaced wherever the log, events and evidence leave the
  // run. The state itself and checkpoints are not scrubbed, and a copy under another key is not
  // redacted.
  RunOptions& redact(const Path& path) {
    redacted.push_back(path);
    return *this;
  }
  RunOptions& observe(Observer& observer, EventMask mask = kAllEvents) {
    observers.emplace_back(&observer, mask);
    return *this;
  }

  std::vector<std::pair<Path, json::Value>> state;
  json::Value input;
  void* context = nullptr;
  const std::type_info* context_type = nullptr;
  Budgets budgets;
  CancelToken cancel;
  bool self_cancelling_stages = false;
  const Clock* clock = &SystemClock::instance();
  std::function<void(std::int64_t)> sleep;
  std::vector<Path> redacted;
  std::vector<std::pair<Observer*, EventMask>> observers;
};

class RunResult {
 public:
  Outcome outcome = Outcome::completed;
  bool broke = false;        // completed by Scope::break_chart
  std::string reason;        // of the break, the failure, the cancellation; the budget's name
  std::string code;          // an error code when it failed with one
  std::string step;          // where it ended, when not completed
  std::exception_ptr error;  // what the stage threw
  std::vector<PendingPause> pauses;  // in order of declaration
  std::uint64_t observer_errors = 0;

  [[nodiscard]] const Log& log() const noexcept { return log_; }
  [[nodiscard]] State state() const { return log_.final_state(); }
  // Throws the stage's exception when the run failed.
  void rethrow() const {
    if (error) std::rethrow_exception(error);
  }
  // A paused run as one JSON document: format, version, chart hash, states and places.
  [[nodiscard]] json::Value checkpoint() const;

 private:
  friend class internal::Machine;
  friend std::shared_ptr<internal::Machine> machine_of(RunResult& result) noexcept;
  RunResult(Log log, std::shared_ptr<internal::Machine> machine)
      : log_(std::move(log)), machine_(std::move(machine)) {}
  Log log_;
  std::shared_ptr<internal::Machine> machine_;  // of a paused run
};

[[nodiscard]] RunResult run(const Chart& chart, RunOptions options = RunOptions());

// Throws Error "flow-resume" when the run is not paused or an id is unknown. Pauses without an
// answer stay pending: the run pauses again once everything else has run.
[[nodiscard]] RunResult resume(RunResult paused, std::vector<PauseAnswer> answers);
// From a checkpoint. Throws Error "flow-checkpoint" for a document that is damaged, of another
// version or of another chart. The new log starts at the resumed step; its initial state is the
// state at the pause.
[[nodiscard]] RunResult resume(const Chart& chart, const json::Value& checkpoint,
                               std::vector<PauseAnswer> answers, RunOptions options = RunOptions());

}  // namespace agentfootprint::flow
