// What a step of the loop costs, beside a bare loop that does the same JSON work.
#include <benchmark/benchmark.h>

#include "agentfootprint/agent/schema.hpp"
#include "agentfootprint/agent/spec.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/record/sink.hpp"

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

Tool rows_tool() {
  Tool tool("rows", "Five rows.");
  tool.input(schema::object().property<int>("seed", "Which.").build());
  tool.run([](const json::Value& arguments, ToolContext&) {
    return ToolResult::json(rows(*arguments.at("seed").as_int64()));
  });
  return tool;
}

std::shared_ptr<ScriptedModel> steps(int count) {
  return std::make_shared<ScriptedModel>([count](const ModelRequest& request) {
    const auto done = static_cast<int>(request.messages().size() / 2);
    if (done >= count) return ScriptedReply("all done");
    return ScriptedReply().call("rows", json::object({{"seed", done}}), "call_0");
  });
}

AgentSpec agent(int count) {
  return AgentBuilder(steps(count), "m")
      .tool(rows_tool())
      .max_iterations(count + 1)
      .names_and_numbers_from_evidence()
      .build();
}

void Step(benchmark::State& state) {
  const auto count = static_cast<int>(state.range(0));
  const AgentSpec spec = agent(count);
  for (auto _ : state) {
    RunOptions options;
    options.record = std::make_shared<MemorySink>();
    const RunResult result = run(spec, Conversation(), "go", options);
    if (result.answer() == nullptr) state.SkipWithError("no answer");
  }
  state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(Step)->Name("agent/step_with_record")->Arg(20)->Arg(400)->Unit(benchmark::kMicrosecond);

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
  state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(BareLoop)->Name("agent/bare_loop")->Arg(20)->Arg(400)->Unit(benchmark::kMicrosecond);

void Build(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(agent(5));
}
BENCHMARK(Build)->Name("agent/build_spec")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace agentfootprint
