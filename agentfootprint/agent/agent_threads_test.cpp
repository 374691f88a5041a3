// One spec, many runs on many threads: nothing of a spec is written while it runs.
#include <gtest/gtest.h>

#include <thread>

#include "agentfootprint/agent/agent_fixture.hpp"

namespace agentfootprint {
namespace {

TEST(AgentThreads, OneSpecRunsOnManyThreadsAtOnce) {
  auto model = std::make_shared<ScriptedModel>([](const ModelRequest& request) {
    if (request.messages().size() == 1) return ScriptedReply().call("ports", port("fc1/3"));
    return ScriptedReply("fc1/3 is down, 41200 errors");
  });
  const AgentSpec spec = AgentBuilder(model, "m")
                             .tool(port_tool())
                             .names_and_numbers_from_evidence()
                             .findings()
                             .build();
  std::vector<std::thread> threads;
  std::vector<int> answered(4, 0);
  for (std::size_t t = 0; t < answered.size(); ++t) {
    threads.emplace_back([&spec, &answered, t] {
      for (int i = 0; i < 25; ++i) {
        const RunResult result = run(spec, Conversation(), "is fc1/3 down?");
        if (result.answer() != nullptr && !result.answer()->unsupported) ++answered[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : answered) EXPECT_EQ(count, 25);
}

TEST(AgentThreads, CancellingFromAnotherThreadStopsARun) {
  Tool tool("wait", "Waits.");
  tool.run_async([](json::Value, ToolContext& context) -> Task<ToolResult> {
    co_await sleep_for(context.clock(), 60'000, context.cancel());
    co_return ToolResult::text("never");
  });
  auto model = std::make_shared<ScriptedModel>();
  model->then(ScriptedReply().call("wait", json::object(std::vector<json::Member>{})));
  const AgentSpec spec = AgentBuilder(model, "m").tool(std::move(tool)).build();
  CancelSource source;
  RunOptions options;
  options.cancel = source.token();
  std::thread canceller([&source] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    source.cancel("enough");
  });
  const RunResult result = run(spec, Conversation(), "go", options);
  canceller.join();
  ASSERT_NE(result.stopped(), nullptr);
  EXPECT_EQ(result.stopped()->reason, Stopped::Reason::cancelled);
  EXPECT_TRUE(result.facts().conversation.open_calls().empty());
}

}  // namespace
}  // namespace agentfootprint
