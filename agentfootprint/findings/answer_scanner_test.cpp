// The scanner while it streams: what is held back and for how long.
#include "agentfootprint/findings/answer_scanner.hpp"

#include <gtest/gtest.h>

#include <string>

namespace agentfootprint::findings {
namespace {

TEST(AnswerScanner, ProseIsShownAtOnce) {
  AnswerScanner scanner;
  EXPECT_EQ(scanner.feed("Port fc1/7"), "Port fc1/7");
  EXPECT_EQ(scanner.feed(" is down."), " is down.");
  EXPECT_EQ(scanner.end(), "");
}

TEST(AnswerScanner, AJsonAnswerIsShownMemberByMember) {
  AnswerScanner scanner;
  EXPECT_EQ(scanner.feed("{\"answer\":\"u"), "{\"answer\":\"u");
  EXPECT_EQ(scanner.feed("p\", \"_"), "p\"");
  EXPECT_EQ(scanner.feed("id\":1"), ", \"_id\":1");
  EXPECT_EQ(scanner.feed(",\"_findings\":{\"basis\":"), "");
  EXPECT_EQ(scanner.feed("\"direct\"}}"), "}");
  EXPECT_EQ(scanner.end(), "");
  EXPECT_EQ(scanner.notes().declaration->basis, Basis::direct);
}

TEST(AnswerScanner, AfterTheEndNothingComes) {
  AnswerScanner scanner;
  EXPECT_EQ(scanner.feed("a"), "a");
  EXPECT_EQ(scanner.end(), "");
  EXPECT_EQ(scanner.feed("b"), "");
  EXPECT_EQ(scanner.end(), "");
}

// Whatever comes, what is held is a line, a run of blanks or a fence, unless it is a `_findings`
// value.
TEST(AnswerScanner, HoldBackIsBounded) {
  for (const std::string& part :
       {std::string("{ "), std::string("[ "), std::string("\n"), std::string(" "), std::string("`"),
        std::string("~~~ x"), std::string("{\"a\":"), std::string("\"_findings\""),
        std::string("```\n"), std::string("{}"), std::string("{\"_fin")}) {
    AnswerScanner scanner;
    std::size_t fed = 0;
    std::size_t shown = 0;
    for (int round = 0; round < 20'000; ++round) {
      fed += part.size();
      shown += scanner.feed(part).size();
      ASSERT_LE(fed - shown, 8'400U) << part;
    }
    shown += scanner.end().size();
    EXPECT_EQ(fed, shown) << part;
  }
}

TEST(AnswerScanner, ALongValueStaysHiddenAndAHugeOneComesBack) {
  AnswerScanner scanner;
  std::string shown = scanner.feed("{\"a\":1,\"_findings\":{\"line\":\"");
  const std::string block(1 << 16, 'x');
  for (int round = 0; round < 32; ++round) shown += scanner.feed(block);
  EXPECT_EQ(shown, "{\"a\":1");
  shown += scanner.feed("\"}}");
  shown += scanner.end();
  EXPECT_EQ(shown, "{\"a\":1}");

  AnswerScanner huge;
  std::size_t fed = 0;
  std::size_t given = 0;
  const std::string opening = "{\"a\":1,\"_findings\":\"";
  fed += opening.size();
  given += huge.feed(opening).size();
  for (int round = 0; round < 300; ++round) {
    fed += block.size();
    given += huge.feed(block).size();
  }
  given += huge.end().size();
  EXPECT_EQ(fed, given);
  EXPECT_TRUE(huge.notes().complete);
}

TEST(AnswerScanner, DeepNestingIsNoJsonHere) {
  std::string text;
  for (int depth = 0; depth < 30'000; ++depth) text += "[{\"a\":";
  EXPECT_EQ(peel_answer(text).text, text);
}

TEST(AnswerScanner, ReadsWhatItTookOut) {
  const PeeledAnswer peeled = peel_answer(
      "Down.\n\n```json\n{\"_findings\": {\"previous\": [{\"toolCallId\": \"c1\", \"standing\": "
      "\"ruled-out\", \"line\": \"cable\"}], \"expect\": \"huge\"}}\n```\n");
  EXPECT_EQ(peeled.text, "Down.\n");
  ASSERT_TRUE(peeled.notes.declaration.has_value());
  EXPECT_EQ(peeled.notes.declaration->previous->front().line, "cable");
  EXPECT_EQ(peeled.notes.malformed, 1U);
}

}  // namespace
}  // namespace agentfootprint::findings
