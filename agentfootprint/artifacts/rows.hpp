// Reading a part of a ticket: pages of rows, some columns of them.
//
// What: `read_rows` reads rows of a JSON array, NDJSON or CSV payload from the place it needs,
// using the row index kept at mint, and stops behind the page. Rows that are no objects get names
// (`c1`, `value`). A JSON object that holds its rows in a member is read by naming it: `at:
// "/facts"`.
//
// When to use: a tool or a person who wants some rows of a large ticket. For computing use
// query.hpp.
//
// Not guaranteed: that a part was checked against the digest: that needs every byte (`get`,
// `verify`).
//
// Limits: 10,000 rows and 4 MiB of row text a page; a page cut short by its bytes says so.
//
// Example:
//   auto store = open_artifact_store("memory:", ArtifactStoreOptions());
//   ArtifactScope scope("c");
//   PutArtifactInput input("dataset/rows", "text/csv", ArtifactPayload::text("vm,n\na,1\nb,2\n"));
//   std::string ref = store->put(scope, input).meta.ref;
//   RowsOptions options;
//   options.offset = 1;
//   options.columns = {"vm"};
//   auto page = read_rows(*store, scope, ref, options);   // [{"vm":"b"}]
//   (void)page;
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/artifacts/capability.hpp"
#include "agentfootprint/artifacts/store.hpp"

namespace agentfootprint {

struct RowsOptions {
  std::uint64_t offset = 0;
  std::int64_t limit = 100;          // clamped to 1 … 10,000
  std::vector<std::string> columns;  // empty: all
  std::optional<std::string> at;     // JSON pointer to the array, for a payload that is an object

  RowsOptions() {}  // NOLINT
};

struct RowsPage {
  json::Value rows;  // an array of objects
  std::uint64_t offset = 0;
  bool more = false;                   // rows follow behind the page
  bool cut = false;                    // the page ended at 4 MiB, before its limit
  std::optional<std::uint64_t> total;  // rows in all, when it was measured or `at` was given
};
[[nodiscard]] json::Value to_json(const RowsPage& page);

// Empty when there is no such ticket. Throws Refusal "artifact-rows" for a column the payload does
// not have or a payload without rows, Error "artifact-rows" for a row that cannot be read.
[[nodiscard]] std::optional<RowsPage> read_rows(ArtifactStore& store, const ArtifactScope& scope,
                                                const std::string& ref, const RowsOptions& options);
[[nodiscard]] std::optional<RowsPage> read_rows(const ToolArtifacts& artifacts,
                                                const std::string& ref, const RowsOptions& options);

// Calls `on_row` for every row until it says false. False when there is no such ticket.
bool for_each_row(ArtifactStore& store, const ArtifactScope& scope, const std::string& ref,
                  const std::optional<std::string>& at,
                  const std::function<bool(const json::Value& row)>& on_row);

// The preview of a ticket, measured at mint; see preview.hpp.
[[nodiscard]] std::optional<json::Value> preview_artifact(const ToolArtifacts& artifacts,
                                                          const std::string& ref);

}  // namespace agentfootprint
