// A storage triage agent: described results, tickets, findings and the evidence gate in one run.
//
// At 02:38 the latency alarms of array-7731 go off. The agent reads the alerts, parks the volume
// inventory as a ticket, queries it, looks at one volume and one port, and answers. The model is a
// script, so that every run is the same to the byte, and the script has the habits of a real one:
// it calls a result noise and goes on using a value of it, and it invents a number. What comes of
// both is the point of the example. Run it, then ask the record:
//
//     storage_triage FOLDER
//     agentfootprint audit FOLDER/storage-triage.footprint.jsonl
//     agentfootprint why FOLDER/storage-triage.footprint.jsonl 6,120
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "agentfootprint/agent/artifact_tools.hpp"
#include "agentfootprint/agent/schema.hpp"
#include "agentfootprint/agent/spec.hpp"
#include "agentfootprint/base/random.hpp"
#include "agentfootprint/findings/imported.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/record/sink.hpp"
#include "agentfootprint/semantics/described_result.hpp"

namespace triage {

using namespace agentfootprint;

constexpr const char* kQuestion =
    "Latency alarms on array-7731 since 02:38. Which volume suffers, how badly, and where do I "
    "start?";

// ---- The tools. Each says when the world was measured, by what, and what it cannot see.

Tool alerts_tool() {
  Tool tool("alerts", "Open alerts of one array.");
  tool.input(schema::object().property<std::string>("array", "The array, like array-1.").build());
  tool.run([](const json::Value&, ToolContext&) {
    const json::Value rows = json::array(
        {json::object(
             {{"entity", "fc1/7"}, {"at", "2026-04-12T02:38:05Z"}, {"text", "CRC errors rising"}}),
         json::object({{"entity", "array-7731"},
                       {"at", "2026-04-12T02:39:30Z"},
                       {"text", "p99 latency above 20 ms"}})});
    return ToolResult::json(
        described_result(
            {
                .facts = rows,
                .provenance = {.measured_at = "2026-04-12T02:41:00Z", .source = "SAN monitor"},
                .coverage = {.checked = {"alerts of array-7731 since midnight"},
                             .cannot_cover = {{"alerts of hosts",
                                               "the monitor sees the fabric only"}}},
            })
            .envelope());
  });
  return tool;
}

// Forty-eight rows are too many to read: they are parked, and the model gets a ticket.
json::Value volume_rows() {
  json::ArrayBuilder rows;
  for (int i = 0; i < 48; ++i) {
    const bool busy = i == 31;
    rows.add(json::object({{"entity", fmt::format("vol-{:04}", i)},
                           {"port", fmt::format("fc1/{}", i % 8)},
                           {"iops", busy ? 6120 : 300 + 17 * i},
                           {"p99_us", busy ? 5100 : 900 + 10 * i}}));
  }
  return rows.build();
}

Tool volumes_tool() {
  Tool tool("volumes", "The volumes of one array, with their ports, from the nightly inventory.");
  tool.input(schema::object().property<std::string>("array", "The array, like array-1.").build());
  tool.run([](const json::Value&, ToolContext&) {
    const json::Value rows = volume_rows();
    return ToolResult::json(
        described_result({
                             .facts = rows,
                             .provenance = {.measured_at = "2026-04-11T20:00:00Z",
                                            .source = "nightly inventory"},
                             .coverage = {.checked = {"all volumes of array-7731"}},
                         })
            .envelope());
  });
  // The answer keeps grain, provenance and coverage; only its rows become one row with the ticket.
  return with_dataset_artifacts(tool, [](const json::Value& result, const json::Value&) {
    const json::Value& rows = result.at("facts");
    std::optional<DatasetResultPlan> plan = one_dataset("volumes", "dataset/rows", rows);
    plan->project = [result,
                     count = rows.size()](const std::vector<DatasetPublication>& published) {
      const json::Value fact = json::object({{"entity", "volumes of array-7731"},
                                             {"rows", count},
                                             {"dataset", to_json(published.front().artifact)}});
      return json::with_member(result, "facts", json::array({fact}));
    };
    return plan;
  });
}

Tool latency_tool() {
  Tool tool("latency_history", "Latency of one volume in steps of five minutes.");
  tool.input(schema::object().property<std::string>("volume", "The volume, like vol-1.").build());
  tool.run([](const json::Value& arguments, ToolContext&) {
    const std::string newest = "2026-04-12T02:40:00Z";
    const auto sample = [&](std::string_view at, std::int64_t us) {
      return json::object({{"t", at},
                           {"entity", arguments.at("volume")},
                           {"metric", "p99"},
                           {"value", us},
                           {"unit", "us"}});
    };
    const json::Value samples =
        json::array({sample("2026-04-12T02:30:00Z", 5230), sample("2026-04-12T02:35:00Z", 5410),
                     sample(newest, 41180)});
    return ToolResult::json(
        described_result(
            {
                .series = samples,
                .grain =
                    semantics::Grain{.interval = "5m", .aggregation = "p99", .is_counter = false},
                .provenance = {.measured_at = newest, .source = "array statistics"},
            })
            .envelope());
  });
  return tool;
}

Tool port_tool() {
  Tool tool("port_counters", "Error counters of one port, now and at midnight.");
  tool.input(schema::object().property<std::string>("port", "The port, like fc1/1.").build());
  tool.run([](const json::Value& arguments, ToolContext&) {
    const json::Value rows = json::array({json::object({{"entity", arguments.at("port")},
                                                        {"crc_errors", 18432},
                                                        {"crc_errors_at_midnight", 412}})});
    return ToolResult::json(
        described_result(
            {
                .facts = rows,
                .provenance = {.measured_at = "2026-04-12T02:41:10Z", .source = "switch san-02"},
            })
            .envelope());
  });
  return tool;
}

// ---- The agent.

AgentSpec agent(std::shared_ptr<Model> model, std::shared_ptr<ArtifactStore> store) {
  evidence::GateOptions gate;
  gate.posture = evidence::Posture::guard;  // a value from nowhere is asked about once
  return AgentBuilder(std::move(model), "scripted-1")
      .name("storage-triage")
      .system("You triage storage incidents. Say what to look at first.")
      .tool(alerts_tool())
      .tool(volumes_tool())
      .tool(query_tool())
      .tool(latency_tool())
      .tool(port_tool())
      .artifacts(std::move(store))
      .names_and_numbers_from_evidence(gate)
      .findings()
      .limits_travel_with_the_answer()
      .build();
}

// ---- The script: what the model says, step by step.

json::Value judged(std::string_view result, std::string_view standing) {
  const json::Value one = json::object({{"toolCallId", result}, {"standing", standing}});
  return json::object({{"previous", json::array({one})}});
}

std::string ticket_in(const ModelRequest& request) {
  const std::string text = request.messages().back().message->text();
  return text.substr(text.find("art_"), 26);
}

ScriptedReply say(int step, const ModelRequest& request) {
  switch (step) {
    case 0:
      return ScriptedReply().call("alerts", json::object({{"array", "array-7731"}}));
    case 1:
      return ScriptedReply().call(
          "volumes", json::object({{"array", "array-7731"}, {"_findings", judged("c1", "fact")}}));
    case 2:
      return ScriptedReply().call(
          "query", json::object({{"ref", ticket_in(request)},
                                 {"sql",
                                  "SELECT entity, port, iops, p99_us FROM rows "
                                  "WHERE port = 'fc1/7' ORDER BY iops DESC LIMIT 2"}}));
    case 3:  // An inventory of the evening before is noise; its volume is looked up all the same.
      return ScriptedReply().call(
          "latency_history",
          json::object({{"volume", "vol-0031"}, {"_findings", judged("c3", "noise")}}));
    case 4:
      return ScriptedReply().call(
          "port_counters", json::object({{"port", "fc1/7"}, {"_findings", judged("c4", "fact")}}));
    case 5:  // 1,150 hosts stand nowhere: the gate asks for a revision.
      return ScriptedReply(
          "vol-0031 suffers: p99 latency 41.18 ms at 02:40. About 1,150 hosts are affected.");
    default:
      return ScriptedReply(
          "vol-0031 suffers: its p99 latency reached 41.18 ms at 02:40. Its port fc1/7 has taken "
          "18,432 CRC errors, 18,020 of them since midnight. In the evening the volume did 6,120 "
          "IOPS without trouble. Start with the optic of fc1/7.");
  }
}

// ---- One run, told.

// The ledger as the run left it: what the model said of its results, and what it used all the same.
std::string ledger_of(const RunFacts& facts) {
  std::string text;
  for (const json::Value& row : facts.finding_rows) {
    const std::string_view kind = *row.at("kind").as_string();
    if (kind == "standing") {
      text += fmt::format("  {} {} is {}\n", json::dump(row.at("call")),
                          *row.at("toolName").as_string(), *row.at("standing").as_string());
    } else if (kind == "contingent") {
      const json::Value* call = row.at("declaredOn").find("call");
      text +=
          fmt::format("  {} is used in {}, and only {} carries it\n", *row.at("value").as_string(),
                      call == nullptr ? "the answer" : "the call " + json::dump(*call),
                      json::dump(row.at("carriers").at(0).at("call")));
    }
  }
  return text;
}

std::string told(const RunResult& result) {
  const Answer* answer = result.answer();
  if (answer == nullptr) return "The run gave no answer.\n";
  const RunFacts& facts = result.facts();
  std::string text = fmt::format("Question: {}\n\n", kQuestion);
  for (const std::uint32_t index : facts.conversation.results()) {
    const CallKey key = *facts.conversation.key_of_result(index);
    const ToolCall& call = *facts.conversation.call_of(key);
    text += fmt::format("  [{},{}] {} {}\n", key.message, key.ordinal, call.name,
                        json::dump(findings::peeled_arguments(call)));
  }
  text += fmt::format("\nAnswer: {}\n", answer->text);
  text += fmt::format("\nThe evidence gate asked for {} revision: 1,150 hosts stood nowhere.\n",
                      facts.corrections);
  return text + "\nThe findings ledger (a result is named by its call):\n" + ledger_of(facts);
}

// Clock and randomness are ports, so the record is the same to the byte wherever this runs.
std::string run_in(const std::filesystem::path& folder) {
  ManualClock clock(1'775'961'660'000);  // 2026-04-12T02:41:00Z
  SeededRandom random(7731);
  ArtifactStoreOptions store_options;
  store_options.clock = &clock;
  store_options.random = &random;
  const std::filesystem::path database = folder / "storage-triage.db";
  const std::filesystem::path record = folder / "storage-triage.footprint.jsonl";
  for (const char* ending : {"", "-wal", "-shm"})
    std::filesystem::remove(database.string() + ending);
  std::filesystem::remove(record);

  auto step = std::make_shared<int>(0);
  auto model = std::make_shared<ScriptedModel>(
      [step](const ModelRequest& request) { return say((*step)++, request); });
  const AgentSpec spec =
      agent(model, open_artifact_store("sqlite:" + database.string(), store_options));

  RecordThread writer;
  RunOptions options;
  options.clock = &clock;
  options.random = &random;
  options.identity = Identity("incident-7731");
  options.record = std::make_shared<FileSink>(record.string(), writer);
  const RunResult result = run(spec, Conversation(), kQuestion, options);
  options.record->sync();
  return told(result);
}

}  // namespace triage

#ifndef AGENTFOOTPRINT_EXAMPLE_WITHOUT_MAIN
int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
  try {
    std::fputs(triage::run_in(folder).c_str(), stdout);
  } catch (const std::exception& error) {
    fmt::print(stderr, "storage_triage: {}\n", error.what());
    return 1;
  }
  fmt::print("\nRecord: {}\n", (folder / "storage-triage.footprint.jsonl").string());
  return 0;
}
#endif
