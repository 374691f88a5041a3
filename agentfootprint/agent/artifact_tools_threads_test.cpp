// Work on the store's thread: many runs of one spec at the same time, and calls that are given up
// while the store is still at it.
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <optional>
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

// A store whose next step waits until the test lets it go.
class Gate {
 public:
  void wait() {
    if (!shut_.load()) return;
    waiting_.store(true);
    while (shut_.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void shut() { shut_.store(true); }
  void open() { shut_.store(false); }
  [[nodiscard]] bool waiting() const { return waiting_.load(); }
  [[nodiscard]] bool is_shut() const { return shut_.load(); }

 private:
  std::atomic<bool> shut_ = false;
  std::atomic<bool> waiting_ = false;
};

Task<void> keep(Task<RunResult> task, std::optional<RunResult>* into) {
  into->emplace(co_await std::move(task));
}

// Runs SPEC, cancels it as soon as the store waits at the gate, and gives what came of the run
// while the store was still waiting.
RunResult cancelled_at(Gate& gate, const AgentSpec& spec) {
  boost::asio::io_context loop(1);
  CancelSource cancel;
  RunOptions options;
  options.cancel = cancel.token();
  std::optional<RunResult> result;
  Task<RunResult> task = run_task(spec, Conversation(), "go", std::move(options));
  boost::asio::co_spawn(loop, keep(std::move(task), &result), [](std::exception_ptr) {});
  std::thread person([&] {
    while (!gate.waiting()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    cancel.cancel("the person left");
    for (int i = 0; i < 5'000 && gate.is_shut(); ++i) {  // a run that waits fails, and ends
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    gate.open();
  });
  while (!result) loop.run_one();
  EXPECT_TRUE(gate.is_shut()) << "the run waited for the store";
  gate.open();
  person.join();
  loop.run();  // what was left behind ends on its own
  return std::move(*result);
}

TEST(ArtifactToolsThreads, ACancelledRunDoesNotWaitForTheStore) {
  const artifacts_internal::TemporaryFolder folder;
  auto gate = std::make_shared<Gate>();
  ArtifactStoreOptions options;
  options.on_step = [gate](std::string_view) { gate->wait(); };
  const std::shared_ptr<ArtifactStore> store =
      open_artifact_store("sqlite:" + folder.path("s.db"), options);
  Tool tool("volumes", "All volumes.");
  tool.run([gate](const json::Value&, ToolContext&) {
    gate->shut();
    return ToolResult::text(std::string(4'000, 'x') + "the end");
  });
  const AgentSpec spec = AgentBuilder(std::make_shared<ScriptedModel>(next_step), "m")
                             .artifacts(store, 1'000)
                             .tool(std::move(tool))
                             .build();
  const RunResult result = cancelled_at(*gate, spec);
  ASSERT_NE(result.stopped(), nullptr);
  EXPECT_EQ(name_of(result.stopped()->reason), "cancelled");
  const std::vector<std::string> results = results_of(result.facts().conversation);
  ASSERT_EQ(results.size(), 1u) << "the call was executed and its result is kept";
  EXPECT_NE(results.front().find("the end"), std::string::npos);
}

}  // namespace
}  // namespace agentfootprint
