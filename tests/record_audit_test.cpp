// The audit of a run's own record agrees with the run: the same values from nowhere, the same rows
// for values that stand only on set-aside results, the same towers, also in `why`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "agentfootprint/agent/schema.hpp"
#include "agentfootprint/agent/spec.hpp"
#include "agentfootprint/explain/audit.hpp"
#include "agentfootprint/explain/recorded.hpp"
#include "agentfootprint/explain/why.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/record/reader.hpp"
#include "agentfootprint/record/sink.hpp"

namespace agentfootprint {
namespace {

Tool lookup(std::string name, json::Value result) {
  Tool tool(std::move(name), "Looks something up.");
  tool.input(schema::object().property<std::optional<std::string>>("port", "The port.").build());
  tool.run([result](const json::Value&, ToolContext&) { return ToolResult::json(result); });
  return tool;
}

json::Value judged(std::string_view result, std::string_view standing) {
  const json::Value one = json::object({{"toolCallId", result}, {"standing", standing}});
  return json::object({{"previous", json::array({one})}});
}

json::Value with(std::string_view result, std::string_view standing) {
  return json::object({{"_findings", judged(result, standing)}});
}

// One script and what is to come of it.
struct Told {
  std::string name;
  std::vector<ScriptedReply> replies;
  evidence::Posture posture = evidence::Posture::assist;
  std::size_t unsupported = 0;
  std::size_t contingent = 0;
  std::size_t in_drafts = 0;
  std::size_t towers = 0;
  std::string system;
};

std::vector<Told> scripts() {
  const json::Value none = json::object(std::vector<json::Member>{});
  const json::Value of_port = json::object({{"port", "fc1/7"}});
  const json::Value of_port_on_noise =
      json::object({{"port", "fc1/7"}, {"_findings", judged("c1", "noise")}});
  const auto call = [](std::string tool, json::Value arguments) {
    return ScriptedReply().call(std::move(tool), std::move(arguments));  // wire ids repeat
  };
  std::vector<Told> all(8);
  all[0].name = "all of it was read";
  all[0].replies = {call("ports", none), ScriptedReply("fc1/7 has 41200 errors")};
  all[1].name = "a value from nowhere";
  all[1].replies = {call("ports", none), ScriptedReply("fc1/7 has 41200 errors of 99173")};
  all[1].unsupported = 1;
  all[2].name = "a value from noise";
  all[2].replies = {call("ports", none), call("usage", with("c1", "noise")),
                    ScriptedReply("fc1/7 has 41200 errors, 1370 used")};
  all[2].contingent = 2;
  all[3].name = "a call with a value from noise, and a fact on top of it";
  all[3].replies = {call("ports", none), call("usage", of_port_on_noise),
                    call("more", with("c2", "fact")), ScriptedReply("1370 used, 1940 more")};
  all[3].towers = 1;
  all[4].name = "a sum with a dead end in it";
  all[4].replies = {call("usage", none), call("usage", with("c1", "fact")),
                    call("more", with("c2", "ruled-out")),
                    ScriptedReply(R"({"answer":"1370 and 1940","_findings":)" +
                                  json::dump(judged("c3", "ruled-out")) + "}")};
  all[4].contingent = 1;
  all[5].name = "a draft that was revised";
  all[5].replies = {call("ports", none), call("usage", with("c1", "noise")),
                    ScriptedReply("fc1/7 and 99173 hosts"),
                    ScriptedReply("fc1/7 has 41200 errors")};
  all[5].posture = evidence::Posture::guard;
  all[5].contingent = 2;
  all[5].in_drafts = 1;
  all[6].name = "noise that became a fact in the end";
  all[6].replies = {
      call("ports", none), call("usage", with("c1", "noise")),
      ScriptedReply(R"({"answer":"fc1/7","_findings":)" + json::dump(judged("c1", "fact")) + "}")};
  all[7].name = "a value of the instructions, and one that nobody said";
  all[7].system = "The limit is 7731 errors a day.";
  all[7].replies = {call("ports", none), ScriptedReply("41200 errors, 7731 allowed, 99173 hosts")};
  all[7].unsupported = 1;
  return all;
}

struct Done {
  RunResult result;
  Footprint footprint;
};

Done run_and_read(const Told& told) {
  auto model = std::make_shared<ScriptedModel>();
  for (const ScriptedReply& reply : told.replies) model->then(reply);
  evidence::GateOptions gate;
  gate.posture = told.posture;
  AgentBuilder builder(model, "m");
  builder.system(told.system);
  builder.tool(lookup("ports", json::object({{"port", "fc1/7"}, {"errors", 41200}})))
      .tool(lookup("usage", json::object({{"used", 1370}})))
      .tool(lookup("more", json::object({{"used", 1940}})))
      .names_and_numbers_from_evidence(gate)
      .findings();
  auto sink = std::make_shared<MemorySink>();
  RunOptions options;
  options.record = sink;
  RunResult result = run(builder.build(), Conversation(), "what is wrong?", options);
  return Done{std::move(result), read_footprint(sink->text())};
}

std::vector<std::string> rows_of(const std::vector<findings::ContingentRow>& rows) {
  std::vector<std::string> texts;
  for (const findings::ContingentRow& row : rows) {
    texts.push_back(json::dump(findings::to_json(findings::Row(row))));
  }
  return texts;
}

// Contingent rows of calls and answers, or of drafts that did not become the answer.
std::size_t contingent_rows(const std::vector<json::Value>& ledger, bool of_drafts) {
  std::size_t count = 0;
  for (const json::Value& row : ledger) {
    const bool counts = row.at("kind").as_string() == "contingent";
    if (counts && row.contains("draft") == of_drafts) ++count;
  }
  return count;
}

TEST(RecordAudit, AgreesWithTheRunItself) {
  for (const Told& told : scripts()) {
    SCOPED_TRACE(told.name);
    const Done done = run_and_read(told);
    const Answer* answer = done.result.answer();
    ASSERT_NE(answer, nullptr);
    const Recorded recorded = read_recorded(done.footprint.lines);
    EXPECT_EQ(recorded.unreadable, 0u);
    AuditOptions options;
    options.recorded = &recorded;
    const ConversationAudit audit = audit_conversation(done.footprint.conversation, options);
    ASSERT_FALSE(audit.answers.empty());
    const AnswerAudit& last = audit.answers.back();

    std::vector<std::string> from_nowhere;
    for (const evidence::JudgedValue& value : last.verdict.values) {
      if (value.level == evidence::Level::unsupported) from_nowhere.push_back(value.value.raw);
    }
    EXPECT_EQ(from_nowhere.size(), told.unsupported);
    EXPECT_EQ(from_nowhere,
              answer->unsupported ? answer->unsupported->values : std::vector<std::string>());
    std::vector<std::string> of_the_run;
    for (const json::Value& row : answer->contingent) of_the_run.push_back(json::dump(row));
    EXPECT_EQ(of_the_run.size(), told.contingent);
    EXPECT_EQ(rows_of(last.contingent), of_the_run);
    EXPECT_EQ(audit.towers.size(), told.towers);
    const std::vector<json::Value>& ledger = done.result.facts().finding_rows;
    EXPECT_EQ(audit.headline.contingent, contingent_rows(ledger, false))
        << "no row is filed a second time";
    EXPECT_EQ(contingent_rows(ledger, true), told.in_drafts);
    EXPECT_EQ(audit.headline.in_drafts, told.in_drafts);
    EXPECT_EQ(audit.counts.findings, told.unsupported + told.contingent);
  }
}

TEST(RecordAudit, WhyMarksTheSameValues) {
  for (const Told& told : scripts()) {
    SCOPED_TRACE(told.name);
    const Done done = run_and_read(told);
    const Recorded recorded = read_recorded(done.footprint.lines);
    WhyQuestion question;
    question.recorded = &recorded;
    const Explanation why = explain_answer(done.footprint.conversation, question);
    std::size_t contingent = 0;
    for (const WhyValue& value : why.values) contingent += value.contingent ? 1 : 0;
    EXPECT_EQ(contingent, told.contingent);
    std::size_t standing = 0;
    for (const WhyTower& tower : why.towers) standing += tower.on_set_aside_ground ? 1 : 0;
    EXPECT_EQ(standing, told.towers);
  }
}

TEST(RecordAudit, TheVerdictOfTheRecordIsTheVerdictOfTheRun) {
  for (const Told& told : scripts()) {
    SCOPED_TRACE(told.name);
    const Done done = run_and_read(told);
    const RecordedLine* verdict = nullptr;
    for (const RecordedLine& line : done.footprint.lines) {
      if (line.kind == "verdict") verdict = &line;
    }
    ASSERT_NE(verdict, nullptr);
    for (const json::Member& member : done.result.answer()->evidence.members()) {
      const json::Value* written = verdict->value.find(member.key());
      ASSERT_NE(written, nullptr) << member.key();
      EXPECT_EQ(json::dump(*written), json::dump(member.value)) << member.key();
    }
  }
}

}  // namespace
}  // namespace agentfootprint
