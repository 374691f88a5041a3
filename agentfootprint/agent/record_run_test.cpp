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

TEST(RecordOfARun, IsValidAfterAKillAtAnyByte) {
  const std::string whole = record_of(2);
  for (std::size_t cut = whole.find('\n') + 1; cut < whole.size(); cut += 7) {
    const Footprint footprint = read_footprint(whole.substr(0, cut));
    EXPECT_TRUE(footprint.intact()) << cut;
  }
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
