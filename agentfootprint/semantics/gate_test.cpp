// The gate's report for people, the guard's limits, and what the composer leaves alone.
#include "agentfootprint/semantics/gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/semantics/limits_travel.hpp"
#include "agentfootprint/semantics/projection_guard.hpp"

namespace agentfootprint::semantics {
namespace {

using testing::HasSubstr;

json::Value parsed(std::string_view text) {
  return json::parse_or_throw(text);
}

TEST(Gate, TellsPeopleWhatItFound) {
  const SemanticsReport report = check_semantics(read_semantics_catalog(parsed(
      R"([{"name":"good","resultClass":"triage","results":[{"af_absent":true,
      "checked":[{"what":"a"}]}]},
          {"name":"bad","resultClass":"triage","results":[{"n":1}]}])")));
  const std::string text = format_semantics_report(report);
  EXPECT_THAT(text, testing::StartsWith("2 tools, 2 sample results\n"));
  EXPECT_THAT(text, HasSubstr("✗ bad result 1 [triage-without-coverage] coverage: "));
  EXPECT_THAT(text, testing::EndsWith("FAILED 1 error, 0 warnings\n"));
}

TEST(Gate, NamesTheFieldInFrontOfTheMessageOnly) {
  const std::string text = format_semantics_report(
      check_semantics(read_semantics_catalog(parsed(R"([{"name":"t","result":{"af_semantics":true,
      "facts":[{}],"provenance":{"measured_at":"x","source":"y"}}}])"))));
  EXPECT_THAT(text, HasSubstr("✗ t result 1 [malformed-semantics] facts[0].entity: "));
  EXPECT_THAT(text, testing::Not(HasSubstr("(field:")));
}

TEST(Gate, SaysThatAllIsWell) {
  const SemanticsReport report =
      check_semantics(read_semantics_catalog(parsed(R"([{"name":"clock","result":"12:00"}])")));
  const std::string text = format_semantics_report(report);
  EXPECT_THAT(text, testing::StartsWith("1 tool, 1 sample result\n"));
  EXPECT_THAT(text, testing::EndsWith("ok 0 errors, 0 warnings\n"));
  EXPECT_EQ(report.exit_code(true), 0);
}

TEST(Gate, OneToolCannotFakeAnothersLine) {
  const SemanticsReport report =
      check_semantics({CatalogEntry{"evil\nok 0 errors", ResultClass::triage, {}, {}}});
  EXPECT_THAT(format_semantics_report(report), HasSubstr("evil\\nok 0 errors"));
}

TEST(Gate, RefusesAnEntryWithoutAName) {
  EXPECT_THROW((void)check_semantics({CatalogEntry{" "}}), Refusal);
}

TEST(ResultClasses, AreCheckedAtDefinition) {
  EXPECT_EQ(checked_result_class("t", "inventory"), ResultClass::inventory);
  EXPECT_EQ(checked_result_class("t", std::nullopt), std::nullopt);
  try {
    (void)checked_result_class("ports", "metric");
    FAIL();
  } catch (const Refusal& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("ports"));
    EXPECT_THAT(refusal.what(), HasSubstr("metric"));
    EXPECT_THAT(refusal.what(), HasSubstr("triage, inventory"));
  }
}

json::Value ledger_of(json::Value checked) {
  json::ObjectBuilder marker;
  marker.add("checked", std::move(checked));
  json::ObjectBuilder ledger;
  ledger.add("af_coverage", marker.build()).add("result", 1);
  return ledger.build();
}

TEST(ProjectionGuard, StopsAtItsLimitsAndEchoesNothing) {
  const std::string secret(70'000, 's');
  const std::vector<json::Value> nodes(10'001, json::Value(1));
  for (const json::Value& declared : {json::array({secret}), json::array(nodes)}) {
    const ProjectionSnapshot snapshot = snapshot_projection(ledger_of(declared));
    const std::vector<Issue> issues = projection_issues(snapshot, ledger_of(declared));
    ASSERT_EQ(issues.size(), 1U);
    EXPECT_EQ(issues[0].code, "projection-declaration-unreadable");
    EXPECT_EQ(issues[0].field, "result.af_coverage.checked");
    EXPECT_LT(issues[0].message.size(), 300U);
  }
  const std::vector<json::Value> many(9'000, json::Value(1));
  EXPECT_TRUE(snapshot_projection(ledger_of(json::array(many))).issues.empty());
}

TEST(ProjectionGuard, NeverLooksAtRows) {
  // A million rows beside a declaration cost nothing and are not compared.
  json::ObjectBuilder built;
  built.add("af_semantics", true);
  built.add("facts", json::array(std::vector<json::Value>(1'000'000, json::Value("row"))));
  built.add("provenance", parsed(R"({"measured_at":"x","source":"y"})"));
  const json::Value before = built.build();
  const ProjectionSnapshot snapshot = snapshot_projection(before);
  EXPECT_TRUE(snapshot.issues.empty());
  EXPECT_TRUE(projection_issues(snapshot, json::with_member(before, "facts", "ref")).empty());
}

TEST(ProjectionGuard, FollowsAChainOfWrappersToALimit) {
  json::Value chain = parsed(R"({"af_absent":true,"checked":["a"]})");
  for (int i = 0; i < 40; ++i)
    chain = json::object({{"content", chain}, {"effects", json::array({1})}});
  const ProjectionSnapshot snapshot = snapshot_projection(chain);
  ASSERT_EQ(snapshot.issues.size(), 1U);
  EXPECT_EQ(snapshot.issues[0].code, "projection-declaration-unreadable");
}

TEST(LimitsTravel, LeavesAnAnswerAloneWhenNothingWasDeclared) {
  EXPECT_EQ(with_limits("Two hosts.  \n", {}), "Two hosts.  \n");
  CoverageDeclared empty;
  empty.tool_name = "t";
  EXPECT_EQ(with_limits("Two hosts.  \n", {empty}), "Two hosts.  \n");
  EXPECT_EQ(with_limits("", {}), "");
}

TEST(LimitsTravel, KeepsTheAnswersOwnLeadingSpaceAndUnicode) {
  CoverageDeclared row;
  row.coverage.checked.push_back({"größe"});
  EXPECT_THAT(with_limits("  zwei\u3000\n", {row}), testing::StartsWith("  zwei\n\n---\n\n"));
}

TEST(LimitsTravel, ReportsPeriodsAndWorkInProgress) {
  CoverageDeclared row;
  row.tool_name = "ports";
  row.period =
      DeclaredPeriod{{"2026-11-01T09:00Z", "2026-11-01T10:00Z"}, std::nullopt, "2026-11-01T11:00Z"};
  row.in_progress.push_back({"scan", "started late", std::nullopt, 3});
  EXPECT_THAT(with_limits("x", {row, row}),
              testing::EndsWith("\n\nPeriod:\n- ports was asked about 2026-11-01T09:00Z to "
                                "2026-11-01T10:00Z; what its store holds is not known (read at "
                                "2026-11-01T11:00Z)\n\nIn progress (outcome not known yet):\n"
                                "- scan (3) — started late"));
}

}  // namespace
}  // namespace agentfootprint::semantics
