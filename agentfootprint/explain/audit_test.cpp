// The audit of one conversation: order, origins, standings, options.
#include "agentfootprint/explain/audit.hpp"

#include <gtest/gtest.h>

namespace agentfootprint {
namespace {

Conversation counted(const char* result, const char* answer,
                     ResultStatus status = ResultStatus::ok) {
  Conversation c;
  c.append(Message::user("how many?"));
  c.append(Message::assistant("", {ToolCall("c1", "count", "{}")}));
  c.append(Message::tool_result("c1", "count", result, status));
  c.append(Message::assistant(answer));
  return c;
}

ValueStanding only_standing(const Conversation& c, const AuditOptions& options = {}) {
  const ConversationAudit audit = audit_conversation(c, options);
  EXPECT_EQ(audit.answers.size(), 1U);
  EXPECT_EQ(audit.answers[0].standings.size(), 1U);
  return audit.answers[0].standings.at(0);
}

TEST(Audit, StandingsOfValues) {
  EXPECT_EQ(only_standing(counted(R"({"n":41200})", "41,200 rows")), ValueStanding::grounded);
  EXPECT_EQ(only_standing(counted(R"({"n":41201})", "41,200 rows")), ValueStanding::unsupported);
  EXPECT_EQ(only_standing(counted("boom at 41200", "41,200 rows", ResultStatus::failed)),
            ValueStanding::failed_only);
}

// What comes later grounds nothing.
TEST(Audit, AnAnswerIsJudgedByWhatStoodBeforeIt) {
  Conversation c;
  c.append(Message::user("how many?"));
  c.append(Message::assistant("41,200 I guess"));
  c.append(Message::assistant("", {ToolCall("c1", "count", "{}")}));
  c.append(Message::tool_result("c1", "count", R"({"n":41200})"));
  c.append(Message::assistant("41,200 it is"));
  c.append(Message::user("and 73,111?"));
  const ConversationAudit audit = audit_conversation(c, {});
  ASSERT_EQ(audit.answers.size(), 2U);
  EXPECT_EQ(audit.answers[0].message, 1U);
  EXPECT_FALSE(audit.answers[0].results_before);
  EXPECT_EQ(audit.answers[0].standings.at(0), ValueStanding::unsupported);
  EXPECT_TRUE(audit.answers[1].results_before);
  EXPECT_EQ(audit.answers[1].standings.at(0), ValueStanding::grounded);
  EXPECT_EQ(audit.counts.findings, 1U);
  EXPECT_EQ(audit.counts.answers, 2U);
}

// A value of another record is noted, and is no finding.
TEST(Audit, AValueOfAnotherRecordIsNoted) {
  const ConversationAudit audit = audit_conversation(
      counted(R"([{"port":"fc1/3","errors":4417},{"port":"fc1/4","errors":9120}])",
              "fc1/3 has 9120 errors"),
      AuditOptions());
  EXPECT_EQ(audit.counts.not_associated, 1U);
  EXPECT_EQ(audit.counts.findings, 0U);
  ASSERT_EQ(audit.answers.size(), 1U);
  EXPECT_EQ(audit.answers[0].verdict.values.at(1).grounding.notes,
            std::vector<std::string>{"not-associated: fc1/3"});
}

TEST(Audit, OnlyTheModelIsJudged) {
  Conversation c;
  c.append(Message::user("it is 88,123"));
  Message synthetic = Message::assistant("API error 50,329");
  synthetic.origin = Origin::library;
  c.append(synthetic);
  EXPECT_TRUE(audit_conversation(c, {}).answers.empty());
}

TEST(Audit, StrictCountsFailedOnlyAsAFinding) {
  const Conversation c = counted("boom at 41200", "41,200 rows", ResultStatus::failed);
  AuditOptions options;
  EXPECT_EQ(audit_conversation(c, options).counts.findings, 0U);
  EXPECT_EQ(audit_conversation(c, options).counts.failed_only, 1U);
  options.strict = true;
  EXPECT_EQ(audit_conversation(c, options).counts.findings, 1U);
}

TEST(Audit, DeclarationsOfTheModelAreFollowed) {
  Conversation c;
  c.append(Message::user("how many?"));
  c.append(Message::assistant("", {ToolCall("c1", "count", R"({"of":"a"})")}));
  c.append(Message::tool_result("c1", "count", R"({"n":41200})"));
  c.append(Message::assistant(
      "", {ToolCall("c2", "check",
                    R"({"_findings":{"previous":[{"toolCallId":"c1","standing":"noise"}]}})")}));
  c.append(Message::tool_result("c2", "check", "ok"));
  c.append(Message::assistant("41,200 rows"));
  const ConversationAudit audit = audit_conversation(c, {});
  ASSERT_EQ(audit.answers.size(), 1U);
  EXPECT_EQ(audit.answers[0].standings.at(0), ValueStanding::contingent);
  EXPECT_EQ(audit.counts.contingent, 1U);
  EXPECT_EQ(audit.counts.findings, 1U);
  EXPECT_EQ(audit.headline.by_model, 1U);
}

TEST(Audit, TheSummaryNamesWhatWasNotChecked) {
  AuditOptions options;
  EXPECT_NE(not_checked(options).find("fewer than 4 digits"), std::string::npos);
  options.judge.thorough = true;
  EXPECT_EQ(not_checked(options).find("digits"), std::string::npos);
}

}  // namespace
}  // namespace agentfootprint
