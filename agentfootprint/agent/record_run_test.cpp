// A run's record: readable back, linear in new content, valid after a kill at any line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/record/reader.hpp"
#include "agentfootprint/record/sink.hpp"

namespace agentfootprint {
namespace {

std::shared_ptr<ScriptedModel> steps(int count) {
  auto model = std::make_shared<ScriptedModel>();
  for (int i = 0; i < count; ++i) {
    model->then(ScriptedReply().call("ports", port("fc1/" + std::to_string(i)), "call_0"));
  }
  model->then(ScriptedReply("fc1/0 is down"));
  return model;
}

std::string record_of(int count) {
  auto sink = std::make_shared<MemorySink>();
  RunOptions options;
  options.record = sink;
  const AgentSpec spec = AgentBuilder(steps(count), "m")
                             .tool(port_tool())
                             .max_iterations(1'000)
                             .names_and_numbers_from_evidence()
                             .build();
  EXPECT_NE(run(spec, Conversation(), "go", options).answer(), nullptr);
  return sink->text();
}

TEST(RecordOfARun, ReadsBackAsTheConversation) {
  const Footprint footprint = read_footprint(record_of(3));
  EXPECT_TRUE(footprint.complete());
  EXPECT_EQ(footprint.end_status, "complete");
  EXPECT_EQ(footprint.conversation.size(), 8u);
  EXPECT_EQ(footprint.conversation.key_of_result(4), (CallKey{3, 0, false}));
  ASSERT_EQ(footprint.requests.size(), 4u);
  EXPECT_GT(footprint.requests[3].items.size(), footprint.requests[0].items.size());
  bool verdict = false;
  for (const RecordedLine& line : footprint.lines) verdict = verdict || line.kind == "verdict";
  EXPECT_TRUE(verdict);
}

TEST(RecordOfARun, GrowsWithNewContentOnly) {
  const std::size_t ten = record_of(10).size();
  const std::size_t twenty = record_of(20).size();
  const std::size_t eighty = record_of(80).size();
  const double per_step_small = static_cast<double>(twenty - ten) / 10;
  const double per_step_large = static_cast<double>(eighty - twenty) / 60;
  EXPECT_LT(per_step_large, per_step_small * 1.1);
}

// A tool may take the process with it: what it was asked is in the sink by then.
TEST(RecordOfARun, HoldsTheCallBeforeItsToolRuns) {
  auto sink = std::make_shared<MemorySink>();
  RunOptions options;
  options.record = sink;
  std::string seen;
  Tool tool("ports", "State of one port.");
  tool.run([&](const json::Value&, ToolContext&) {
    seen = sink->text();
    return ToolResult::text("up");
  });
  const AgentSpec spec = AgentBuilder(steps(1), "m").tool(std::move(tool)).build();
  ASSERT_NE(run(spec, Conversation(), "go", options).answer(), nullptr);
  const Footprint so_far = read_footprint(seen);
  EXPECT_TRUE(so_far.intact());
  ASSERT_EQ(so_far.conversation.size(), 2u);
  ASSERT_EQ(so_far.conversation[1].calls.size(), 1u);
  EXPECT_EQ(*so_far.conversation[1].calls[0].arguments_text, R"({"port":"fc1/0"})");
}

TEST(RecordOfARun, IsValidAfterAKillAtAnyByte) {
  const std::string whole = record_of(2);
  for (std::size_t cut = whole.find('\n') + 1; cut < whole.size(); cut += 7) {
    const Footprint footprint = read_footprint(whole.substr(0, cut));
    EXPECT_TRUE(footprint.intact()) << cut;
  }
}

// Commit lines of a record, in order.
std::vector<json::Value> commits_of(const std::string& text) {
  std::vector<json::Value> commits;
  for (const RecordedLine& line : read_footprint(text).lines) {
    if (line.kind == "commit") commits.push_back(line.value);
  }
  return commits;
}

std::string stage_of(const json::Value& commit) {
  const std::string id(*commit.at("stage").as_string());
  return id.substr(0, id.find('#'));
}

TEST(RecordOfARun, HoldsACommitForEachStep) {
  const std::vector<json::Value> commits = commits_of(record_of(2));
  std::vector<std::string> stages;
  for (const json::Value& commit : commits) stages.push_back(stage_of(commit));
  EXPECT_THAT(stages,
              ::testing::ElementsAre("seed", "answer-pending", "context", "call-model", "route",
                                     "run-tools", "context", "call-model", "route", "run-tools",
                                     "context", "call-model", "route", "final"));
  for (std::size_t row = 0; row < commits.size(); ++row) {
    EXPECT_EQ(commits[row].at("row").as_int64(), static_cast<std::int64_t>(row));
    const json::Value* reads = commits[row].find("reads");
    if (reads == nullptr) continue;
    for (const json::Value& read : reads->elements()) {
      const json::Value* from = read.find("from");
      if (from == nullptr) continue;
      EXPECT_LT(*from->as_int64(), static_cast<std::int64_t>(row));
    }
  }
}

TEST(RecordOfARun, ACommitNamesTheWriterItSawAndWritesWhatIsNew) {
  const std::vector<json::Value> commits = commits_of(record_of(2));
  bool saw_the_calls = false;
  for (const json::Value& read : commits[8].at("reads").elements()) {
    if (read.at("key").as_string() != "/calls") continue;
    saw_the_calls = true;
    EXPECT_EQ(read.at("from").as_int64(), 7);  // the model call right before, not the first one
  }
  EXPECT_TRUE(saw_the_calls);
  std::size_t appended = 0;
  for (const json::Value& write : commits[9].at("writes").elements()) {
    if (write.at("key").as_string() != "/results") continue;
    EXPECT_EQ(*write.at("verb").as_string(), "append");
    ++appended;
  }
  EXPECT_EQ(appended, 1u);
}

TEST(RecordOfARun, LongValuesOfCommitsStandInItemsOnce) {
  const std::string answer = "fc1/0 is down " + std::string(200, 'z');
  auto sink = std::make_shared<MemorySink>();
  RunOptions options;
  options.record = sink;
  auto model = std::make_shared<ScriptedModel>();
  model->then(ScriptedReply(answer));
  (void)run(AgentBuilder(model, "m").build(), Conversation(), "go", options);
  const std::string text = sink->text();
  const std::size_t first = text.find(answer);
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find(answer, first + 1), std::string::npos);
  EXPECT_GE(commits_of(text).size(), 5u);
}

TEST(RecordOfARun, AnOutcomeThatIsNoAnswerEndsItToo) {
  auto sink = std::make_shared<MemorySink>();
  RunOptions options;
  options.record = sink;
  auto model = std::make_shared<ScriptedModel>();
  model->then(ScriptedReply("x").fail(ModelError(ModelError::Kind::authentication, "no key")));
  const RunResult result = run(AgentBuilder(model, "m").build(), Conversation(), "go", options);
  ASSERT_NE(result.failed(), nullptr);
  EXPECT_FALSE(result.failed()->can_resume);
  EXPECT_EQ(read_footprint(sink->text()).end_status, "failed");
}

}  // namespace
}  // namespace agentfootprint
