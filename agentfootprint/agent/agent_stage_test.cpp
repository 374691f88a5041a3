// Runs as stages of charts: answers, pauses, stops, failures, cancellation, forks, conversations.
#include "agentfootprint/agent/agent_stage.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/flow/slice.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

using testing::HasSubstr;

const flow::Key<std::string> kAlert("alert");

flow::RunOptions alert(std::string text = "is fc1/3 down?") {
  return flow::RunOptions().with_state("alert", json::Value(text));
}

AgentSpec ports_agent(std::string answer = "fc1/3 is down, 41200 errors",
                      std::string name = "ports") {
  auto model = std::make_shared<ScriptedModel>();
  model->then(ScriptedReply().call("ports", port("fc1/3")));
  model->then(ScriptedReply(std::move(answer)));
  return AgentBuilder(model, "m")
      .name(std::move(name))
      .tool(port_tool())
      .names_and_numbers_from_evidence()
      .build();
}

Tool asking_tool() {
  Tool tool("reset", "Resets a port.");
  tool.input(schema::object().property<std::string>("port", "The port.").build());
  tool.run([](const json::Value& arguments, ToolContext&) {
    return ToolResult::ask(
        Question("Reset " + std::string(*arguments.at("port").as_string()) + "?"));
  });
  return tool;
}

AgentSpec asking_agent(int questions = 1, std::string name = "asking") {
  auto model = std::make_shared<ScriptedModel>();
  for (int i = 0; i < questions; ++i) {
    model->then(ScriptedReply().call("reset", port("fc1/" + std::to_string(i))));
  }
  model->then(ScriptedReply("done"));
  return AgentBuilder(model, "m").name(std::move(name)).tool(asking_tool()).build();
}

flow::Chart one_stage(AgentStage stage) {
  return flow::ChartBuilder("c").stage("agent", std::move(stage)).build();
}

flow::RunResult go(const flow::Chart& chart, flow::RunOptions options = alert()) {
  return run_blocking(flow::run_async(chart, std::move(options)));
}

flow::RunResult go_on(flow::RunResult paused, const std::string& id, Resolution resolution) {
  std::vector<flow::PauseAnswer> answers;
  answers.push_back({id, stage_answer({std::move(resolution)})});
  return run_blocking(flow::resume_async(std::move(paused), std::move(answers)));
}

std::string text(const flow::RunResult& result, const std::string& pointer) {
  const json::Value state = result.state().to_json();
  const json::Value* found = state.find_pointer(pointer);
  return found == nullptr     ? "-"
         : found->is_string() ? std::string(*found->as_string())
                              : json::dump(*found);
}

TEST(AgentStage, AnAnswerWritesKeysAndTheLogSaysWhy) {
  const flow::Chart chart =
      flow::ChartBuilder("shift")
          .stage("triage",
                 AgentStage(ports_agent("fc1/3 has 41200 errors, vol-7731 too"), kAlert, "triage"))
          .stage("page",
                 [](flow::Scope& scope) {
                   scope.set("page", "ALERT " + scope.require(AgentStage::text_at("triage")));
                 })
          .build();
  const flow::RunResult result = go(chart);
  ASSERT_EQ(result.outcome, flow::Outcome::completed) << result.reason;
  EXPECT_EQ(text(result, "/page"), "ALERT fc1/3 has 41200 errors, vol-7731 too");
  EXPECT_EQ(text(result, "/triage/outcome"), "answer");
  EXPECT_EQ(text(result, "/triage/unsupported"), R"(["vol-7731"])");
  EXPECT_EQ(text(result, "/triage/contingent"), "-");
  const flow::Slice slice = flow::slice_of(result.log(), "page");
  ASSERT_EQ(slice.nodes.size(), 2u);
  EXPECT_EQ(slice.step_of(1), "triage#0");
}

TEST(AgentStage, AQuestionPausesTheChartAndItsAnswerResumesTheRun) {
  flow::RunResult paused = go(one_stage(AgentStage(asking_agent(), kAlert, "out")));
  ASSERT_EQ(paused.outcome, flow::Outcome::paused);
  const StageQuestions asked = stage_questions(paused.pauses.at(0).data);
  EXPECT_EQ(asked.agent, "asking");
  ASSERT_EQ(asked.pending.size(), 1u);
  EXPECT_EQ(asked.pending[0].question.question, "Reset fc1/0?");
  EXPECT_EQ(asked.pending[0].call, (CallKey{1, 0, false}));
  const flow::RunResult done =
      go_on(std::move(paused), "agent#0", Resolution::value("[1,0]", json::Value(false)));
  ASSERT_EQ(done.outcome, flow::Outcome::completed) << done.reason;
  EXPECT_EQ(text(done, "/out/text"), "done");
}

TEST(AgentStage, SeveralPausesOneAfterTheOther) {
  flow::RunResult result = go(one_stage(AgentStage(asking_agent(3), kAlert, "out")));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(result.outcome, flow::Outcome::paused) << i << result.reason;
    const StageQuestions asked = stage_questions(result.pauses.at(0).data);
    EXPECT_EQ(asked.pending.at(0).question.question, fmt::format("Reset fc1/{}?", i));
    const std::string step = result.pauses.at(0).id;
    result =
        go_on(std::move(result), step, Resolution::value(asked.pending[0].id, json::Value("yes")));
  }
  EXPECT_EQ(text(result, "/out/text"), "done");
}

TEST(AgentStage, GoesOnInAnotherProcess) {
  const flow::RunResult paused = go(one_stage(AgentStage(asking_agent(), kAlert, "out")));
  const std::string document = json::dump(paused.checkpoint());
  auto model = std::make_shared<ScriptedModel>();
  model->then(ScriptedReply("done elsewhere"));
  const AgentSpec again = AgentBuilder(model, "m").name("asking").tool(asking_tool()).build();
  std::vector<flow::PauseAnswer> answers;
  answers.push_back({"agent#0", json::parse_or_throw(R"([{"id":"[1,0]","value":""}])")});
  const flow::RunResult done =
      run_blocking(flow::resume_async(one_stage(AgentStage(again, kAlert, "out")),
                                      json::parse_or_throw(document), std::move(answers)));
  EXPECT_EQ(text(done, "/out/text"), "done elsewhere");
}

TEST(AgentStage, AnAnswerThatDoesNotFitIsRefusedAndTheQuestionStaysOpen) {
  flow::RunResult result = go(one_stage(AgentStage(asking_agent(), kAlert, "out")));
  result = go_on(std::move(result), "agent#0", Resolution::approve("[1,0]", "ann"));
  ASSERT_EQ(result.outcome, flow::Outcome::paused) << result.reason;
  EXPECT_THAT(stage_questions(result.pauses.at(0).data).refused,
              HasSubstr("answer it with a value"));
  const std::string step = result.pauses.at(0).id;
  result = go_on(std::move(result), step, Resolution::value("[9,9]", json::Value(1)));
  EXPECT_THAT(stage_questions(result.pauses.at(0).data).refused, HasSubstr("[9,9]"));
  std::vector<flow::PauseAnswer> answers;
  answers.push_back({result.pauses.at(0).id, json::parse_or_throw(R"([{"id":"[1,0]"}])")});
  result = run_blocking(flow::resume_async(std::move(result), std::move(answers)));
  EXPECT_THAT(stage_questions(result.pauses.at(0).data).refused, HasSubstr("says none of value"));
  const std::string last = result.pauses.at(0).id;
  result = go_on(std::move(result), last, Resolution::value("[1,0]", json::Value(0)));
  EXPECT_EQ(text(result, "/out/text"), "done");
}

class Policy final : public PermissionPolicy {
 public:
  Permission check(const PermissionQuestion&) override { return Permission::halt("not at night"); }
};

AgentSpec halted_agent() {
  auto model = std::make_shared<ScriptedModel>();
  model->then(ScriptedReply().call("ports", port("fc1/3")));
  return AgentBuilder(model, "m")
      .name("night")
      .tool(port_tool())
      .permission(std::make_shared<Policy>())
      .build();
}

TEST(AgentStage, AStoppedRunFailsTheStageWithItsOutcome) {
  const flow::RunResult result = go(one_stage(AgentStage(halted_agent(), kAlert, "out")));
  ASSERT_EQ(result.outcome, flow::Outcome::failed);
  EXPECT_EQ(result.code, "stage-stopped");
  EXPECT_EQ(result.reason, "the agent 'night' stopped (policy): not at night");
  EXPECT_EQ(text(result, "/out/outcome"), "stopped");
  try {
    result.rethrow();
    FAIL();
  } catch (const AgentStageError& error) {
    ASSERT_NE(error.result().stopped(), nullptr);
    EXPECT_FALSE(error.result().stopped()->checkpoint.is_null());
  }
}

TEST(AgentStage, AChartMayDecideOnOutcomes) {
  auto model = std::make_shared<ScriptedModel>();
  model->then(ScriptedReply("x").fail(ModelError(ModelError::Kind::authentication, "no key")));
  const AgentSpec broken = AgentBuilder(model, "m").build();
  const auto chart = [](const AgentSpec& spec) {
    AgentStage stage(spec, kAlert, "out");
    stage.outcomes_as_values();
    flow::Rules rules;
    rules.when(flow::eq(AgentStage::outcome_at("out"), "answer"), "tell", "it answered")
        .otherwise("call-a-person", "it did not");
    return flow::ChartBuilder("c")
        .stage("agent", std::move(stage))
        .decide("next", rules)
        .branch("tell", [](flow::Scope& scope) { scope.set("told", "answer"); })
        .branch("call-a-person", [](flow::Scope& scope) { scope.set("told", "person"); })
        .build();
  };
  const flow::RunResult failed = go(chart(broken));
  EXPECT_EQ(text(failed, "/told"), "person");
  EXPECT_EQ(text(failed, "/out/code"), "model-authentication");
  EXPECT_EQ(text(go(chart(halted_agent())), "/out/reason"), "policy");
  EXPECT_EQ(text(go(chart(ports_agent())), "/told"), "answer");
}

TEST(AgentStage, AFailedRunFailsTheStage) {
  auto model = std::make_shared<ScriptedModel>();
  model->then(ScriptedReply("x").fail(ModelError(ModelError::Kind::authentication, "no key")));
  const flow::RunResult result =
      go(one_stage(AgentStage(AgentBuilder(model, "m").build(), kAlert, "out")));
  EXPECT_EQ(result.code, "stage-failed");
  EXPECT_THAT(result.reason, HasSubstr("the agent 'agent' failed (model-authentication)"));
}

AgentSpec slow_agent(const Clock& clock, std::string answer, std::string name) {
  auto model = std::make_shared<ScriptedModel>();
  model->use_clock(clock);
  model->then(ScriptedReply(std::move(answer)).delay_ms(100));
  return AgentBuilder(model, "m").name(std::move(name)).build();
}

TEST(AgentStage, CancellationAndDeadlineOfTheChartReachTheRun) {
  for (const bool by_deadline : {true, false}) {
    DeterministicLoop loop;
    CancelSource source;
    if (by_deadline) {
      source.set_deadline(loop.clock(), loop.clock().steady_ns() + 40'000'000);
    } else {
      loop.spawn([](CancelSource& cancel, const Clock& clock) -> Task<void> {
        co_await sleep_for(clock, 40);
        cancel.cancel("the person left");
      }(source, loop.clock()));
    }
    AgentStage stage(slow_agent(loop.clock(), "late", "slow"), kAlert, "out");
    stage.outcomes_as_values();  // a cancelled chart ends all the same
    flow::RunOptions options = alert();
    options.with_cancel(source.token()).with_clock(loop.clock());
    const flow::RunResult result =
        loop.run(flow::run_async(one_stage(std::move(stage)), std::move(options)));
    EXPECT_EQ(result.outcome, flow::Outcome::cancelled);
    EXPECT_EQ(result.code, by_deadline ? "deadline" : "cancelled");
    EXPECT_EQ(text(result, "/out/reason"), by_deadline ? "deadline" : "cancelled");
    EXPECT_EQ(loop.clock().steady_ns() / 1'000'000 % 1'000, 40) << "the model was not waited for";
  }
}

TEST(AgentStage, TwoAgentsOfAForkOverlap) {
  DeterministicLoop loop;
  const std::int64_t from = loop.clock().steady_ns();
  flow::ForkOptions fork;
  fork.join = flow::Join::merge_disjoint;
  const flow::Chart chart =
      flow::ChartBuilder("both")
          .fork("ask", fork)
          .branch("north",
                  AgentStage(slow_agent(loop.clock(), "north is fine", "n"), kAlert, "north"))
          .branch("south",
                  AgentStage(slow_agent(loop.clock(), "south is down", "s"), kAlert, "south"))
          .stage("join",
                 [](flow::Scope& scope) {
                   scope.set("all", scope.require(AgentStage::text_at("north")) + "; " +
                                        scope.require(AgentStage::text_at("south")));
                 })
          .build();
  flow::RunOptions options = alert();
  options.with_clock(loop.clock());
  const flow::RunResult result = loop.run(flow::run_async(chart, std::move(options)));
  EXPECT_EQ(text(result, "/all"), "north is fine; south is down");
  EXPECT_EQ((loop.clock().steady_ns() - from) / 1'000'000, 100);
}

TEST(AgentStage, OneBranchPausesWhileTheOtherAnswers) {
  flow::ForkOptions fork;
  fork.join = flow::Join::merge_disjoint;
  const flow::Chart chart = flow::ChartBuilder("both")
                                .fork("ask", fork)
                                .branch("a", AgentStage(asking_agent(1, "a"), kAlert, "a"))
                                .branch("b", AgentStage(ports_agent(), kAlert, "b"))
                                .branch("c", AgentStage(asking_agent(1, "c"), kAlert, "c"))
                                .build();
  flow::RunResult paused = go(chart);
  ASSERT_EQ(paused.pauses.size(), 2u);
  const std::string first = paused.pauses[0].id;
  const std::string second = paused.pauses[1].id;
  EXPECT_EQ(stage_questions(paused.pauses[1].data).agent, "c");
  paused = go_on(std::move(paused), second, Resolution::value("[1,0]", json::Value(1)));
  ASSERT_EQ(paused.outcome, flow::Outcome::paused);
  const flow::RunResult done =
      go_on(std::move(paused), first, Resolution::value("[1,0]", json::Value(1)));
  ASSERT_EQ(done.outcome, flow::Outcome::completed) << done.reason;
  EXPECT_EQ(text(done, "/a/text") + text(done, "/c/text"), "donedone");
  EXPECT_EQ(text(done, "/b/text"), "fc1/3 is down, 41200 errors");
}

TEST(AgentStage, AConversationGoesFromStageToStage) {
  auto second = std::make_shared<ScriptedModel>();
  second->keep_requests();
  second->then(ScriptedReply("as I said"));
  AgentStage one(ports_agent(), kAlert, "one");
  one.conversation("talk");
  AgentStage two(
      AgentBuilder(second, "m").build(), [](flow::Scope&) { return std::string("sure?"); }, "two");
  two.conversation("talk");
  const flow::Chart chart =
      flow::ChartBuilder("talks").stage("one", std::move(one)).stage("two", std::move(two)).build();
  const flow::RunResult result = go(chart);
  EXPECT_EQ(text(result, "/two/text"), "as I said");
  ASSERT_EQ(second->requests().size(), 1u);
  EXPECT_EQ(second->requests()[0].messages().size(), 5u);  // user, call, result, answer, user
}

TEST(AgentStage, QuestionsAreReadOnlyFromAPauseOfAnAgent) {
  try {
    static_cast<void>(stage_questions(json::object({{"question", "?"}})));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "stage-answer");
  }
}

}  // namespace
}  // namespace agentfootprint
