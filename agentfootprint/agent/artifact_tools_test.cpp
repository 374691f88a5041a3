// Tickets end to end: a tool stages rows, the model works by ticket, on memory and SQLite stores.
#include "agentfootprint/agent/artifact_tools.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/artifacts/internal/temporary_folder.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/record/reader.hpp"
#include "agentfootprint/record/sink.hpp"
#include "agentfootprint/semantics/described_result.hpp"

namespace agentfootprint {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kVolumes = 300;

json::Value volume_rows() {
  json::ArrayBuilder rows;
  for (int i = 0; i < kVolumes; ++i) {
    rows.add(json::object({{"volume", fmt::format("vol-{:04}", i)},
                           {"site", i % 3 == 0 ? "north" : "south"},
                           {"iops", 1000 + i}}));
  }
  return rows.build();
}

Tool volumes_tool() {
  Tool tool("volumes", "All volumes of an array.");
  tool.run([](const json::Value&, ToolContext&) {
    return ToolResult::json(json::object({{"rows", volume_rows()}}));
  });
  return tool;
}

std::optional<DatasetResultPlan> plan_of(const json::Value& result, const json::Value&) {
  const json::Value* rows = result.find("rows");
  if (rows == nullptr) return std::nullopt;
  return one_dataset("volumes", "dataset/rows", *rows, json::object({{"count", rows->size()}}));
}

// A model whose later calls take the ticket from the results it was served.
class TicketModel {
 public:
  // `arguments` has "REF" where the ticket belongs.
  TicketModel& call(std::string tool, std::string arguments) {
    steps_.emplace_back(std::move(tool), std::move(arguments));
    return *this;
  }
  [[nodiscard]] std::shared_ptr<ScriptedModel> build() const {
    auto at = std::make_shared<std::size_t>(0);
    return std::make_shared<ScriptedModel>([steps = steps_, at](const ModelRequest& request) {
      if (*at == steps.size()) return ScriptedReply("done");
      const auto& [tool, text] = steps[(*at)++];
      std::string arguments = text;
      if (const std::size_t place = arguments.find("REF"); place != std::string::npos) {
        arguments.replace(place, 3, ticket_in(request));
      }
      return ScriptedReply().call(tool, json::parse_or_throw(arguments));
    });
  }

 private:
  static std::string ticket_in(const ModelRequest& request) {
    for (std::size_t i = request.messages().size(); i-- > 0;) {
      const std::string text = request.messages()[i].message->text();
      const std::size_t place = text.find("art_");
      if (place != std::string::npos) return text.substr(place, 26);
    }
    return "art_none";
  }
  std::vector<std::pair<std::string, std::string>> steps_;
};

class TicketTools : public testing::TestWithParam<const char*> {
 protected:
  std::shared_ptr<ArtifactStore> store() {
    if (!store_) {
      const std::string url = std::string(GetParam()) == "memory"
                                  ? "memory:"
                                  : "sqlite:" + folder_.path() + "/store.db";
      store_ = open_artifact_store(url, ArtifactStoreOptions());
    }
    return store_;
  }
  AgentSpec spec(const TicketModel& model, std::int64_t max_inline = 0) {
    AgentBuilder builder(model.build(), "m");
    builder.artifacts(store(), max_inline);
    builder.tool(with_dataset_artifacts(volumes_tool(), plan_of));
    for (Tool& tool : artifact_tools()) builder.tool(std::move(tool));
    return builder.build();
  }
  std::vector<std::string> texts(const TicketModel& model, RunOptions options = {},
                                 std::int64_t max_inline = 0) {
    const RunResult result = run(spec(model, max_inline), Conversation(), "go", options);
    EXPECT_NE(result.answer(), nullptr);
    return results_of(result.facts().conversation);
  }

  artifacts_internal::TemporaryFolder folder_;
  std::shared_ptr<ArtifactStore> store_;
};

INSTANTIATE_TEST_SUITE_P(Stores, TicketTools, testing::Values("memory", "sqlite"),
                         [](const auto& chosen) { return std::string(chosen.param); });

TEST_P(TicketTools, TheModelGetsATicketAndNoRows) {
  const auto results = texts(TicketModel().call("volumes", "{}"));
  EXPECT_THAT(results.front(), HasSubstr("\"status\":\"stored\""));
  EXPECT_THAT(results.front(), HasSubstr("\"count\":300"));
  EXPECT_THAT(results.front(), Not(HasSubstr("vol-0007")));
}

TEST_P(TicketTools, PreviewRowsQueryAndPresentByTicket) {
  EventLog log;
  RunOptions options;
  options.events = &log;
  const auto results = texts(
      TicketModel()
          .call("volumes", "{}")
          .call("preview", R"({"ref":"REF"})")
          .call("rows", R"({"ref":"REF","offset":7,"limit":2,"columns":["volume","iops"]})")
          .call("query", R"({"ref":"REF","sql":"SELECT site, count(*) AS n FROM rows GROUP BY 1"})")
          .call("rows", R"({"ref":"REF"})")
          .call("present", R"({"ref":"REF","as":"table","label":"by site"})"),
      options);
  ASSERT_EQ(results.size(), 6u);
  const json::Value preview = json::parse_or_throw(results[1]);
  EXPECT_EQ(preview.at("kind").as_string(), "dataset/rows");
  EXPECT_EQ(preview.at("measured").at("rows").as_int64(), kVolumes);
  EXPECT_THAT(results[2], HasSubstr(R"("rows":[{"volume":"vol-0007","iops":1007},)"
                                    R"({"volume":"vol-0008","iops":1008}],"offset":7,"more":true,)"
                                    R"("total":300})"));
  EXPECT_THAT(results[3],
              HasSubstr(R"("columns":["site","n"],"rows":[{"site":"north","n":100},)"
                        R"({"site":"south","n":200}],"offset":0,"more":false,"total":2})"));
  EXPECT_THAT(results[4], HasSubstr(R"({"site":"north","n":100})"));  // the new ticket is a ticket
  EXPECT_THAT(results[5], HasSubstr(R"("presented":true)"));
  EXPECT_THAT(results[5], HasSubstr(R"("label":"by site")"));
  EXPECT_EQ(log.count("artifact:volumes:minted"), 1u);
  EXPECT_EQ(log.count("artifact:query:minted"), 1u);
  EXPECT_EQ(log.count("artifact:present:presented"), 1u);
}

// Facts of a tool's own work and of the loop's (a placed result) are told alike, and recorded.
TEST_P(TicketTools, EveryFactOfTheStoreNamesItsCall) {
  struct Facts final : EventSink {
    bool wants(EventKind kind) const noexcept override { return kind == EventKind::artifact; }
    void on(const Event& event) override {
      const json::Value* ref = event.detail == nullptr ? nullptr : event.detail->find("ref");
      told.push_back(fmt::format("{} {} {} {}", event.call, event.name, event.text,
                                 ref == nullptr ? "-" : ref->as_string()->substr(0, 4)));
    }
    std::vector<std::string> told;
  } facts;
  const auto sink = std::make_shared<MemorySink>();
  RunOptions options;
  options.events = &facts;
  options.record = sink;
  (void)texts(
      TicketModel().call("volumes", "{}").call("rows", R"({"ref":"REF","offset":0,"limit":5})"),
      options);
  EXPECT_THAT(facts.told,
              testing::ElementsAre("[1,0] volumes minted art_", "[1,0] volumes resolved art_",
                                   "[3,0] rows resolved art_"));
  std::vector<std::string> recorded;
  const Footprint footprint = read_footprint(sink->text());
  for (const RecordedLine& line : footprint.lines) {
    const json::Value* fact = line.value.find("artifact");
    if (fact == nullptr) continue;
    recorded.push_back(json::dump(line.value.at("call")) + " " +
                       std::string(*fact->at("tool").as_string()) + " " +
                       std::string(*line.value.at("name").as_string()));
  }
  EXPECT_THAT(recorded, testing::ElementsAre("[1,0] volumes agentfootprint.artifacts.minted",
                                             "[1,0] volumes agentfootprint.artifacts.resolved",
                                             "[3,0] rows agentfootprint.artifacts.resolved"));
}

TEST_P(TicketTools, AForeignScopeIsTheSameAsNothing) {
  RunOptions alice;
  alice.identity = Identity("conv-alice");
  const auto first = texts(TicketModel().call("volumes", "{}"), alice);
  const std::string ref = first.front().substr(first.front().find("art_"), 26);
  RunOptions bob;
  bob.identity = Identity("conv-bob");
  const std::string arguments = R"({"ref":")" + ref + R"("})";
  const auto seen = texts(TicketModel()
                              .call("rows", arguments)
                              .call("preview", arguments)
                              .call("query", R"({"ref":")" + ref + R"(","sql":"SELECT 1"})")
                              .call("present", R"({"ref":")" + ref + R"(","as":"table"})"),
                          bob);
  const std::string ending =
      ref + " is not here or has expired; no artifact is live here: produce one first.";
  EXPECT_THAT(seen, testing::ElementsAre(
                        "No rows were read: " + ending, "There is nothing to preview: " + ending,
                        "Nothing was queried: " + ending, "Nothing was presented: " + ending));
  EXPECT_THAT(texts(TicketModel().call("preview", arguments), alice).front(),
              HasSubstr("\"rows\":300"));
}

TEST_P(TicketTools, ADeadTicketIsToldWithTheLiveOnes) {
  const auto results =
      texts(TicketModel().call("volumes", "{}").call("rows", R"({"ref":"art_gone"})"));
  EXPECT_THAT(results[1],
              testing::StartsWith(
                  "No rows were read: art_gone is not here or has expired; live now: art_"));
  EXPECT_THAT(results[1], HasSubstr("dataset/rows"));
  EXPECT_THAT(results[1], HasSubstr("'volumes'"));
}

TEST_P(TicketTools, WrongColumnsAndSqlAreToldInWords) {
  const auto results = texts(TicketModel()
                                 .call("volumes", "{}")
                                 .call("rows", R"({"ref":"REF","columns":["size"]})")
                                 .call("rows", R"({"ref":"REF","limit":5000})"));
  EXPECT_EQ(results[1], "there is no column \"size\"; there are volume, site, iops");
  EXPECT_THAT(results[2], HasSubstr("rows was not run: its arguments do not fit its schema"));
  const auto sql = texts(TicketModel()
                             .call("volumes", "{}")
                             .call("query", R"({"ref":"REF","sql":"SELECT nope FROM rows"})"));
  EXPECT_THAT(sql[1], HasSubstr("no such column: nope"));
  EXPECT_THAT(sql[1], Not(HasSubstr("refused")));
}

TEST_P(TicketTools, PagesAreCutToWhatMayBeRead) {
  TicketReading reading;
  reading.max_chars = 400;
  AgentBuilder builder(TicketModel().call("volumes", "{}").call("rows", R"({"ref":"REF"})").build(),
                       "m");
  builder.artifacts(store())
      .tool(with_dataset_artifacts(volumes_tool(), plan_of))
      .tool(rows_tool(reading));
  const RunResult result = run(builder.build(), Conversation(), "go");
  const std::string page = results_of(result.facts().conversation)[1];
  EXPECT_LE(page.size(), 400u);
  EXPECT_THAT(page, HasSubstr(R"("more":true,"total":300,"cut":true})"));
  EXPECT_THAT(page, HasSubstr("vol-0003"));
}

TEST_P(TicketTools, WhatIsReadByTicketIsNotPlacedAgain) {
  const auto results =
      texts(TicketModel().call("volumes", "{}").call("rows", R"({"ref":"REF"})"), {}, 900);
  EXPECT_GT(results[1].size(), 900u);
  EXPECT_THAT(results[1], HasSubstr("vol-0049"));
}

TEST_P(TicketTools, RowsReadByTicketGroundAnAnswer) {
  auto at = std::make_shared<int>(0);
  auto model = std::make_shared<ScriptedModel>([at](const ModelRequest& request) {
    if ((*at)++ == 0) return ScriptedReply().call("volumes", json::object({{"all", true}}));
    if (*at == 2) {
      const std::string text = request.messages().back().message->text();
      return ScriptedReply().call("query",
                                  json::object({{"ref", text.substr(text.find("art_"), 26)},
                                                {"sql", "SELECT sum(iops) AS total FROM rows"}}));
    }
    return ScriptedReply("All volumes together do 344850 IOPS, not 344851.");
  });
  Tool tool = volumes_tool();
  tool.input(schema::object().property<bool>("all", "Every one.").build());
  AgentBuilder builder(model, "m");
  builder.artifacts(store())
      .tool(with_dataset_artifacts(std::move(tool), plan_of))
      .tool(query_tool())
      .names_and_numbers_from_evidence();
  const RunResult result = run(builder.build(), Conversation(), "how busy?");
  ASSERT_NE(result.answer(), nullptr);
  ASSERT_TRUE(result.answer()->unsupported);
  EXPECT_THAT(result.answer()->unsupported->values, testing::ElementsAre("344851"));
}

TEST_P(TicketTools, AnotherToolTakesTheTicketAsItsData) {
  Tool chart("chart", "Draws rows.");
  chart.input(schema::object().property<std::string>("dataset", "Rows by ticket.").build())
      .wants("dataset", "dataset/rows")
      .run([](const json::Value& arguments, ToolContext& context) {
        return ToolResult::text(fmt::format("{} rows of '{}'", arguments.at("dataset").size(),
                                            context.artifacts().wanted.at("dataset").kind));
      });
  AgentBuilder builder(
      TicketModel().call("volumes", "{}").call("chart", R"({"dataset":"REF"})").build(), "m");
  builder.artifacts(store())
      .tool(with_dataset_artifacts(volumes_tool(), plan_of))
      .tool(std::move(chart));
  const RunResult result = run(builder.build(), Conversation(), "go");
  EXPECT_EQ(results_of(result.facts().conversation)[1], "300 rows of 'dataset/rows'");
}

TEST_P(TicketTools, ManyRunsOfOneSpecShareTheStore) {
  const TicketModel model = TicketModel().call("volumes", "{}").call("preview", R"({"ref":"REF"})");
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(texts(model)[1], HasSubstr("\"rows\":300"));
  }
}

// ---- staging

TEST(WithDatasetArtifacts, WithoutAStoreTheResultPassesThrough) {
  auto asked = std::make_shared<int>(0);
  auto model = TicketModel().call("volumes", "{}").build();
  AgentBuilder builder(model, "m");
  builder.tool(
      with_dataset_artifacts(volumes_tool(), [asked](const json::Value&, const json::Value&) {
        ++*asked;
        return std::optional<DatasetResultPlan>();
      }));
  const RunResult result = run(builder.build(), Conversation(), "go");
  EXPECT_EQ(results_of(result.facts().conversation).front(),
            json::dump(json::object({{"rows", volume_rows()}})));
  EXPECT_EQ(*asked, 0);
}

RunResult run_staged(Tool tool, DescribeDatasets describe, std::string arguments = "{}") {
  AgentBuilder builder(TicketModel().call("t", std::move(arguments)).build(), "m");
  builder.artifacts(open_artifact_store("memory:", ArtifactStoreOptions()))
      .tool(with_dataset_artifacts(std::move(tool), std::move(describe)));
  return run(builder.build(), Conversation(), "go");
}

Tool returning(ToolResult result) {
  Tool tool("t", "A test tool.");
  tool.run([result](const json::Value&, ToolContext&) { return result; });
  return tool;
}

TEST(WithDatasetArtifacts, ErrorsAndQuestionsAreNotDescribed) {
  const auto never = [](const json::Value&,
                        const json::Value&) -> std::optional<DatasetResultPlan> {
    ADD_FAILURE() << "described";
    return std::nullopt;
  };
  EXPECT_EQ(
      results_of(run_staged(returning(ToolResult::error("no array")), never).facts().conversation)
          .front(),
      "no array");
  EXPECT_NE(run_staged(returning(ToolResult::ask(Question("Which?"))), never).paused(), nullptr);
}

TEST(WithDatasetArtifacts, ATextIsDescribedAsAString) {
  const RunResult result = run_staged(
      returning(ToolResult::text("a,b\n1,2\n")), [](const json::Value& value, const json::Value&) {
        DatasetResultPlan plan;
        plan.datasets.emplace_back(
            "csv", PutArtifactInput("dataset/csv", "text/csv",
                                    ArtifactPayload::text(std::string(*value.as_string()))));
        plan.project = [](const std::vector<DatasetPublication>& published) {
          return to_json(published.front());
        };
        return std::optional<DatasetResultPlan>(plan);
      });
  EXPECT_THAT(results_of(result.facts().conversation).front(), HasSubstr("text/csv"));
}

TEST(WithDatasetArtifacts, ADescribedResultKeepsItsCaveatsBesideTheTicket) {
  const json::Value rows = json::array({json::object({{"entity", "vol-1"}, {"iops", 41200}})});
  const json::Value described =
      described_result(
          {
              .facts = rows,
              .provenance = {.measured_at = "2026-04-12T02:40:00Z", .source = "array export"},
              .coverage = {.checked = {"array-7731"},
                           .cannot_cover = {{"array-9", "no access to it"}}},
          })
          .envelope();
  const auto keep = [](const json::Value& result, const json::Value&) {
    std::optional<DatasetResultPlan> plan =
        one_dataset("volumes", "dataset/rows", result.at("facts"));
    plan->project = [result](const std::vector<DatasetPublication>& published) {
      const json::Value fact =
          json::object({{"entity", "volumes"}, {"ticket", published.front().artifact.meta->ref}});
      return json::with_member(result, "facts", json::array({fact}));
    };
    return plan;
  };
  const auto drop = [](const json::Value& result, const json::Value&) {
    return one_dataset("volumes", "dataset/rows", result.at("facts"));
  };
  const RunResult kept = run_staged(returning(ToolResult::json(described)), keep);
  const std::string served = results_of(kept.facts().conversation).front();
  EXPECT_THAT(served, testing::AllOf(HasSubstr("art_"), HasSubstr("2026-04-12T02:40:00Z"),
                                     HasSubstr("array-9"), Not(HasSubstr("41200"))));
  ASSERT_EQ(kept.answer()->coverage.size(), 1u);
  const RunResult dropped = run_staged(returning(ToolResult::json(described)), drop);
  EXPECT_THAT(results_of(dropped.facts().conversation).front(),
              testing::AllOf(HasSubstr("t failed"), HasSubstr("af_semantics")));
}

TEST(WithDatasetArtifacts, RefusesWhatCannotWork) {
  const auto code_of = [](auto&& make) {
    try {
      make();
    } catch (const Refusal& refusal) {
      return refusal.code();
    }
    return std::string("nothing was refused");
  };
  EXPECT_EQ(code_of([] { static_cast<void>(with_dataset_artifacts(volumes_tool(), nullptr)); }),
            "dataset-plan");
  EXPECT_EQ(code_of([] { static_cast<void>(with_dataset_artifacts(Tool("t", "d"), plan_of)); }),
            "tool-function");
  EXPECT_EQ(code_of([] {
              static_cast<void>(
                  AgentBuilder(std::make_shared<ScriptedModel>(), "m").tool(rows_tool()).build());
            }),
            "tool-wants-store");
}

}  // namespace
}  // namespace agentfootprint
