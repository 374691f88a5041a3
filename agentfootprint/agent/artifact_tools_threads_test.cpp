// Work on the store's thread: many runs of one spec at the same time, and calls that are given up
// while the store is still at it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/agent/artifact_tools.hpp"
#include "agentfootprint/artifacts/internal/temporary_folder.hpp"

namespace agentfootprint {
namespace {

Tool staging_tool() {
  Tool tool("volumes", "All volumes.");
  tool.run([](const json::Value&, ToolContext&) {
    json::ArrayBuilder rows;
    for (int i = 0; i < 20; ++i) rows.add(json::object({{"iops", 1000 + i}}));
    return ToolResult::json(json::object({{"rows", rows.build()}}));
  });
  return with_dataset_artifacts(std::move(tool), [](const json::Value& result, const json::Value&) {
    return one_dataset("volumes", "dataset/rows", result.at("rows"));
  });
}

// Stages, queries what it staged, answers; the state of a run is in its conversation.
ScriptedReply next_step(const ModelRequest& request) {
  const std::string text = request.messages().back().message->text();
  const std::size_t ticket = text.find("art_");
  if (request.messages().size() == 1) {
    return ScriptedReply().call("volumes", json::object(std::vector<json::Member>{}));
  }
  if (request.messages().size() == 3 && ticket != std::string::npos) {
    return ScriptedReply().call("query",
                                json::object({{"ref", text.substr(ticket, 26)},
                                              {"sql", "SELECT max(iops) AS most FROM rows"}}));
  }
  return ScriptedReply("done");
}

TEST(ArtifactToolsThreads, ManyRunsShareOneStore) {
  const artifacts_internal::TemporaryFolder folder;
  const AgentSpec spec =
      AgentBuilder(std::make_shared<ScriptedModel>(next_step), "m")
          .artifacts(open_artifact_store("sqlite:" + folder.path("s.db"), ArtifactStoreOptions()))
          .tool(staging_tool())
          .tool(query_tool())
          .build();
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) {
        const RunResult result = run(spec, Conversation(), "go");
        const auto texts = results_of(result.facts().conversation);
        if (texts.size() == 2 && texts[1].find("\"most\":1019") != std::string::npos) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right.load(), 20);
}

TEST(ArtifactToolsThreads, ACallIsGivenUpWhileTheStoreStillWrites) {
  const artifacts_internal::TemporaryFolder folder;
  ArtifactStoreOptions options;
  options.on_step = [](std::string_view) {
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
  };
  Tool tool = staging_tool();
  tool.timeout_ms(5);
  const AgentSpec spec =
      AgentBuilder(std::make_shared<ScriptedModel>(next_step), "m")
          .artifacts(open_artifact_store("sqlite:" + folder.path("s.db"), options))
          .tool(std::move(tool))
          .build();
  for (int i = 0; i < 5; ++i) {
    EventLog log;
    RunOptions run_options;
    run_options.events = &log;
    const RunResult result = run(spec, Conversation(), "go", run_options);
    ASSERT_NE(result.answer(), nullptr);
    EXPECT_NE(results_of(result.facts().conversation).front().find("gave no result within 5 ms"),
              std::string::npos);
    EXPECT_EQ(log.count("artifact:volumes:minted"), 0u) << "nobody waits for these facts";
  }
}

}  // namespace
}  // namespace agentfootprint
