// Explanations over declared standings: who declared what, towers, contradictions, replacements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/explain/audit.hpp"
#include "agentfootprint/explain/why.hpp"
#include "agentfootprint/report/why_report.hpp"

namespace agentfootprint {
namespace {

using findings::Standing;
using ::testing::HasSubstr;
using ::testing::Not;

ToolCall asked(const char* id, const char* tool, const char* arguments) {
  return ToolCall(id, tool, arguments);
}

// c1 is called noise on c2; c2 takes its value from c1; in the next turn c3 takes one from c2,
// which is called open by then, and the answer is read off c3.
Conversation tower() {
  Conversation c;
  c.append(Message::user("which volume is slow?"));
  c.append(Message::assistant("", {asked("c1", "ports", "{}")}));
  c.append(Message::tool_result("c1", "ports", R"({"port":"fc1/77"})"));
  c.append(Message::assistant("", {asked("c2", "volume",
                                         R"({"port":"fc1/77","_findings":{"previous":[
                    {"toolCallId":"c1","standing":"noise"}]}})")}));
  c.append(Message::tool_result("c2", "volume", R"({"volume":"vol-4471"})"));
  c.append(Message::assistant("It is vol-4471."));
  c.append(Message::user("and its array?"));
  c.append(Message::assistant("", {asked("c3", "volume", R"({"port":"fc1/77","again":true})")}));
  c.append(Message::tool_result("c3", "volume", R"({"volume":"vol-4471","array":"alpha-01"})"));
  c.append(Message::assistant("", {asked("c4", "array",
                                         R"({"volume":"vol-4471","_findings":{"previous":[
                    {"toolCallId":"c3","standing":"open","settles":"ask the array"}]}})")}));
  c.append(Message::tool_result("c4", "array", R"({"iops":41200})"));
  c.append(Message::assistant("alpha-01 does 41,200 IOPS."));
  return c;
}

const WhyCall* call_of(const Explanation& why, CallKey key) {
  for (const WhyCall& call : why.calls) {
    if (call.key == key) return &call;
  }
  return nullptr;
}

TEST(WhyStandings, SaysWhoDeclaredWhatAndWhatIsUndeclared) {
  const Explanation why = explain_answer(tower(), WhyQuestion());
  ASSERT_EQ(why.values.size(), 2U);
  const WhyCall* array = call_of(why, CallKey{9, 0, false});
  ASSERT_NE(array, nullptr);
  EXPECT_FALSE(array->standing.now.has_value());
  const WhyCall* volume = call_of(why, CallKey{7, 0, false});
  ASSERT_NE(volume, nullptr);
  EXPECT_EQ(volume->standing.now, Standing::open);
  EXPECT_EQ(volume->standing.by, findings::DeclaredBy::model);
  EXPECT_EQ(volume->standing.on->call->call, (CallKey{9, 0, false}));
  EXPECT_EQ(volume->standing.settles, "ask the array");
  EXPECT_EQ(volume->turn, 2U);
  const std::string text = why_text(why);
  EXPECT_THAT(text, HasSubstr("standing: undeclared"));
  EXPECT_THAT(text, HasSubstr("standing: open, declared by the model on call [9,0]"));
  EXPECT_THAT(text, HasSubstr("2 of 4 results declared"));
}

TEST(WhyStandings, MarksValuesThatOnlySetAsideResultsCarry) {
  WhyQuestion question;
  question.value = "alpha-01";
  const Explanation why = explain_answer(tower(), question);
  ASSERT_EQ(why.values.size(), 1U);
  ASSERT_TRUE(why.values[0].contingent.has_value());
  EXPECT_EQ(why.values[0].carriers.at(0).then, Standing::open);
  EXPECT_THAT(why_text(why), HasSubstr("contingent: every result"));
}

// The tower of the earlier turn is reached through the chain of arguments.
TEST(WhyStandings, ShowsTowersAcrossTurns) {
  WhyQuestion question;
  question.value = "41200";
  const Explanation why = explain_answer(tower(), question);
  ASSERT_FALSE(why.towers.empty());
  const WhyTower& top = why.towers[0];
  EXPECT_EQ(top.result.call, (CallKey{9, 0, false}));
  EXPECT_TRUE(top.on_set_aside_ground);
  EXPECT_EQ(top.steps.at(0).edge.base.call, (CallKey{7, 0, false}));
  EXPECT_EQ(top.steps.at(0).edge.then, Standing::open);
  bool earlier = false;
  for (const WhyTower& one : why.towers) {
    earlier = earlier || one.result.call == CallKey{3, 0, false};
  }
  EXPECT_TRUE(earlier) << why_text(why);
  EXPECT_THAT(why_text(why),
              HasSubstr(R"([3,0] used "fc1/77" from [1,0] (noise then, noise now))"));
}

TEST(WhyStandings, TellsTheStandingThenFromTheOneNow) {
  Conversation c = tower();
  c.append(Message::assistant(
      "Settled. {\"_findings\":{\"previous\":[{\"toolCallId\":\"c3\",\"standing\":\"fact\"}]}}"));
  WhyQuestion question;
  question.message = 11;
  const Explanation why = explain_answer(c, question);
  const WhyCall* volume = call_of(why, CallKey{7, 0, false});
  ASSERT_NE(volume, nullptr);
  EXPECT_EQ(volume->standing.then, Standing::open);
  EXPECT_EQ(volume->standing.now, Standing::fact);
  EXPECT_THAT(why_text(why), HasSubstr("open when the answer was given"));
  EXPECT_THAT(why_text(why), HasSubstr("(open then, fact now)"));
  // The notes are the model's, not the answer's.
  question.message = 12;
  EXPECT_THAT(explain_answer(c, question).answer, Not(HasSubstr("_findings")));
}

TEST(WhyStandings, NamesThePersonOfASideFile) {
  const Conversation c = tower();
  WhyQuestion question;
  question.standings =
      findings::read_standings(R"({"call":[9,0],"standing":"ruled-out","who":"ann"})", c).value();
  const Explanation why = explain_answer(c, question);
  EXPECT_THAT(why_text(why), HasSubstr("ruled-out, declared by ann (a person)"));
  EXPECT_TRUE(why.values.back().contingent.has_value());
}

TEST(WhyStandings, ShowsWhatContradictsAndWhatReplacedACarrier) {
  const char* fact =
      R"({"x":%d,"_findings":{"previous":[{"toolCallId":"%s","standing":"fact","assertions":[
        {"subject":{"kind":"port","id":"fc1/77"},"predicate":"state","value":"%s"}]}]}})";
  const auto declare = [&](int x, const char* id, const char* state) {
    char text[400];
    std::snprintf(text, sizeof text, fact, x, id, state);
    return std::string(text);
  };
  Conversation c;
  c.append(Message::user("state of fc1/77?"));
  c.append(Message::assistant("", {asked("a", "ports", R"({"port":"fc1/77"})")}));
  c.append(Message::tool_result("a", "ports", R"({"errors":4411})"));
  c.append(Message::assistant("", {ToolCall("b", "log", declare(1, "a", "down"))}));
  c.append(Message::tool_result("b", "log", "fine"));
  c.append(Message::assistant("", {asked("d", "ports", R"({"port":"fc1/77"})")}));
  c.append(Message::tool_result("d", "ports", R"({"errors":0})"));
  c.append(Message::assistant("", {ToolCall("e", "log", declare(2, "d", "up"))}));
  c.append(Message::tool_result("e", "log", "fine"));
  c.append(Message::assistant("4411 errors"));
  const Explanation why = explain_answer(c, WhyQuestion());
  ASSERT_EQ(why.calls.size(), 1U);
  EXPECT_EQ(why.calls[0].replaced_by, (CallKey{5, 0, false}));
  ASSERT_EQ(why.calls[0].contradictions.size(), 1U);
  EXPECT_EQ(why.calls[0].contradictions[0].other.call, (CallKey{5, 0, false}));
  EXPECT_THAT(why_text(why),
              HasSubstr("contradicted by: [5,0]: port/fc1/77 · state is \"up\" there, "
                        "\"down\" here"));
  EXPECT_THAT(why_text(why), HasSubstr("replaced by: [5,0]"));
  const json::Value out = why_json(why);
  EXPECT_EQ(out.at("calls").at(0).at("contradictedBy").at(0).at("there").as_string(), "up");
  EXPECT_EQ(out.at("calls").at(0).at("standing").at("by").as_string(), "model");
}

// Texts without a digit are followed too; what nobody said is the model's own.
TEST(WhyStandings, FollowsEveryArgument) {
  Conversation c;
  c.append(Message::system("Our site is called northgate."));
  c.append(Message::user("how is the frobnicator?"));
  c.append(Message::assistant("", {asked("a", "find", R"({"name":"frobnicator"})")}));
  c.append(Message::tool_result("a", "find", R"({"owner":"warehouse"})"));
  c.append(Message::assistant(
      "", {asked("b", "load",
                 R"({"of":"warehouse","site":"northgate","unit":"percent","deep":true})")}));
  c.append(Message::tool_result("b", "load", R"({"load":4711})"));
  c.append(Message::assistant("4711"));
  const Explanation why = explain_answer(c, WhyQuestion());
  ASSERT_EQ(why.calls.size(), 2U);
  const std::vector<WhyArgument>& values = why.calls[0].values;
  ASSERT_EQ(values.size(), 4U);
  EXPECT_EQ(values[0].value.carriers.at(0).tool, "find");
  EXPECT_EQ(values[1].value.supplied_by, evidence::SuppliedBy::app);
  EXPECT_EQ(values[1].value.supplied_in, 0U);
  EXPECT_EQ(values[2].value.level, evidence::Level::unsupported);
  EXPECT_EQ(values[3].value.raw, "true");
  EXPECT_EQ(why.calls[1].values.at(0).value.supplied_by, evidence::SuppliedBy::person);
  EXPECT_EQ(why.calls[1].values.at(0).value.supplied_in, 1U);
  EXPECT_THAT(why_text(why), HasSubstr("/name = frobnicator: said by the person, message 1"));
}

// A ledger that an agent recorded is read, not the declarations, whose ids mean nothing here.
TEST(WhyStandings, ReadsTheRowsOfARecord) {
  Conversation c = tower();
  Recorded recorded;
  findings::StandingRow row;
  row.result = findings::ResultRef("c1", CallKey{9, 0, false});
  row.standing = Standing::noise;
  row.by = findings::DeclaredBy::app;
  recorded.rows.push_back({11, findings::Row(row)});
  WhyQuestion question;
  question.recorded = &recorded;
  const Explanation why = explain_answer(c, question);
  EXPECT_EQ(why.headline.by_app, 1U);
  EXPECT_EQ(why.headline.by_model, 0U);
  EXPECT_TRUE(why.values.back().contingent.has_value());
  EXPECT_THAT(why_text(why), HasSubstr("noise, declared by the application's default"));
  AuditOptions options;
  options.recorded = &recorded;
  EXPECT_EQ(audit_conversation(c, options).counts.contingent, 1U);
}

}  // namespace
}  // namespace agentfootprint
