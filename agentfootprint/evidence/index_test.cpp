// One result's index and a conversation's, seen from outside.
#include <gtest/gtest.h>

#include <algorithm>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/random.hpp"
#include "agentfootprint/evidence/internal/builder.hpp"
#include "agentfootprint/evidence/judge.hpp"

namespace agentfootprint::evidence {
namespace {

std::shared_ptr<const ResultIndex> indexed(std::string text) {
  return ResultIndex::build(share_text(std::move(text)));
}

TEST(ResultIndex, GivesPointersSpansAndRecords) {
  const auto index =
      indexed(R"({"rows":[{"host":"srv-7001","m":{"iops":41200}},{"host":"srv-7002"}]})");
  ASSERT_EQ(index->size(), 3U);
  EXPECT_EQ(index->pointer(0), "/rows/0/host");
  EXPECT_EQ(index->pointer(1), "/rows/0/m/iops");
  EXPECT_EQ(index->pointer(2), "/rows/1/host");
  EXPECT_EQ(index->value(1).raw, "41200");
  EXPECT_EQ(index->span(1).in(index->text()), "41200");
  const auto record = index->record_of(2);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->pointer, "/rows/1");
  EXPECT_FALSE(record->whole_result);
  EXPECT_EQ(record->members.size(), 1U);
}

TEST(ResultIndex, GivesColumnsWithTheRowWild) {
  const auto index = indexed(R"({"rows":[{"n":1,"t":"a"},{"n":2.5,"t":"b"}],"ids":[7,8]})");
  const auto& columns = index->columns();
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns[0].pointer, "/rows/*/n");
  EXPECT_TRUE(columns[0].numeric);
  EXPECT_EQ(columns[0].cells[1].pointer, "/rows/1/n");
  EXPECT_EQ(columns[1].pointer, "/rows/*/t");
  EXPECT_FALSE(columns[1].numeric);
  EXPECT_EQ(columns[2].pointer, "/ids/*");
}

TEST(ResultIndex, ReadsEscapedLeavesByTheirBytes) {
  const std::string text = R"({"m":"caf\u00e9-4417 \"fc1\/3\""})";
  const auto index = indexed(text);
  ASSERT_EQ(index->size(), 2U);
  EXPECT_EQ(index->span(0).in(text), R"(caf\u00e9-4417)");
  EXPECT_EQ(index->value(0).value, "caf\xC3\xA9-4417");
  EXPECT_EQ(index->value(1).value, "fc1/3");
}

TEST(ResultIndex, ReadsAgainWhatStandsInLongText) {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += "row " + std::to_string(100'000 + i) + " caf\xC3\xA9-" + std::to_string(i) +
            " at 3 h 30 min\n";
  const auto index = indexed(text);
  ASSERT_GT(index->size(), 6000U);
  for (ItemId item = 0; item < index->size(); item += 97) {
    EXPECT_EQ(index->value(item).span.begin, index->span(item).begin);
  }
}

TEST(SortKeys, AgreesWithStandardSort) {
  SeededRandom random(5);
  for (const std::size_t size : {10U, 601U, 5000U}) {
    std::vector<internal::KeyedItem> entries;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t key = random.below(3) == 0 ? random.below(50) : random.next();
      entries.push_back({key, static_cast<std::uint32_t>(i)});
    }
    auto expected = entries;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.key < b.key; });
    internal::sort_keys(entries);
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(entries[i].key, expected[i].key);
      ASSERT_EQ(entries[i].item, expected[i].item);
    }
  }
}

// Merged by size or asked one by one, the carriers are the same, in the order of their results.
TEST(ConversationIndex, CarriersAreExactAtAnyNumber) {
  Conversation conversation;
  conversation.append(Message::user("go"));
  SeededRandom random(11);
  std::vector<std::vector<std::uint32_t>> holders(50);
  constexpr std::uint32_t kResults = 700;
  for (std::uint32_t i = 0; i < kResults; ++i) {
    std::string text = "{\"rows\":[";
    for (int k = 0; k < 1 + static_cast<int>(random.below(5)); ++k) {
      const auto value = random.below(holders.size());
      if (k > 0) text += ",";
      text += std::to_string(5000 + value);
      if (holders[value].empty() || holders[value].back() != i + 1) holders[value].push_back(i + 1);
    }
    conversation.append(Message::tool_result("c", "t", text + "]}"));
  }
  const auto index = ConversationIndex::of(conversation);
  JudgeOptions options;
  const Judge judge(index, options);
  for (std::size_t value = 0; value < holders.size(); ++value) {
    const auto verdict = judge.check("it is " + std::to_string(5000 + value));
    ASSERT_EQ(verdict.values.size(), 1U);
    std::vector<std::uint32_t> found;
    for (const Carrier& carrier : verdict.values[0].grounding.carriers)
      found.push_back(index.results()[carrier.result].message);
    EXPECT_EQ(found, holders[value]) << value;
  }
}

TEST(ConversationIndex, CopiesGoTheirOwnWay) {
  Conversation conversation;
  conversation.append(Message::tool_result("c1", "t", "n 4417"));
  auto first = ConversationIndex::of(conversation);
  const ConversationIndex copy = first;
  conversation.append(Message::tool_result("c2", "t", "n 5512"));
  first.extend(conversation);
  EXPECT_EQ(check_answer("5512", first).unsupported.size(), 0U);
  EXPECT_EQ(check_answer("5512", copy).unsupported.size(), 1U);
  EXPECT_EQ(copy.results().size(), 1U);
}

TEST(ConversationIndex, ACeilingReachedAccusesNobody) {
  Conversation conversation;
  conversation.append(Message::tool_result("c1", "t", "1001 1002 1003"));
  conversation.append(Message::tool_result("c2", "t", "2001 2002 2003"));
  ConversationIndex::Options options;
  options.max_values = 4;
  const auto index = ConversationIndex::of(conversation, options);
  const auto verdict = check_answer("it is 9999", index);
  EXPECT_TRUE(verdict.truncated);
  EXPECT_TRUE(verdict.unsupported.empty());
}

TEST(ConversationIndex, SizeCapMarksAResultAsCut) {
  Conversation conversation;
  conversation.append(Message::tool_result("c1", "t", "rows 4417"));
  ConversationIndex::Options options;
  options.result_size_cap = 9;
  const auto index = ConversationIndex::of(conversation, options);
  const auto verdict = check_answer("4417", index);
  ASSERT_EQ(verdict.values[0].grounding.carriers.size(), 1U);
  EXPECT_TRUE(verdict.values[0].grounding.carriers[0].partial);
}

TEST(Judge, RefusesWhatCannotWork) {
  const ConversationIndex index;
  JudgeOptions digits;
  digits.min_digits = 0;
  EXPECT_THROW(Judge(index, digits), Refusal);
  JudgeOptions shape;
  shape.shapes.push_back({"bad", "("});
  EXPECT_THROW(Judge(index, shape), Refusal);
  JudgeOptions exempt;
  exempt.exempt.push_back({"", false});
  EXPECT_THROW(Judge(index, exempt), Refusal);
}

TEST(Judge, ListsCarriersOfEveryLevelForTheContingentRule) {
  Conversation conversation;
  conversation.append(Message::tool_result("c1", "t", R"({"x":3020.529})"));
  conversation.append(Message::tool_result("c2", "t", R"({"x":3020.53})"));
  const auto index = ConversationIndex::of(conversation);
  const Judge judge(index, JudgeOptions());
  const auto value = read_text("3020.53")[0];
  EXPECT_EQ(judge.ground(value).carriers.size(), 1U);
  const auto all = judge.carriers_at_any_level(value);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].level, Level::rounded);
  EXPECT_EQ(all[1].level, Level::exact);
}

// Appending a result that shares nothing with the answer, and putting keys in another order, change
// nothing.
TEST(Judge, VerdictsDoNotDependOnStrangersOrOrder) {
  const std::string answer =
      "srv-7001 did 41,200 IOPS on 2026-04-12 at 85.2%, see 10.2.3.4 and XQ-9999";
  const auto levels = [&](const std::string& text, bool stranger) {
    Conversation conversation;
    conversation.append(Message::tool_result("c1", "t", text));
    if (stranger)
      conversation.append(Message::tool_result("c2", "t", R"({"other":["zz-1",3,"none"]})"));
    JudgeOptions options;
    options.thorough = true;
    const auto index = ConversationIndex::of(conversation);
    std::vector<Level> out;
    for (const JudgedValue& value : check_answer(answer, index, options).values)
      out.push_back(value.level);
    return out;
  };
  const std::string first =
      R"({"h":"srv-7001","i":41200,"t":"2026-04-12T08:15:00Z","p":85.19,"e":"10.2.3.4:80"})";
  const std::string second =
      R"({"e":"10.2.3.4:80","p":85.19,"t":"2026-04-12T08:15:00Z","i":41200,"h":"srv-7001"})";
  const auto expected = levels(first, false);
  EXPECT_EQ(levels(first, true), expected);
  EXPECT_EQ(levels(second, false), expected);
  EXPECT_EQ(expected.back(), Level::unsupported);
}

}  // namespace
}  // namespace agentfootprint::evidence
