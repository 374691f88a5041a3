// What a step of the loop costs, beside a bare loop that does the same JSON work; many runs at
// once; large results; building a spec.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>

#include "agentfootprint/agent/schema.hpp"
#include "agentfootprint/agent/spec.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/record/sink.hpp"

// GCC 12 sees the coroutine frame's own operator new and delete as mismatched once they are
// inlined.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace agentfootprint {
namespace {

// Five rows, as a small tool returns them.
json::Value rows(std::int64_t seed) {
  json::ArrayBuilder built;
  for (std::int64_t i = 0; i < 5; ++i) {
    built.add(json::object({{"name", "vol-" + std::to_string(seed * 7 + i)},
                            {"iops", 41'200 + seed * 13 + i},
                            {"state", "ok"}}));
  }
  return built.build();
}

// The nth request has n results before it: two messages a step, behind the question.
std::shared_ptr<ScriptedModel> steps(int count, std::string tool) {
  return std::make_shared<ScriptedModel>([count, tool](const ModelRequest& request) {
    const auto done = static_cast<int>(request.messages().size() / 2);
    if (done >= count) return ScriptedReply("all done");
    return ScriptedReply().call(tool, json::object({{"seed", done}}), "call_0");
  });
}

AgentSpec agent_with(Tool tool, int count) {
  const std::string name = tool.schema().name;
  AgentBuilder builder(steps(count, name), "m");
  builder.tool(std::move(tool))
      .max_iterations(static_cast<std::uint32_t>(count) + 1)
      .names_and_numbers_from_evidence();
  return builder.build();
}

Tool tool_named(const char* name) {
  Tool tool(name, "For measuring.");
  tool.input(schema::object().property<int>("seed", "Which.").build());
  return tool;
}

AgentSpec agent(int count) {
  Tool tool = tool_named("rows");
  tool.run([](const json::Value& arguments, ToolContext&) {
    return ToolResult::json(rows(*arguments.at("seed").as_int64()));
  });
  return agent_with(std::move(tool), count);
}

void per_step(benchmark::State& state, int count) {
  state.SetItemsProcessed(state.iterations() * count);
  state.counters["us_per_step"] =
      benchmark::Counter(static_cast<double>(state.iterations() * count) / 1e6,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// `make` gives the sink of a run; null: no record.
template <class Make>
void run_steps(benchmark::State& state, Make make) {
  const auto count = static_cast<int>(state.range(0));
  const AgentSpec spec = agent(count);
  for (auto _ : state) {
    RunOptions options;
    options.record = make();
    const RunResult result = run(spec, Conversation(), "go", options);
    if (result.answer() == nullptr) state.SkipWithError("no answer");
  }
  per_step(state, count);
}

void StepWithRecord(benchmark::State& state) {
  run_steps(state, [] { return std::make_shared<MemorySink>(); });
}
BENCHMARK(StepWithRecord)
    ->Name("agent/step_memory_sink")
    ->Arg(20)
    ->Arg(400)
    ->Unit(benchmark::kMicrosecond);

void StepWithoutRecord(benchmark::State& state) {
  run_steps(state, [] { return std::shared_ptr<RecordSink>(); });
}
BENCHMARK(StepWithoutRecord)
    ->Name("agent/step_no_record")
    ->Arg(20)
    ->Arg(400)
    ->Unit(benchmark::kMicrosecond);

// Every run into a file of its own, through the shared writer thread; the end of a run is synced.
void StepWithFile(benchmark::State& state) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("agent_bench." + std::to_string(::getpid()));
  fs::create_directories(folder);
  {
    const RecordThread thread;
    int number = 0;
    run_steps(state, [&]() -> std::shared_ptr<RecordSink> {
      const fs::path file = folder / (std::to_string(number++ % 64) + ".footprint.jsonl");
      return std::make_shared<FileSink>(file.string(), thread);
    });
  }
  fs::remove_all(folder);
}
BENCHMARK(StepWithFile)
    ->Name("agent/step_file_sink")
    ->Arg(20)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

// The JSON work of a step and nothing else: arguments out and in, the result built, written, and
// kept.
void BareLoop(benchmark::State& state) {
  const auto count = static_cast<int>(state.range(0));
  for (auto _ : state) {
    std::vector<std::string> history;
    for (int i = 0; i < count; ++i) {
      const std::string arguments = json::dump(json::object({{"seed", i}}));
      const json::Value parsed = json::parse_or_throw(arguments);
      history.push_back(json::dump(rows(*parsed.at("seed").as_int64())));
    }
    benchmark::DoNotOptimize(history);
  }
  per_step(state, count);
}
BENCHMARK(BareLoop)->Name("agent/bare_loop")->Arg(20)->Arg(400)->Unit(benchmark::kMicrosecond);

// 40 results of 110 kB in one run, each different.
void LargeResults(benchmark::State& state) {
  std::string body = R"({"rows":[)";
  for (int i = 0; body.size() < 110'000; ++i) {
    body += (i == 0 ? "" : ",") +
            json::dump(json::object({{"name", "vol-" + std::to_string(i)},
                                     {"iops", 41'200 + 13 * i},
                                     {"latency_ms", "0." + std::to_string(1000 + i % 997)},
                                     {"state", "ok"}}));
  }
  body += "]}";
  Tool tool = tool_named("large");
  tool.run([&body](const json::Value& arguments, ToolContext&) {
    std::string text = body;
    text.insert(1, "\"seed\":" + std::to_string(*arguments.at("seed").as_int64()) + ",");
    return ToolResult::text(text);
  });
  const AgentSpec spec = agent_with(std::move(tool), 40);
  for (auto _ : state) {
    RunOptions options;
    options.record = std::make_shared<MemorySink>();
    const RunResult result = run(spec, Conversation(), "go", options);
    if (result.answer() == nullptr) state.SkipWithError("no answer");
  }
  per_step(state, 40);
  state.SetBytesProcessed(state.iterations() * 40 * static_cast<std::int64_t>(body.size()));
}
BENCHMARK(LargeResults)->Name("agent/result_110kB_x40")->Unit(benchmark::kMillisecond);

AgentSpec waiting_agent(int calls, std::int64_t ms) {
  Tool tool = tool_named("wait");
  tool.run_async([ms](json::Value arguments, ToolContext& context) -> Task<ToolResult> {
    co_await sleep_for(SystemClock::instance(), ms, context.cancel());
    co_return ToolResult::json(rows(*arguments.at("seed").as_int64()));
  });
  return agent_with(std::move(tool), calls);
}

Task<void> count_answer(Task<RunResult> task, int* answers) {
  const RunResult result = co_await std::move(task);
  if (result.answer() != nullptr) ++*answers;
}

void start(boost::asio::io_context& loop, const AgentSpec& spec, bool recorded, int& answers) {
  RunOptions options;
  if (recorded) options.record = std::make_shared<MemorySink>();
  Task<RunResult> task = run_task(spec, Conversation(), "go", std::move(options));
  boost::asio::co_spawn(loop, count_answer(std::move(task), &answers), [](std::exception_ptr) {});
}

// 2,000 runs of 5 calls that wait 1 ms each, on one thread, each with a record in memory.
void Concurrent(benchmark::State& state) {
  const auto count = static_cast<int>(state.range(0));
  const AgentSpec spec = waiting_agent(5, 1);
  for (auto _ : state) {
    boost::asio::io_context loop(1);
    int answers = 0;
    for (int i = 0; i < count; ++i) start(loop, spec, true, answers);
    loop.run();
    if (answers != count) state.SkipWithError("a run gave no answer");
  }
  state.SetItemsProcessed(state.iterations() * count);  // runs
}
BENCHMARK(Concurrent)
    ->Name("agent/concurrent_runs_5_calls_1ms")
    ->Arg(2'000)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

// What the heap holds for each run while all of them wait in their first call.
void WaitingMemoryOf(benchmark::State& state, bool recorded) {
  const auto count = static_cast<int>(state.range(0));
  const AgentSpec spec = waiting_agent(3, 1'000'000);
  for (auto _ : state) {
    boost::asio::io_context loop(1);
    const std::size_t before = mallinfo2().uordblks;
    int answers = 0;
    for (int i = 0; i < count; ++i) start(loop, spec, recorded, answers);
    loop.poll();
    state.counters["kB_per_run"] =
        static_cast<double>(mallinfo2().uordblks - before) / count / 1000;
  }
}
BENCHMARK_CAPTURE(WaitingMemoryOf, no_record, false)
    ->Name("agent/memory_while_waiting")
    ->Arg(2'000)
    ->Iterations(1);
BENCHMARK_CAPTURE(WaitingMemoryOf, memory_sink, true)
    ->Name("agent/memory_while_waiting_with_record")
    ->Arg(2'000)
    ->Iterations(1);

void Build(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(agent(5));
}
BENCHMARK(Build)->Name("agent/build_spec")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace agentfootprint
