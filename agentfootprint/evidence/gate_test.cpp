// The gate: options and refusals, the decision by posture, turns, and the texts.
#include "agentfootprint/evidence/gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/evidence/gate_text.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::evidence {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> faults(const char* written) {
  std::vector<std::string> out;
  try {
    (void)read_gate_options(json::parse_or_throw(written));
  } catch (const Refusal& refusal) {
    for (const Issue& issue : refusal.issues()) out.push_back(issue.code + " " + issue.field);
  }
  return out;
}

TEST(GateOptions, DefaultsAreTheStatedOnes) {
  const GateOptions options = read_gate_options(json::object({}));
  EXPECT_EQ(options.posture, Posture::assist);
  EXPECT_EQ(options.judge.min_digits, 4);
  EXPECT_FALSE(options.nudge);
  EXPECT_FALSE(options.judge.thorough);
}

TEST(GateOptions, EveryFaultIsNamedAtOnce) {
  EXPECT_THAT(faults(R"({"posture":"strict","minDigits":0})"),
              ElementsAre("evidence-posture posture", "evidence-min-digits minDigits"));
  EXPECT_THAT(faults(R"({"shapes":[{"name":" ","match":"a("},{"name":"t","match":"x"},)"
                     R"({"name":"t","match":"y"}]})"),
              ElementsAre("evidence-shape shapes[0].name", "evidence-shape shapes[0].match",
                          "evidence-shape shapes[2].name"));
  EXPECT_THAT(faults(R"({"exempt":["x",5,{"regex":"("}]})"),
              ElementsAre("evidence-exempt exempt[1]", "evidence-exempt exempt[1]"));
  EXPECT_THAT(faults(R"({"minDigit":3})"), ElementsAre("evidence-option minDigit"));
  EXPECT_THAT(faults(R"({"nudge":"yes"})"), ElementsAre("evidence-option nudge"));
  EXPECT_THAT(faults(R"({"recoveryInstruction":5})"),
              ElementsAre("evidence-recovery recoveryInstruction"));
  GateOptions made;
  made.judge.min_digits = 0;
  EXPECT_THROW(check_gate_options(made), Refusal);
}

// A conversation with one result, and the verdict on an answer.
struct Judged {
  ConversationIndex index;
  Verdict verdict;
};

Judged judged(const std::string& answer) {
  Conversation conversation;
  conversation.append(Message::user("go"));
  conversation.append(Message::tool_result("c1", "ports", R"({"port":"fc1/3","iops":41200})"));
  Judged out{ConversationIndex::of(conversation), {}};
  out.verdict = check_answer(answer, out.index);
  return out;
}

GateAction action(Posture posture, const std::string& answer, bool spent, bool limit) {
  const Judged given = judged(answer);
  GateOptions options;
  options.posture = posture;
  GateSituation situation;
  situation.revision_spent = spent;
  situation.limit_fired = limit;
  return decide(given.verdict, given.index, options, situation).action;
}

TEST(GateDecision, TheTableOfPostures) {
  const std::string good = "fc1/3 does 41,200";
  const std::string bad = "fc9/9 does 41,200";
  EXPECT_EQ(action(Posture::assist, good, false, false), GateAction::grounded);
  EXPECT_EQ(action(Posture::assist, bad, false, false), GateAction::flagged);
  EXPECT_EQ(action(Posture::guard, bad, false, false), GateAction::revision_asked);
  EXPECT_EQ(action(Posture::guard, bad, true, false), GateAction::flagged);
  EXPECT_EQ(action(Posture::guard, bad, false, true), GateAction::flagged);
  EXPECT_EQ(action(Posture::guard, good, true, false), GateAction::grounded);
  EXPECT_EQ(action(Posture::rails, bad, false, false), GateAction::revision_asked);
  EXPECT_EQ(action(Posture::rails, bad, true, false), GateAction::refused);
  EXPECT_EQ(action(Posture::rails, bad, false, true), GateAction::refused);
}

TEST(GateDecision, WhatIsNotJudgedDoesNotLookClean) {
  const Judged given = judged("fc9/9");
  GateSituation situation;
  situation.denied = true;
  const GateVerdict verdict = decide(given.verdict, given.index, GateOptions(), situation);
  EXPECT_EQ(verdict.action, GateAction::not_judged);
  EXPECT_EQ(verdict.outcome, CheckOutcome::not_applicable);
  EXPECT_EQ(verdict.reason, "the answer was denied");
  const Judged prose = judged("all is well");
  EXPECT_EQ(decide(prose.verdict, prose.index, GateOptions(), GateSituation()).outcome,
            CheckOutcome::not_applicable);
  EXPECT_EQ(decide(prose.verdict, prose.index, GateOptions(), GateSituation()).action,
            GateAction::grounded);
}

TEST(GateDecision, AnIncompleteIndexAccusesNobody) {
  Judged given = judged("fc9/9");
  given.verdict.truncated = true;
  given.verdict.unsupported.clear();
  GateOptions options;
  options.posture = Posture::rails;
  const GateVerdict verdict = decide(given.verdict, given.index, options, GateSituation());
  EXPECT_EQ(verdict.outcome, CheckOutcome::could_not_run);
  EXPECT_EQ(verdict.action, GateAction::not_judged);
  EXPECT_EQ(verdict.unsupported_count, 0U);
}

TEST(GateDecision, ValuesAreCountedByTurn) {
  Conversation conversation;
  conversation.append(Message::user("go"));
  conversation.append(Message::tool_result("c1", "t", "port fc1/3"));
  conversation.append(Message::user("and now?"));
  conversation.append(Message::tool_result("c2", "t", "port fc1/4 and fc1/5"));
  const auto index = ConversationIndex::of(conversation);
  const TurnGrounding turns = turn_grounding(check_answer("fc1/3, fc1/4, fc1/5", index), index);
  EXPECT_EQ(turns.from_this_turn, 2U);
  EXPECT_EQ(turns.from_prior_turns, 1U);
  EXPECT_EQ(turns.latest_prior_turn, 1U);
  EXPECT_EQ(turns.current_turn, 2U);
  EXPECT_EQ(turns.tool_results_this_turn, 1U);
}

TEST(GateDecision, TwelveValuesAreReported) {
  std::string answer;
  for (int i = 0; i < 40; ++i) answer += "host-" + std::to_string(900 + i) + "x ";
  const Judged given = judged(answer);
  const GateVerdict verdict = decide(given.verdict, given.index, GateOptions(), GateSituation());
  EXPECT_EQ(verdict.unsupported.size(), 12U);
  EXPECT_EQ(verdict.unsupported_count, 40U);
  EXPECT_THAT(values_text(verdict.unsupported, verdict.unsupported_count),
              HasSubstr("and 28 more"));
  const json::Value event = evidence_checked_event(verdict, 3);
  EXPECT_EQ(event.at("action"), json::Value("flagged"));
  EXPECT_EQ(event.at("unsupported").size(), 12U);
  EXPECT_FALSE(event.contains("evidenceTruncated"));
}

TEST(GateText, ValuesAreClippedByCodePoint) {
  std::string longest = "host-1";
  for (int i = 0; i < 100; ++i) longest += "x";
  const Judged given = judged(longest);
  const GateVerdict verdict = decide(given.verdict, given.index, GateOptions(), GateSituation());
  ASSERT_EQ(verdict.unsupported.size(), 1U);
  EXPECT_TRUE(verdict.unsupported[0].value.ends_with("\xe2\x80\xa6"));
  EXPECT_EQ(verdict.unsupported[0].value.size(), 63U + 3U);
}

RecoveryContext context() {
  RecoveryContext out;
  out.original_request = "is fc1/3 down?";
  out.rejected_draft = "fc9/9 \"is\" down";
  out.unsupported = {{"fc9/9", "identifier"}};
  return out;
}

TEST(GateText, ARecoverySaysWhoSpeaksAndWhatIsData) {
  GateOptions options;
  options.recovery_instruction = "Prefer the ports tool.";
  const std::string text = recovery_text(context(), options);
  EXPECT_THAT(text, AllOf(HasSubstr("not from the user"), HasSubstr("original request"),
                          HasSubstr("does not prove"), HasSubstr("open question"),
                          HasSubstr(R"("rejectedDraft":"fc9/9 \"is\" down")")));
  EXPECT_TRUE(text.ends_with("Prefer the ports tool."));
  options.nudge = true;
  EXPECT_THAT(recovery_text(context(), options, {{"art_1", "rows"}}, {"query"}),
              AllOf(HasSubstr("art_1 (rows)"), HasSubstr("query")));
}

TEST(GateText, ARecoveryNamesTheNearestValueThatWasRead) {
  Conversation conversation;
  conversation.append(Message::user("go"));
  conversation.append(Message::tool_result("c0", "old", R"({"n": 41290})", ResultStatus::failed));
  conversation.append(Message::tool_result("c1", "ports",
                                           R"([{"port":"fc1/3","n":41000,"at":"2026-04-12"},)"
                                           R"({"port":"fc7/8","n":90000,"at":"2026-09-01"}])"));
  const auto index = ConversationIndex::of(conversation);
  GateOptions options;
  options.posture = Posture::guard;
  const auto asked = [&](std::string_view answer) {
    const Verdict verdict = check_answer(answer, index, options.judge);
    const GateVerdict decided = decide(verdict, index, options, GateSituation());
    EXPECT_EQ(decided.action, GateAction::revision_asked) << answer;
    RecoveryContext out;
    out.unsupported = decided.unsupported;
    return recovery_text(out, options);
  };
  EXPECT_THAT(
      asked("it is 41,300"),
      HasSubstr(R"("nearestRead":{"value":"41000","result":2,"tool":"ports","at":"/0/n"})"));
  EXPECT_THAT(asked("fc7/9 is down"), HasSubstr(R"("nearestRead":{"value":"fc7/8")"));
  EXPECT_THAT(asked("since 2026-08-30"), HasSubstr(R"("nearestRead":{"value":"2026-09-01")"));
  EXPECT_THAT(asked("see HAT-4417"), Not(HasSubstr(R"("nearestRead":{)")));
  // Clock times have no neighbours.
  EXPECT_THAT(asked("since 10:44:59"), Not(HasSubstr(R"("nearestRead":{)")));
}

TEST(GateText, TheCallbackIsAskedAndBounded) {
  GateOptions options;
  options.recovery_callback = [](const RecoveryContext& given) {
    return std::optional<std::string>("about " + given.unsupported.at(0).value);
  };
  EXPECT_TRUE(recovery_text(context(), options).ends_with("about fc9/9"));
  options.recovery_callback = [](const RecoveryContext&) {
    return std::optional<std::string>(std::string(4'001, 'x'));
  };
  EXPECT_THROW((void)recovery_text(context(), options), Error);
}

TEST(GateText, ARefusalNamesValuesAndItsOwnLimits) {
  const Judged given = judged("fc9/9 is down");
  GateOptions options;
  options.posture = Posture::rails;
  GateSituation situation;
  situation.revision_spent = true;
  const GateVerdict verdict = decide(given.verdict, given.index, options, situation);
  EXPECT_THAT(refusal_text(verdict),
              AllOf(HasSubstr("fc9/9 (identifier)"), HasSubstr("A revision was asked for"),
                    HasSubstr("What would satisfy the check"), HasSubstr("does not judge")));
  EXPECT_THAT(json::dump(unsupported_values_state(verdict)), HasSubstr("\"refused\":true"));
  EXPECT_THAT(warning_text(verdict), Not(HasSubstr("not given out")));
}

}  // namespace
}  // namespace agentfootprint::evidence
