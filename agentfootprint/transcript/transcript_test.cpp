// Items of a byte stream however it arrives, and facts of conversations that counts do not show.
#include "agentfootprint/transcript/transcript.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/transcript/internal/item_reader.hpp"

namespace agentfootprint {
namespace {

using transcript::internal::ByteSource;
using transcript::internal::Item;
using transcript::internal::ItemReader;
using transcript::internal::TextSource;

// Gives a few bytes at a time, as a pipe may.
class DripSource final : public ByteSource {
 public:
  DripSource(std::string_view text, std::size_t step) : text_(text), step_(step) {}
  std::size_t read(char* into, std::size_t room) override {
    const std::size_t count = std::min({room, step_, text_.size()});
    text_.copy(into, count);
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
  std::size_t step_;
};

std::vector<std::string> items_of(ByteSource& source, bool prefer_lines) {
  ItemReader reader(source, prefer_lines);
  std::vector<std::string> found;
  while (true) {
    const Item item = reader.next();
    found.push_back(std::to_string(static_cast<int>(item.kind)) + ":" + std::string(item.text) +
                    "@" + std::to_string(item.byte) + "/" + std::to_string(item.line));
    if (item.kind == Item::Kind::end || item.kind == Item::Kind::garbage || found.size() > 50) {
      return found;
    }
  }
}

TEST(ItemReader, ItemsDoNotDependOnHowBytesArrive) {
  const std::string texts[] = {
      R"([{"a":"]\"}"},[1,[2]],3,"x",null])",
      R"([{"a":1},{"b":2)",
      "[1]\n[2]\n",
      "{\"a\":1}\n{\"b\":\"\\\\\"}\n\n{\"c\":3}",
      "\xEF\xBB\xBF  {\n \"a\": [1,\n 2]\n}\n",
      "{\"a\":\"torn\n{\"b\":1}\n",
      "[]",
      "[ ,]",
      "[\"\xff\xfe\\",
      "",
      "7 8",
      "[1] x",
  };
  for (const std::string& text : texts) {
    for (const bool lines : {false, true}) {
      TextSource whole(text);
      const auto want = items_of(whole, lines);
      for (const std::size_t step : {1U, 2U, 3U, 7U}) {
        DripSource drip(text, step);
        EXPECT_EQ(items_of(drip, lines), want) << text << " by " << step;
      }
    }
  }
}

std::vector<Transcript> read_all(std::string_view text) {
  TranscriptReader reader = TranscriptReader::from_text(text);
  std::vector<Transcript> found;
  while (auto transcript = reader.next()) found.push_back(std::move(*transcript));
  return found;
}

TEST(Transcript, AnthropicFailuresAndOriginsAreKept) {
  const auto found = read_all(
      R"({"model":"m","system":[{"type":"text","text":"rules"}],"messages":[
      {"role":"user","content":"go"},
      {"role":"assistant","content":[{"type":"text","text":"looking"},
        {"type":"tool_use","id":"a","name":"x","input":{"p":"fc1/3"}},
        {"type":"tool_use","id":"b","name":"y","input":{}}]},
      {"role":"user","content":[
        {"type":"tool_result","tool_use_id":"b","content":"boom","is_error":true},
        {"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"42"}]},
        {"type":"text","text":"and?"}]}]})");
  ASSERT_EQ(found.size(), 1U);
  const Conversation& c = found[0].conversation;
  ASSERT_EQ(c.size(), 6U);
  EXPECT_EQ(c[0].origin, Origin::app);
  EXPECT_EQ(c[2].text(), "looking");
  EXPECT_EQ(*c[2].calls[0].arguments_text, R"({"p":"fc1/3"})");
  EXPECT_EQ(c[3].status, ResultStatus::failed);
  EXPECT_EQ(c.key_of_result(3), (CallKey{2, 1, false}));
  EXPECT_EQ(c[4].text(), "42");
  EXPECT_EQ(c.key_of_result(4), (CallKey{2, 0, false}));
  EXPECT_EQ(c[5].text(), "and?");
  EXPECT_EQ(c[5].origin, Origin::person);
}

std::string session_line(const char* type, const char* uuid, const char* parent,
                         const char* message, const char* flag = "") {
  return fmt::format(R"({{"type":"{}","uuid":"{}","parentUuid":{},"sessionId":"s",{}"message":{}}})"
                     "\n",
                     type, uuid, *parent == 0 ? "null" : fmt::format("\"{}\"", parent), flag,
                     message);
}

// One API message over two lines, a meta line, an error in the model's place.
TEST(Transcript, ClaudeCodeMessagesAreJoined) {
  const auto found = read_all(
      session_line("user", "u", "", R"({"role":"user","content":"note"})", R"("isMeta":true,)") +
      session_line("assistant", "a", "u",
                   R"({"id":"m","content":[{"type":"text","text":"first"}]})") +
      session_line("assistant", "b", "a",
                   R"({"id":"m","content":[{"type":"tool_use","id":"t","name":"x","input":{}}]})") +
      session_line("user", "r", "b",
                   R"({"content":[{"type":"tool_result","tool_use_id":"t","content":"7"}]})") +
      session_line("assistant", "c", "r",
                   R"({"id":"n","content":[{"type":"text","text":"API Error 529"}]})",
                   R"("isApiErrorMessage":true,)"));
  ASSERT_EQ(found.size(), 1U);
  const Conversation& c = found[0].conversation;
  ASSERT_EQ(c.size(), 4U);
  EXPECT_EQ(c[0].origin, Origin::app);
  EXPECT_EQ(c[1].text(), "first");
  ASSERT_EQ(c[1].calls.size(), 1U);
  EXPECT_EQ(c.key_of_result(2), (CallKey{1, 0, false}));
  EXPECT_EQ(c[3].origin, Origin::library);
}

TEST(Transcript, SweAgentThoughtsAndActionsStandApart) {
  const auto found = read_all(
      R"({"history":[{"role":"user","content":"fix"},
      {"role":"assistant","content":"look\n```\nhead -4711 a\n```","thought":"look",
       "action":"head -4711 a"},
      {"role":"user","content":"line 9001"}],
      "trajectory":[{"action":"head -4711 a","observation":"line 9001"}]})");
  ASSERT_EQ(found.size(), 1U);
  const Conversation& c = found[0].conversation;
  ASSERT_EQ(c.size(), 3U);
  EXPECT_EQ(c[1].text(), "look");
  EXPECT_EQ(c[1].calls.at(0).name, "action");
  EXPECT_TRUE(c[2].is_result());
  EXPECT_EQ(c.key_of_result(2), (CallKey{1, 0, false}));
}

TEST(Transcript, StructuresInTheirPlaceAreText) {
  const auto found = read_all(
      R"([{"role":"user","content":{"ask":4711}},
      {"role":"assistant","content":null,"tool_calls":[
        {"id":5,"type":"function","function":{"name":"a","arguments":"{}"}},
        {"id":6,"type":"function","function":{"name":"b","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":6,"content":[{"iops":41200}]},
      {"role":"tool","tool_call_id":5,"status":"error",
       "content":["down",{"type":"text","text":"x"}]},
      {"role":"assistant","content":41200}])");
  ASSERT_EQ(found.size(), 1U);
  const Conversation& c = found[0].conversation;
  ASSERT_EQ(c.size(), 5U);
  EXPECT_EQ(c[0].text(), R"({"ask":4711})");
  EXPECT_EQ(c[2].text(), R"([{"iops":41200}])");
  EXPECT_EQ(c.key_of_result(2), (CallKey{1, 1, false}));
  EXPECT_EQ(c[3].text(), "down\nx");
  EXPECT_EQ(c.key_of_result(3), (CallKey{1, 0, false}));
  EXPECT_EQ(c[3].status, ResultStatus::failed);
  EXPECT_EQ(c[4].text(), "41200");
}

TEST(Transcript, WhatWasReadBeforeAFaultStays) {
  TranscriptReader reader = TranscriptReader::from_text(
      R"([{"traj":[{"role":"user","content":"a"}]},{"traj":[{"role":"us)");
  const auto first = reader.next();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->label, "#1");
  EXPECT_FALSE(reader.next().has_value());
  ASSERT_EQ(reader.gaps().size(), 1U);
  EXPECT_TRUE(reader.gaps()[0].damage);
}

TEST(Transcript, FormatsAreNamedOnce) {
  std::set<std::string_view> names;
  for (const TranscriptFormat& format : transcript_formats()) {
    EXPECT_TRUE(names.insert(format.name).second);
    EXPECT_FALSE(format.shape.empty());
  }
  EXPECT_THROW((void)TranscriptReader::open("/nowhere/at/all.json"), Error);
}

// Each spelling of one call and its result says the same.
TEST(Transcript, CallsAndResultsInEverySpelling) {
  const char* texts[] = {
      R"([{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"iops",
           "arguments":"{\"of\":1}"}}]},
          {"role":"tool","tool_call_id":"a","content":"{\"n\":41200}"}])",
      R"([{"role":"assistant","tool_calls":[{"id":"a","name":"iops","args":{"of":1}}]},
          {"role":"ipython","tool_call_id":"a","content":{"n":41200}}])",
      R"([{"role":"assistant","toolCalls":[{"toolCallId":"a","toolName":"iops","args":{"of":1}}]},
          {"role":"tool","toolCallId":"a","content":"{\"n\":41200}"}])",
      R"([{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"iops",
           "input":{"of":1}}]},
          {"role":"tool","content":[{"type":"tool-result","toolCallId":"a",
           "output":{"type":"json","value":{"n":41200}}}]}])",
      R"([{"role":"assistant","content":[{"type":"tool_use","id":7,"name":"iops",
           "input":{"of":1}}]},
          {"role":"user","content":[{"type":"tool_result","tool_use_id":7,
           "content":{"n":41200}}]}])"};
  for (const char* text : texts) {
    TranscriptReader reader = TranscriptReader::from_text(text);
    const auto read = reader.next();
    ASSERT_TRUE(read) << text;
    EXPECT_TRUE(read->gaps.empty()) << text;
    ASSERT_EQ(read->conversation.size(), 2u) << text;
    ASSERT_EQ(read->conversation[0].calls.size(), 1u) << text;
    EXPECT_EQ(read->conversation[0].calls[0].name, "iops") << text;
    EXPECT_EQ(*read->conversation[0].calls[0].arguments_text, R"({"of":1})") << text;
    EXPECT_EQ(read->conversation[1].text(), R"({"n":41200})") << text;
    EXPECT_FALSE(read->conversation.key_of_result(1)->orphan) << text;
  }
}

}  // namespace
}  // namespace agentfootprint
