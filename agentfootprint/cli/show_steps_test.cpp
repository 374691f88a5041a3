// `show --steps` and `verify` over the record of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/agent/spec.hpp"
#include "agentfootprint/model/scripted.hpp"
#include "agentfootprint/record/sink.hpp"
#include "tests/run_program.hpp"

namespace agentfootprint {
namespace {

using cli_test::Folder;
using cli_test::Outcome;
using cli_test::quoted;
using cli_test::run_program;
using ::testing::HasSubstr;

std::string record() {
  auto model = std::make_shared<ScriptedModel>();
  model->then(ScriptedReply().call("ports", json::object({{"port", "fc1/3"}})));
  model->then(ScriptedReply("fc1/3 is down"));
  Tool ports("ports", "State of one port.");
  ports.run([](const json::Value&, ToolContext&) { return ToolResult::text("fc1/3 is down"); });
  auto sink = std::make_shared<MemorySink>();
  RunOptions options;
  options.record = sink;
  (void)run(AgentBuilder(model, "m").tool(ports).build(), Conversation(), "is fc1/3 down?",
            options);
  return sink->text();
}

TEST(ShowSteps, PrintsWhatEachStepReadAndWrote) {
  const Folder folder;
  const std::string file = quoted(folder.write("a.footprint.jsonl", record()));
  const Outcome shown = run_program("show --steps " + file);
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("call-model#"));
  EXPECT_THAT(shown.out, HasSubstr("/draft (from "));
  EXPECT_THAT(shown.out, HasSubstr("/iteration = 2"));
  const Outcome lines = run_program("show --steps --json " + file);
  EXPECT_THAT(lines.out, HasSubstr(R"("stage":"seed#0")"));
  EXPECT_EQ(run_program("verify " + file).code, 0);
  EXPECT_EQ(run_program("show " + file).code, 0);
}

TEST(ShowSteps, ARecordWithoutStepsSaysSo) {
  const Outcome shown = run_program("show --steps tests/corpus/record_fuzz/whole");
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("holds no steps"));
}

}  // namespace
}  // namespace agentfootprint
