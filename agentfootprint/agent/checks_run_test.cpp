// The checks of a run: where each is asked, what it tells, and one row for every one of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/record/reader.hpp"
#include "agentfootprint/record/sink.hpp"
#include "agentfootprint/semantics/described_result.hpp"

namespace agentfootprint {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Checks : ::testing::Test {
  std::shared_ptr<ScriptedModel> model = std::make_shared<ScriptedModel>();
  std::shared_ptr<MemorySink> sink = std::make_shared<MemorySink>();
  EventLog events;
  Checks() { model->keep_requests(); }
  AgentBuilder builder() { return AgentBuilder(model, "small-1"); }
  RunResult go(const AgentSpec& spec, std::string input = "is fc1/3 down?") {
    RunOptions options;
    options.events = &events;
    options.record = sink;
    return run(spec, Conversation(), std::move(input), options);
  }
  static std::string line(const CheckRow& row) {
    return row.check + " " + std::string(name_of(row.outcome)) + " " + std::to_string(row.fired) +
           "/" + std::to_string(row.passed);
  }
  static std::vector<std::string> lines(const RunResult& result) {
    std::vector<std::string> all;
    for (const CheckRow& row : result.facts().checks) all.push_back(line(row));
    return all;
  }
  static std::string row_of(const RunResult& result, std::string_view check) {
    for (const CheckRow& row : result.facts().checks) {
      if (row.check == check) return line(row);
    }
    return "";
  }
};

Tool grounded_port_tool() {
  Tool tool = port_tool("reset");
  tool.arguments_from({"ports"});
  tool.run([](const json::Value& arguments, ToolContext&) {
    return ToolResult::error("no such port " + std::string(*arguments.at("port").as_string()));
  });
  return tool;
}

TEST_F(Checks, NoneIsArmedAndNoneHasARow) {
  model->then(ScriptedReply("hello"));
  EXPECT_THAT(lines(go(builder().build(), "hi")), ElementsAre());
  EXPECT_THAT(sink->text(), Not(HasSubstr("check")));
}

TEST_F(Checks, EveryCheckHasARowOnceAnyIsArmed) {
  model->then(ScriptedReply("fc1/3 is fine"));
  const RunResult result = go(builder().names_and_numbers_from_evidence().build());
  EXPECT_THAT(
      lines(result),
      ElementsAre("evidence passed 0/1", "contingent not-applicable 0/0",
                  "prior-turn-evidence not-applicable 0/0",
                  "unsupported-argument not-applicable 0/0",
                  "dangling-reference not-applicable 0/0", "empty-lookup not-applicable 0/0",
                  "unsupported-claim not-applicable 0/0", "conflicting-facts not-applicable 0/0"));
  EXPECT_EQ(result.facts().checks[1].note, "not armed");
  const Footprint footprint = read_footprint(sink->text());
  std::size_t rows = 0;
  for (const RecordedLine& one : footprint.lines) {
    if (one.kind == "row" && one.value.at("row").as_string() == "check") ++rows;
  }
  EXPECT_EQ(rows, 8u);
}

TEST_F(Checks, ACheckThatWasNotReachedSaysSo) {
  model->then(ScriptedReply().fail(ModelError(ModelError::Kind::server, "down")));
  const RunResult failed = go(builder().names_and_numbers_from_evidence().build());
  EXPECT_EQ(row_of(failed, "evidence"), "evidence could-not-run 0/0");
  EXPECT_THAT(failed.facts().checks[0].note, HasSubstr("ended before"));
  model->then(ScriptedReply("  "));
  const RunResult blank = go(builder().names_and_numbers_from_evidence().build());
  EXPECT_EQ(row_of(blank, "evidence"), "evidence not-applicable 0/0");
}

TEST_F(Checks, TheSystemPromptIsSuppliedByTheApp) {
  model->then(ScriptedReply("Ask for ticket Q-4471-OPS."));
  const RunResult result = go(builder()
                                  .system("Escalate with ticket Q-4471-OPS.")
                                  .names_and_numbers_from_evidence()
                                  .build(),
                              "what now?");
  EXPECT_EQ(row_of(result, "evidence"), "evidence passed 0/1");
}

TEST_F(Checks, ArgumentsFromNowhereAreTold) {
  model->then(ScriptedReply().call("ports", port("fc1/3")));
  model->then(ScriptedReply().call("reset", port("fc1/3")));
  model->then(ScriptedReply().call("reset", port("fc9/9")));
  model->then(ScriptedReply().call("reset", port("fc9/9")));
  model->then(ScriptedReply("done"));
  const RunResult result = go(builder().tool(port_tool()).tool(grounded_port_tool()).build());
  EXPECT_EQ(row_of(result, "unsupported-argument"), "unsupported-argument fired 2/1");
  EXPECT_EQ(events.count("check:unsupported-argument:fired"), 2u);
  // One defect, one line.
  const std::string record = sink->text();
  const auto first = record.find("context_error");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(record.find("context_error", first + 1), std::string::npos);
  EXPECT_THAT(record, HasSubstr(R"("predicate":"/port")"));
  // Nothing was held back.
  EXPECT_THAT(results_of(result.facts().conversation).at(2), HasSubstr("no such port fc9/9"));
}

TEST_F(Checks, GroundsThatWentOutOfViewAreTold) {
  model->then(ScriptedReply().call("ports", port("fc1/3")));
  for (int i = 0; i < 3; ++i) model->then(ScriptedReply().call("other", port("fc1/3")));
  model->then(ScriptedReply("done"));
  const RunResult result =
      go(builder()
             .tool(port_tool())
             .tool(port_tool("other"))
             .tool(grounded_port_tool())
             .window(context::WindowStrategy::sliding(2).keep_last_tool_results(0))
             .build());
  EXPECT_THAT(row_of(result, "dangling-reference"), HasSubstr("dangling-reference fired"));
  EXPECT_THAT(sink->text(), HasSubstr("results that went out of view: ports"));
}

TEST_F(Checks, LookupsThatFindNothingThoughTheirGroundShowedIt) {
  Tool lookup("lookup", "Looks a port up.");
  lookup.input(schema::object().property<std::string>("port", "The port.").build());
  lookup.arguments_from({"ports"});
  lookup.run([](const json::Value&, ToolContext&) {
    return ToolResult::json(json::array(std::vector<json::Value>{}));
  });
  model->then(ScriptedReply().call("lookup", port("fc1/3")));
  model->then(ScriptedReply().call("ports", port("fc1/3")));
  model->then(ScriptedReply().call("lookup", port("fc1/3")));
  model->then(ScriptedReply("not there"));
  const RunResult result =
      go(builder().tool(port_tool()).tool(lookup).notice_empty_lookups().build());
  EXPECT_EQ(row_of(result, "empty-lookup"), "empty-lookup could-not-run 0/1");
  EXPECT_THAT(sink->text(), HasSubstr("lookup found nothing for /port, which ports has shown"));
  EXPECT_THAT(sink->text(), HasSubstr("\"advisory\":true"));
  EXPECT_THROW((void)builder().tool(port_tool()).notice_empty_lookups().build(), Refusal);
}

Tool menu_tool() {
  Tool tool("menu", "Counts the menu.");
  tool.run([](const json::Value&, ToolContext&) {
    return ToolResult::json(
        semantics::described_result(json::parse_or_throw(
                                        R"({"facts":[{"entity":"nav","count":2}],
                                    "provenance":{"measuredAt":"2026-04-12T08:00:00Z",
                                                  "source":"dom"}})"))
            .envelope());
  });
  return tool;
}

TEST_F(Checks, ClaimsAreComparedWithWhatWasRead) {
  const json::Value form = schema::object().property<int>("navCount", "Entries.").build();
  const auto ask = [&](std::string answer) {
    model->then(ScriptedReply().call("menu", json::object(std::vector<json::Member>{})));
    model->then(ScriptedReply(std::move(answer)));
    return go(builder()
                  .tool(menu_tool())
                  .output_schema(form)
                  .claims({{"navCount", "nav", "count"}})
                  .build());
  };
  EXPECT_EQ(row_of(ask(R"({"navCount":2})"), "unsupported-claim"), "unsupported-claim passed 0/1");
  const RunResult wrong = ask(R"({"navCount":5})");
  ASSERT_NE(wrong.answer(), nullptr);
  EXPECT_EQ(row_of(wrong, "unsupported-claim"), "unsupported-claim fired 1/0");
  EXPECT_THAT(sink->text(), HasSubstr(R"("claimed":5)"));
  model->then(ScriptedReply(R"({"navCount":5})"));
  const RunResult unread = go(builder()
                                  .tool(menu_tool())
                                  .output_schema(form)
                                  .claims({{"navCount", "nav", "count"}})
                                  .build());
  EXPECT_EQ(row_of(unread, "unsupported-claim"), "unsupported-claim could-not-run 0/0");
}

TEST_F(Checks, ClaimsSurviveAPause) {
  Tool ask("approve", "Asks.");
  ask.run([](const json::Value&, ToolContext&) { return ToolResult::ask(Question("ok?")); });
  const json::Value none = json::object(std::vector<json::Member>{});
  model->then(ScriptedReply().call("menu", none));
  model->then(ScriptedReply().call("approve", none));
  const AgentSpec spec = builder()
                             .tool(menu_tool())
                             .tool(ask)
                             .output_schema(json::object({{"type", "object"}}))
                             .claims({{"navCount", "nav", "count"}})
                             .build();
  const RunResult paused = go(spec);
  ASSERT_NE(paused.paused(), nullptr);
  model->then(ScriptedReply(R"({"navCount":2})"));
  const RunResult done = resume(spec, json::parse_or_throw(json::dump(paused.paused()->checkpoint)),
                                {Resolution::value(paused.paused()->pending[0].id, true)});
  EXPECT_EQ(row_of(done, "unsupported-claim"), "unsupported-claim passed 0/1");
}

TEST_F(Checks, FactsThatContradictEachOtherAreTold) {
  const auto declaring = [](std::string_view id, std::string_view state) {
    const json::Value assertion = json::parse_or_throw(
        R"({"subject":{"kind":"port","id":"fc1/3"},"predicate":"state","value":")" +
        std::string(state) + "\"}");
    const json::Value one = json::object(
        {{"toolCallId", id}, {"standing", "fact"}, {"assertions", json::array({assertion})}});
    return json::object(
        {{"port", "fc1/3"},
         {"_findings", json::object({{"basis", "direct"}, {"previous", json::array({one})}})}});
  };
  model->then(ScriptedReply().call("ports", port("fc1/3")));
  model->then(ScriptedReply().call("ports", declaring("c1", "up")));
  model->then(ScriptedReply().call("ports", declaring("c2", "down")));
  model->then(ScriptedReply("it is down"));
  const RunResult result = go(builder().tool(port_tool()).findings().build());
  EXPECT_EQ(row_of(result, "conflicting-facts"), "conflicting-facts fired 1/0");
  EXPECT_THAT(sink->text(), HasSubstr("different values of state"));
}

TEST_F(Checks, AClaimsContractNeedsASchema) {
  try {
    (void)builder().claims({{"a", "e", "f"}}).build();
    FAIL() << "not refused";
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.code(), "agent-claims");
  }
}

}  // namespace
}  // namespace agentfootprint
