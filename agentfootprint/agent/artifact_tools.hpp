// Tools over tickets: staging datasets, and reading them back by ticket.
//
// What: `with_dataset_artifacts` wraps a tool so that the datasets its author declares are parked
// in the store and the model gets tickets; `preview_tool`, `rows_tool`, `query_tool` and
// `present_tool` are what a model needs to work with a ticket: what it holds, some rows of it, SQL
// over it (the answer is a ticket of its own), and showing it to the person. A ticket that is not
// there is told with the tickets that are.
//
// When to use: tools whose results are too large for a context. Declare the wrapped tools beside
// `artifact_tools()` and attach a store with `AgentBuilder::artifacts`.
//
// Not guaranteed: that a ticket outlives its retention. Without a store a wrapped tool gives its
// result as it is; the four reading tools are refused at build.
//
// Limits: a page of `rows` and the rows shown by `query` are cut at `max_rows` and `max_chars`, and
// say so; a query stops at the limits of artifacts/query.hpp. Work on the store runs on the store's
// own thread.
//
// Example:
//   Tool volumes("volumes", "All volumes of an array.");
//   volumes.run([](const json::Value&, ToolContext&) {
//     return ToolResult::json(json::object({{"rows", json::array({1, 2, 3})}}));
//   });
//   auto describe = [](const json::Value& result, const json::Value&) {
//     return one_dataset("volumes", "dataset/rows", result.at("rows"));
//   };
//   Tool staged = with_dataset_artifacts(volumes, describe);
//   auto model = std::make_shared<ScriptedModel>();
//   AgentBuilder builder(model, "small-1");
//   builder.tool(staged).artifacts(open_artifact_store("memory:", ArtifactStoreOptions()));
//   for (Tool& tool : artifact_tools()) builder.tool(tool);
//   AgentSpec spec = builder.build();
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agentfootprint/agent/spec.hpp"
#include "agentfootprint/agent/tool.hpp"
#include "agentfootprint/artifacts/datasets.hpp"
#include "agentfootprint/artifacts/query.hpp"

namespace agentfootprint {

// The tool with its datasets staged behind its execution. `describe` sees what the tool returned
// (a text as a JSON string) and its arguments; empty passes the result on. Questions, errors and
// results whose status says that nothing was done pass untouched. Declarations of the tool stay.
// Throws Refusal "tool-function" for a tool with nothing to run, "dataset-plan" without `describe`.
[[nodiscard]] Tool with_dataset_artifacts(Tool tool, DescribeDatasets describe,
                                          DatasetStagingOptions options = DatasetStagingOptions());

// A plan for the usual case: these rows become the dataset `key`, and the answer is
// {"<key>": receipt} with the members of `beside` (an object) behind it.
[[nodiscard]] std::optional<DatasetResultPlan> one_dataset(std::string key, std::string kind,
                                                           json::Value rows,
                                                           json::Value beside = json::Value());

struct TicketReading {
  std::int64_t max_rows = 50;       // rows of one answer
  std::int64_t max_chars = 20'000;  // code points of one answer

  TicketReading() {}  // NOLINT
};

// `rows`: {ref, offset?, limit?, columns?, at?} → {ref, rows, offset, more, total?, cut?}.
[[nodiscard]] Tool rows_tool(TicketReading reading = TicketReading());
// `preview`: {ref} → {ref, kind, mediaType, bytes, label?, measured?, declared?}.
[[nodiscard]] Tool preview_tool();
// `query`: {ref, sql, at?} → {ref, of, columns, rows, offset, more, total}; `ref`: the new ticket.
[[nodiscard]] Tool query_tool(QueryOptions limits = QueryOptions(),
                              TicketReading reading = TicketReading());
// `present`: {ref, as, label?} → {presented, ref, as, snapshot}.
[[nodiscard]] Tool present_tool();
// preview, rows, query, present.
[[nodiscard]] std::vector<Tool> artifact_tools();

}  // namespace agentfootprint
