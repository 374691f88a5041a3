// What a waiting run holds: 10,000 runs that paused, and 10,000 that await a timer on one thread.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "agentfootprint/base/task.hpp"
#include "agentfootprint/flow/async.hpp"

namespace agentfootprint::flow {
namespace {

constexpr int kRuns = 10'000;

// Bytes the program holds of the heap now.
double heap_bytes() {
  return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd);
}

void seed(Scope& scope) {
  scope.set("n", 1);
  scope.append("list", "a");
  scope.append("list", "b");
}
void work(Scope& scope) {
  scope.set("v", scope.require(Key<std::int64_t>("n")) + 1);
}

void report(benchmark::State& state, double before) {
  state.counters["bytes_per_run"] = (heap_bytes() - before) / kRuns;
}

void waiting_paused(benchmark::State& state) {
  const Chart chart =
      ChartBuilder("c")
          .stage("seed", seed)
          .stage("work", work)
          .pausable(
              "ask", [](Scope&) { return std::optional<json::Value>("go on?"); },
              [](Scope& scope, const json::Value& answer) { scope.set("a", answer); })
          .stage("end", [](Scope& scope) { scope.set("w", scope.require(Key<bool>("a"))); })
          .build();
  for (auto _ : state) {
    std::vector<RunResult> kept;
    kept.reserve(kRuns);
    const double before = heap_bytes();
    for (int i = 0; i < kRuns; ++i) kept.push_back(run(chart));
    report(state, before);
  }
}
BENCHMARK(waiting_paused)->Unit(benchmark::kMillisecond);

Task<void> wait_a_second(Scope& scope) {
  co_await sleep_for(scope.clock(), 1'000, scope.cancel_token());
  scope.set("done", true);
}

Task<void> one_run(Chart chart, const Clock& clock) {
  RunOptions options;
  options.with_clock(clock);
  const RunResult result = co_await run_async(std::move(chart), std::move(options));
  benchmark::DoNotOptimize(result.log().size());
}

void waiting_awaiting(benchmark::State& state) {
  const Chart chart = ChartBuilder("c")
                          .stage("seed", seed)
                          .stage("work", work)
                          .stage("wait", wait_a_second)
                          .build();
  for (auto _ : state) {
    DeterministicLoop loop;
    const double before = heap_bytes();
    for (int i = 0; i < kRuns; ++i) loop.spawn(one_run(chart, loop.clock()));
    loop.run([](DeterministicLoop& at) -> Task<void> {
      co_await sleep_for(at.clock(), 500, CancelToken());
    }(loop));
    report(state, before);
    loop.drain();
  }
}
BENCHMARK(waiting_awaiting)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace agentfootprint::flow
