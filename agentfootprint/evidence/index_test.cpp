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

TEST(KeyBag, AgreesWithStandardSort) {
  SeededRandom random(5);
  for (const std::size_t size : {10U, 601U, 5000U, 20'000U}) {
    for (const unsigned bits : {6U, 20U, 40U, 64U}) {
      internal::KeyBag bag;
      std::vector<std::pair<std::uint64_t, std::uint32_t>> expected;
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t key =
            random.below(3) == 0 ? random.below(50) : random.next() >> (64U - bits);
        bag.add(key, static_cast<std::uint32_t>(i));
        expected.emplace_back(key, static_cast<std::uint32_t>(i));
      }
      std::stable_sort(expected.begin(), expected.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      const internal::SortedKeys sorted = bag.take_sorted();
      ASSERT_EQ(sorted.keys.size(), size);
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(sorted.keys[i], expected[i].first) << size << " " << bits << " " << i;
        ASSERT_EQ(sorted.places[i], expected[i].second) << size << " " << bits << " " << i;
      }
      EXPECT_EQ(bag.size(), 0U);
    }
  }
}

TEST(ResultIndex, CountsTheElementsOfAnArray) {
  std::string text = "[";
  std::vector<std::string> pointers;
  for (int i = 0; i < 500; ++i) {
    if (i > 0) text += i % 7 == 0 ? " ,\n" : ",";
    switch (i % 5) {
      case 0:
        text += "\"a, \\\"b, " + std::to_string(1000 + i) + "\"";
        break;
      case 1:
        text += i % 3 == 0 ? "[1,[2],\"]\"]" : "null";
        break;
      case 2:
        text += "\"no digit, none\"";
        break;
      case 3:
        text += "{\"n\":[" + std::to_string(7000 + i) + "," + std::to_string(8000 + i) + "]}";
        break;
      default:
        text += std::to_string(5000 + i);
        break;
    }
  }
  const auto index = indexed(text + "]");
  std::size_t seen = 0;
  for (ItemId item = 0; item < index->size(); ++item) {
    const std::string raw = index->value(item).raw;
    if (raw.size() != 4) continue;
    const int number = std::stoi(raw);
    std::string expected;
    if (number < 2000) expected = "/" + std::to_string(number - 1000);
    if (number >= 5000 && number < 6000) expected = "/" + std::to_string(number - 5000);
    if (number >= 7000 && number < 8000) expected = "/" + std::to_string(number - 7000) + "/n/0";
    if (number >= 8000) expected = "/" + std::to_string(number - 8000) + "/n/1";
    EXPECT_EQ(index->pointer(item), expected) << raw;
    ++seen;
  }
  EXPECT_EQ(seen, 400U);
}

// The one place that is spelled as in the answer, behind more places than are compared: the level
// is exact all the same. And the one that is no echo.
TEST(ConversationIndex, ABetterPlaceBehindManyIsFound) {
  std::string rows = "[";
  for (int i = 0; i < 5000; ++i) rows += "41200.0,";
  Conversation conversation;
  conversation.append(Message::user("go"));
  conversation.append(Message::assistant("", {ToolCall("c1", "t", R"({"n":"41200.0"})")}));
  conversation.append(Message::tool_result("c1", "t", rows + "41200]"));
  const auto index = ConversationIndex::of(conversation);
  const auto verdict = check_answer("it is 41200", index);
  ASSERT_EQ(verdict.values.size(), 1U);
  EXPECT_EQ(verdict.values[0].level, Level::exact);
  ASSERT_EQ(verdict.values[0].grounding.carriers.size(), 1U);
  EXPECT_EQ(verdict.values[0].grounding.carriers[0].level, Level::exact);

  std::string text;
  for (int i = 0; i < 3000; ++i) text += "fc9/44 is not here; ";
  Conversation failed;
  failed.append(Message::user("go"));
  failed.append(Message::assistant("", {ToolCall("c1", "t", R"({"q":"fc9/44 is not here"})")}));
  failed.append(
      Message::tool_result("c1", "t", text + "port fc9/44 went down", ResultStatus::failed));
  const auto failed_index = ConversationIndex::of(failed);
  const auto told = check_answer("see fc9/44", failed_index);
  ASSERT_EQ(told.values.size(), 1U);
  EXPECT_EQ(told.values[0].level, Level::exact);
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
