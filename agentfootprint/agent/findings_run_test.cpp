// Findings end to end with a scripted model: both moments, streamed and whole, in a paused batch,
// across turns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Tool lookup(std::string name, std::string text) {
  Tool tool(std::move(name), "Looks something up.");
  tool.input(schema::object().property<std::optional<std::string>>("port", "The port.").build());
  tool.run([text](const json::Value&, ToolContext&) { return ToolResult::text(text); });
  return tool;
}

json::Value judging(std::string_view id, std::string_view standing) {
  return json::object(
      {{"_findings",
        json::object({{"previous", json::array({json::object(
                                       {{"toolCallId", id}, {"standing", standing}})})}})}});
}

std::vector<json::Value> rows_of(const RunResult& result, std::string_view kind) {
  std::vector<json::Value> found;
  for (const json::Value& row : result.facts().finding_rows) {
    if (row.at("kind").as_string() == kind) found.push_back(row);
  }
  return found;
}

struct FindingsRun : ::testing::Test {
  std::shared_ptr<ScriptedModel> model = std::make_shared<ScriptedModel>();
  FindingsRun() { model->keep_requests(); }
  AgentSpec spec(bool gate = true) {
    AgentBuilder builder(model, "m");
    builder.tool(lookup("ports", "fc1/7 is slow"))
        .tool(lookup("logs", "san-02 rebooted"))
        .findings();
    if (gate) builder.names_and_numbers_from_evidence();
    return builder.build();
  }
  json::Value empty = json::object(std::vector<json::Member>{});
};

TEST_F(FindingsRun, AValueOnlyFromASetAsideResultIsContingentAtTheAnswer) {
  model->then(ScriptedReply().call("ports", empty, "call_0"));
  model->then(ScriptedReply().call("logs", judging("c1", "noise"), "call_0"));
  model->then(ScriptedReply("fc1/7 is slow and san-02 rebooted"));
  const RunResult result = run(spec(), Conversation(), "what is wrong?");
  ASSERT_NE(result.answer(), nullptr);
  ASSERT_EQ(result.answer()->contingent.size(), 1u);
  const json::Value& row = result.answer()->contingent[0];
  EXPECT_EQ(row.at("value").as_string(), "fc1/7");
  EXPECT_EQ(json::dump(row.at("carriers").at(0).at("call")), "[1,0]");
  EXPECT_EQ(rows_of(result, "standing").size(), 1u);
}

TEST_F(FindingsRun, ToolsNeverSeeTheDeclarationAndRequestsCarryShortIds) {
  json::Value seen;
  AgentBuilder builder(model, "m");
  Tool tool("echo", "Echoes.");
  tool.input(schema::object().property<std::optional<std::string>>("port", "The port.").build());
  tool.run([&](const json::Value& arguments, ToolContext&) {
    seen = arguments;
    return ToolResult::text("ok");
  });
  model->then(ScriptedReply().call("echo", judging("nope", "fact"), "toolu_long"));
  model->then(ScriptedReply("done"));
  const RunResult result =
      run(builder.tool(std::move(tool)).findings().build(), Conversation(), "go");
  EXPECT_EQ(json::dump(seen), "{}");
  const auto requests = model->requests();
  EXPECT_TRUE(requests[0].tools()[0].input_schema.at("properties").contains("_findings"));
  EXPECT_EQ(requests[1].messages()[1].call_ids.at(0), "c1");
  EXPECT_EQ(*requests[1].messages()[2].tool_call_id, "c1");
  EXPECT_EQ(*requests[1].messages()[1].message->calls[0].wire_id, "toolu_long");
  EXPECT_THAT(requests[1].last_piece(), HasSubstr("c1"));
  EXPECT_EQ(rows_of(result, "standing").at(0).at("unknownId").as_bool(), true);
}

TEST_F(FindingsRun, UnarmedNothingChanges) {
  model->then(ScriptedReply(R"({"a":1,"_findings":{"basis":"direct"}})"));
  const RunResult result =
      run(AgentBuilder(model, "m").tool(lookup("ports", "x")).build(), Conversation(), "go");
  EXPECT_EQ(result.answer()->text, R"({"a":1,"_findings":{"basis":"direct"}})");
  EXPECT_TRUE(result.facts().finding_rows.empty());
  EXPECT_FALSE(model->requests()[0].tools()[0].input_schema.at("properties").contains("_findings"));
  EXPECT_EQ(model->requests()[0].last_piece(), "");
}

TEST_F(FindingsRun, StreamAndAnswerAreTheSameBytes) {
  const std::string said =
      "{\"answer\":\"fc1/"
      "7\",\"_findings\":{\"previous\":[{\"toolCallId\":\"c1\",\"standing\":\"fact\"}]}}";
  std::vector<std::string> bytes;
  for (const char c : said) bytes.emplace_back(1, c);
  model->then(ScriptedReply().call("ports", empty));
  model->then(ScriptedReply(said).chunks(bytes));
  std::string streamed;
  RunOptions options;
  options.on_text = [&](std::string_view delta) { streamed += delta; };
  const RunResult result = run(spec(), Conversation(), "go", options);
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_EQ(result.answer()->text, "{\"answer\":\"fc1/7\"}");
  EXPECT_EQ(streamed, result.answer()->text);
  // The conversation keeps what the model said.
  EXPECT_EQ(result.facts().conversation[result.facts().conversation.size() - 1].text(), said);
  EXPECT_EQ(rows_of(result, "standing").at(0).at("declaredOn").as_string(), "answer");
}

TEST_F(FindingsRun, StandingsOfABatchAreFiledBeforeAnyOfItsCalls) {
  model->then(ScriptedReply().call("ports", empty));
  model->then(ScriptedReply()
                  .call("logs", json::object({{"port", "fc1/7"}}))
                  .call("logs", judging("c1", "ruled-out")));
  model->then(ScriptedReply("nothing"));
  const RunResult result = run(spec(), Conversation(), "go");
  const auto contingent = rows_of(result, "contingent");
  ASSERT_EQ(contingent.size(), 1u);
  EXPECT_EQ(contingent[0].at("value").as_string(), "fc1/7");
  EXPECT_EQ(json::dump(contingent[0].at("declaredOn").at("call")), "[3,0]");
}

TEST_F(FindingsRun, WithoutTheGateThereAreNoContingentRows) {
  model->then(ScriptedReply().call("ports", empty));
  model->then(ScriptedReply().call("logs", judging("c1", "noise")));
  model->then(ScriptedReply("fc1/7 is slow"));
  const RunResult result = run(spec(false), Conversation(), "go");
  EXPECT_TRUE(rows_of(result, "contingent").empty());
  EXPECT_EQ(rows_of(result, "standing").size(), 1u);
}

TEST_F(FindingsRun, ConsecutiveRequestsShareTheirPrefix) {
  for (int i = 0; i < 6; ++i) {
    model->then(ScriptedReply().call(i % 2 == 0 ? "ports" : "logs",
                                     i == 0 ? empty : judging("c" + std::to_string(i), "noise")));
  }
  model->then(ScriptedReply("done"));
  (void)run(spec(), Conversation(), "go");
  const auto requests = model->requests();
  for (std::size_t r = 1; r < requests.size(); ++r) {
    EXPECT_EQ(requests[r].joined_system(), requests[r - 1].joined_system());
    EXPECT_EQ(json::dump(requests[r].tools()[0].input_schema),
              json::dump(requests[r - 1].tools()[0].input_schema));
    const auto& before = requests[r - 1].messages();
    const auto& after = requests[r].messages();
    ASSERT_GT(after.size(), before.size());
    for (std::size_t m = 0; m < before.size(); ++m) {
      EXPECT_EQ(before[m].message, after[m].message);
      EXPECT_EQ(before[m].call_ids, after[m].call_ids);
      EXPECT_EQ(json::dump(before[m].served_content()), json::dump(after[m].served_content()));
    }
  }
}

TEST_F(FindingsRun, StandingsHoldAcrossATurnAndAPause) {
  AgentBuilder builder(model, "m");
  Tool asking("approve", "Asks.");
  asking.run([](const json::Value&, ToolContext&) { return ToolResult::ask(Question("ok?")); });
  const AgentSpec agent = builder.tool(lookup("ports", "fc1/7 is slow"))
                              .tool(std::move(asking))
                              .findings()
                              .names_and_numbers_from_evidence()
                              .build();
  model->then(ScriptedReply().call("ports", empty));
  model->then(ScriptedReply().call("approve", judging("c1", "open")));
  const RunResult paused = run(agent, Conversation(), "go");
  ASSERT_NE(paused.paused(), nullptr);
  EXPECT_EQ(rows_of(paused, "standing").size(), 1u);
  model->then(ScriptedReply("fc1/7 it is"));
  RunResult done = resume(agent, json::parse_or_throw(json::dump(paused.paused()->checkpoint)),
                          {Resolution::value("[3,0]", "yes")});
  ASSERT_NE(done.answer(), nullptr);
  ASSERT_EQ(done.answer()->contingent.size(), 1u);
  model->then(ScriptedReply("still fc1/7"));
  RunOptions options;
  options.finding_rows = done.facts().finding_rows;
  const RunResult next = run(agent, std::move(done).take_conversation(), "and now?", options);
  ASSERT_NE(next.answer(), nullptr);
  // Rows are of one turn: the carrier is of the turn before, so nothing new is filed.
  EXPECT_TRUE(next.answer()->contingent.empty());
  EXPECT_EQ(rows_of(next, "contingent").size(), 1u);
}

TEST_F(FindingsRun, MalformedDeclarationsAreCounted) {
  model->then(ScriptedReply().call("ports", json::object({{"_findings", "nonsense"}})));
  model->then(ScriptedReply(R"({"a":1,"_findings":[1]})"));
  const RunResult result = run(spec(), Conversation(), "go");
  EXPECT_EQ(result.answer()->malformed_declarations, 2u);
}

TEST_F(FindingsRun, AJudgeIsASecondOpinionWithABudget) {
  findings::FindingsOptions options;
  options.judge.max_calls = 1;
  AgentBuilder builder(model, "m");
  builder.tool(lookup("ports", "fc1/7 is slow"))
      .findings(options)
      .judge("critic", [](const findings::JudgeRequest&, findings::JudgeDone done) {
        findings::JudgeReply reply;
        reply.choice = "noise";
        reply.model = "tiny";
        done(findings::JudgeOutcome(reply));
      });
  model->then(ScriptedReply().call("ports", empty))
      .then(ScriptedReply().call("ports", json::object({{"port", "b"}})));
  model->then(ScriptedReply("done"));
  const RunResult result = run(builder.build(), Conversation(), "go");
  EXPECT_EQ(rows_of(result, "judgment").size(), 1u);
  EXPECT_EQ(rows_of(result, "judgment-error").size(), 1u);
  EXPECT_TRUE(rows_of(result, "standing").empty());
}

TEST_F(FindingsRun, AToolThatOwnsTheNameIsRefusedUnlessItComesFromElsewhere) {
  Tool own("own", "Has the name.");
  own.input(schema::object().property<std::optional<std::string>>("_findings", "Mine.").build());
  own.run([](const json::Value& arguments, ToolContext&) {
    return ToolResult::text(json::dump(arguments));
  });
  Tool foreign = own;
  foreign.source("mcp:files");
  EXPECT_THROW((void)AgentBuilder(model, "m").tool(own).findings().build(), Refusal);
  model->then(ScriptedReply().call("own", json::object({{"_findings", "kept"}})))
      .then(ScriptedReply("ok"));
  const RunResult result =
      run(AgentBuilder(model, "m").tool(foreign).findings().build(), Conversation(), "go");
  EXPECT_EQ(results_of(result.facts().conversation).at(0), R"({"_findings":"kept"})");
  EXPECT_TRUE(result.facts().finding_rows.empty());
}

}  // namespace
}  // namespace agentfootprint
