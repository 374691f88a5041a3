// Pairing of calls and results, law 9's keys, turns, and copies that share.
#include "agentfootprint/conversation/conversation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

using ::testing::ElementsAre;

Message call(std::vector<std::pair<const char*, const char*>> calls) {
  std::vector<ToolCall> made;
  for (const auto& [id, name] : calls) {
    made.emplace_back(id == nullptr ? std::nullopt : std::optional<std::string>(id), name, "{}");
  }
  return Message::assistant("", std::move(made));
}

Message result(const char* id, const char* text) {
  return Message::tool_result(id == nullptr ? std::nullopt : std::optional<std::string>(id), "t",
                              text);
}

TEST(Conversation, RepeatedIdsKeepFourResultsWithTheirCalls) {
  Conversation c;
  for (const char* text : {"r0", "r1", "r2", "r3"}) {
    c.append(call({{"X", "t"}}));
    c.append(result("X", text));
  }
  for (std::uint32_t i = 0; i < 4; ++i) {
    const CallKey key{2 * i, 0, false};
    EXPECT_EQ(c.key_of_result(2 * i + 1), key);
    EXPECT_EQ(c.result_of(key), 2 * i + 1);
  }
  EXPECT_TRUE(c.open_calls().empty());
}

TEST(Conversation, OneIdForTwoCallsOfOneMessageIsPairedInOrder) {
  Conversation c;
  c.append(call({{"d", "a"}, {"d", "b"}}));
  c.append(result("d", "1"));
  c.append(result("d", "2"));
  EXPECT_EQ(c.key_of_result(1), (CallKey{0, 0, false}));
  EXPECT_EQ(c.key_of_result(2), (CallKey{0, 1, false}));
}

TEST(Conversation, ResultsInAnotherOrderGoByTheirId) {
  Conversation c;
  c.append(call({{"a", "t"}, {"b", "t"}}));
  c.append(result("b", "1"));
  c.append(result("a", "2"));
  EXPECT_EQ(c.key_of_result(1), (CallKey{0, 1, false}));
  EXPECT_EQ(c.key_of_result(2), (CallKey{0, 0, false}));
}

TEST(Conversation, AResultWithoutIdTakesTheFirstOpenCall) {
  Conversation c;
  c.append(call({{"a", "t"}, {"b", "t"}}));
  c.append(result(nullptr, "1"));
  c.append(result(nullptr, "2"));
  c.append(result(nullptr, "3"));
  EXPECT_EQ(c.key_of_result(1), (CallKey{0, 0, false}));
  EXPECT_EQ(c.key_of_result(2), (CallKey{0, 1, false}));
  EXPECT_EQ(c.key_of_result(3), (CallKey{3, 0, true}));
}

TEST(Conversation, ACallWithoutIdTakesAResultThatNamesNobodyElse) {
  Conversation c;
  c.append(call({{nullptr, "t"}, {"b", "t"}}));
  c.append(result("b", "1"));
  c.append(result("z", "2"));
  EXPECT_EQ(c.key_of_result(1), (CallKey{0, 1, false}));
  EXPECT_EQ(c.key_of_result(2), (CallKey{0, 0, false}));
}

TEST(Conversation, ALateResultFindsTheNewestEarlierOpenCall) {
  Conversation c;
  c.append(call({{"x", "t"}}));       // 0
  c.append(call({{"x", "t"}}));       // 1
  c.append(call({{"y", "t"}}));       // 2
  c.append(result("x", "late"));      // 3
  c.append(result("x", "later"));     // 4
  c.append(result("x", "nobody's"));  // 5
  EXPECT_EQ(c.key_of_result(3), (CallKey{1, 0, false}));
  EXPECT_EQ(c.key_of_result(4), (CallKey{0, 0, false}));
  EXPECT_EQ(c.key_of_result(5), (CallKey{5, 0, true}));
  EXPECT_EQ(c.result_of({5, 0, true}), 5U);
  EXPECT_EQ(c.call_of({5, 0, true}), nullptr);
  EXPECT_THAT(c.open_calls(), ElementsAre(CallKey{2, 0, false}));
}

TEST(Conversation, AnUnansweredParallelCallStaysOpen) {
  Conversation c;
  c.append(call({{"a", "left"}, {"b", "right"}}));
  c.append(result("b", "handed off"));
  EXPECT_THAT(c.open_calls(), ElementsAre(CallKey{0, 0, false}));
  EXPECT_EQ(c.result_of({0, 0, false}), std::nullopt);
  EXPECT_EQ(c.call_of({0, 0, false})->name, "left");
  EXPECT_EQ(c.call_of({0, 2, false}), nullptr);
  EXPECT_EQ(c.call_of({9, 0, false}), nullptr);
}

TEST(Conversation, AResultBeforeAnyCallIsAnOrphan) {
  Conversation c;
  c.append(result("q", "1"));
  EXPECT_EQ(c.key_of_result(0), (CallKey{0, 0, true}));
  EXPECT_EQ(c.key_of_result(7), std::nullopt);
}

TEST(Conversation, TurnsCountWhatPeopleAndTheAppSay) {
  Conversation c;
  c.append(Message::system("rules"));
  c.append(Message::user("one"));
  c.append(Message::assistant("answer"));
  Message note = Message::user("served by the library");
  note.origin = Origin::library;
  c.append(note);
  c.append(Message::user("two"));
  EXPECT_EQ(c.turn_of(0), 0U);
  EXPECT_EQ(c.turn_of(2), 1U);
  EXPECT_EQ(c.turn_of(3), 1U);
  EXPECT_EQ(c.turn_of(4), 2U);
}

TEST(Conversation, AppendingToACopyDisturbsNoOther) {
  Conversation a;
  for (int i = 0; i < 40; ++i) a.append(Message::user("shared " + std::to_string(i)));
  Conversation b = a;
  const Message* shared = &a[39];
  b.append(Message::user("b's own"));
  a.append(Message::user("a's own"));
  Conversation c = b;
  c.append(Message::user("c's own"));
  b.append(Message::user("b's second"));
  EXPECT_EQ(a.size(), 41U);
  EXPECT_EQ(a[40].text(), "a's own");
  EXPECT_EQ(b[40].text(), "b's own");
  EXPECT_EQ(b[41].text(), "b's second");
  EXPECT_EQ(c[41].text(), "c's own");
  EXPECT_EQ(&a[39], shared);
  EXPECT_EQ(&b[39], shared);
  EXPECT_EQ(&a[3], &c[3]);
}

TEST(Conversation, CopiesPairTheirOwnResults) {
  Conversation a;
  a.append(call({{"x", "t"}}));
  Conversation b = a;
  a.append(result("x", "a's"));
  EXPECT_EQ(b.open_calls().size(), 1U);
  b.append(Message::user("meanwhile"));
  b.append(result("x", "b's"));
  EXPECT_EQ(a.result_of({0, 0, false}), 1U);
  EXPECT_EQ(b.result_of({0, 0, false}), 2U);
}

TEST(Conversation, TheOneMovedFromIsEmptyAndUsable) {
  Conversation a;
  a.append(Message::user("x"));
  Conversation b = std::move(a);
  EXPECT_EQ(b.size(), 1U);
  EXPECT_TRUE(a.empty());  // NOLINT: stated behaviour
  a.append(Message::user("y"));
  EXPECT_EQ(a[0].text(), "y");
  EXPECT_EQ(b[0].text(), "x");
}

TEST(Message, TextOfStringNullAndBlocks) {
  Message m = Message::tool_result("c", "t", "42");
  EXPECT_EQ(m.text(), "42");
  m.content = json::array({json::object({{"type", "text"}, {"text", "42"}})});
  EXPECT_EQ(m.text(), "42");
  m.content = json::array({json::object({{"type", "text"}, {"text", "a"}}),
                           json::object({{"type", "image"}, {"source", "…"}}),
                           json::object({{"type", "thinking"}, {"text", "hidden"}}), "b"});
  EXPECT_EQ(m.text(), "a\nb");
  EXPECT_THAT(m.text_parts(), ElementsAre("a", "b"));
  m.content = nullptr;
  EXPECT_EQ(m.text(), "");
  EXPECT_TRUE(m.text_parts().empty());
}

TEST(Message, ACallKeyIsReadFromTwoWholeNumbersAndNothingElse) {
  EXPECT_EQ(call_key_from_json(to_json(CallKey{4, 1, false})), (CallKey{4, 1, false}));
  EXPECT_EQ(call_key_from_json(to_json(CallKey{UINT32_MAX, 0, false})),
            (CallKey{UINT32_MAX, 0, false}));
  for (const char* wrong : {"null", "4", "[]", "[4]", "[4,1,0]", "[-1,0]", "[0,-1]", "[0.5,1]",
                            "[4294967296,0]", "[\"4\",\"1\"]", R"({"a":4,"b":1})", "\"41\""}) {
    EXPECT_FALSE(call_key_from_json(json::parse_or_throw(wrong))) << wrong;
  }
}

TEST(ToolCall, ArgumentsKeepTheirTextAndHaveAView) {
  const ToolCall spaced(std::nullopt, "t", R"({ "id" : 1917043659912705296 })");
  EXPECT_EQ(*spaced.arguments_text, R"({ "id" : 1917043659912705296 })");
  EXPECT_EQ(spaced.arguments.find("id")->number_text(), "1917043659912705296");
  for (const char* blank : {"", "  ", "\n\t"}) {
    const ToolCall empty("c", "t", blank);
    EXPECT_TRUE(empty.arguments.is_object()) << '[' << blank << ']';
    EXPECT_EQ(*empty.arguments_text, blank);
    EXPECT_FALSE(empty.arguments_malformed);
  }
  const ToolCall broken("c", "t", std::string_view(R"({"a":)"));
  EXPECT_TRUE(broken.arguments_malformed);
  EXPECT_TRUE(broken.arguments.is_null());
  const ToolCall built("c", "t", json::object({{"a", 1}}));
  EXPECT_EQ(*built.arguments_text, R"({"a":1})");
}

TEST(Message, NamesAreTheWireWords) {
  for (const char* name : {"system", "user", "assistant", "tool"}) {
    EXPECT_EQ(name_of(parse_role(name).value()), name);
  }
  for (const char* name : {"person", "app", "model", "tool", "library"}) {
    EXPECT_EQ(name_of(parse_origin(name).value()), name);
  }
  for (const char* name : {"ok", "error", "absent", "settled"}) {
    EXPECT_EQ(name_of(parse_status(name).value()), name);
  }
  EXPECT_EQ(parse_role("developer"), std::nullopt);
  EXPECT_EQ(json::dump(to_json(CallKey{4, 1, false})), "[4,1]");
}

}  // namespace
}  // namespace agentfootprint

namespace agentfootprint {
namespace {

TEST(ConversationKnownCall, AResultOfAKnownCallDoesNotDependOnIds) {
  Conversation conversation;
  conversation.append(Message::user("go"));
  conversation.append(Message::assistant("", {ToolCall("x", "a", "{}"), ToolCall("x", "b", "{}")}));
  const CallKey second{1, 1, false};
  EXPECT_TRUE(conversation.is_open(second));
  const std::uint32_t index =
      conversation.append_result(second, Message::tool_result("x", "b", "second"));
  EXPECT_EQ(conversation.key_of_result(index), second);
  EXPECT_FALSE(conversation.is_open(second));
  EXPECT_TRUE(conversation.is_open(CallKey{1, 0, false}));
  EXPECT_THROW(conversation.append_result(second, Message::tool_result("x", "b", "again")),
               std::invalid_argument);
  EXPECT_THROW(conversation.append_result(CallKey{1, 0, false}, Message::user("no result")),
               std::invalid_argument);
  EXPECT_EQ(conversation.share(index)->text(), "second");
}

}  // namespace
}  // namespace agentfootprint
