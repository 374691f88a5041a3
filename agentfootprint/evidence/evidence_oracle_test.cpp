// The engine against the naive oracle: exhaustive over small texts, random over large ones.
#include "agentfootprint/evidence/evidence_oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "agentfootprint/evidence/judge.hpp"
#include "agentfootprint/evidence/reading.hpp"

namespace agentfootprint::evidence {
namespace {

std::string_view name_of_kind(oracle::Kind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"number", "quantity", "identifier",
                                                      "date",   "time",     "instant"};
  return kNames[static_cast<std::size_t>(kind)];
}

// `raw/kind` of every value with a digit.
std::string engine_reading(std::string_view text) {
  std::string out;
  for (const Value& value : read_text(text)) {
    if (value.raw.find_first_of("0123456789") == std::string::npos) continue;
    out += value.raw + "/" + std::string(name_of(value.kind)) + " ";
  }
  return out;
}

std::optional<std::string> oracle_reading(std::string_view text) {
  const auto items = oracle::read(text);
  if (!items) return std::nullopt;
  std::string out;
  for (const oracle::Item& item : *items) {
    out += item.raw + "/" + std::string(name_of_kind(item.kind)) + " ";
  }
  return out;
}

// Every text over an alphabet up to a length, on which the oracle has an opinion.
void exhaust(std::string_view alphabet, std::size_t longest, std::size_t least) {
  std::size_t compared = 0;
  std::size_t failures = 0;
  std::string text;
  const auto visit = [&](const auto& self) -> void {
    if (failures > 20) return;
    if (const auto want = oracle_reading(text)) {
      ++compared;
      const std::string is = engine_reading(text);
      if (is != *want) {
        ++failures;
        ADD_FAILURE() << "`" << text << "`: engine " << is << "oracle " << *want;
      }
    }
    if (text.size() == longest) return;
    for (const char c : alphabet) {
      text.push_back(c);
      self(self);
      text.pop_back();
    }
  };
  visit(visit);
  EXPECT_GE(compared, least);
}

TEST(Oracle, ReadingNumbersExhaustively) {
  exhaust("12,. ", 6, 5'000);
}
TEST(Oracle, ReadingSignsAndRangesExhaustively) {
  exhaust("13-. ", 6, 3'000);
}
TEST(Oracle, ReadingQuantitiesExhaustively) {
  exhaust("15q%.", 6, 500);
}
TEST(Oracle, ReadingZerosExhaustively) {
  exhaust("01, ", 7, 4'000);
}
TEST(Oracle, ReadingIdentifiersExhaustively) {
  exhaust("qx1-/ ", 5, 1'000);
}

// A pool of spellings, so that answers and results meet often.
class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  std::string spelling() {
    const std::uint32_t n = 1 + below(40);
    switch (below(12)) {
      case 0:
        return std::to_string(n);
      case 1:
        return std::to_string(n) + ".0";
      case 2:
        return std::to_string(n) + ".25";
      case 3:
        return std::to_string(n) + ".254";
      case 4:
        return std::to_string(n) + "," + std::to_string(100 + below(4));
      case 5:
        return std::to_string(n * 1000 + 100 + below(4));
      case 6:
        return "-" + std::to_string(n);
      case 7:
        return std::to_string(n) + "%";
      case 8:
        return "fc" + std::to_string(1 + below(3)) + "/" + std::to_string(1 + below(3));
      case 9:
        return "2026-04-1" + std::to_string(below(4));
      case 10:
        return "2026-04-1" + std::to_string(below(4)) + "T08:1" + std::to_string(below(3)) + ":00";
      default:
        return "08:1" + std::to_string(below(3));
    }
  }

  std::string result() {
    std::string out = below(4) == 0 ? "" : "{";
    const bool object = !out.empty();
    const std::uint32_t count = 1 + below(6);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string value = spelling();
      if (!object) {
        out += "and " + value + " ";
        continue;
      }
      const bool plain = value.find_first_not_of("0123456789.") == std::string::npos;
      out += std::string(i > 0 ? "," : "") + "\"k" + std::string(i, 'k') +
             "\":" + (plain ? value : "\"" + value + "\"");
    }
    return object ? out + "}" : out;
  }

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

 private:
  std::mt19937 random_;
};

std::string engine_grading(const std::string& answer, const std::vector<std::string>& supplied,
                           const std::vector<std::string>& results) {
  Conversation conversation;
  for (const std::string& text : supplied) conversation.append(Message::user(text));
  for (const std::string& text : results) {
    conversation.append(Message::tool_result(std::nullopt, "t", text));
  }
  const auto index = ConversationIndex::of(conversation);
  JudgeOptions options;
  options.thorough = true;
  options.derive = false;
  std::string out;
  for (const JudgedValue& value : check_answer(answer, index, options).values) {
    out += value.value.raw + " " + std::string(name_of(value.level));
    for (const Carrier& carrier : value.grounding.carriers) {
      out += " " + std::to_string(carrier.result);
    }
    out += "; ";
  }
  return out;
}

TEST(Oracle, LevelsAndCarriersAtRandom) {
  Generator make(4417);
  std::size_t compared = 0;
  std::size_t failures = 0;
  for (int round = 0; round < 2'500 && failures < 15; ++round) {
    std::vector<std::string> results;
    const std::uint32_t count = 1 + make.below(5);
    for (std::uint32_t i = 0; i < count; ++i) results.push_back(make.result());
    std::vector<std::string> supplied;
    if (make.below(3) == 0) supplied.push_back("about " + make.spelling());
    const std::string answer = "it is " + make.spelling() + " and " + make.spelling() + " then";
    const auto graded = oracle::check(answer, supplied, results);
    if (!graded) continue;
    std::string want;
    for (const oracle::Graded& value : *graded) {
      want += value.raw + " " + value.level;
      for (const std::size_t carrier : value.carriers) want += " " + std::to_string(carrier);
      want += "; ";
    }
    const std::string is = engine_grading(answer, supplied, results);
    ++compared;
    if (is == want) continue;
    ++failures;
    std::string told = "answer `" + answer + "`";
    for (const std::string& text : supplied) told += "\n  supplied " + text;
    for (const std::string& text : results) told += "\n  result " + text;
    ADD_FAILURE() << told << "\n  engine " << is << "\n  oracle " << want;
  }
  EXPECT_GE(compared, 700U);
}

}  // namespace
}  // namespace agentfootprint::evidence
