// SQL over the rows of a ticket; the answer is a ticket of its own.
//
// What: the rows are loaded into the table `rows` of a temporary SQLite file on a connection of its
// own, one SELECT runs under an authorizer that allows reading and nothing else, and the result is
// minted as a child of the ticket with the query in its origin. JSON numbers that fit become
// integers, decimals become reals only when a double gives back the same number, everything else
// stays text: a 20-digit id is never rounded. Objects and arrays are JSON text (the json functions
// work on them).
//
// When to use: filter, join a ticket with itself, aggregate. To look at rows as they are use
// rows.hpp.
//
// Not guaranteed: an order of rows without ORDER BY. CSV fields that read as numbers are numbers
// here. The time limit is looked at between steps, never inside one call of a function; printf and
// format are not there for that reason: use round and ||.
//
// Limits: one statement of at most 64 KiB; values of at most 16 MiB; by default 100,000 rows, 16
// MiB and 10 seconds of result. A limit that is reached is Refusal "artifact-query", never a
// shorter answer.
//
// Example:
//   auto store = open_artifact_store("memory:", ArtifactStoreOptions());
//   ArtifactBinding binding = bind_artifacts(store, ArtifactScope("c"), ArtifactOrigin(), nullptr);
//   ToolArtifacts artifacts = binding.artifacts();
//   PutArtifactInput input("dataset/rows", "text/csv", ArtifactPayload::text("vm,n\na,1\nb,2\n"));
//   std::string ref = artifacts.put(input).ref;
//   std::string sql = "SELECT sum(n) AS total FROM rows";
//   auto answer = query_artifact(artifacts, ref, sql, QueryOptions());
//   (void)answer->child.parent_refs;   // {ref}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/artifacts/capability.hpp"

namespace agentfootprint {

struct QueryOptions {
  std::uint64_t max_rows = 100'000;
  std::uint64_t max_bytes = std::uint64_t{16} << 20;
  std::int64_t time_ms = 10'000;
  std::string kind = "query-result/rows";  // of the child ticket
  std::optional<std::string> label;
  std::optional<std::string> at;  // see RowsOptions

  QueryOptions() {}  // NOLINT
};

struct QueryRows {
  std::vector<std::string> columns;
  json::Value rows;  // an array of objects
};

// The rows alone, minting nothing. Empty when there is no such ticket.
[[nodiscard]] std::optional<QueryRows> query_rows(ArtifactStore& store, const ArtifactScope& scope,
                                                  const std::string& ref, const std::string& sql,
                                                  const QueryOptions& options);

struct QueryAnswer {
  ArtifactMeta child;
  std::uint64_t rows = 0;
  std::vector<std::string> columns;
  std::optional<json::Value> preview;
};
[[nodiscard]] json::Value to_json(const QueryAnswer& answer);

[[nodiscard]] std::optional<QueryAnswer> query_artifact(const ToolArtifacts& artifacts,
                                                        const std::string& ref,
                                                        const std::string& sql,
                                                        const QueryOptions& options);

}  // namespace agentfootprint
