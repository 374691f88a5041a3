// Recognition of absences and ledgers, and what of them is evidence.
#include "agentfootprint/semantics/absence.hpp"

#include <gtest/gtest.h>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/semantics/evidence_projection.hpp"

namespace agentfootprint::semantics {
namespace {

json::Value parsed(std::string_view text) {
  return json::parse_or_throw(text);
}

TEST(ReadAbsence, NeedsTheExactMarkerAndGround) {
  EXPECT_TRUE(is_absence(parsed(R"({"af_absent":true,"checked":["x"]})")));
  for (const char* text :
       {R"({"af_absent":"yes","checked":["x"]})", R"({"af_absent":true})",
        R"({"af_absent":true,"checked":[]})", R"({"af_absent":true,"checked":"x"})",
        R"({"af_absent":false,"checked":["x"]})", R"(["af_absent"])", R"("af_absent")", "null"}) {
    EXPECT_FALSE(is_absence(parsed(text))) << text;
    EXPECT_FALSE(read_absence(parsed(text)).has_value()) << text;
  }
}

TEST(ReadAbsence, GivesItsPartsAndLeavesOutWhatSaysNothing) {
  const auto absence = read_absence(parsed(
      R"({"af_absent":true,"looked_for":"port fc1/33","checked":[{"what":"the inventory",
      "short":"inv"},
          {"why":"no ground"},7],"not_checked":[{"what":"site B","why":"down"}],
          "cannot_cover":[{"what":"HBAs","why":" "}],
          "provenance":{"measured_at":"x","source":"y"},"period":{"queried":"yesterday"},
          "try_instead":"by WWN","try_instead_tool":{"tool":"find_wwn"}})"));
  ASSERT_TRUE(absence.has_value());
  EXPECT_EQ(absence->looked_for, "port fc1/33");
  EXPECT_EQ(absence->coverage.checked,
            (std::vector<DeclaredItem>{{"the inventory", std::nullopt, "inv"}}));
  EXPECT_EQ(absence->coverage.not_checked, (std::vector<DeclaredItem>{{"site B", "down"}}));
  EXPECT_EQ(absence->coverage.cannot_cover, (std::vector<DeclaredItem>{{"HBAs"}}));
  EXPECT_FALSE(absence->period.has_value());
  EXPECT_TRUE(absence->provenance.has_value());
  EXPECT_EQ(absence->try_instead, "by WWN");
  EXPECT_TRUE(absence->try_instead_tool.has_value());
}

TEST(ReadCoverageLedger, NeedsAnObjectAndAResult) {
  const auto ledger = read_coverage_ledger(parsed(
      R"({"af_coverage":{"checked":[{"what":"a"}],"in_progress":[{"what":"scan","count":3}]},
      "result":null})"));
  ASSERT_TRUE(ledger.has_value());
  EXPECT_EQ(ledger->coverage.checked.front().what, "a");
  EXPECT_EQ(ledger->in_progress.front().count, 3U);
  EXPECT_TRUE(ledger->result.is_null());
  EXPECT_FALSE(is_coverage_ledger(parsed(R"({"af_coverage":"x","result":1})")));
  EXPECT_FALSE(is_coverage_ledger(parsed(R"({"af_coverage":{"checked":["a"]}})")));
  EXPECT_FALSE(is_coverage_ledger(parsed(R"({"af_coverage":[],"result":1})")));
}

TEST(EvidenceProjection, LeavesOutTheRequestAndTheRecordOnlyKeys) {
  const json::Value absence = parsed(
      R"({"af_absent":true,"looked_for":"1429","checked":[{"what":"a","short":"b",
      "kind":"scope"}],"try_instead":"t"})");
  EXPECT_EQ(evidence_omissions(absence),
            (std::vector<std::string>{"/looked_for", "/checked/0/short", "/checked/0/kind"}));
  EXPECT_EQ(json::dump(evidence_projection(absence)),
            R"({"af_absent":true,"checked":[{"what":"a"}],"try_instead":"t"})");
}

TEST(EvidenceProjection, KeepsTheMarkerAndTheAbsenceOfALedgerAroundOne) {
  const json::Value ledger = parsed(
      R"({"af_coverage":{"checked":[{"what":"a","kind":"scope"}]},"extra":1429,
      "result":{"af_absent":true,"looked_for":"x","checked":["y"]}})");
  EXPECT_EQ(
      json::dump(evidence_projection(ledger)),
      R"({"af_coverage":{"checked":[{"what":"a"}]},"result":{"af_absent":true,"checked":["y"]}})");
}

TEST(EvidenceProjection, SharesEveryOtherValue) {
  for (const char* text :
       {R"({"looked_for":"x","n":[1,2]})", R"([{"af_absent":true,"checked":["x"]}])",
        R"({"af_coverage":{"checked":["a"]},"extra":1,"result":{"looked_for":2}})"}) {
    const json::Value value = parsed(text);
    EXPECT_TRUE(evidence_omissions(value).empty()) << text;
    EXPECT_TRUE(evidence_projection(value).same_storage(value)) << text;
  }
}

}  // namespace
}  // namespace agentfootprint::semantics
