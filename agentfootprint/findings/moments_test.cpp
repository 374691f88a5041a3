// What each moment files, and in which order.
#include "agentfootprint/findings/moments.hpp"

#include <gtest/gtest.h>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/findings/unsettled.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::findings {
namespace {

BatchCall call_with(std::uint32_t message, const std::string& id, const std::string& arguments,
                    const std::string& schema = "{}") {
  return batch_call(ResultRef(id, CallKey{message, 0}), "ports", json::parse_or_throw(arguments),
                    json::parse_or_throw(schema));
}

KnownResults known_with(const std::string& id, std::uint32_t message, json::Value content,
                        bool absent = false) {
  KnownResults known;
  KnownResult result;
  result.result = ResultRef(id, CallKey{message, 0});
  result.tool_name = "ports";
  result.content = std::move(content);
  result.absent = absent;
  known.add(std::move(result));
  return known;
}

std::vector<std::string> kinds(const std::vector<Row>& rows) {
  std::vector<std::string> list;
  for (const Row& row : rows) list.emplace_back(kind_of(row));
  return list;
}

const char* const kRuleOut = R"({"port":"fc1/7","_findings":{"basis":"direct","previous":)"
                             R"([{"toolCallId":"c1","standing":"ruled-out","line":"no"}]}})";

TEST(Moments, ACallThatRulesOutItsSourceIsContingentOnIt) {
  Ledger ledger;
  const BatchCall call = call_with(3, "c2", kRuleOut);
  EXPECT_EQ(json::dump(call.split.arguments), R"({"port":"fc1/7"})");
  ledger.record(rows_at_batch_start({call}, known_with("c1", 1, "fc1/7 down"), 2));
  CarriedValue value;
  value.value = "fc1/7";
  value.carriers.emplace_back(ResultRef("c1", CallKey{1, 0}));
  ledger.record(rows_at_call(call, {value}, ledger.fold(), 2));
  ASSERT_EQ(ledger.rows().size(), 3U);
  EXPECT_EQ(kind_of(*ledger.rows()[0]), "standing");
  EXPECT_EQ(kind_of(*ledger.rows()[1]), "basis");
  EXPECT_EQ(json::dump(to_json(*ledger.rows()[2])),
            R"({"kind":"contingent","declaredOn":{"toolCallId":"c2","call":[3,0]},)"
            R"("value":"fc1/7","carriers":[{"toolCallId":"c1","call":[1,0],)"
            R"("standing":"ruled-out"}],"iteration":2})");
}

TEST(Moments, AStandingOnASiblingGovernsTheWholeBatch) {
  Ledger ledger;
  const BatchCall first = call_with(3, "c2", R"({"port":"fc1/7"})");
  const BatchCall second = call_with(3, "c3", kRuleOut);
  ledger.record(rows_at_batch_start({first, second}, known_with("c1", 1, "fc1/7"), 2));
  CarriedValue value;
  value.value = "fc1/7";
  value.carriers.emplace_back(ResultRef("c1", CallKey{1, 0}));
  EXPECT_EQ(kinds(rows_at_call(first, {value}, ledger.fold(), 2)),
            (std::vector<std::string>{"contingent"}));
}

TEST(Moments, AFactDeclaredOnTheAnswerClearsItsValues) {
  Ledger ledger;
  const KnownResults known = known_with("c1", 1, "fc1/7");
  const auto notes = [](const char* standing) {
    return peel_answer(std::string(R"({"_findings":{"previous":[{"toolCallId":"c1","standing":")") +
                       standing + R"("}]},"a":1})")
        .notes;
  };
  CarriedValue value;
  value.value = "fc1/7";
  value.carriers.emplace_back(ResultRef("c1", CallKey{1, 0}));
  ledger.record(rows_at_answer(notes("open"), known, 4));
  EXPECT_EQ(rows_of_answer_values({value}, ledger.fold(), 4).size(), 1U);
  ledger.record(rows_at_answer(notes("fact"), known, 5));
  EXPECT_TRUE(rows_of_answer_values({value}, ledger.fold(), 5).empty());
}

TEST(Moments, MalformedPartsAreCountedWhereverTheyStand) {
  Ledger ledger;
  ledger.record(rows_at_call(call_with(1, "c1", R"({"_findings":{"basis":"direct","expect":1}})"),
                             {}, ledger.fold(), 1));
  ledger.record(rows_at_call(call_with(3, "c2", R"({"_findings":7})"), {}, ledger.fold(), 2));
  ledger.record(rows_at_answer(peel_answer(R"({"_findings":[],"a":1})").notes, KnownResults(), 3));
  ASSERT_EQ(ledger.rows().size(), 3U);
  EXPECT_EQ(kind_of(*ledger.rows()[0]), "basis");
  EXPECT_EQ(json::dump(to_json(*ledger.rows()[1])),
            R"({"kind":"malformed","declaredOn":{"toolCallId":"c2","call":[3,0]},"malformed":1,)"
            R"("iteration":2})");
  EXPECT_EQ(json::dump(to_json(*ledger.rows()[2])),
            R"({"kind":"malformed","declaredOn":"answer","malformed":1,"iteration":3})");
  EXPECT_EQ(ledger.fold().malformed(), 3U);
}

TEST(Moments, AToolThatOwnsTheNameKeepsItsValueAndFilesNothing) {
  const BatchCall call = call_with(1, "c1", R"({"_findings":{"basis":"direct"}})",
                                   R"({"properties":{"_findings":{"type":"object"}}})");
  EXPECT_EQ(json::dump(call.split.arguments), R"({"_findings":{"basis":"direct"}})");
  EXPECT_TRUE(rows_at_batch_start({call}, KnownResults(), 1).empty());
  EXPECT_TRUE(rows_at_call(call, {}, LedgerFold(), 1).empty());
}

TEST(Moments, UnknownIdsAreKeptAsTheyCame) {
  const auto rows = rows_at_batch_start(
      {call_with(3, "c2",
                 R"({"_findings":{"previous":[{"toolCallId":"c7","standing":"fact",)"
                 R"("assertions":[{"subject":{"kind":"p","id":"1"},"predicate":"s",)"
                 R"("value":1}]}]}})")},
      known_with("c1", 1, "x"), 2);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(json::dump(to_json(rows[0])),
            R"({"kind":"standing","toolCallId":"c7","standing":"fact","assertions":[{"subject":)"
            R"({"kind":"p","id":"1"},"predicate":"s","value":1,"stratum":"asserted","provenance":)"
            R"("tool:c7"}],"declaredOn":{"toolCallId":"c2","call":[3,0]},"iteration":2,)"
            R"("unknownId":true})");
}

TEST(Moments, StrataFollowTheStanding) {
  for (const auto& [word, stratum, count] :
       {std::tuple{"fact", "asserted", 1}, std::tuple{"open", "quoted", 1},
        std::tuple{"ruled-out", "quoted", 1}, std::tuple{"noise", "", 0}}) {
    const auto rows = rows_at_batch_start(
        {call_with(3, "c2",
                   std::string(R"({"_findings":{"previous":[{"toolCallId":"c1",)") +
                       R"("standing":")" + word +
                       R"(","assertions":[{"subject":{"kind":"p","id":"1"},)"
                       R"("predicate":"s","value":1}]}]}})")},
        known_with("c1", 1, R"(  {"placed":true,"ref":"art_9f3c","reason":"large"})"), 2);
    const json::Value row = to_json(rows.at(0));
    EXPECT_EQ(row.at("assertions").size(), static_cast<std::size_t>(count));
    EXPECT_EQ(row.at("ref").as_string(), "art_9f3c");
    if (count == 0) continue;
    EXPECT_EQ(row.at("assertions").at(0).at("stratum").as_string(), stratum);
    EXPECT_EQ(row.at("assertions").at(0).at("provenance").as_string(), "artifact:art_9f3c");
  }
}

TEST(PlacementRef, OnlyWholeTickets) {
  EXPECT_EQ(placement_ref(R"({"placed":true,"ref":"a","reason":"r"})"), "a");
  for (const char* text :
       {R"({"placed":true,"ref":"art_x"})", R"({"placed":true,"reason":"r"})",
        R"({"placed":true,"ref":"a","reason":"r")", R"([{"placed":true,"ref":"a","reason":"r"}])",
        R"({"placed":"true","ref":"a","reason":"r"})", "prose", ""}) {
    EXPECT_FALSE(placement_ref(text).has_value()) << text;
  }
}

TEST(BasisRow, NeedsABasisAndClipsTexts) {
  Declaration declaration;
  EXPECT_THROW((void)basis_row_from(ResultRef("c1"), "t", declaration, 0, 1), Error);
  declaration.basis = Basis::exploratory;
  declaration.proposition = std::string(240, 'a') + "\nbc";
  const BasisRow row = basis_row_from(ResultRef("c1"), "t", declaration, 0, 1);
  EXPECT_EQ(*row.proposition, std::string(240, 'a') + " …[clipped 3 chars]");
}

struct UnsettledCase {
  const char* name;
  const char* content;
  bool absent;
  const char* want;  // the row's JSON, "" for none
};

class Unsettled : public testing::TestWithParam<UnsettledCase> {};

TEST_P(Unsettled, ReadsTheServedAbsence) {
  const UnsettledCase& one = GetParam();
  KnownResult result;
  result.result = ResultRef("c1");
  result.content = one.content;
  result.absent = one.absent;
  const auto row = unsettled_row_for(result, 3);
  EXPECT_EQ(row ? json::dump(to_json(Row(*row))) : "", one.want);
}

#define ROW R"({"kind":"unsettled-by-absence","toolCallId":"c1")"
INSTANTIATE_TEST_SUITE_P(
    TableE9, Unsettled,
    testing::Values(
        UnsettledCase{"bare", R"({"af_absent":true,"checked":[{"what":"a"}]})", true,
                      ROW R"(,"iteration":3})"},
        UnsettledCase{
            "in_a_ledger",
            R"({"af_coverage":{"not_checked":[{"what":"l","why":"w"},{"what":"both"}]},"result":)"
            R"({"af_absent":true,"checked":[{"what":"a"}],"not_checked":[{"what":"both"},)"
            R"({"what":"own","why":7},{"what":" "},"bare"],"cannot_cover":)"
            R"([{"what":"h","why":"x"}],)"
            R"("try_instead":"  odd  blanks "}} trailing note)",
            true,
            ROW R"(,"notChecked":[{"what":"l","why":"w"},{"what":"both"},{"what":"own"}],)"
                R"("cannotCover":[{"what":"h","why":"x"}],"tryInstead":"  odd  blanks ",)"
                R"("iteration":3})"},
        UnsettledCase{"blank_try_instead",
                      R"({"af_absent":true,"checked":["a"],"try_instead":" "})", true,
                      ROW R"(,"iteration":3})"},
        UnsettledCase{"the_tool_returned_text", R"({"af_absent":true,"checked":["a"]})", false, ""},
        UnsettledCase{"array", "[]", true, ""},
        UnsettledCase{"domain_object", R"({"hba_count":0})", true, ""},
        UnsettledCase{"prose", "nothing found", true, ""},
        UnsettledCase{"blank_before", R"( {"af_absent":true,"checked":["a"]})", true, ""},
        UnsettledCase{"other_object_first", R"({"a":1} {"af_absent":true,"checked":["a"]})", true,
                      ""},
        UnsettledCase{"nothing_checked", R"({"af_absent":true,"checked":[]})", true, ""}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Moments, TheUnsettledRowStandsRightAfterItsStanding) {
  const KnownResults known =
      known_with("c1", 1, R"({"af_absent":true,"checked":[{"what":"a"}]})", true);
  const auto rows = rows_at_batch_start({call_with(3, "c2", kRuleOut)}, known, 2);
  EXPECT_EQ(kinds(rows), (std::vector<std::string>{"standing", "unsettled-by-absence"}));
  Ledger ledger;
  ledger.record(rows);
  EXPECT_EQ(ledger.fold().unsettled().size(), 1U);
  // It counts only while the result is ruled out.
  StandingRow again;
  again.result = ResultRef("c1", CallKey{1, 0});
  again.standing = Standing::open;
  ledger.record({again});
  EXPECT_TRUE(ledger.fold().unsettled().empty());
}

}  // namespace
}  // namespace agentfootprint::findings
