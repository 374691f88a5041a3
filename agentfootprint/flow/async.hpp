// Asynchronous charts: coroutine stages, and running them on an executor.
//
// What: with this header included a stage may be a callable `Task<void>(Scope&)`. `run_async` runs
// a chart on the executor of the calling coroutine; synchronous stages of it are still plain calls.
// Branches of a fork that hold a coroutine stage run at the same time, interleaved where they wait;
// the log lists them in order of declaration.
//
// When to use: for stages that wait for something outside. A chart without such stages needs only
// run.hpp.
//
// Not guaranteed: parallelism. The executor must be single-threaded or a strand. Cancelling the
// token wakes whatever the stage awaits (an Asio operation ends with `operation_aborted`), and so
// does its deadline; a stage that computes asks its token itself. A backoff waits through the clock
// port.
//
// Example (file scope):
//   inline agentfootprint::Task<void> fetch(agentfootprint::flow::Scope& scope) {
//     co_await agentfootprint::sleep_for(scope.clock(), 20, scope.cancel_token());
//     scope.set("answer", 42);
//   }
//   inline agentfootprint::Task<agentfootprint::flow::Outcome> use() {
//     agentfootprint::flow::Chart chart =
//         agentfootprint::flow::ChartBuilder("fetcher").stage("fetch", fetch).build();
//     auto result = co_await agentfootprint::flow::run_async(chart);
//     co_return result.outcome;
//   }
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "agentfootprint/base/task.hpp"
#include "agentfootprint/flow/run.hpp"

namespace agentfootprint::flow {

static_assert(check_await_safe<RunOptions, RunResult, Chart, std::vector<PauseAnswer>>());

namespace internal {

class AsyncBody {
 public:
  virtual ~AsyncBody() = default;
  [[nodiscard]] virtual Task<void> run(Scope& scope) const = 0;
};

template <class F>
struct AsyncBodyOf {
  static_assert(std::is_same_v<std::invoke_result_t<F&, Scope&>, Task<void>>,
                "a stage is void(Scope&) or Task<void>(Scope&)");
  class Body final : public AsyncBody {
   public:
    explicit Body(F function) : function_(std::move(function)) {}
    Task<void> run(Scope& scope) const override { return function_(scope); }

   private:
    mutable F function_;  // lives as long as the chart, so coroutine lambdas may capture
  };
  static std::shared_ptr<AsyncBody> make(F function) {
    return std::make_shared<Body>(std::move(function));
  }
};

}  // namespace internal

[[nodiscard]] Task<RunResult> run_async(Chart chart, RunOptions options = RunOptions());
[[nodiscard]] Task<RunResult> resume_async(RunResult paused, std::vector<PauseAnswer> answers);
[[nodiscard]] Task<RunResult> resume_async(Chart chart, json::Value checkpoint,
                                           std::vector<PauseAnswer> answers,
                                           RunOptions options = RunOptions());

}  // namespace agentfootprint::flow
