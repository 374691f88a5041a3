// Derivations over operands made by hand: formulas, sources, caps and chance.
#include "agentfootprint/evidence/derivation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agentfootprint/evidence/internal/tables.hpp"

namespace agentfootprint::evidence {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

// A reader for these tests: runs of digits with one point, `$` in front, `%` behind.
void read_plain(std::string_view text, std::vector<std::pair<Amount, std::string>>& out) {
  for (std::size_t at = 0; at < text.size();) {
    if (std::isdigit(static_cast<unsigned char>(text[at])) == 0) {
      ++at;
      continue;
    }
    std::size_t end = at;
    int decimals = -1;
    while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) != 0 ||
                                 (text[end] == '.' && decimals < 0 && end + 1 < text.size() &&
                                  std::isdigit(static_cast<unsigned char>(text[end + 1])) != 0))) {
      if (text[end] == '.') {
        decimals = 0;
      } else if (decimals >= 0) {
        ++decimals;
      }
      ++end;
    }
    const bool identifier = at > 0 && (text[at - 1] == '-' || text[at - 1] == '_');
    if (!identifier) {
      Amount amount = Amount::of_number(*json::Decimal::parse(text.substr(at, end - at)),
                                        std::max(decimals, 0));
      if (at > 0 && text[at - 1] == '$') amount.dimension = "$";
      if (end < text.size() && text[end] == '%') amount.dimension = "%";
      out.emplace_back(amount, std::string(text.substr(at, end - at)));
    }
    at = end;
  }
}

struct Case {
  std::string answer;
  std::string target;                 // its raw text in the answer
  std::vector<std::string> grounded;  // raw texts that count as grounded
  std::vector<std::string> results;
};

Derived derive(const Case& given) {
  std::vector<std::pair<Amount, std::string>> read;
  read_plain(given.answer, read);
  std::vector<Quoted> quoted;
  std::size_t from = 0;
  std::size_t target = 0;
  for (const auto& [amount, raw] : read) {
    Quoted value;
    value.amount = amount;
    value.raw = raw;
    const std::size_t at = given.answer.find(raw, from);
    from = at + raw.size();
    value.span = {at, from};
    value.candidate = raw.size() > 3;
    value.grounded =
        std::find(given.grounded.begin(), given.grounded.end(), raw) != given.grounded.end();
    if (raw == given.target) target = quoted.size();
    quoted.push_back(value);
  }
  std::vector<std::unique_ptr<DerivationSlot>> slots;
  DerivationResults results;
  for (std::size_t i = 0; i < given.results.size(); ++i) {
    slots.push_back(std::make_unique<DerivationSlot>());
    results.push_back({static_cast<std::uint32_t>(i), "t", 1, given.results[i], slots[i].get()});
  }
  const Amount amount = quoted[target].amount;
  Deriver deriver(given.answer, quoted, results, 1, read_plain);
  return deriver.derive(target, amount);
}

std::vector<std::string> texts(const Derived& derived) {
  std::vector<std::string> out;
  for (const Formula& formula : derived.formulas) out.push_back(formula.text);
  return out;
}

Amount number(const char* text, int decimals = 0, const char* dimension = "") {
  Amount amount = Amount::of_number(*json::Decimal::parse(text), decimals);
  amount.dimension = dimension;
  return amount;
}

TEST(Formulas, IntegersMustBeEqual) {
  EXPECT_THAT(
      formulas_between(number("3310"), {{number("1370"), "1370"}, {number("1940"), "1940"}}),
      ElementsAre("1370 + 1940"));
  EXPECT_THAT(
      formulas_between(number("3311"), {{number("1370"), "1370"}, {number("1940"), "1940"}}),
      IsEmpty());
  // $3.3M is not the sum of 1,370,000 and 1,940,000: integers are never rounded.
  Amount scaled = number("3300000", -5);
  EXPECT_THAT(formulas_between(scaled, {{number("1370000"), "a"}, {number("1940000"), "b"}}),
              IsEmpty());
}

TEST(Formulas, DecimalsAreComparedAtTheWrittenPrecision) {
  const std::vector<std::pair<Amount, std::string>> shares = {{number("1234"), "used"},
                                                              {number("2000"), "total"}};
  EXPECT_THAT(formulas_between(number("61.7", 1, "%"), shares), ElementsAre("100 * used / total"));
  EXPECT_THAT(formulas_between(number("61.70", 2, "%"), shares), ElementsAre("100 * used / total"));
  EXPECT_THAT(formulas_between(number("61.8", 1, "%"), shares), IsEmpty());
  EXPECT_THAT(formulas_between(number("38.3", 1, "%"), {{number("61.7", 1, "%"), "61.7%"}}),
              ElementsAre("100 - 61.7%"));
  EXPECT_THAT(
      formulas_between(number("14.8", 1), {{number("10.5", 1), "a"}, {number("4.25", 2), "b"}}),
      ElementsAre("a + b"));
}

TEST(Formulas, UnitsMustAgree) {
  EXPECT_THAT(formulas_between(number("3310", 0, "$"),
                               {{number("1370", 0, "$"), "a"}, {number("1940", 0, "eur"), "b"}}),
              IsEmpty());
  Amount milliseconds = number("1200", 0, "time");
  milliseconds.factor = *json::Decimal::parse("0.001");
  Amount seconds = number("2", 0, "time");
  Amount total = number("3.2", 1, "time");
  EXPECT_THAT(formulas_between(total, {{milliseconds, "1200 ms"}, {seconds, "2 s"}}),
              ElementsAre("1200 ms + 2 s"));
}

TEST(Formulas, MomentsGiveDurations) {
  Amount departs = number("22200");  // 06:10
  Amount arrives = number("34800");  // 09:40
  departs.measure = arrives.measure = Measure::time;
  Amount takes = number("12600", 0, "time");
  EXPECT_THAT(formulas_between(takes, {{departs, "06:10"}, {arrives, "09:40"}}),
              ElementsAre("09:40 - 06:10"));
}

TEST(Derivation, TwoValuesOfOneSentence) {
  const Derived found =
      derive({"It has 52900 and used 41200, so 11700 left.", "11700", {"52900", "41200"}, {}});
  EXPECT_THAT(texts(found), ElementsAre("52900 - 41200"));
  EXPECT_LT(found.chance, 0.01);
  const Derived apart =
      derive({"It has 52900. It used 41200. So 11700 is left.", "11700", {"52900", "41200"}, {}});
  EXPECT_FALSE(apart.found());
  const Derived ungrounded =
      derive({"It has 52900, used 41200, 11700 left.", "11700", {"52900"}, {}});
  EXPECT_FALSE(ungrounded.found());
}

TEST(Derivation, CountsMultiply) {
  EXPECT_THAT(texts(derive({"three bags at $450 are $1350", "1350", {"450"}, {}})),
              ElementsAre("450 * three"));
  EXPECT_THAT(texts(derive({"7 bags at $450 are $3150", "3150", {"450"}, {}})),
              ElementsAre("450 * 7"));
}

TEST(Derivation, ListsAddUp) {
  const std::string list = "- alpha-01: $1137\n- beta-02: $2194\n- gamma-03: $1001\n- Total: $4332";
  EXPECT_THAT(texts(derive({list, "4332", {"1137", "2194", "1001"}, {}})),
              ElementsAre("1137 + 2194 + 1001"));
  const std::string table = "| a | b |\n|---|---|\n| 1500 | 7 |\n| 2501 | 8 |\n| 4001 | |";
  EXPECT_THAT(texts(derive({table, "4001", {"1500", "2501", "7", "8"}, {}})),
              Contains("1500 + 2501"));
}

TEST(Derivation, RecordsNeedAnAnchorUnlessTheyAreTheWhole) {
  const std::string rows =
      R"({"rows":[{"name":"alpha","x":1137,"y":8021},{"name":"beta","x":2194,"y":6480}]})";
  EXPECT_FALSE(derive({"The overall figure is 9158.", "9158", {}, {rows}}).found());
  EXPECT_THAT(texts(derive({"alpha sums to 9158.", "9158", {}, {rows}})),
              ElementsAre("1137 + 8021"));
  EXPECT_THAT(
      texts(derive({"so 11700 are left", "11700", {}, {R"({"total":52900,"used":41200})"}})),
      ElementsAre("52900 - 41200"));
}

TEST(Derivation, ColumnsAndGroups) {
  const std::string rows =
      R"({"rows":[{"cluster":"A","tb":10.5},{"cluster":"A","tb":4.25},{"cluster":"B","tb":99}]})";
  EXPECT_THAT(texts(derive({"In all 113.75 TB", "113.75", {}, {rows}})),
              ElementsAre("sum(/rows/*/tb)"));
  EXPECT_THAT(texts(derive({"Cluster A has 14.75 TB", "14.75", {}, {rows}})),
              ElementsAre("sum(/rows/*/tb[cluster=A])"));
  EXPECT_THAT(texts(derive({"There is a cluster with 14.75 TB", "14.75", {}, {rows}})), IsEmpty());
  const std::string named = R"({"rows":[{"cluster":"east","tb":10.5},{"cluster":"east","tb":4.25},)"
                            R"({"cluster":"west","tb":99}]})";
  EXPECT_THAT(texts(derive({"Cluster East has 14.75 TB", "14.75", {}, {named}})),
              ElementsAre("sum(/rows/*/tb[cluster=east])"));
  EXPECT_THAT(texts(derive({"Cluster West has 14.75 TB", "14.75", {}, {named}})), IsEmpty());
}

TEST(Derivation, OnePointerOverTheResultsOfOneTool) {
  const Derived found = derive({"total $3310", "3310", {}, {R"({"p":1370})", R"({"p":1940})"}});
  ASSERT_THAT(texts(found), ElementsAre("sum(/p)"));
  ASSERT_EQ(found.formulas[0].operands.size(), 2U);
  EXPECT_THAT(found.formulas[0].operands[0].results, ElementsAre(0U));
  EXPECT_EQ(found.formulas[0].operands[1].raw, "1940");
  EXPECT_FALSE(derive({"total $3320", "3320", {}, {R"({"p":1370})", R"({"p":1940})"}}).found());
}

TEST(Derivation, RowsAreCounted) {
  std::string rows = "[";
  for (int i = 0; i < 1204; ++i) rows += std::string(i > 0 ? "," : "") + R"({"id":"x"})";
  rows += "]";
  EXPECT_THAT(texts(derive({"There are 1204 ports", "1204", {}, {rows}})), Contains("count(/*)"));
  EXPECT_FALSE(derive({"There are 1205 ports", "1205", {}, {rows}}).found());
}

TEST(Derivation, ChanceSaysHowMuchIsAdmitted) {
  std::string record = "{";
  for (int i = 0; i < 40; ++i) {
    record += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":" + std::to_string(101 + i * 17);
  }
  record += "}";
  const Derived found = derive({"so 118 in all and 17 less", "17", {}, {record}});
  EXPECT_TRUE(found.found());
  EXPECT_TRUE(found.weak());  // two digits: nearly every number comes out of forty members
}

TEST(Derivation, PastACapNothingIsTried) {
  std::string record = "{";
  for (int i = 0; i < 65; ++i) {
    record += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":" + std::to_string(100000 + i * i);
  }
  record += "}";
  const Derived found = derive({"so 200001 in all", "200001", {}, {record}});
  EXPECT_FALSE(found.found());
  EXPECT_THAT(found.clipped, ElementsAre("members"));
}

TEST(Tables, PointersAndLoneRecords) {
  const auto tables = internal::Tables::read(
      R"({"orders":[{"id":"a","items":[{"p":1},{"p":2}]},{"id":"b","items":[{"p":5},{"p":7}]}]})");
  std::vector<std::string> pointers;
  for (const auto& column : tables->columns()) {
    pointers.push_back(tables->pointer_of(column.node, column.row) + "=" + column.sum.to_string());
  }
  EXPECT_THAT(pointers,
              ::testing::UnorderedElementsAre("/orders/0/items/*/p=3", "/orders/1/items/*/p=12",
                                              "/orders/*/items/*/p=15"));
  EXPECT_FALSE(tables->lone_record().has_value());
  EXPECT_TRUE(internal::Tables::read(R"({"a":1,"b":[1,2]})")->lone_record().has_value());
}

TEST(Tables, ACutTextKeepsWhatIsComplete) {
  const auto tables = internal::Tables::read(R"({"rows":[{"x":1500},{"x":2500},{"x":3)");
  ASSERT_EQ(tables->columns().size(), 1U);
  EXPECT_EQ(tables->columns()[0].sum.to_string(), "4000");
  EXPECT_THAT(internal::Tables::read("no json here")->columns(), IsEmpty());
  EXPECT_THAT(internal::Tables::read("{'n': 1}")->records(), IsEmpty());
}

}  // namespace
}  // namespace agentfootprint::evidence
