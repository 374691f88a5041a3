// The thirty conformance scenarios of the agent, each by the test that holds it; those that no
// other file holds stand below.
//
//  1 deny, halt, allow by a rule, a checker that throws:
//    Dispatch.DenyTellsTheRationaleAndHaltStops,
//    Dispatch.AThrowingCheckerDeniesWithoutTellingWhy (an open gate is `allow` with a rule's name)
//  2 halt with siblings pending: Dispatch.DenyTellsTheRationaleAndHaltStops
//  3 transformed arguments, then the schema refuses:
//    Dispatch.TransformedArgumentsAreWhatIsValidated
//  4 ask, approve, the next link asks again: Dispatch.MiddlewareAsksOnceAndTheChainGoesOn
//  5 ask approved, the tool's own check-in trips: Scenarios.AnApprovedAskMeetsTheToolsCheckIn
//  6 a check-in predicate throws: Scenarios.ACheckInThatThrowsAsks
//  7 a decline's note reaches the model: Dispatch.MiddlewareAsksOnceAndTheChainGoesOn
//  8 a plain pause resumed without an answer: Scenarios.AnAnswerThatIsMissingLeavesTheQuestion
//  9 a decision about another propsRef: Scenarios.ADecisionAboutSomethingElseIsStale
// 10 a pause at the second of three calls: Dispatch.APauseSettlesTheSiblingsBehindItAndResumes
// 11 a credential pause asks the provider again: Dispatch.CredentialsPauseWithoutLeakingTheUrl
// 12 the model is told, then the credential is issued: Scenarios.ConsentThatComesLaterStopsNothing
// 13 a ceiling keeps coverage, status invalid: Scenarios.ACeilingKeepsWhatWasDeclared
// 14 the cap is measured on what the model reads: Dispatch.CeilingRefusesAndCapCutsWithAnEnvelope
//    (events carry counts, never results)
// 15 a repeated call is noted once: Dispatch.RepeatedCallsAreNotedOnceAndAtLastNotRun
// 16 wrap-up, opted out, empty fragment, cost halt: Turn.MaxIterationsWrapsUpOnce,
//    Turn.WithoutWrapUpTheFragmentIsTheAnswer, Turn.CostHaltNeverWrapsUp
// 17 output retries beyond the iterations: Scenarios.RetriesOfTheFormAreBounded
// 18 output middleware breaks a valid answer:
//    Turn.OutputMiddlewareThatBreaksTheFormIsNamedAndNotAskedAgain
// 19 input rules on a continued turn: Turn.InputRulesApplyToEveryTurn
// 20 a follow-up after nothing, a pause, a failure: Scenarios.FollowUps
// 21 two concurrent runs: Turn.OneSpecManyRunsInterleaved, AgentThreads (exclusivity is ownership
// of
//    the conversation; nothing is refused)
// 22 a run while a question is open, then abandoned: Scenarios.FollowUps
// 23 a failure in the first iteration and in a later one:
// Turn.AStreamThatEndsEarlyIsAFailureThatCanGoOn,
//    Turn.AfterAFailureSettledCallsAreNotRunAgain
// 24 a checkpoint of another agent: Scenarios.ACheckpointBelongsToAnAgent
// 25 streams: Turn.AStreamThatEndsEarlyIsAFailureThatCanGoOn,
// ScriptedModel.FailsBeforeOrBehindTokens,
//    Fixture.NeverRepeatsWhatCannotBeTakenBackOrHelped
// 26 listeners: Turn.NothingIsBuiltForASinkThatWantsNothing, Turn.ASinkThatThrowsChangesNothing,
//    EventOrder.OfATwoStepRunIsTheGoldenFile
// 27 deferred observers: none exist; a sink is told before the run goes on, so nothing is to drain
// 28 windows: Window.PlansTheFirstRunThatMayGo, Window.PinsStandDownAfterTwoBlockedVisits,
//    Window.ANoticeStandsOnlyWhereItIsSmaller, Windows.SlidingShowsTheRequestAndTheNewestTurns
// 29 summaries: Windows.ASummariserThatFailsLeavesTheWindow,
//    Windows.ASpanThatWasRefusedIsNotPaidForAgain
// 30 the record's chain: Record.EveryChangedByteIsFound, Record.DamageIsNamedByLine,
//    Record.ANewSegmentGoesOnBehindATornTail
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

json::Value nothing() {
  return json::object(std::vector<json::Member>{});
}

std::string code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return "";
}

struct Scenarios : ::testing::Test, ScriptedRuns {};

TEST_F(Scenarios, AnApprovedAskMeetsTheToolsCheckIn) {
  Middleware asker("asker");
  asker.on(Moment::before_tool,
           [](const MiddlewareView&) { return Decision::ask(Question("sure?")); });
  Tool tool = port_tool();
  tool.check_in();
  const AgentSpec spec = builder().tool(std::move(tool)).middleware(asker).build();
  model->then(ScriptedReply().call("ports", port("a")));
  const RunResult paused = go(spec);
  ASSERT_NE(paused.paused(), nullptr);
  model->then(ScriptedReply("ok"));
  const RunResult done =
      resume(spec, paused.paused()->checkpoint, {Resolution::approve("[1,0]", "ann")});
  ASSERT_NE(done.answer(), nullptr);
  EXPECT_THAT(results_of(done.facts().conversation).at(0), HasSubstr("already asked once"));
}

TEST_F(Scenarios, ACheckInThatThrowsAsks) {
  Tool tool = port_tool();
  tool.check_in([](const json::Value&) -> bool { throw std::runtime_error("policy db"); });
  const AgentSpec spec = builder().tool(std::move(tool)).build();
  model->then(ScriptedReply().call("ports", port("a")));
  const RunResult paused = go(spec);
  ASSERT_NE(paused.paused(), nullptr);
  EXPECT_EQ(paused.paused()->pending[0].kind, Pending::Kind::check_in);
}

TEST_F(Scenarios, AnAnswerThatIsMissingLeavesTheQuestion) {
  const AgentSpec spec = builder().tool(asking("which?")).build();
  model->then(ScriptedReply().call("approve", nothing()));
  const json::Value checkpoint = go(spec).paused()->checkpoint;
  const RunResult still = resume(spec, checkpoint, {}, options());
  ASSERT_NE(still.paused(), nullptr);
  EXPECT_EQ(still.paused()->pending.at(0).id, "[1,0]");
  for (const json::Value& falsy :
       {json::Value(), json::Value(false), json::Value(0), json::Value("")}) {
    model->then(ScriptedReply("done"));
    const RunResult done =
        resume(spec, still.paused()->checkpoint, {Resolution::value("[1,0]", falsy)});
    ASSERT_NE(done.answer(), nullptr);
  }
}

TEST_F(Scenarios, ADecisionAboutSomethingElseIsStale) {
  Middleware asker("asker");
  asker.on(Moment::before_tool, [](const MiddlewareView&) {
    Question question("apply this plan?");
    question.component = json::object({{"componentId", "plan"}, {"propsRef", "art_1"}});
    return Decision::ask(std::move(question));
  });
  const AgentSpec spec = builder().tool(port_tool()).middleware(asker).build();
  model->then(ScriptedReply().call("ports", port("a")));
  const json::Value checkpoint = go(spec).paused()->checkpoint;
  EXPECT_EQ(code_of([&] {
              (void)resume(spec, checkpoint, {Resolution::approve("[1,0]", "ann").seen("art_0")});
            }),
            "resume-stale");
  for (Resolution fits :
       {Resolution::approve("[1,0]", "ann").seen("art_1"), Resolution::approve("[1,0]", "ann")}) {
    model->then(ScriptedReply("ok"));
    EXPECT_NE(resume(spec, checkpoint, {std::move(fits)}).answer(), nullptr);
  }
}

struct Vault final : CredentialProvider {
  int refusals = 0;
  Task<CredentialAnswer> get(const CredentialNeed&, const std::optional<Identity>&,
                             CancelToken) override {
    if (refusals-- > 0) co_return CredentialAnswer("https://consent.example/secret-url", "s1");
    const std::map<std::string, std::string> headers{{"Authorization", "Bearer t"}};
    co_return CredentialAnswer(std::make_shared<const Credential>("bearer", headers));
  }
};

Tool mail_tool() {
  Tool tool("mail", "Reads mail.");
  tool.needs_credential(CredentialNeed("mail"));
  tool.run([](const json::Value&, ToolContext&) { return ToolResult::text("3 letters"); });
  return tool;
}

TEST_F(Scenarios, ConsentThatComesLaterStopsNothing) {
  auto vault = std::make_shared<Vault>();
  vault->refusals = 1;
  const AgentSpec spec =
      builder().tool(mail_tool()).credentials(vault, ConsentPosture::tell_model).build();
  model->then(ScriptedReply().call("mail", nothing()));
  model->then(ScriptedReply().call("mail", nothing()));
  model->then(ScriptedReply("3 letters"));
  const RunResult result = go(spec);
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_THAT(results_of(result.facts().conversation).at(0), HasSubstr("consent for mail"));
}

TEST_F(Scenarios, ConsentThatNeverComesStopsTheRun) {
  auto vault = std::make_shared<Vault>();
  vault->refusals = 9;
  const AgentSpec spec =
      builder().tool(mail_tool()).credentials(vault, ConsentPosture::tell_model).build();
  model->then(ScriptedReply().call("mail", nothing()));
  model->then(ScriptedReply("I cannot read your mail."));
  const RunResult result = go(spec);
  ASSERT_NE(result.stopped(), nullptr);
  EXPECT_EQ(result.stopped()->reason, Stopped::Reason::consent_required);
  EXPECT_EQ(result.stopped()->authorization_url, "https://consent.example/secret-url");
  EXPECT_THAT(events.line(), Not(HasSubstr("secret-url")));
  EXPECT_THAT(json::dump(result.stopped()->checkpoint), Not(HasSubstr("secret-url")));
}

TEST_F(Scenarios, ACeilingKeepsWhatWasDeclared) {
  Tool tool("find", "Finds.");
  tool.result_ceiling(10, "a name");
  tool.run([](const json::Value&, ToolContext&) {
    return ToolResult::json(json::parse_or_throw(
        R"({"af_coverage":{"checked":[{"what":"fabric A"}],"note":"covered"},
            "result":{"rows":"many many many"}})"));
  });
  model->then(ScriptedReply().call("find", nothing())).then(ScriptedReply("ok"));
  const RunResult result = go(builder().tool(std::move(tool)).build());
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_EQ(events.count("coverage:find:coverage"), 1u);
  EXPECT_EQ(events.count("tool_end:find:invalid"), 1u);
  EXPECT_EQ(result.answer()->coverage.size(), 1u);
  EXPECT_THAT(results_of(result.facts().conversation).at(0), Not(HasSubstr("many many")));
}

TEST_F(Scenarios, RetriesOfTheFormAreBounded) {
  auto stubborn = std::make_shared<ScriptedModel>(
      [](const ModelRequest&) { return ScriptedReply("never json"); });
  const RunResult result = run(AgentBuilder(stubborn, "m")
                                   .max_iterations(1)
                                   .max_corrections(10)
                                   .output_schema(json::object({{"type", "object"}}), 3)
                                   .build(),
                               Conversation(), "hi");
  ASSERT_NE(result.answer(), nullptr);
  EXPECT_EQ(stubborn->requests_seen(), 4u);
  EXPECT_EQ(result.facts().iterations, 1u);
  EXPECT_EQ(result.facts().corrections, 3u);
}

TEST_F(Scenarios, FollowUps) {
  const AgentSpec spec = builder().tool(asking("which?")).build();
  // After nothing: an empty conversation is a first turn.
  model->then(ScriptedReply("hello"));
  EXPECT_NE(go(spec).answer(), nullptr);
  // After a pause: refused while the question is open, in order once it is abandoned.
  model->then(ScriptedReply().call("approve", nothing()));
  const RunResult paused = go(spec);
  ASSERT_NE(paused.paused(), nullptr);
  EXPECT_EQ(code_of([&] { (void)run(spec, paused.facts().conversation, "and?"); }),
            "run-open-calls");
  model->then(ScriptedReply("fine"));
  const RunResult after = run(spec, abandon_questions(paused.facts().conversation), "and?");
  ASSERT_NE(after.answer(), nullptr);
  EXPECT_THAT(results_of(after.facts().conversation).at(0), HasSubstr("withdrawn"));
  EXPECT_FALSE(after.facts().conversation[2].dispatched);
  // After a failure: the conversation is whole, and another turn may follow.
  model->then(ScriptedReply().fail(ModelError(ModelError::Kind::server, "down")));
  RunResult failed = go(spec);
  ASSERT_NE(failed.failed(), nullptr);
  model->then(ScriptedReply("better"));
  EXPECT_NE(run(spec, std::move(failed).take_conversation(), "again").answer(), nullptr);
}

TEST_F(Scenarios, ACheckpointBelongsToAnAgent) {
  model->then(ScriptedReply().call("approve", nothing()));
  const json::Value checkpoint = go(builder().tool(asking("which?")).build()).paused()->checkpoint;
  const auto resumed = [&](const AgentSpec& spec) {
    return code_of([&] { (void)resume(spec, checkpoint, {Resolution::value("[1,0]", 1)}); });
  };
  EXPECT_EQ(resumed(builder().name("other").tool(asking("which?")).build()), "resume-checkpoint");
  model->then(ScriptedReply("ok"));
  // Another prompt is no other agent.
  EXPECT_EQ(resumed(builder().system("Be brief.").tool(asking("which?")).build()), "");
}

}  // namespace
}  // namespace agentfootprint
