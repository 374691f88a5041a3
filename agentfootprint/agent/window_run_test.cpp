// Windows in runs: what a request shows, what the record says of it, and what evidence keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/record/reader.hpp"
#include "agentfootprint/record/sink.hpp"

namespace agentfootprint {
namespace {

using context::WindowStrategy;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Usage tokens(std::int64_t input, std::int64_t output = 10) {
  Usage usage;
  usage.input_tokens = input;
  usage.output_tokens = output;
  return usage;
}

// A tool whose results are long and carry a value of their own.
Tool long_tool(std::string name) {
  Tool tool(std::move(name), "A long report.");
  tool.input(schema::object().property<int>("n", "Which.").build());
  tool.run([](const json::Value& arguments, ToolContext&) {
    const auto n = arguments.at("n").as_int64().value_or(0);
    return ToolResult::text("vol-" + std::to_string(7700 + n) + " " + std::string(400, 'x'));
  });
  return tool;
}

json::Value nth(int n) {
  return json::object({{"n", n}});
}

// Every served call has its results right behind it and every result its call before it; the first
// message is a user's.
void check_served(const ModelRequest& request) {
  const auto& messages = request.messages();
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages[0].message->role, Role::user);
  std::size_t open = 0;
  for (const ServedMessage& served : messages) {
    if (served.message->is_result()) {
      ASSERT_GT(open, 0u) << "a result without its call";
      --open;
    } else {
      ASSERT_EQ(open, 0u) << "a call without its result";
      open = served.message->calls.size();
    }
  }
  EXPECT_EQ(open, 0u);
}

// The first row with this action; null without one.
json::Value row_of(const RunResult& result, std::string_view action) {
  for (const json::Value& row : result.facts().window_rows) {
    if (row.at("action").as_string() == action) return row;
  }
  return json::Value();
}

struct Windows : ::testing::Test {
  std::shared_ptr<ScriptedModel> model = std::make_shared<ScriptedModel>();
  std::shared_ptr<MemorySink> sink = std::make_shared<MemorySink>();
  EventLog events;
  Windows() { model->keep_requests(); }
  AgentBuilder builder() { return AgentBuilder(model, "large-1"); }
  RunOptions options() {
    RunOptions made;
    made.events = &events;
    made.record = sink;
    return made;
  }
  void steps(int count, std::int64_t input_tokens = 0) {
    for (int n = 0; n < count; ++n) {
      ScriptedReply reply;
      reply.call("report", nth(n));
      if (input_tokens > 0) reply.usage(tokens(input_tokens));
      model->then(reply);
    }
  }
};

TEST_F(Windows, SlidingShowsTheRequestAndTheNewestTurns) {
  steps(6);
  model->then(ScriptedReply("done"));
  const AgentSpec spec = builder()
                             .tool(long_tool("report"))
                             .window(WindowStrategy::sliding(2).keep_last_tool_results(0))
                             .build();
  const RunResult result = run(spec, Conversation(), "report all", options());
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_EQ(result.facts().conversation.size(), 14u);  // nothing was taken out of it
  const auto requests = model->requests();
  for (const ModelRequest& request : requests) check_served(request);
  const auto& last = requests.back().messages();
  ASSERT_EQ(last.size(), 6u);  // request, notice, two calls with their results
  EXPECT_EQ(last[0].message->text(), "report all");
  EXPECT_THAT(last[1].message->text(), HasSubstr("8 earlier messages are left out"));
  EXPECT_EQ(last[1].message->origin, Origin::library);
  EXPECT_THAT(last[3].message->text(), HasSubstr("vol-7704"));
  EXPECT_EQ(result.facts().window_rows.size(), 4u);
  EXPECT_EQ(events.count("window:sliding-window:dropped"), 4u);
}

TEST_F(Windows, TheRecordSaysWhatWasServed) {
  steps(5);
  model->then(ScriptedReply("done"));
  const AgentSpec spec = builder()
                             .tool(long_tool("report"))
                             .window(WindowStrategy::sliding(2).keep_last_tool_results(0))
                             .build();
  ASSERT_NE(run(spec, Conversation(), "report all", options()).answer(), nullptr);
  const Footprint footprint = read_footprint(sink->text());
  EXPECT_TRUE(footprint.intact());
  const auto requests = model->requests();
  ASSERT_EQ(footprint.requests.size(), requests.size());
  for (std::size_t r = 0; r < requests.size(); ++r) {
    std::vector<std::string> served;
    for (const ServedMessage& message : requests[r].messages()) {
      const auto& whole = *message.message;
      if (whole.content.is_string()) served.push_back(whole.text());
      for (const ToolCall& call : whole.calls) served.push_back(*call.arguments_text);
    }
    std::vector<std::string> recorded;
    for (const auto& item : footprint.requests[r].items) recorded.push_back(*item);
    EXPECT_EQ(recorded, served) << "request " << r;
  }
  std::size_t rows = 0;
  for (const RecordedLine& line : footprint.lines) {
    if (line.kind == "row" && line.value.at("row").as_string() == "window") ++rows;
  }
  EXPECT_EQ(rows, 3u);
}

TEST_F(Windows, WithoutAWindowNothingIsDifferent) {
  steps(2);
  model->then(ScriptedReply("done"));
  const RunResult result =
      run(builder().tool(long_tool("report")).build(), Conversation(), "go", options());
  EXPECT_TRUE(result.facts().window.is_null());
  EXPECT_EQ(model->requests().back().messages().size(), 5u);
  EXPECT_THAT(sink->text(), Not(HasSubstr("window")));
  EXPECT_THAT(json::dump(result.facts().window), "null");
}

TEST_F(Windows, ATokenBudgetMovesWhenTheProviderMeasuredMore) {
  steps(3, 900);
  steps(2, 1'500);
  model->then(ScriptedReply("done").usage(tokens(700)));
  const AgentSpec spec =
      builder()
          .tool(long_tool("report"))
          .window(WindowStrategy::token_budget(1'000, 2).keep_last_tool_results(0))
          .build();
  const RunResult result = run(spec, Conversation(), "report all", options());
  ASSERT_NE(result.answer(), nullptr);
  const auto requests = model->requests();
  EXPECT_EQ(requests[3].messages().size(), 7u);  // measured 900: everything
  EXPECT_EQ(requests[4].messages().size(), 6u);  // measured 1,500: request, notice, two turns
  const json::Value row = row_of(result, "dropped");
  ASSERT_FALSE(row.is_null());
  EXPECT_EQ(row.at("measuredTokens").as_int64(), 1'500);
  EXPECT_EQ(row.at("leftOut").as_int64(), 4);
  EXPECT_EQ(*row.at("stand").as_string(), "notice");
}

TEST_F(Windows, AProviderThatMeasuresNothingCannotHaveATokenBudget) {
  steps(1);
  const AgentSpec spec =
      builder().tool(long_tool("report")).window(WindowStrategy::token_budget(1'000, 2)).build();
  const RunResult result = run(spec, Conversation(), "go", options());
  ASSERT_NE(result.failed(), nullptr);
  EXPECT_EQ(result.failed()->code, "window-unmeasurable");
  EXPECT_FALSE(result.failed()->can_resume);

  steps(1, 900);
  steps(2);
  model->then(ScriptedReply("done"));
  const RunResult stopped = run(spec, Conversation(), "go", options());
  ASSERT_NE(stopped.answer(), nullptr);
  EXPECT_EQ(events.count("window:token-budget:stood-down"), 1u);
}

std::shared_ptr<ScriptedModel> summaries(std::vector<ScriptedReply> replies) {
  auto made = std::make_shared<ScriptedModel>();
  made->keep_requests();
  for (ScriptedReply& reply : replies) made->then(std::move(reply));
  return made;
}

TEST_F(Windows, ASummaryStandsForWhatItWasMadeOf) {
  const auto small =
      summaries({ScriptedReply("vol-7700 and vol-7701 were read").usage(tokens(50, 5))});
  steps(4, 2'000);
  model->then(ScriptedReply("vol-7700 is the first").usage(tokens(900)));
  const AgentSpec spec =
      builder()
          .tool(long_tool("report"))
          .names_and_numbers_from_evidence()
          .cost_budget(100, Prices(0.001, 0.001), false)
          .window(WindowStrategy::summarise_oldest(1'000, 2).keep_last_tool_results(0))
          .summariser(small, "small-1", Prices(0.01, 0.1))
          .build();
  // The second summary is longer than what it would stand for: nothing is scripted beyond it.
  small->then(ScriptedReply(std::string(5'000, 'y')).usage(tokens(50, 5)));
  const RunResult result = run(spec, Conversation(), "report all", options());
  ASSERT_NE(result.answer(), nullptr) << (result.failed() ? result.failed()->message : "");
  for (const ModelRequest& request : model->requests()) check_served(request);
  const std::vector<ServedMessage> last = model->requests().back().messages();
  EXPECT_THAT(last[1].message->text(), HasSubstr("vol-7700 and vol-7701 were read"));
  EXPECT_THAT(last[1].message->text(), HasSubstr("small-1"));
  EXPECT_EQ(last[1].message->origin, Origin::library);
  // What was sent is data for the summariser, with its instruction as the system prompt.
  EXPECT_THAT(small->requests().at(0).messages().at(0).message->text(), HasSubstr("vol-7700"));
  EXPECT_TRUE(small->requests().at(0).tools().empty());
  // Its tokens are the run's, at its own price.
  EXPECT_EQ(result.facts().usage.input_tokens, 4 * 2'000 + 900 + 100);
  EXPECT_NEAR(*result.facts().cost_usd, 8.9 + 0.05 + 2 * (0.5 + 0.5), 1e-9);
  EXPECT_EQ(events.count("window:summarize-oldest:summarized"), 1u);
  const json::Value row = row_of(result, "summarized");
  ASSERT_FALSE(row.is_null());
  EXPECT_EQ(*row.at("summarizer").at("model").as_string(), "small-1");
  EXPECT_THAT(json::dump(result.facts().window_rows.back()), HasSubstr("replacement-not-smaller"));
}

TEST_F(Windows, ASummaryIsNeverEvidence) {
  const auto small = summaries({ScriptedReply("vol-9999 has 48151 errors")});
  steps(4, 2'000);
  model->then(ScriptedReply("vol-9999 has 48151 errors").usage(tokens(900)));
  small->then(ScriptedReply("vol-9999 has 48151 errors"));
  const AgentSpec spec =
      builder()
          .tool(long_tool("report"))
          .names_and_numbers_from_evidence()
          .window(WindowStrategy::summarise_oldest(1'000, 2).keep_last_tool_results(0))
          .summariser(small, "small-1")
          .build();
  const RunResult result = run(spec, Conversation(), "report all", options());
  ASSERT_NE(result.answer(), nullptr);
  ASSERT_TRUE(result.answer()->unsupported);
  EXPECT_THAT(result.answer()->unsupported->values, ElementsAre("vol-9999", "48151"));
}

TEST_F(Windows, ASummariserThatFailsLeavesTheWindow) {
  const auto small =
      summaries({ScriptedReply().fail(ModelError(ModelError::Kind::server, "down")),
                 ScriptedReply("  "), ScriptedReply("cut off").stop(StopReason::max_tokens)});
  steps(5, 2'000);
  model->then(ScriptedReply("done").usage(tokens(900)));
  const AgentSpec spec =
      builder()
          .tool(long_tool("report"))
          .window(WindowStrategy::summarise_oldest(1'000, 2).keep_last_tool_results(0))
          .summariser(small, "small-1")
          .build();
  const RunResult result = run(spec, Conversation(), "report all", options());
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_EQ(model->requests().back().messages().size(), 11u);
  EXPECT_EQ(events.count("window:summarize-oldest:summarizer-failed"), 3u);
  const json::Value row = row_of(result, "summarizer-failed");
  ASSERT_FALSE(row.is_null());
  EXPECT_THAT(*row.at("why").as_string(), HasSubstr("down"));
}

TEST_F(Windows, ASpanThatWasRefusedIsNotPaidForAgain) {
  const auto small = summaries({ScriptedReply(std::string(5'000, 'y'))});
  steps(3, 2'000);
  // Two corrections ask again without a new turn: the span is the same.
  model->then(ScriptedReply("no json").usage(tokens(2'000)));
  model->then(ScriptedReply("still none").usage(tokens(2'000)));
  model->then(ScriptedReply("{}").usage(tokens(2'000)));
  const AgentSpec spec =
      builder()
          .tool(long_tool("report"))
          .output_schema(json::object({{"type", "object"}}), 3)
          .window(WindowStrategy::summarise_oldest(1'000, 2).keep_last_tool_results(0))
          .summariser(small, "small-1")
          .build();
  const RunResult result = run(spec, Conversation(), "report all", options());
  ASSERT_NE(result.answer(), nullptr) << (result.failed() ? result.failed()->message : "");
  EXPECT_EQ(small->requests_seen(), 1u);
}

TEST_F(Windows, EvidenceSurvivesAndCarriersOutOfViewAreMarked) {
  steps(5);
  model->then(ScriptedReply("vol-7700 and vol-7704 exist"));
  evidence::GateOptions rails;
  rails.posture = evidence::Posture::rails;
  const AgentSpec spec = builder()
                             .tool(long_tool("report"))
                             .names_and_numbers_from_evidence(rails)
                             .window(WindowStrategy::sliding(2).keep_last_tool_results(0))
                             .build();
  const RunResult result = run(spec, Conversation(), "report all", options());
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_FALSE(result.answer()->unsupported);
  const json::Value& gone = result.answer()->evidence.at("noLongerInView");
  EXPECT_EQ(json::dump(gone),
            R"({"count":1,"values":[{"value":"vol-7700","calls":[[1,0]],"everyCarrier":true}]})");
  EXPECT_THAT(sink->text(), HasSubstr("noLongerInView"));
}

TEST_F(Windows, TheViewGoesOnOverPausesAndTurns) {
  Tool ask("approve", "Asks.");
  ask.run([](const json::Value&, ToolContext&) { return ToolResult::ask(Question("go on?")); });
  steps(4);
  model->then(ScriptedReply().call("approve", json::object(std::vector<json::Member>{})));
  const AgentSpec spec = builder()
                             .tool(long_tool("report"))
                             .tool(ask)
                             .window(WindowStrategy::sliding(2).keep_last_tool_results(0))
                             .build();
  const RunResult paused = run(spec, Conversation(), "report all", options());
  ASSERT_NE(paused.paused(), nullptr);
  const json::Value checkpoint = json::parse_or_throw(json::dump(paused.paused()->checkpoint));
  model->then(ScriptedReply("done"));
  sink = std::make_shared<MemorySink>();
  RunResult done = resume(spec, checkpoint,
                          {Resolution::value(paused.paused()->pending[0].id, "yes")}, options());
  ASSERT_NE(done.answer(), nullptr);
  const ModelRequest resumed = model->requests().back();
  check_served(resumed);
  EXPECT_EQ(resumed.messages().size(), 6u);

  model->then(ScriptedReply("again"));
  sink = std::make_shared<MemorySink>();
  RunOptions next = options();
  next.window = done.facts().window;
  const RunResult second = run(spec, std::move(done).take_conversation(), "and now?", next);
  ASSERT_NE(second.answer(), nullptr);
  const ModelRequest followed = model->requests().back();
  check_served(followed);
  EXPECT_EQ(followed.messages().back().message->text(), "and now?");
  EXPECT_LE(followed.messages().size(), 4u);
}

TEST_F(Windows, AViewOfAnotherConversationIsRefused) {
  const AgentSpec spec = builder().window(WindowStrategy::sliding(2)).build();
  RunOptions with = options();
  with.window = json::parse_or_throw(R"({"gaps":[{"messages":[3,9],"stand":"nothing"}]})");
  try {
    (void)run(spec, Conversation(), "hi", with);
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "window-state");
  }
}

TEST_F(Windows, FactsHoldTheirTurnsAndTheOfferLeavesOutWhatCannotBeRead) {
  const auto declaring = [](int n, std::string_view standing, std::string_view id) {
    const json::Value previous =
        json::array({json::object({{"toolCallId", id}, {"standing", standing}})});
    return json::object(
        {{"n", n}, {"_findings", json::object({{"basis", "direct"}, {"previous", previous}})}});
  };
  model->then(ScriptedReply().call("report", nth(0)));
  model->then(ScriptedReply().call("report", declaring(1, "fact", "c1")));
  for (int n = 2; n < 5; ++n) model->then(ScriptedReply().call("report", nth(n)));
  model->then(ScriptedReply("done"));
  const AgentSpec spec =
      builder()
          .tool(long_tool("report"))
          .findings()
          .window(WindowStrategy::sliding(1).keep_last_tool_results(0).keep_facts(1))
          .build();
  const RunResult result = run(spec, Conversation(), "report all", options());
  ASSERT_NE(result.answer(), nullptr);
  const auto requests = model->requests();
  for (const ModelRequest& request : requests) check_served(request);
  EXPECT_THAT(requests[2].messages()[2].message->text(), HasSubstr("vol-7700"));  // held
  const std::string rows = json::dump(json::array(result.facts().window_rows));
  EXPECT_THAT(rows, HasSubstr("ledger-fact"));
  EXPECT_THAT(rows, HasSubstr(R"({"call":[1,0],"standing":"fact"})"));  // let go at last
  EXPECT_THAT(requests.back().last_piece(), HasSubstr("c5"));
  EXPECT_THAT(requests.back().last_piece(), Not(HasSubstr("c2")));
}

TEST_F(Windows, WhatCannotWorkIsRefusedAtBuild) {
  const auto codes = [](AgentBuilder& from) {
    std::vector<std::string> found;
    try {
      (void)from.build();
    } catch (const Refusal& refusal) {
      for (const Issue& issue : refusal.issues()) found.push_back(issue.code + ":" + issue.field);
    }
    return found;
  };
  const auto summarise = WindowStrategy::summarise_oldest(1'000);
  EXPECT_THAT(codes(builder().window(WindowStrategy::sliding(0))),
              ElementsAre("window-keep:keepRecentTurns"));
  EXPECT_THAT(codes(builder().window(WindowStrategy::sliding(2)).window(summarise)),
              ElementsAre("agent-twice:window"));
  EXPECT_THAT(codes(builder().window(summarise)), ElementsAre("agent-window:window"));
  EXPECT_THAT(codes(builder().summariser(model, "small-1")),
              ElementsAre("agent-window:summariser"));
  EXPECT_THAT(codes(builder().window(summarise).summariser(model, "large-1")),
              ElementsAre("agent-window:summariser"));
  EXPECT_THAT(codes(builder().window(summarise).summariser(nullptr, "")),
              ElementsAre("agent-window:summariser"));
  EXPECT_THAT(codes(builder().window(summarise).summariser(model, "small-1")), ElementsAre());
}

}  // namespace
}  // namespace agentfootprint
