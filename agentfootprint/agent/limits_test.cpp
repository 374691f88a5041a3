// Limits that are visible: cleanups that wait, the deadline, corrections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Limits : ::testing::Test {
  std::shared_ptr<ScriptedModel> model = std::make_shared<ScriptedModel>();
  EventLog events;
  DeterministicLoop loop;
  std::vector<std::string> order;
  Limits() { model->use_clock(loop.clock()); }
  AgentBuilder builder() { return AgentBuilder(model, "small-1"); }
  RunOptions options() {
    RunOptions made;
    made.events = &events;
    made.clock = &loop.clock();
    return made;
  }
  RunResult go(const AgentSpec& spec, RunOptions with) {
    return loop.run(run_task(spec, Conversation(), "go", std::move(with)));
  }
  // A cleanup that takes so long, and what it says when it is done.
  static Task<void> slow_cleanup(const Clock* clock, std::int64_t ms, std::string word,
                                 std::vector<std::string>* into) {
    co_await sleep_for(*clock, ms);
    into->push_back(std::move(word));
  }
  static Task<void> broken_cleanup() {
    throw std::runtime_error("cleanup failed");
    co_return;
  }
  // Opens a session whose cleanups behind the call take 10 ms and `hang_ms`.
  Tool session(std::int64_t hang_ms) {
    Tool tool("session", "Opens a session.");
    tool.run([this, hang_ms](const json::Value&, ToolContext& context) {
      const Clock* clock = &loop.clock();
      EXPECT_TRUE(context.on_teardown_task(
          [this, clock] { return slow_cleanup(clock, 10, "first", &order); }));
      EXPECT_TRUE(context.on_teardown_task([] { return broken_cleanup(); }));
      EXPECT_TRUE(context.on_teardown_task(
          [this, clock, hang_ms] { return slow_cleanup(clock, hang_ms, "hung", &order); }));
      context.on_teardown([this] { order.push_back("plain"); });
      EXPECT_TRUE(context.on_teardown_task(
          [this, clock] { return slow_cleanup(clock, 1, "turn", &order); }, TeardownScope::run));
      return ToolResult::text("open");
    });
    return tool;
  }
};

json::Value nothing() {
  return json::object(std::vector<json::Member>{});
}

TEST_F(Limits, CleanupsThatWaitRunNewestFirst) {
  model->then(ScriptedReply().call("session", nothing())).then(ScriptedReply("done"));
  const RunResult result = go(builder().tool(session(20)).build(), options());
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_THAT(order, ElementsAre("plain", "hung", "first", "turn"));
  EXPECT_EQ(events.count("teardown:session:failed"), 1u);
  EXPECT_EQ(events.count("teardown:session:timed-out"), 0u);
}

TEST_F(Limits, ACleanupThatHangsIsLeftBehind) {
  model->then(ScriptedReply().call("session", nothing())).then(ScriptedReply("done"));
  const RunResult result =
      go(builder().tool(session(60'000)).teardown_timeout_ms(100).build(), options());
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_THAT(order, ElementsAre("plain", "first", "turn"));
  EXPECT_EQ(events.count("teardown:session:timed-out"), 1u);
  EXPECT_EQ(loop.clock().wall_ms(), 100 + 10 + 1);
  loop.drain();
  EXPECT_EQ(order.back(), "hung");  // it ends by itself, and nothing it uses is gone
}

TEST_F(Limits, CleanupsRunWhenTheRunWasCancelled) {
  Tool tool("open", "Opens.");
  tool.run_async([this](json::Value, ToolContext& context) -> Task<ToolResult> {
    const Clock* clock = &loop.clock();
    context.on_teardown_task([this, clock] { return slow_cleanup(clock, 5, "closed", &order); },
                             TeardownScope::run);
    co_await sleep_for(context.clock(), 10'000, context.cancel());
    co_return ToolResult::text("never");
  });
  model->then(ScriptedReply().call("open", nothing()));
  RunOptions with = options();
  with.deadline_ms = 50;
  const RunResult result = go(builder().tool(std::move(tool)).build(), with);
  ASSERT_NE(result.stopped(), nullptr);
  EXPECT_THAT(order, ElementsAre("closed"));
}

TEST_F(Limits, TheDeadlineIsVisible) {
  Tool tool("slow", "Slow.");
  tool.run_async([](json::Value, ToolContext& context) -> Task<ToolResult> {
    EXPECT_TRUE(context.cancel().deadline_ns().has_value() || context.cancel().armed());
    co_await sleep_for(context.clock(), 10'000, context.cancel());
    co_return ToolResult::text("never");
  });
  model->then(ScriptedReply().call("slow", nothing()));
  RunOptions with = options();
  with.deadline_ms = 70;
  const RunResult result = go(builder().tool(std::move(tool)).build(), with);
  ASSERT_NE(result.stopped(), nullptr);
  EXPECT_EQ(result.facts().deadline_ms, 70);
  EXPECT_EQ(result.facts().elapsed_ms, 70);
  EXPECT_EQ(events.count("budget:deadline:stopped"), 1u);
}

TEST_F(Limits, CorrectionsThatCannotBePaidForAreToldOnce) {
  const AgentSpec spec =
      builder().output_schema(json::object({{"type", "object"}}), 5).max_corrections(1).build();
  model->then(ScriptedReply("no")).then(ScriptedReply("still no"));
  const RunResult result = go(spec, options());
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_EQ(result.facts().corrections, 1u);
  EXPECT_EQ(events.count("budget:corrections:spent"), 1u);
  events.entries.clear();
  model->then(ScriptedReply("{}"));
  EXPECT_NE(go(spec, options()).answer(), nullptr);
  EXPECT_EQ(events.count("budget:corrections:spent"), 0u);
}

TEST_F(Limits, ATimeForCleanupsMustBePositive) {
  EXPECT_THROW((void)builder().teardown_timeout_ms(0).build(), Refusal);
  EXPECT_THAT(order, IsEmpty());
}

}  // namespace
}  // namespace agentfootprint
