// The two doors of the mint: the same bytes, every fault at once, and misuse that does not compile.
#include "agentfootprint/semantics/described_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/semantics/absent.hpp"
#include "agentfootprint/semantics/recognise.hpp"

namespace agentfootprint::semantics {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

json::Value parsed(std::string_view text) {
  return json::parse_or_throw(text);
}

std::vector<std::string> fields_of(const Refusal& refusal) {
  std::vector<std::string> fields;
  for (const Issue& issue : refusal.issues()) fields.push_back(issue.field);
  return fields;
}

template <class Function>
Refusal refusal_of(const Function& function) {
  try {
    function();
  } catch (const Refusal& refusal) {
    return refusal;
  }
  ADD_FAILURE() << "nothing was refused";
  return Refusal("none", "", "");
}

// What the type system requires.
template <class Rows>
concept FactsWithoutProvenance = requires(const Rows& rows) { described_result({.facts = rows}); };
template <class Rows>
concept FactsWithoutSource = requires(const Rows& rows) {
  described_result({.facts = rows, .provenance = {.measured_at = "x"}});
};
template <class Rows>
concept FactsWithoutTime = requires(const Rows& rows) {
  described_result({.facts = rows, .provenance = {.source = "x"}});
};
template <class Rows>
concept WholeFacts = requires(const Rows& rows) {
  described_result({.facts = rows, .provenance = {.measured_at = "x", .source = "y"}});
};
template <class Rows>
concept SeriesWithoutProvenance = requires(const Rows& rows) {
  described_result({.series = rows, .grain = Grain{.interval = "1h"}});
};
template <class Rows>
concept SeriesWithoutGrain = requires(const Rows& rows) {
  described_result({.series = rows, .provenance = {.measured_at = "x", .source = "y"}});
};
template <class Rows>
concept WholeSeries = requires(const Rows& rows) {
  described_result({.series = rows,
                    .grain = Grain{.interval = "1h"},
                    .provenance = {.measured_at = "x", .source = "y"}});
};
template <class Rows>
concept LimitWithoutWhy = requires(const Rows& rows) {
  described_result({.facts = rows,
                    .provenance = {.measured_at = "x", .source = "y"},
                    .coverage = {.cannot_cover = {"peers"}}});
};
template <class Rows>
concept SeriesWhereFactsAreMeant = requires(const Rows& rows) {
  described_result({.facts = rows, .provenance = {.measured_at = "x", .source = "y"}});
};
template <class Declaration>
concept NamedDeclaration = requires(Declaration& named) { described_result(named); };
template <class Text>
concept AbsenceWithoutGround = requires(const Text& text) { absent({.what = text}); };
template <class Text>
concept WholeAbsence = requires(const Text& text) { absent({.what = text, .checked = {"a"}}); };

static_assert(WholeFacts<json::Value> && WholeSeries<json::Value> && WholeAbsence<std::string>);
static_assert(!FactsWithoutProvenance<json::Value>);
static_assert(!FactsWithoutSource<json::Value>);
static_assert(!FactsWithoutTime<json::Value>);
static_assert(!SeriesWithoutProvenance<json::Value>);
static_assert(!SeriesWithoutGrain<json::Value>);
static_assert(!LimitWithoutWhy<json::Value>);
static_assert(!SeriesWhereFactsAreMeant<SeriesRows> && SeriesWhereFactsAreMeant<FactRows>);
static_assert(!NamedDeclaration<DescribedFacts> && !NamedDeclaration<DescribedSeries>);
static_assert(!AbsenceWithoutGround<std::string>);
static_assert(!std::is_constructible_v<Text, std::nullptr_t>);

TEST(DescribedResult, GivesTheSameBytesThroughBothDoors) {
  const json::Value rows = parsed(R"([{"entity":"vm-1","size_tb":1.50}])");
  const std::string at = "2026-11-01T02:00:00Z";
  const DeclaredPeriod period{
      {"2026-11-01T00:00Z", "2026-11-01T01:00Z"}, std::nullopt, "2026-11-01T02:00Z"};
  const ToolSemantics structs = described_result({
      .facts = rows,
      .provenance =
          {.measured_at = at, .source = "export", .age_seconds = 30, .source_export_date = "d"},
      .grain = Grain{.interval = "1d", .aggregation = "sum", .is_counter = false, .collapsed = "c"},
      .period = &period,
      .coverage = {.checked = {"all of " + at, {"b", "why b"}},
                   .not_checked = {CoverageItem("site B").short_text("B").kind("scope")},
                   .cannot_cover = {{"peers", "no access"}}},
      .clarify = Clarification{.question = "which?", .candidates = {"v1", at}},
      .render = Render{.default_view = "table",
                       .columns = {"entity"},
                       .sort = "entity",
                       .filter_note = "f",
                       .chart_hint = "h"},
  });
  const ToolSemantics data = described_result(parsed(
      R"({"facts":[{"entity":"vm-1","size_tb":1.50}],
          "grain":{"interval":"1d","aggregation":"sum","isCounter":false,"collapsed":"c"},
          "provenance":{"measuredAt":"2026-11-01T02:00:00Z","ageSeconds":30,
          "source":"export","sourceExportDate":"d"},
          "period":{"queried":{"from":"2026-11-01T00:00Z","to":"2026-11-01T01:00Z"},
          "held":"unknown","readAt":"2026-11-01T02:00Z"},
          "coverage":{"checked":["all of 2026-11-01T02:00:00Z",{"what":"b","why":"why b"}],
                      "notChecked":[{"what":"site B","short":"B","kind":"scope"}],
                      "cannotCover":[{"what":"peers","why":"no access"}]},
          "clarify":{"question":"which?","candidates":["v1","2026-11-01T02:00:00Z"]},
          "render":{"default":"table","columns":["entity"],"sort":"entity","filterNote":"f",
          "chartHint":"h"}})"));
  EXPECT_EQ(json::dump(structs.envelope()), json::dump(data.envelope()));
  EXPECT_THAT(
      json::dump(data.envelope()),
      StartsWith(R"({"af_semantics":true,"facts":[{"entity":"vm-1","size_tb":1.50}],"grain":)"));
  EXPECT_TRUE(read_semantics(data.envelope()).has_value());
}

TEST(DescribedResult, SharesRows) {
  const json::Value rows = parsed(R"([{"entity":"vm-1"}])");
  const ToolSemantics result =
      described_result({.facts = rows, .provenance = {.measured_at = "x", .source = "y"}});
  EXPECT_TRUE(result.envelope().find("facts")->same_storage(rows));
  const json::Value view = model_view(result);
  EXPECT_TRUE(view.find("facts")->same_storage(rows));
}

TEST(DescribedResult, NamesEveryFaultAsItsAuthorSpelledIt) {
  const json::Value rows = parsed(R"([{"entity":" "}])");
  const Refusal structs = refusal_of([&] {
    (void)described_result({.facts = rows,
                            .provenance = {.measured_at = " ", .source = "", .age_seconds = -1},
                            .grain = Grain{.aggregation = "sum"},
                            .coverage = {.not_checked = {" "}}});
  });
  EXPECT_THAT(fields_of(structs),
              ElementsAre("coverage.not_checked[0]", "facts[0].entity", "grain.is_counter",
                          "provenance.measured_at", "provenance.source", "provenance.age_seconds"));
  EXPECT_EQ(structs.code(), "malformed-semantics");
  EXPECT_THAT(structs.what(), StartsWith("refused: "));
  EXPECT_THAT(structs.what(), HasSubstr("(field: grain.is_counter)"));
  const Refusal data = refusal_of([] {
    (void)described_result(parsed(
        R"({"facts":[{"entity":" "}],"provenance":{"measuredAt":" ","source":"","ageSeconds":-1},
            "grain":{"aggregation":"sum"},"coverage":{"notChecked":[" "]}})"));
  });
  EXPECT_THAT(fields_of(data),
              ElementsAre("coverage.notChecked[0]", "facts[0].entity", "grain.isCounter",
                          "provenance.measuredAt", "provenance.source", "provenance.ageSeconds"));
}

TEST(DescribedResult, TeachesTheSpellingThatWasMeant) {
  const Refusal refusal = refusal_of([] {
    (void)described_result(
        parsed(R"({"facts":[{"entity":"a"}],"provenance":{"measured_at":"x","source":"y"}})"));
  });
  EXPECT_THAT(fields_of(refusal), ElementsAre("provenance.measured_at"));
  EXPECT_THAT(refusal.what(), HasSubstr("write measuredAt"));
  EXPECT_THAT(refusal.what(), HasSubstr("measuredAt, ageSeconds, source, sourceExportDate"));
  const Refusal nothing = refusal_of([] { (void)described_result(json::Value()); });
  EXPECT_THAT(nothing.what(), HasSubstr("described_result()"));
  EXPECT_THAT(nothing.what(), HasSubstr("series, facts, edges"));
  const Refusal empty = refusal_of([] {
    (void)described_result(parsed(R"({"facts":[],"provenance":{"measuredAt":"x","source":"y"}})"));
  });
  EXPECT_THAT(empty.what(), HasSubstr("absent()"));
}

TEST(DescribedResult, BoundsWhatItSaysAboutRows) {
  std::vector<json::Value> rows(5000, json::object({{"size", 1}}));
  const json::Value list = json::array(std::move(rows));
  const Refusal refusal = refusal_of([&] {
    (void)described_result({.facts = list, .provenance = {.measured_at = "x", .source = "y"}});
  });
  EXPECT_EQ(refusal.issues().size(), 101U);
  EXPECT_THAT(refusal.issues().back().message, HasSubstr("4900 rows of facts"));
}

TEST(DescribedResult, AnEmptyListThatWasStatedIsRefused) {
  const json::Value rows = parsed(R"([{"entity":"a"}])");
  const std::vector<CoverageItem> none;
  const Refusal refusal = refusal_of([&] {
    (void)described_result({.facts = rows,
                            .provenance = {.measured_at = "x", .source = "y"},
                            .coverage = {.checked = none}});
  });
  EXPECT_THAT(fields_of(refusal), ElementsAre("coverage"));
}

TEST(DescribedResult, TakesVectorsForLongLists) {
  const json::Value rows = parsed(R"([{"entity":"a"}])");
  std::vector<CoverageItem> checked;
  std::vector<LimitItem> limits;
  for (int i = 0; i < 20; ++i) {
    checked.emplace_back("ground");
    limits.emplace_back("limit", "reason");
  }
  const std::vector<std::string> columns = {"entity", "b"};
  const ToolSemantics result =
      described_result({.facts = rows,
                        .provenance = {.measured_at = "x", .source = "y"},
                        .coverage = {.checked = checked, .cannot_cover = limits},
                        .render = Render{.default_view = "table", .columns = columns}});
  EXPECT_EQ(result.coverage().checked.size(), 20U);
  EXPECT_EQ(result.coverage().cannot_cover.size(), 20U);
  EXPECT_EQ(json::dump(result.envelope().at("render")),
            R"({"default":"table","columns":["entity","b"]})");
}

TEST(DescribedResult, TakesEdgesAndQuestionsWithoutProvenance) {
  struct Link {
    std::string vm, store;
  };
  const std::vector<Link> links = {{"vm-1", "ds-9"}};
  const ToolSemantics edges =
      described_result({.edges = edges_of(links, &Link::vm, &Link::store, "rides")});
  EXPECT_EQ(json::dump(edges.envelope().at("edges")),
            R"([{"from":"vm-1","to":"ds-9","kind":"rides"}])");
  const ToolSemantics question = described_question("Which volume?", {"v1", "v2"});
  EXPECT_EQ(json::dump(question.envelope().at("clarify")),
            R"({"question":"Which volume?","candidates":["v1","v2"]})");
}

TEST(Rows, AreMadeInOnePassFromStructs) {
  struct Sample {
    std::string port, time;
    double iops;
    std::int64_t errors;
  };
  const std::vector<Sample> samples = {{"fc1/3", "2026-11-01T00:00:00Z", 41200.5, 3}};
  const FactRows facts =
      facts_of(samples, entity(&Sample::port), field("iops", &Sample::iops),
               field("errors", [](const Sample& s) { return s.errors + 1; }), field("site", "A"));
  EXPECT_EQ(json::dump(facts.rows()),
            R"([{"entity":"fc1/3","iops":41200.5,"errors":4,"site":"A"}])");
  const SeriesRows series =
      series_of(samples, &Sample::time, &Sample::port, "avg_iops", &Sample::iops);
  EXPECT_EQ(
      json::dump(series.rows()),
      R"([{"t":"2026-11-01T00:00:00Z","entity":"fc1/3","metric":"avg_iops","value":41200.5}])");
  const std::vector<Sample> broken = {{"a", "t", std::numeric_limits<double>::quiet_NaN(), 0}};
  EXPECT_THROW((void)series_of(broken, &Sample::time, &Sample::port, "m", &Sample::iops), Error);
}

TEST(Absent, GivesTheSameBytesThroughBothDoors) {
  const json::Value structs = absent({
      .what = " port fc1/33 ",
      .checked = {"the inventory"},
      .not_checked = {{"site B", "down"}},
      .cannot_cover = {{"peers", "no access"}},
      .try_instead = "by WWN",
      .try_instead_tool = TryInsteadTool{.tool = "find_wwn", .why = "WWNs are indexed"},
      .provenance = Provenance{.measured_at = "x", .source = "y"},
  });
  const json::Value data = absent(parsed(
      R"({"what":" port fc1/33 ","checked":["the inventory"],"notChecked":[{"what":"site B",
      "why":"down"}],
          "cannotCover":[{"what":"peers","why":"no access"}],"tryInstead":"by WWN",
          "tryInsteadTool":{"tool":"find_wwn","why":"WWNs are indexed"},
          "provenance":{"measuredAt":"x","source":"y"}})"));
  EXPECT_EQ(json::dump(structs), json::dump(data));
  EXPECT_THAT(
      json::dump(data),
      StartsWith(R"({"af_absent":true,"outcome":"nothing_found","looked_for":"port fc1/33",)"
                 R"("checked":[{"what":"the inventory"}],"not_checked":)"));
}

TEST(Coverage, GivesTheSameBytesThroughBothDoors) {
  const std::vector<InProgressItem> running = {{"scan", "started late", std::nullopt, 3}};
  const json::Value value = parsed(R"({"n":1})");
  const json::Value structs =
      coverage(value, {.checked = {"a"}, .not_checked = {"b"}, .in_progress = &running});
  const json::Value data = coverage(value, parsed(R"({"checked":["a"],"notChecked":["b"],
      "inProgress":[{"what":"scan","why":"started late","count":3}]})"));
  EXPECT_EQ(json::dump(structs), json::dump(data));
  EXPECT_TRUE(structs.at("result").same_storage(value));
  EXPECT_THROW((void)coverage(value, CoverageDeclaration{}), Refusal);
}

}  // namespace
}  // namespace agentfootprint::semantics
