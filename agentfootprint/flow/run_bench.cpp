// The flow comparison on this library. Names and work are those of bench/flow/footprintjs.mjs;
// bench/flow/run runs both, each benchmark in a process of its own, and prints the ratios.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>

#include "agentfootprint/flow/run.hpp"
#include "agentfootprint/flow/slice.hpp"

namespace agentfootprint::flow {
namespace {

const Key<std::int64_t> kN("n");
const Key<std::int64_t> kV("v");
const Key<std::int64_t> kW("w");
const Key<std::int64_t> kX("x");
const Key<std::vector<std::string>> kList("list");

double peak_mb() {
  double kb = 0;
  if (std::FILE* file = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, file) != nullptr) {
      if (std::strncmp(line, "VmHWM:", 6) == 0) kb = std::strtod(line + 6, nullptr);
    }
    std::fclose(file);
  }
  return kb / 1024;
}
// Taken after a run of one stage: the other side's is taken when its package has been loaded.
const double kBaseline = [] {
  (void)run(ChartBuilder("warm").stage("a", [](Scope& s) { s.set("x", 1); }).build());
  return peak_mb();
}();

void finish(benchmark::State& state, const RunResult& result) {
  state.counters["peak_mb"] = peak_mb() - kBaseline;
  state.counters["log_mb"] = static_cast<double>(result.log().bytes()) / 1e6;
}

// What the charts of the benchmarks are given besides their state.
struct Turns {
  std::int64_t count;
};

template <class Body>
Chart linear(int count, Body body) {
  ChartBuilder builder("linear");
  for (int i = 0; i < count; ++i) {
    builder.stage("s" + std::to_string(i), [body, i](Scope& scope) { body(scope, i); });
  }
  return builder.build();
}

Chart scalar_loop() {
  return ChartBuilder("loop")
      .stage("seed",
             [](Scope& s) {
               s.set(kN, 0);
               s.set(kV, 0);
               s.set(kW, 0);
             })
      .stage("l0", [](Scope& s) { s.set(kN, s.require(kW) + 1); })
      .stage("l1", [](Scope& s) { s.set(kV, s.require(kN)); })
      .stage("l2",
             [](Scope& s) {
               const std::int64_t v = s.require(kV);
               s.set(kW, v);
               if (v >= s.context<Turns>().count) s.break_chart();
             })
      .loop_to("l0")
      .build();
}

RunResult run_loop(const Chart& chart, std::int64_t count) {
  Turns turns{count};
  RunOptions options;
  options.with_context(turns);
  return run(chart, std::move(options));
}

// Runs the chart once an iteration and keeps the last result alive, as a caller would.
void time_run(benchmark::State& state, const Chart& chart, std::int64_t stages) {
  std::optional<RunResult> last;
  for (auto _ : state) {
    last.reset();
    last.emplace(run(chart));
    benchmark::DoNotOptimize(last->log().size());
  }
  if (last->outcome != Outcome::completed) state.SkipWithError(last->reason.c_str());
  finish(state, *last);
  state.counters["ns_per_stage"] = benchmark::Counter(
      static_cast<double>(stages),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void linear_same_key(benchmark::State& state) {
  time_run(state, linear(1000, [](Scope& s, int i) { s.set(kX, i); }), 1000);
}
BENCHMARK(linear_same_key)->Unit(benchmark::kMillisecond);

void linear_distinct_keys(benchmark::State& state) {
  std::vector<Key<std::int64_t>> keys;
  for (int i = 0; i < 1000; ++i) keys.emplace_back("k" + std::to_string(i));
  time_run(state,
           linear(1000, [&keys](Scope& s, int i) { s.set(keys[static_cast<std::size_t>(i)], i); }),
           1000);
}
BENCHMARK(linear_distinct_keys)->Unit(benchmark::kMillisecond);

void linear_no_op(benchmark::State& state) {
  time_run(state, linear(1000, [](Scope&, int) {}), 1000);
}
BENCHMARK(linear_no_op)->Unit(benchmark::kMillisecond);

void loop_30001(benchmark::State& state) {
  const Chart chart = scalar_loop();
  std::optional<RunResult> last;
  for (auto _ : state) {
    last.reset();
    last.emplace(run_loop(chart, 10'000));
  }
  if (last->log().size() != 30'001) state.SkipWithError("not 30,001 rows");
  finish(state, *last);
  state.counters["ns_per_stage"] = benchmark::Counter(
      30'001, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(loop_30001)->Unit(benchmark::kMillisecond);

void slice_of_loop(benchmark::State& state, const SliceOptions& options) {
  const RunResult result = run_loop(scalar_loop(), 10'000);
  std::size_t nodes = 0;
  const double before = peak_mb();
  for (auto _ : state) {
    const Slice slice = backward_slice(result.log(), 30'000, options);
    nodes = slice.nodes.size();
  }
  state.counters["nodes"] = static_cast<double>(nodes);
  state.counters["added_mb"] = peak_mb() - before;
  finish(state, result);
}
void slice_default(benchmark::State& state) {
  slice_of_loop(state, SliceOptions());
}
BENCHMARK(slice_default)->Unit(benchmark::kMillisecond);
void slice_whole(benchmark::State& state) {
  slice_of_loop(state, SliceOptions::unlimited());
}
BENCHMARK(slice_whole)->Unit(benchmark::kMillisecond);

void fork_1000(benchmark::State& state) {
  ChartBuilder builder("fork");
  builder.stage("r", [](Scope&) {}).fork("f");
  for (int i = 0; i < 1000; ++i) {
    builder.branch("c" + std::to_string(i), [i](Scope& s) { s.set(kV, i); });
  }
  time_run(state, builder.build(), 1002);
}
BENCHMARK(fork_1000)->Unit(benchmark::kMillisecond);

void appends_2000(benchmark::State& state) {
  const Chart chart = ChartBuilder("appends")
                          .stage("seed", [](Scope& s) { s.set(kN, 0); })
                          .stage("l0", [](Scope& s) { s.set(kN, s.require(kN) + 1); })
                          .stage("l1", [](Scope& s) { s.append(kList, "item"); })
                          .stage("l2",
                                 [](Scope& s) {
                                   if (s.require(kN) >= 2000) s.break_chart();
                                 })
                          .loop_to("l0")
                          .build();
  time_run(state, chart, 6001);
}
BENCHMARK(appends_2000)->Unit(benchmark::kMillisecond);

void state_at_row(benchmark::State& state) {
  const RunResult result = run_loop(scalar_loop(), 10'000);
  std::int64_t value = 0;
  for (auto _ : state) {
    value = result.log().state_at(15'000).get(kN).value_or(0);
    benchmark::DoNotOptimize(value);
  }
  if (value != 5000) state.SkipWithError("another value than expected");
  finish(state, result);
}
BENCHMARK(state_at_row)->Unit(benchmark::kMillisecond);

void scalar_beside_1mb(benchmark::State& state) {
  json::ArrayBuilder rows;
  for (int i = 0; i < 10'000; ++i) {
    rows.add(json::object({{"id", i}, {"text", std::string(80, 'x')}}));
  }
  const json::Value big = rows.build();
  const Chart chart = linear(51, [&big](Scope& s, int i) {
    if (i == 0) {
      s.set("big", big);
    } else {
      s.set(kX, i);
    }
  });
  time_run(state, chart, 51);
}
BENCHMARK(scalar_beside_1mb)->Unit(benchmark::kMillisecond);

void paused_1000(benchmark::State& state) {
  const Chart chart =
      ChartBuilder("pauses")
          .stage("seed",
                 [](Scope& s) {
                   s.set(kN, 1);
                   s.set(kList, std::vector<std::string>{"a", "b"});
                 })
          .stage("work", [](Scope& s) { s.set(kV, s.require(kN) + 1); })
          .pausable(
              "ask",
              [](Scope&) { return std::optional<json::Value>(json::object({{"q", "go on?"}})); },
              [](Scope& s, const json::Value& answer) { s.set("a", answer); })
          .stage("end", [](Scope& s) { s.set("w", *s.get("a")); })
          .build();
  std::vector<RunResult> kept;
  std::vector<json::Value> checkpoints;
  for (auto _ : state) {
    kept.clear();
    checkpoints.clear();
    for (int i = 0; i < 1000; ++i) {
      kept.push_back(run(chart));
      checkpoints.push_back(kept.back().checkpoint());
    }
  }
  if (kept.back().outcome != Outcome::paused) state.SkipWithError("it did not pause");
  finish(state, kept.back());
}
BENCHMARK(paused_1000)->Unit(benchmark::kMillisecond);

void mount_in_loop_1000(benchmark::State& state) {
  const Chart inner = ChartBuilder("inner").stage("in", [](Scope& s) { s.set("m", 1); }).build();
  MountOptions options;
  options.input = [](Scope& s) { s.set(kX, s.require(kN)); };
  options.output = [](Scope& s) { s.set("m", *s.get("m")); };
  const Chart chart = ChartBuilder("mounts")
                          .stage("seed", [](Scope& s) { s.set(kN, 0); })
                          .stage("l0", [](Scope& s) { s.set(kN, s.require(kN) + 1); })
                          .mount("sub", inner, options)
                          .stage("end",
                                 [](Scope& s) {
                                   if (s.require(kN) >= 1000) s.break_chart();
                                 })
                          .loop_to("l0")
                          .build();
  time_run(state, chart, 5001);
}
BENCHMARK(mount_in_loop_1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace agentfootprint::flow
