// Explanations: chains from a value to its calls, and who said the arguments.
#include "agentfootprint/explain/why.hpp"

#include <gtest/gtest.h>

#include "agentfootprint/base/error.hpp"

namespace agentfootprint {
namespace {

Conversation sample() {
  Conversation c;
  c.append(Message::user("how is alpha-01?"));
  c.append(Message::assistant("", {ToolCall("a", "find", R"({"name":"alpha-01"})")}));
  c.append(Message::tool_result("a", "find", R"({"id":"ARR-7731"})"));
  c.append(Message::assistant("", {ToolCall("b", "perf", R"({"id":"ARR-7731","window":3600})")}));
  c.append(Message::tool_result(
      "b", "perf",
      R"({"iops":41200,"before":53100,"provenance":{"measured_at":"2026-04-12T02:00:00Z"}})"));
  c.append(Message::assistant("41,200 IOPS, 11,900 fewer; also 7 things and 99,999."));
  return c;
}

WhyQuestion about(const char* value) {
  WhyQuestion question;
  question.value = value;
  return question;
}

TEST(Why, FollowsTheChainToThePerson) {
  const Explanation why = explain_answer(sample(), about("41,200"));
  ASSERT_EQ(why.values.size(), 1U);
  ASSERT_EQ(why.values[0].carriers.size(), 1U);
  EXPECT_EQ(why.values[0].carriers[0].pointer, "/iops");
  ASSERT_EQ(why.calls.size(), 2U);
  EXPECT_EQ(why.calls[0].tool, "perf");
  EXPECT_EQ(why.calls[0].measured_at, "2026-04-12T02:00:00Z");
  ASSERT_EQ(why.calls[0].values.size(), 2U);
  EXPECT_EQ(why.calls[0].values[0].path, "/id");
  EXPECT_EQ(why.calls[0].values[0].value.carriers.at(0).tool, "find");
  EXPECT_EQ(why.calls[0].values[1].value.level, evidence::Level::unsupported);
  EXPECT_EQ(why.calls[1].tool, "find");
  EXPECT_EQ(why.calls[1].values.at(0).value.supplied_by, evidence::SuppliedBy::person);
}

TEST(Why, TakesAnySpellingAndSmallValues) {
  EXPECT_EQ(explain_answer(sample(), about("41200")).values.at(0).raw, "41,200");
  EXPECT_EQ(explain_answer(sample(), about("7")).values.at(0).level, evidence::Level::unsupported);
  EXPECT_TRUE(explain_answer(sample(), about("12345")).value_not_found);
}

TEST(Why, SaysHowTheResultSpellsAValue) {
  const Explanation why = explain_answer(sample(), about("41,200"));
  EXPECT_EQ(why.values.at(0).carriers.at(0).raw, "41200");
  // An exact carrier spells it as the answer does.
  EXPECT_EQ(why.calls.at(0).values.at(0).value.carriers.at(0).raw, "");
}

TEST(Why, SaysWhereAValueStandsThatTheAnswerDoesNotHold) {
  const Explanation carried = explain_answer(sample(), about("53100"));
  EXPECT_TRUE(carried.value_not_found);
  EXPECT_EQ(carried.asked, "53100");
  EXPECT_EQ(carried.held, (std::vector<std::string>{"41,200", "11,900", "7", "99,999"}));
  ASSERT_TRUE(carried.elsewhere);
  EXPECT_EQ(carried.elsewhere->carriers.at(0).pointer, "/before");
  EXPECT_TRUE(carried.calls.empty());  // they stand behind no value of the answer

  const Explanation said = explain_answer(sample(), about("alpha-01"));
  ASSERT_TRUE(said.elsewhere);
  EXPECT_EQ(said.elsewhere->supplied_by, evidence::SuppliedBy::person);

  EXPECT_FALSE(explain_answer(sample(), about("12345")).elsewhere);
  EXPECT_FALSE(explain_answer(sample(), about("\xff\xfe")).elsewhere);
  const Explanation words = explain_answer(sample(), about("things and"));
  EXPECT_TRUE(words.value_not_found && words.in_text);
  EXPECT_FALSE(words.elsewhere);
}

TEST(Why, ShowsFormulasAndWhatIsUnsupported) {
  const Explanation why = explain_answer(sample(), WhyQuestion());
  ASSERT_EQ(why.values.size(), 3U);
  EXPECT_EQ(why.values[1].level, evidence::Level::derived);
  EXPECT_EQ(why.values[1].operands.size(), 2U);
  EXPECT_EQ(why.values[2].level, evidence::Level::unsupported);
}

TEST(Why, RefusesAMessageThatIsNoAnswer) {
  WhyQuestion question;
  question.message = 0;
  EXPECT_THROW((void)explain_answer(sample(), question), Error);
  EXPECT_THROW((void)explain_answer(Conversation(), WhyQuestion()), Error);
}

}  // namespace
}  // namespace agentfootprint
