// Spans, readings and folding of text, seen from outside. What counts as which value is in
// tests/cases/evidence.
#include "agentfootprint/evidence/reading.hpp"

#include <gtest/gtest.h>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/evidence/match.hpp"

namespace agentfootprint::evidence {
namespace {

TEST(ReadText, SpansPointIntoTheTextAsGiven) {
  const std::string text =
      "caf\xC3\xA9 \xEF\xBC\x94\xEF\xBC\x91 and fc1/3, \xE2\x88\x92"
      "1250 \xC2\xB0"
      "C";
  for (const Value& value : read_text(text)) EXPECT_EQ(value.span.in(text), value.raw);
  const auto values = read_text(text);
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[0].value, "41");
  EXPECT_EQ(values[1].raw, "fc1/3");
  EXPECT_EQ(values[2].raw,
            "\xE2\x88\x92"
            "1250");
  EXPECT_TRUE(values[2].readings[0].number.is_negative());
}

TEST(ReadText, ReadingsOfOneSpanAreAlternatives) {
  const auto values = read_text("1,410");
  ASSERT_EQ(values.size(), 1U);
  ASSERT_EQ(values[0].readings.size(), 2U);
  EXPECT_EQ(values[0].readings[0].number, Decimal(1410));
  EXPECT_EQ(values[0].readings[0].note, ReadingNote::grouped);
  EXPECT_EQ(values[0].readings[1].number, *Decimal::parse("1.41"));
  EXPECT_EQ(values[0].readings[1].decimals, 3);
  EXPECT_EQ(values[0].list.size(), 2U);
}

TEST(ReadText, WrittenPrecisionIsKept) {
  const auto values = read_text("1,200.50 USD");
  ASSERT_EQ(values.size(), 1U);
  EXPECT_EQ(values[0].readings[0].decimals, 2);
  EXPECT_EQ(values[0].readings[0].significant, 6);
  EXPECT_EQ(UnitTable::standard().row(values[0].readings[0].unit.id).name, "USD");
}

TEST(FoldText, KeepsSuperscriptsApart) {
  EXPECT_EQ(fold_text("10\xE2\x81\xB5").find("105"), std::string::npos);
  EXPECT_EQ(fold_text("Z\xC3\x9CRICH\xE2\x80\x91"
                      "7"),
            "z\xC3\xBCrich-7");
}

TEST(TokenBoundary, StandsWhereNoJoinerJoins) {
  EXPECT_TRUE(is_token_boundary("a 5", 1));
  EXPECT_FALSE(is_token_boundary("a:5", 1));
  EXPECT_FALSE(is_token_boundary("a:5", 2));
  EXPECT_TRUE(is_token_boundary("a: 5", 1));
}

TEST(FormsOf, AddsTheGluedSpellingAndTheOneWithoutPrefix) {
  EXPECT_EQ(forms_of(read_text("1007us")[0]), (std::vector<std::string>{"1007", "1007us"}));
  EXPECT_EQ(forms_of(read_text("0xEF0101")[0]), (std::vector<std::string>{"0xef0101", "ef0101"}));
  EXPECT_EQ(forms_of(read_text("41,200 iops")[0]), (std::vector<std::string>{"41200"}));
}

TEST(Units, CanBeAddedAndConvert) {
  UnitTable table = UnitTable::standard();
  table.add({"furlong", "length", "201.168"});
  table.add({"furlongs", "length", "201.168", "furlong"});
  ReadOptions options;
  options.units = &table;
  const auto said = read_text("2 furlongs", options);
  const auto carried = read_text("402.336 m", options);
  MatchContext context;
  context.units = &table;
  const auto found = match(said[0], carried[0], context);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->level, Level::converted);
  EXPECT_EQ(UnitTable::standard().find("furlong"), 0);  // the standard table stays as it is
}

TEST(Units, RefusesFactorsThatAreNone) {
  UnitTable table;
  EXPECT_THROW(table.add({"x", "d", "0"}), Refusal);
  EXPECT_THROW(table.add({"", "d", "1"}), Refusal);
  EXPECT_THROW(table.add({"x", "", "1"}), Refusal);
}

}  // namespace
}  // namespace agentfootprint::evidence
