// Laws that hold for any conversation: what may be added, reordered or changed, and what then
// follows.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "agentfootprint/evidence/judge.hpp"
#include "agentfootprint/evidence/reading.hpp"

namespace agentfootprint::evidence {
namespace {

struct World {
  std::vector<std::vector<std::string>> members;  // of each result, as `"key":value`
  std::string answer;
  std::vector<std::string> quoted;
};

class Maker {
 public:
  explicit Maker(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  std::string value() {
    switch (below(5)) {
      case 0:
        return std::to_string(10'000 + below(80'000));
      case 1:
        return std::to_string(1'000 + below(8'000)) + "." + std::to_string(100 + below(900));
      case 2:
        return "\"host-" + std::to_string(100 + below(900)) + "k\"";
      case 3:
        return "\"2026-0" + std::to_string(1 + below(9)) + "-1" + std::to_string(below(10)) + "\"";
      default:
        return "\"" + std::to_string(100 + below(900)) + " GiB\"";
    }
  }

  World world() {
    World out;
    const std::uint32_t results = 1 + below(4);
    for (std::uint32_t r = 0; r < results; ++r) {
      out.members.emplace_back();
      const std::uint32_t count = 1 + below(6);
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::string is = value();
        out.members.back().push_back("\"k" + std::string(i, 'k') + "\":" + is);
        if (below(2) == 0) quote(out, is);
      }
    }
    if (below(3) == 0) quote(out, value());
    return out;
  }

 private:
  static void quote(World& out, std::string is) {
    is.erase(std::remove(is.begin(), is.end(), '"'), is.end());
    out.answer += "It says " + is + ". ";
    out.quoted.push_back(is);
  }
  std::mt19937 random_;
};

std::string object_of(const std::vector<std::string>& members) {
  std::string text = "{";
  for (std::size_t i = 0; i < members.size(); ++i) text += (i > 0 ? "," : "") + members[i];
  return text + "}";
}

Conversation conversation_of(const World& world) {
  Conversation conversation;
  conversation.append(Message::user("go"));
  for (const auto& members : world.members) {
    conversation.append(Message::tool_result(std::nullopt, "t", object_of(members)));
  }
  return conversation;
}

Verdict judge_in(const Conversation& conversation, const std::string& answer) {
  JudgeOptions options;
  options.thorough = true;
  return check_answer(answer, ConversationIndex::of(conversation), options);
}

std::string levels_of(const Verdict& verdict) {
  std::string out;
  for (const JudgedValue& value : verdict.values) {
    out += value.value.raw + " " + std::string(name_of(value.level)) + "; ";
  }
  return out;
}

TEST(Laws, AResultThatSharesNothingChangesNoLevelUpToConverted) {
  Maker make(1);
  for (int round = 0; round < 300; ++round) {
    const World world = make.world();
    Conversation conversation = conversation_of(world);
    const Verdict before = judge_in(conversation, world.answer);
    conversation.append(Message::tool_result(std::nullopt, "other", R"({"note":"all quiet"})"));
    const Verdict after = judge_in(conversation, world.answer);
    ASSERT_EQ(before.values.size(), after.values.size());
    for (std::size_t i = 0; i < before.values.size(); ++i) {
      if (before.values[i].level > Level::converted) continue;
      EXPECT_EQ(before.values[i].level, after.values[i].level) << world.answer;
      EXPECT_EQ(before.values[i].grounding.carriers.size(),
                after.values[i].grounding.carriers.size());
    }
  }
}

TEST(Laws, ReorderingKeysChangesNothing) {
  Maker make(2);
  for (int round = 0; round < 300; ++round) {
    World world = make.world();
    const std::string before = levels_of(judge_in(conversation_of(world), world.answer));
    for (auto& members : world.members) std::reverse(members.begin(), members.end());
    EXPECT_EQ(before, levels_of(judge_in(conversation_of(world), world.answer)));
  }
}

TEST(Laws, OneOtherDigitIsUnsupportedOrNewlyCarried) {
  Maker make(3);
  std::size_t unsupported = 0;
  for (int round = 0; round < 600; ++round) {
    const World world = make.world();
    const Conversation conversation = conversation_of(world);
    const Verdict before = judge_in(conversation, world.answer);
    for (const JudgedValue& value : before.values) {
      if (value.level > Level::converted) continue;
      const Span span = value.spans.front();
      std::string text = world.answer;
      std::size_t at = span.begin + make.below(static_cast<std::uint32_t>(span.size()));
      while (at < span.end && (text[at] < '0' || text[at] > '9')) ++at;
      if (at == span.end) continue;
      text[at] =
          static_cast<char>('0' + (text[at] - '0' + 1 + static_cast<int>(make.below(9))) % 10);
      const Verdict after = judge_in(conversation, text);
      for (const JudgedValue& now : after.values) {
        if (now.spans.front().begin != span.begin) continue;
        // A changed value never keeps its carriers by accident of spelling: it is unsupported,
        // computed, or equal to something else that was read.
        if (now.level == Level::unsupported) ++unsupported;
        if (now.level > Level::converted) continue;
        EXPECT_FALSE(now.grounding.carriers.empty()) << text;
      }
    }
  }
  EXPECT_GT(unsupported, 500U);
}

TEST(Laws, ExtendingAnIndexIsTheSameAsBuildingIt) {
  Maker make(4);
  for (int round = 0; round < 100; ++round) {
    const World world = make.world();
    const Conversation whole = conversation_of(world);
    Conversation growing;
    ConversationIndex index = ConversationIndex::of(growing);
    for (std::uint32_t i = 0; i < whole.size(); ++i) {
      growing.append(whole[i]);
      index.extend(growing);
    }
    EXPECT_EQ(levels_of(check_answer(world.answer, index)),
              levels_of(check_answer(world.answer, ConversationIndex::of(whole))));
  }
}

// Quotes, brackets, emphasis, the end of a sentence: whatever stands around a value is not of it.
TEST(Laws, WhatStandsAroundAValueIsNotOfIt) {
  const char* values[] = {"1,234.56",
                          "$1,234.56",
                          "1.234,56",
                          "€1,234,567.89",
                          "41,200",
                          "1.234.567",
                          "4321.5",
                          "5.09%",
                          "-1234.5",
                          "1.5e9",
                          "1.5 billion",
                          "2.0 KiB",
                          "1'234'567",
                          "0x1f4",
                          "41.18 ms",
                          "db-017",
                          "vol_0031",
                          "fc1/7",
                          "10.0.0.17",
                          "v1.2.3",
                          "INC0012345",
                          "sha256:9f86d081",
                          "2026-05-03",
                          "01:02:03",
                          "2026-05-03T01:02:03Z",
                          "May 3, 2026",
                          "3 May 2026",
                          "2:40 PM",
                          "1h 20m",
                          "EUR 1,234.56",
                          "1,234.56 USD",
                          "$12.5M",
                          "-40.5 °C",
                          "/var/log/app-17.log",
                          "550e8400-e29b-41d4-a716-446655440000"};
  const char* before[] = {"(", "\"", "'",  "**", "`",  "~",      "≈", "=",  ": ", "[",   "<b>",
                          "“", "*",  "> ", "- ", "| ", "about ", "—", "\n", "\t", "=\"", "「"};
  const char* behind[] = {".",  ",",    ";",  ":",    "!",   "?",   ")",   "]",    "\"",
                          "'",  "**",   "`",  "…",    "...", "\n",  ".\n", " -",   "—",
                          "'s", "</b>", "”",  "*",    " |",  "|",   ").",  "!\n",  "。",
                          "、", "（",   " (", "\r\n", ".)",  ".\"", "?!",  "<br>", ". Next"};
  const auto spellings = [](const std::string& text) {
    std::vector<std::string> out;
    for (const Value& value : read_text(text)) out.push_back(value.value);
    return out;
  };
  for (const std::string value : values) {
    const auto alone = spellings("We saw " + value + " there");
    ASSERT_EQ(alone.size(), 1U) << value;
    for (const std::string sign : before) {
      EXPECT_EQ(spellings("We saw " + sign + value + " there"), alone) << sign << value;
    }
    for (const std::string sign : behind) {
      EXPECT_EQ(spellings("We saw " + value + sign), alone) << value << sign;
      EXPECT_EQ(spellings("We saw " + value + sign + " there"), alone) << value << sign;
    }
  }
}

}  // namespace
}  // namespace agentfootprint::evidence
