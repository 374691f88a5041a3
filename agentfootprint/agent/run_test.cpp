// Turns from input to outcome: the loop, budgets, corrections, conversations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/model/resilient.hpp"

namespace agentfootprint {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Turn : ::testing::Test {
  std::shared_ptr<ScriptedModel> model = std::make_shared<ScriptedModel>();
  EventLog events;

  Turn() { model->keep_requests(); }
  AgentBuilder builder() { return AgentBuilder(model, "small-1"); }
  RunResult go(const AgentSpec& spec, std::string input = "is fc1/3 down?",
               Conversation conversation = {}) {
    RunOptions options;
    options.events = &events;
    return run(spec, std::move(conversation), std::move(input), options);
  }
};

TEST_F(Turn, AnswersWithoutTools) {
  model->then(ScriptedReply("hello"));
  const RunResult result = go(builder().system("Be kind.").build(), "hi");
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_EQ(result.answer()->text, "hello");
  EXPECT_TRUE(result.answer()->evidence.is_null());
  EXPECT_EQ(result.facts().conversation.size(), 2u);
  EXPECT_EQ(result.facts().iterations, 1u);
  EXPECT_EQ(model->requests().at(0).joined_system(), "Be kind.");
}

TEST_F(Turn, RunsAToolAndTellsItInOrder) {
  model->then(ScriptedReply().call("ports", port("fc1/3"), "c1"));
  model->then(ScriptedReply("fc1/3 is down"));
  const RunResult result = go(builder().tool(port_tool()).build());
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_THAT(results_of(result.facts().conversation), ElementsAre("fc1/3 is down, 41200 errors"));
  EXPECT_EQ(events.line(),
            "turn_start:is fc1/3 down? iteration_start model_start:scripted model_end:tool_use "
            "route:tool-calls tool_start:ports tool_end:ports:success iteration_end "
            "iteration_start model_start:scripted text_delta:fc1/3 is down model_end:stop "
            "route:final iteration_end turn_end:answer");
  const auto requests = model->requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[1].messages().size(), 3u);
  // The prefix is the same message, not a copy of it.
  EXPECT_EQ(requests[0].messages()[0].message, requests[1].messages()[0].message);
}

TEST_F(Turn, NothingIsBuiltForASinkThatWantsNothing) {
  struct Deaf final : EventSink {
    bool wants(EventKind) const noexcept override { return false; }
    void on(const Event&) override { ADD_FAILURE() << "told all the same"; }
  } deaf;
  model->then(ScriptedReply("hello"));
  RunOptions options;
  options.events = &deaf;
  EXPECT_NE(run(builder().build(), {}, "hi", options).answer(), nullptr);
}

TEST_F(Turn, ASinkThatThrowsChangesNothing) {
  struct Thrower final : EventSink {
    bool wants(EventKind) const noexcept override { return true; }
    void on(const Event&) override { throw std::runtime_error("listener"); }
  } thrower;
  model->then(ScriptedReply().call("ports", port("fc1/3")));
  model->then(ScriptedReply("down"));
  RunOptions options;
  options.events = &thrower;
  EXPECT_NE(run(builder().tool(port_tool()).build(), {}, "hi", options).answer(), nullptr);
}

TEST_F(Turn, UnknownToolNamesTheNearest) {
  model->then(ScriptedReply().call("port", port("fc1/3")));
  model->then(ScriptedReply("sorry"));
  const RunResult result = go(builder().tool(port_tool()).build());
  const auto texts = results_of(result.facts().conversation);
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_THAT(texts[0], HasSubstr("The nearest: ports"));
  const Message& message = result.facts().conversation[2];
  EXPECT_EQ(message.origin, Origin::library);
  EXPECT_FALSE(message.dispatched);
}

TEST_F(Turn, MalformedAndUnfittingArgumentsAreNotRun) {
  model->then(ScriptedReply().call_text("ports", "{\"port\": \"fc1"));
  model->then(ScriptedReply().call("ports", json::object({{"port", 3}})));
  model->then(ScriptedReply("sorry"));
  const RunResult result = go(builder().tool(port_tool()).build());
  const auto texts = results_of(result.facts().conversation);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_THAT(texts[0], HasSubstr("not valid JSON"));
  EXPECT_THAT(texts[1], HasSubstr("/port"));
  EXPECT_THAT(texts[1], ::testing::Not(HasSubstr("3\"")));
}

TEST_F(Turn, AToolThatThrowsIsAnErrorTheModelReads) {
  Tool tool("boom", "Throws.");
  tool.run([](const json::Value&, ToolContext&) -> ToolResult {
    throw std::runtime_error("disk full");
  });
  model->then(ScriptedReply().call("boom", json::object(std::vector<json::Member>{})));
  model->then(ScriptedReply("it failed"));
  const RunResult result = go(builder().tool(std::move(tool)).build());
  const Message& message = result.facts().conversation[2];
  EXPECT_EQ(message.status, ResultStatus::failed);
  EXPECT_EQ(message.origin, Origin::tool);
  EXPECT_THAT(message.text(), HasSubstr("disk full"));
}

TEST_F(Turn, ABatchCutByTheOutputLimitRunsNothing) {
  model->then(ScriptedReply().call("ports", port("fc1/3")).stop(StopReason::max_tokens));
  model->then(ScriptedReply("ok"));
  const RunResult result = go(builder().tool(port_tool()).build());
  EXPECT_THAT(results_of(result.facts().conversation).at(0), HasSubstr("length limit"));
  EXPECT_EQ(events.count("tool_start:ports"), 0u);
}

TEST_F(Turn, WithheldAnswersStopTheRun) {
  for (const StopReason reason : {StopReason::refusal, StopReason::content_filter}) {
    auto script = std::make_shared<ScriptedModel>();
    script->then(ScriptedReply("half").call("ports", port("fc1/3")).stop(reason));
    const RunResult result =
        run(AgentBuilder(script, "m").tool(port_tool()).build(), Conversation(), "hi");
    ASSERT_NE(result.stopped(), nullptr);
    EXPECT_EQ(result.stopped()->reason, Stopped::Reason::refused_by_model);
    EXPECT_EQ(result.facts().conversation.size(), 1u);
  }
}

TEST_F(Turn, AStreamThatEndsEarlyIsAFailureThatCanGoOn) {
  model->then(ScriptedReply("half").cut());
  const AgentSpec spec = builder().build();
  const RunResult result = go(spec, "hi");
  ASSERT_NE(result.failed(), nullptr);
  EXPECT_EQ(result.failed()->phase, "model");
  EXPECT_TRUE(result.failed()->can_resume);
  model->then(ScriptedReply("whole"));
  const RunResult again = resume_on_error(spec, result.failed()->checkpoint);
  ASSERT_NE(again.answer(), nullptr);
  EXPECT_EQ(again.answer()->text, "whole");
  EXPECT_EQ(again.facts().conversation.size(), 2u);
}

TEST_F(Turn, AfterAFailureSettledCallsAreNotRunAgain) {
  int runs = 0;
  Tool tool("count", "Counts.");
  tool.run(
      [&](const json::Value&, ToolContext&) { return ToolResult::text(std::to_string(++runs)); });
  model->then(ScriptedReply().call("count", json::object(std::vector<json::Member>{})));
  model->then(ScriptedReply("x").fail(ModelError(ModelError::Kind::server, "down")));
  const AgentSpec spec = builder().tool(std::move(tool)).build();
  const RunResult broken = go(spec, "count");
  ASSERT_NE(broken.failed(), nullptr);
  model->then(ScriptedReply("1"));
  const RunResult again = resume_on_error(spec, broken.failed()->checkpoint);
  ASSERT_NE(again.answer(), nullptr);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(again.facts().run_id, broken.facts().run_id);
}

TEST_F(Turn, MaxIterationsWrapsUpOnce) {
  for (int i = 0; i < 2; ++i) model->then(ScriptedReply("thinking").call("ports", port("fc1/3")));
  model->then(ScriptedReply("what I know"));
  const RunResult result = go(builder().tool(port_tool()).max_iterations(2).build());
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_EQ(result.answer()->text, "what I know");
  ASSERT_TRUE(result.answer()->early_stop);
  EXPECT_TRUE(result.answer()->early_stop->wrapped_up);
  EXPECT_THAT(result.answer()->early_stop->pending_tools, ElementsAre("ports"));
  const auto requests = model->requests();
  EXPECT_TRUE(requests.back().tools().empty());
  EXPECT_THAT(requests.back().last_piece(), HasSubstr("not of the person"));
  EXPECT_TRUE(result.facts().conversation.open_calls().empty());
}

TEST_F(Turn, WithoutWrapUpTheFragmentIsTheAnswer) {
  model->then(ScriptedReply("").call("ports", port("fc1/3")));
  const RunResult result = go(builder().tool(port_tool()).max_iterations(1).wrap_up(false).build());
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_EQ(result.answer()->text, "");
  EXPECT_TRUE(result.answer()->early_stop->answer_was_empty);
  EXPECT_FALSE(result.answer()->early_stop->wrapped_up);
}

TEST_F(Turn, CostHaltNeverWrapsUp) {
  Usage usage;
  usage.input_tokens = 1000;
  usage.output_tokens = 1000;
  model->then(ScriptedReply("half").call("ports", port("fc1/3")).usage(usage));
  const RunResult result =
      go(builder().tool(port_tool()).cost_budget(0.5, Prices(0.001, 0.001), true).build());
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_EQ(result.answer()->early_stop->reason, EarlyStop::Reason::cost_budget);
  EXPECT_DOUBLE_EQ(*result.facts().cost_usd, 2.0);
  EXPECT_EQ(events.count("budget:cost:halt"), 1u);
}

TEST_F(Turn, OutputSchemaAsksAgainThenGivesUp) {
  const json::Value form = schema::object().property<int>("n", "A number.").build();
  model->then(ScriptedReply("no json")).then(ScriptedReply(R"({"n":4})"));
  const RunResult good = go(builder().output_schema(form, 2).build());
  ASSERT_NE(good.answer(), nullptr);
  EXPECT_EQ(good.answer()->text, R"({"n":4})");
  EXPECT_FALSE(good.answer()->contract_unmet);
  EXPECT_EQ(good.facts().corrections, 1u);
  EXPECT_EQ(good.facts().iterations, 1u);
  EXPECT_THAT(model->requests().at(1).last_piece(), HasSubstr("json-parse"));

  auto stubborn = std::make_shared<ScriptedModel>(
      [](const ModelRequest&) { return ScriptedReply("never json"); });
  const RunResult bad =
      run(AgentBuilder(stubborn, "m").output_schema(form, 2).build(), Conversation(), "hi");
  EXPECT_TRUE(bad.answer()->contract_unmet);
  EXPECT_EQ(stubborn->requests_seen(), 3u);
  const RunResult canned =
      run(AgentBuilder(stubborn, "m").output_schema(form, 0).output_fallback(R"({"n":0})").build(),
          Conversation(), "hi");
  EXPECT_EQ(canned.answer()->text, R"({"n":0})");
  EXPECT_TRUE(canned.answer()->contract_unmet);
}

TEST_F(Turn, OutputMiddlewareThatBreaksTheFormIsNamedAndNotAskedAgain) {
  const json::Value form = schema::object().property<int>("n", "A number.").build();
  Middleware breaker("shouter");
  breaker.on(Moment::output, [](const MiddlewareView&) {
    return Decision::change(json::Value("NOT JSON"), "shouting");
  });
  model->then(ScriptedReply(R"({"n":4})"));
  const RunResult result = go(builder().output_schema(form, 2).middleware(breaker).build());
  EXPECT_THAT(*result.answer()->contract_unmet, HasSubstr("shouter"));
  EXPECT_EQ(model->requests_seen(), 1u);
}

TEST_F(Turn, InputRulesApplyToEveryTurn) {
  Middleware mask("mask");
  mask.on(Moment::input, [](const MiddlewareView& view) {
    std::string text(*view.value.as_string());
    const auto at = text.find("secret");
    if (at == std::string::npos) return Decision::allow();
    text.replace(at, 6, "******");
    return Decision::change(json::Value(text), "masked");
  });
  const AgentSpec spec = builder().middleware(mask).build();
  model->then(ScriptedReply("a")).then(ScriptedReply("b"));
  RunResult first = go(spec, "my secret 1");
  EXPECT_EQ(first.facts().conversation[0].text(), "my ****** 1");
  ASSERT_EQ(first.facts().middleware_rows.size(), 1u);
  EXPECT_EQ(*first.facts().middleware_rows[0].at("outcome").as_string(), "allow");
  const RunResult second = go(spec, "secret 2", std::move(first).take_conversation());
  EXPECT_EQ(second.facts().conversation[2].text(), "****** 2");
  EXPECT_EQ(model->requests().at(1).messages().back().message->text(), "****** 2");
}

TEST_F(Turn, DeniedInputAndOutputStop) {
  Middleware door("door");
  door.on(Moment::input, [](const MiddlewareView& view) {
    return view.value.as_string() == "bad" ? Decision::deny("no") : Decision::allow();
  });
  door.on(Moment::output, [](const MiddlewareView&) { return Decision::deny("not that"); });
  const AgentSpec spec = builder().middleware(door).build();
  const RunResult in = go(spec, "bad");
  ASSERT_NE(in.stopped(), nullptr);
  EXPECT_EQ(in.stopped()->reason, Stopped::Reason::input_denied);
  EXPECT_EQ(model->requests_seen(), 0u);
  model->then(ScriptedReply("x"));
  const RunResult out = go(spec, "good");
  ASSERT_NE(out.stopped(), nullptr);
  EXPECT_EQ(out.stopped()->reason, Stopped::Reason::output_denied);
  EXPECT_EQ(out.facts().conversation.size(), 1u);
}

TEST_F(Turn, CancelledIsNotFailed) {
  CancelSource source;
  Tool tool("stop", "Stops the run.");
  tool.run([&](const json::Value&, ToolContext&) {
    source.cancel("the person left");
    return ToolResult::text("done");
  });
  model->then(ScriptedReply().call("stop", json::object(std::vector<json::Member>{})));
  RunOptions options;
  options.cancel = source.token();
  const AgentSpec spec = builder().tool(std::move(tool)).build();
  const RunResult result = run(spec, Conversation(), "go", options);
  ASSERT_NE(result.stopped(), nullptr);
  EXPECT_EQ(result.stopped()->reason, Stopped::Reason::cancelled);
  EXPECT_EQ(result.stopped()->message, "the person left");
  EXPECT_TRUE(result.facts().conversation.open_calls().empty());
  model->then(ScriptedReply("later"));
  EXPECT_NE(resume_on_error(spec, result.stopped()->checkpoint).answer(), nullptr);
}

TEST_F(Turn, OneSpecManyRunsInterleaved) {
  DeterministicLoop loop;
  auto slow = std::make_shared<ScriptedModel>([](const ModelRequest& request) {
    if (request.messages().size() == 1) {
      return ScriptedReply().call("wait", json::object(std::vector<json::Member>{})).delay_ms(5);
    }
    return ScriptedReply("done " + request.messages()[0].message->text());
  });
  slow->use_clock(loop.clock());
  Tool tool("wait", "Waits.");
  tool.run_async([](json::Value, ToolContext& context) -> Task<ToolResult> {
    co_await sleep_for(context.clock(), 1, context.cancel());
    co_return ToolResult::text("waited");
  });
  const AgentSpec spec = AgentBuilder(slow, "m").tool(std::move(tool)).build();
  std::vector<std::string> answers(100);
  const auto one = [](AgentSpec agent, const Clock* clock, std::size_t i,
                      std::vector<std::string>* out) -> Task<void> {
    RunOptions options;
    options.clock = clock;
    const RunResult result =
        co_await run_task(std::move(agent), Conversation(), std::to_string(i), options);
    (*out)[i] = result.answer()->text;
  };
  for (std::size_t i = 0; i < answers.size(); ++i) {
    loop.spawn(one(spec, &loop.clock(), i, &answers));
  }
  loop.drain();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i], "done " + std::to_string(i));
  }
  EXPECT_LE(loop.clock().wall_ms(), 20);
}

TEST_F(Turn, EvidencePostures) {
  const auto gate = [](evidence::Posture posture) {
    evidence::GateOptions options;
    options.posture = posture;
    return options;
  };
  const auto script = [](std::vector<std::string> answers) {
    auto made = std::make_shared<ScriptedModel>();
    made->keep_requests();
    made->then(ScriptedReply().call("ports", port("fc1/3")));
    for (std::string& answer : answers) made->then(ScriptedReply(std::move(answer)));
    return made;
  };
  const auto ask = [&](const std::shared_ptr<ScriptedModel>& from, evidence::Posture posture) {
    return run(AgentBuilder(from, "m")
                   .tool(port_tool())
                   .names_and_numbers_from_evidence(gate(posture))
                   .build(),
               Conversation(), "is fc1/3 down?");
  };
  const RunResult grounded =
      ask(script({"fc1/3 is down with 41,200 errors"}), evidence::Posture::rails);
  ASSERT_NE(grounded.answer(), nullptr);
  EXPECT_FALSE(grounded.answer()->unsupported);
  EXPECT_FALSE(grounded.answer()->evidence.is_null());

  const RunResult flagged = ask(script({"77123 errors"}), evidence::Posture::assist);
  ASSERT_NE(flagged.answer(), nullptr);
  EXPECT_THAT(flagged.answer()->unsupported->values, ElementsAre("77123"));

  const auto repairing = script({"77123 errors", "41200 errors"});
  const RunResult revised = ask(repairing, evidence::Posture::guard);
  ASSERT_NE(revised.answer(), nullptr);
  EXPECT_EQ(revised.answer()->text, "41200 errors");
  EXPECT_FALSE(revised.answer()->unsupported);
  EXPECT_THAT(repairing->requests().at(2).last_piece(), HasSubstr("77123"));

  const RunResult refused = ask(script({"77123 errors", "88123 errors"}), evidence::Posture::rails);
  ASSERT_NE(refused.stopped(), nullptr);
  EXPECT_EQ(refused.stopped()->reason, Stopped::Reason::unsupported_values);
  EXPECT_THAT(refused.stopped()->message, ::testing::Not(HasSubstr("errors")));
  bool judged = false;
  for (const CheckRow& row : refused.facts().checks) judged = judged || row.check == "evidence";
  EXPECT_TRUE(judged);
}

TEST_F(Turn, AnswersThatStandOnEarlierTurnsAreNoticed) {
  const AgentSpec spec = builder()
                             .tool(port_tool())
                             .names_and_numbers_from_evidence()
                             .notice_prior_turn_evidence()
                             .build();
  const auto outcome = [](const RunResult& result) -> std::string {
    for (const CheckRow& row : result.facts().checks) {
      if (row.check == "prior-turn-evidence") return std::string(name_of(row.outcome));
    }
    return "";
  };
  model->then(ScriptedReply().call("ports", port("fc1/3"))).then(ScriptedReply("41200 errors"));
  RunResult first = go(spec);
  EXPECT_EQ(outcome(first), "passed");
  model->then(ScriptedReply("41200 errors, as I said"));
  const RunResult second = go(spec, "again?", std::move(first).take_conversation());
  EXPECT_EQ(outcome(second), "fired");
  model->then(ScriptedReply("nothing to tell"));
  EXPECT_EQ(outcome(go(spec, "hi")), "could-not-run");
}

TEST_F(Turn, RetriesOfTheModelAreTold) {
  DeterministicLoop loop;
  model->use_clock(loop.clock());
  model->then(ScriptedReply("x").fail(ModelError(ModelError::Kind::server, "down")));
  model->then(ScriptedReply("fine"));
  ResilienceOptions resilience;
  resilience.clock = &loop.clock();
  auto sturdy =
      std::make_shared<ResilientModel>(std::vector<std::shared_ptr<Model>>{model}, resilience);
  RunOptions with;
  with.events = &events;
  with.clock = &loop.clock();
  const AgentSpec spec = AgentBuilder(sturdy, "m").build();
  const RunResult result = loop.run(run_task(spec, Conversation(), "go", with));
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_EQ(events.count("model_retry:scripted:server"), 1u);
}

TEST_F(Turn, BuilderRefusesEverythingAtOnce) {
  try {
    (void)AgentBuilder(nullptr, " ")
        .system("a")
        .system("b")
        .tool(port_tool())
        .tool(port_tool())
        .max_iterations(0)
        .output_fallback("{}")
        .build();
    FAIL() << "not refused";
  } catch (const Refusal& refusal) {
    std::vector<std::string> codes;
    for (const Issue& issue : refusal.issues()) codes.push_back(issue.code);
    EXPECT_THAT(codes, ElementsAre("agent-model", "agent-model", "agent-twice", "tool-duplicate",
                                   "agent-number", "agent-output-fallback"));
  }
}

}  // namespace
}  // namespace agentfootprint
