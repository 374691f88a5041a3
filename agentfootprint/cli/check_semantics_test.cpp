// Samples from records: results as tools returned them, without writing a catalogue by hand.
#include "agentfootprint/cli/check_semantics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/record/sink.hpp"
#include "agentfootprint/record/writer.hpp"
#include "agentfootprint/semantics/absent.hpp"
#include "agentfootprint/semantics/described_result.hpp"
#include "agentfootprint/semantics/recognise.hpp"
#include "tests/run_program.hpp"

namespace agentfootprint {
namespace {

json::Value declared_event(const std::string& tool, const std::string& id,
                           const json::Value& envelope) {
  json::ObjectBuilder event;
  event.add("name", "agentfootprint.tools.semantics_declared");
  event.add("toolName", tool).add("toolCallId", id).add("iteration", 1).add("semantics", envelope);
  return event.build();
}

Footprint recorded() {
  MemorySink sink;
  ManualClock clock(0);
  RecordWriter writer(sink, RecordWriterOptions("run-1", clock));
  const json::Value rows = json::array({json::object({{"entity", "vm-1"}})});
  const auto described = described_result({
      .facts = rows,
      .provenance = {.measured_at = "x", .source = "y"},
      .coverage = {.checked = {"every VM"}},
  });
  writer.message(Message::user("which?"));
  writer.message(
      Message::assistant("", {ToolCall("c1", "vms", "{}"), ToolCall("c2", "find", "{}"),
                              ToolCall("c3", "clock", "{}"), ToolCall("c4", "vms", "{}")}));
  writer.line("event", declared_event("vms", "c1", described.envelope()));
  writer.message(Message::tool_result("c1", "vms", json::dump(semantics::model_view(described))));
  writer.message(Message::tool_result(
      "c2", "find", json::dump(absent({.what = "x", .checked = {"a"}})), ResultStatus::absent));
  writer.message(Message::tool_result("c3", "clock", "12:00 o'clock"));
  writer.message(Message::tool_result("c4", "vms", "no such host", ResultStatus::failed));
  writer.end("complete");
  return read_footprint(sink.text());
}

TEST(RecordedResults, AreThoseThatCallsReturned) {
  const SampledResults results = recorded_results(recorded());
  ASSERT_EQ(results.size(), 3U);
  ASSERT_EQ(results.at("vms").size(), 1U) << "a failed call is no sample";
  EXPECT_TRUE(results.at("vms")[0].contains("af_semantics")) << "the whole envelope, not the view";
  EXPECT_TRUE(results.at("find")[0].contains("af_absent"));
  EXPECT_EQ(results.at("clock")[0], json::Value("12:00 o'clock"));
}

// What a refused result declared is not taken for a later result with the same wire id.
TEST(RecordedResults, ARefusedResultKeepsItsDeclaration) {
  MemorySink sink;
  ManualClock clock(0);
  RecordWriter writer(sink, RecordWriterOptions("run-1", clock));
  const auto of = [](const char* entity) { return json::object({{"af_semantics", entity}}); };
  for (const char* word : {"refused", "returned"}) {
    writer.message(Message::assistant("", {ToolCall("c1", "vms", "{}")}));
    writer.line("event", declared_event("vms", "c1", of(word)));
    writer.message(Message::tool_result(
        "c1", "vms", word,
        std::string_view(word) == "refused" ? ResultStatus::failed : ResultStatus::ok));
  }
  writer.end("complete");
  const SampledResults results = recorded_results(read_footprint(sink.text()));
  ASSERT_EQ(results.at("vms").size(), 1U);
  EXPECT_EQ(results.at("vms")[0], of("returned"));
}

TEST(RecordedResults, JoinTheCatalogueByName) {
  std::vector<semantics::CatalogEntry> catalog = {{"vms", semantics::ResultClass::inventory},
                                                  {"find", semantics::ResultClass::triage}};
  add_recorded_samples(catalog, recorded_results(recorded()));
  ASSERT_EQ(catalog.size(), 3U);
  EXPECT_EQ(catalog[2].name, "clock");
  const semantics::SemanticsReport report = semantics::check_semantics(catalog);
  EXPECT_EQ(report.checked_results, 3U);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].code, "inventory-without-render");
  EXPECT_EQ(report.exit_code(false), 0);
  EXPECT_EQ(report.exit_code(true), 1);
}

constexpr std::string_view kMark = "\xEF\xBB\xBF";

TEST(CheckSemantics, SaysThatNothingWasJudged) {
  for (const char* catalog : {"[]", R"([{"name":"clock","result":"12:00"}])"}) {
    const auto outcome = cli_test::run_program("check-semantics -", catalog);
    EXPECT_EQ(outcome.code, 0) << catalog;
    EXPECT_THAT(outcome.out, testing::HasSubstr("nothing was judged")) << catalog;
    EXPECT_THAT(outcome.out, testing::Not(testing::HasSubstr("every sample"))) << catalog;
  }
}

TEST(CheckSemantics, TellsWhereARecordIsNotWhole) {
  const cli_test::Folder folder;
  const std::string whole =
      cli_test::read_file(AGENTFOOTPRINT_SOURCE_DIR "/examples/storage-triage.footprint.jsonl");
  const std::string cut = folder.write("cut.footprint.jsonl", whole.substr(0, 3000));
  const auto outcome = cli_test::run_program("check-semantics --from " + cli_test::quoted(cut));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, testing::HasSubstr("cut.footprint.jsonl: line 15: "));
  EXPECT_THAT(outcome.err, testing::HasSubstr("(torn-tail)"));
}

TEST(CheckSemantics, SaysHowToNameARecord) {
  const auto outcome =
      cli_test::run_program("check-semantics examples/storage-triage.footprint.jsonl");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, testing::HasSubstr("name it behind --from"));
}

TEST(CheckSemantics, TakesACatalogueBehindARecord) {
  const std::string record = "--from examples/storage-triage.footprint.jsonl ";
  const auto outcome = cli_test::run_program("check-semantics " + record + record + "-", "[]");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::StartsWith("5 tools, 10 sample results\n"));
}

TEST(CheckSemantics, ClipsWhatItQuotes) {
  const std::string catalog =
      R"([{"name":"t","resultClass":")" + std::string(5000, 'a') + R"(","result":1}])";
  const auto outcome = cli_test::run_program("check-semantics -", catalog);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_LT(outcome.err.size(), 300U);
}

TEST(SideFiles, MayBeginWithAByteOrderMark) {
  const cli_test::Folder folder;
  const std::string transcript = "audit examples/storage-incident.json ";
  const std::string catalog = std::string(kMark) + R"([{"name":"a","resultClass":"triage",)" +
                              R"("result":{"af_absent":true,"checked":[{"what":"x"}]}}])";
  EXPECT_EQ(cli_test::run_program("check-semantics -", catalog).code, 0);
  EXPECT_EQ(cli_test::run_program("check-semantics " + folder.write("c.json", catalog)).code, 0);
  const std::string known = cli_test::run_program(transcript + "--json").out;
  const std::string baseline = folder.write("known.json", std::string(kMark) + known);
  EXPECT_EQ(cli_test::run_program(transcript + "--baseline " + baseline).code, 0);
}

TEST(SideFiles, NameAFolderInTheirPlace) {
  const std::string transcript = "audit examples/storage-incident.json ";
  for (const std::string& line :
       {std::string("check-semantics /tmp"), transcript + "--baseline /tmp",
        transcript + "--standings /tmp"}) {
    const auto outcome = cli_test::run_program(line);
    EXPECT_EQ(outcome.code, 2) << line;
    EXPECT_THAT(outcome.err, testing::HasSubstr("cannot read /tmp: Is a directory")) << line;
  }
}

// The documented tool in Python, held against the gate and the schema.
TEST(DescribedTool, PassesTheGateStrictly) {
  std::FILE* out = popen("python3 " AGENTFOOTPRINT_SOURCE_DIR "/examples/described_tool.py", "r");
  ASSERT_NE(out, nullptr);
  std::string text;
  char piece[4096];
  for (std::size_t n = 0; (n = std::fread(piece, 1, sizeof piece, out)) > 0;) text.append(piece, n);
  ASSERT_EQ(pclose(out), 0);
  const auto report =
      semantics::check_semantics(semantics::read_semantics_catalog(json::parse_or_throw(text)));
  EXPECT_EQ(report.exit_code(true), 0) << semantics::format_semantics_report(report);
  EXPECT_EQ(report.checked_results, 2U);
}

}  // namespace
}  // namespace agentfootprint
