// A run with findings, its record on disk, and what `why`, `audit` and `show` say of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/schema.hpp"
#include "agentfootprint/record/sink.hpp"
#include "tests/run_program.hpp"

namespace agentfootprint {
namespace {

using cli_test::Folder;
using cli_test::Outcome;
using cli_test::run_program;
using ::testing::HasSubstr;

Tool answering(std::string name, std::string text) {
  Tool tool(std::move(name), "Looks something up.");
  tool.input(schema::object().property<std::optional<std::string>>("of", "Of what.").build());
  tool.run([text](const json::Value&, ToolContext&) {
    return ToolResult::json(json::parse_or_throw(text));
  });
  return tool;
}

json::Value judging(std::string_view of, std::string_view id, std::string_view standing) {
  const json::Value named = json::object({{"toolCallId", id}, {"standing", standing}});
  return json::object(
      {{"of", of}, {"_findings", json::object({{"previous", json::array({named})}})}});
}

// Every call has the same wire id; the model names results by the short ids it was served.
struct RecordedRun : ::testing::Test {
  RecordedRun() {
    auto model = std::make_shared<ScriptedModel>();
    model->then(ScriptedReply().call("ports", json::object({{"of", "db-prod-03"}}), "call_0"));
    model->then(ScriptedReply().call("volume", judging("fc1/77", "c1", "noise"), "call_0"));
    model->then(ScriptedReply("It is vol-4471."));
    model->then(ScriptedReply().call("array", judging("vol-4471", "c2", "fact"), "call_0"));
    model->then(ScriptedReply("alpha-01 does 41,200 IOPS on fc1/77."));
    const AgentSpec spec = AgentBuilder(model, "m")
                               .tool(answering("ports", R"({"port":"fc1/77"})"))
                               .tool(answering("volume", R"({"volume":"vol-4471"})"))
                               .tool(answering("array", R"({"array":"alpha-01","iops":41200})"))
                               .findings()
                               .names_and_numbers_from_evidence()
                               .build();
    const RunResult first = run(spec, Conversation(), "what is slow on db-prod-03?", {});
    EXPECT_NE(first.answer(), nullptr);
    auto sink = std::make_shared<MemorySink>();
    RunOptions options;
    options.record = sink;
    options.finding_rows = first.facts().finding_rows;
    const RunResult second = run(spec, first.facts().conversation, "and its array?", options);
    EXPECT_NE(second.answer(), nullptr);
    path = folder.write("run.footprint.jsonl", sink->text());
  }
  Folder folder;
  std::string path;
};

TEST_F(RecordedRun, WhyFollowsAValueToItsTowerAndThePerson) {
  const Outcome outcome = run_program("why " + cli_test::quoted(path) + " 41200");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("[7,0] array at /iops as \"41200\", same-value, undeclared"));
  EXPECT_THAT(outcome.out, HasSubstr("standing: fact, declared by the model on call [7,0]"));
  EXPECT_THAT(outcome.out, HasSubstr("/of = db-prod-03: said by the person, message 0"));
  EXPECT_THAT(outcome.out, HasSubstr("[3,0] stands on set-aside ground"));
  EXPECT_THAT(outcome.out, HasSubstr(R"([3,0] used "fc1/77" from [1,0] (noise then, noise now))"));
  const Outcome whole = run_program("why " + cli_test::quoted(path) + " --json");
  const json::Value root = json::parse_or_throw(whole.out);
  EXPECT_EQ(root.at("declared").at("declared").as_uint64(), 2U);
  EXPECT_EQ(root.at("towers").at(0).at("steps").at(0).at("then").as_string(), "noise");
}

TEST_F(RecordedRun, AuditPrintsTheSameStaircase) {
  const Outcome outcome = run_program("audit " + cli_test::quoted(path));
  EXPECT_THAT(outcome.out, HasSubstr("stands on set-aside ground"));
  EXPECT_THAT(outcome.out, HasSubstr(R"([3,0] used "fc1/77" from [1,0] (noise then, noise now))"));
  const json::Value root =
      json::parse_or_throw(run_program("audit --json " + cli_test::quoted(path)).out);
  EXPECT_EQ(root.at("inputs").at(0).at("conversations").at(0).at("towers").size(), 1U);
}

TEST_F(RecordedRun, APersonsStandingsTakeTheirPlace) {
  const std::string side =
      folder.write("s.jsonl", "{\"call\":[7,0],\"standing\":\"ruled-out\",\"who\":\"ann\"}\n");
  const Outcome outcome =
      run_program("why " + cli_test::quoted(path) + " 41200 --standings " + cli_test::quoted(side));
  EXPECT_THAT(outcome.out, HasSubstr("ruled-out, declared by ann (a person)"));
  EXPECT_THAT(outcome.out, HasSubstr("contingent: every result"));
  EXPECT_EQ(run_program("why " + cli_test::quoted(path) + " --standings /nowhere").code, 2);
}

TEST_F(RecordedRun, TheJsonFormFitsItsSchema) {
  const auto schema = json::Schema::compile(json::parse_or_throw(cli_test::read_file(
      std::string(AGENTFOOTPRINT_SOURCE_DIR) + "/docs/schemas/why.schema.json")));
  ASSERT_TRUE(schema) << schema.error();
  const std::string record = cli_test::quoted(path);
  for (const std::string& line : {"why " + record + " --json", "why " + record + " 41200 --json",
                                  std::string("why examples/storage-incident.json --json")}) {
    const auto issues = schema->check(json::parse_or_throw(run_program(line).out), 5);
    EXPECT_TRUE(issues.empty()) << line << issues.front().path << " " << issues.front().message;
  }
}

}  // namespace
}  // namespace agentfootprint
