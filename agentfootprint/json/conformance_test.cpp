// The conformance list of tests/conformance/json.jsonl: what the grammar accepts, rejects, or
// leaves open.
//
// A line is {"id", "expect": accept|reject|either, "text" | "hex" | "levels"}; for `either` it says
// in "ours" what we do.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::json {
namespace {

struct Case {
  std::string id;
  std::string text;
  bool accept = false;
};

std::string bytes_of_hex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return out;
}

std::vector<Case> read_cases() {
  std::ifstream in(AGENTFOOTPRINT_SOURCE_DIR "/tests/conformance/json.jsonl");
  std::vector<Case> cases;
  for (std::string line; std::getline(in, line);) {
    const Value row = parse_or_throw(line);
    Case out;
    out.id = *row.at("id").as_string();
    if (const Value* hex = row.find("hex")) {
      out.text = bytes_of_hex(*hex->as_string());
    } else if (const Value* levels = row.find("levels")) {
      const auto count = static_cast<std::size_t>(*levels->as_int64());
      out.text = std::string(count, '[') + std::string(count, ']');
    } else {
      out.text = *row.at("text").as_string();
    }
    const std::string_view expect = *row.at("expect").as_string();
    out.accept = (expect == "either" ? *row.at("ours").as_string() : expect) == "accept";
    cases.push_back(std::move(out));
  }
  return cases;
}

TEST(Conformance, AcceptsAndRejectsAsListed) {
  const std::vector<Case> cases = read_cases();
  EXPECT_GT(cases.size(), 300U);
  for (const Case& test : cases) {
    const auto parsed = parse(test.text);
    EXPECT_EQ(parsed.has_value(), test.accept)
        << test.id << ": " << (parsed ? "accepted" : parsed.error().message());
    if (!parsed) {
      EXPECT_LE(parsed.error().byte, test.text.size()) << test.id;
      EXPECT_NE(parsed.error().reason, "") << test.id;
    }
  }
}

TEST(Conformance, WhatIsPrintedReadsBackEqual) {
  for (const Case& test : read_cases()) {
    if (!test.accept) continue;
    const Value value = parse_or_throw(test.text);
    const Value again = parse_or_throw(dump(value));
    EXPECT_EQ(value, again) << test.id;
    EXPECT_EQ(dump(value), dump(again)) << test.id;
    EXPECT_EQ(value, parse_or_throw(dump_canonical(value))) << test.id;
    EXPECT_EQ(dump_canonical(value), dump_canonical(again)) << test.id;
    EXPECT_EQ(value, parse_or_throw(dump_pretty(value))) << test.id;
    EXPECT_EQ(value, value.detach()) << test.id;
  }
}

TEST(Conformance, EveryPrefixOfADocumentIsADocumentCutShort) {
  for (const Case& test : read_cases()) {
    if (!test.accept || test.text.size() > 1'000) continue;
    for (std::size_t length = 0; length < test.text.size(); ++length) {
      const std::string_view head = std::string_view(test.text).substr(0, length);
      const auto prefix = parse_prefix(head);
      ASSERT_TRUE(prefix) << test.id << " cut at " << length << ": " << prefix.error().message();
      const auto strict = parse(head);
      EXPECT_EQ(prefix->cut, !strict.has_value()) << test.id << " cut at " << length;
      if (!strict) {
        EXPECT_EQ(strict.error().code, "json-cut") << test.id << " cut at " << length;
      }
      EXPECT_TRUE(parse(dump(prefix->value))) << test.id << " cut at " << length;
    }
  }
}

TEST(Conformance, LenientReadingToleratesNothingInStrictDocuments) {
  for (const Case& test : read_cases()) {
    if (!test.accept) continue;
    const auto lenient = parse_lenient(test.text);
    ASSERT_TRUE(lenient) << test.id;
    EXPECT_TRUE(lenient->tolerated.empty()) << test.id;
    EXPECT_EQ(lenient->value, parse_or_throw(test.text)) << test.id;
  }
}

}  // namespace
}  // namespace agentfootprint::json
