// SQL over the rows of a ticket.
#include "agentfootprint/artifacts/query.hpp"

#include <fmt/format.h>

#include "agentfootprint/artifacts/internal/query_table.hpp"
#include "agentfootprint/artifacts/preview.hpp"
#include "agentfootprint/artifacts/rows.hpp"
#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint {

std::optional<QueryRows> query_rows(ArtifactStore& store, const ArtifactScope& scope,
                                    const std::string& ref, const std::string& sql,
                                    const QueryOptions& options) {
  // SQL is text of the origin of the child's ticket.
  if (!utf8::is_valid(sql)) {
    throw Refusal("artifact-query", "sql", "query: the statement is not valid UTF-8");
  }
  const auto meta = store.head(scope, ref);
  if (!meta) return std::nullopt;
  auto format = measured_format(store.preview(scope, ref));
  if (!format) format = row_format_of(meta->media_type, PayloadShape::text, {});
  artifacts_internal::QueryTable table(format == RowFormat::csv);
  const bool found = for_each_row(store, scope, ref, options.at, [&](const json::Value& row) {
    table.add(row);
    return true;
  });
  if (!found) return std::nullopt;
  table.seal();
  return table.run(sql, options);
}

json::Value to_json(const QueryAnswer& answer) {
  json::ArrayBuilder columns;
  for (const std::string& column : answer.columns) columns.add(column);
  json::ObjectBuilder out;
  out.add("ref", answer.child.ref).add("rows", answer.rows).add("columns", columns.build());
  out.add("meta", to_json(answer.child));
  out.add_if("preview", answer.preview);
  return out.build();
}

std::optional<QueryAnswer> query_artifact(const ToolArtifacts& artifacts, const std::string& ref,
                                          const std::string& sql, const QueryOptions& options) {
  auto rows = artifacts.read_part(ArtifactOp::get, "query", ref,
                                  [&](ArtifactStore& store, const ArtifactScope& scope) {
                                    return query_rows(store, scope, ref, sql, options);
                                  });
  if (!rows) return std::nullopt;
  QueryAnswer answer;
  answer.columns = std::move(rows->columns);
  answer.rows = rows->rows.size();
  PutArtifactInput input(options.kind, "application/json", ArtifactPayload::json(rows->rows));
  input.label = options.label ? *options.label : fmt::format("query of {}", ref);
  input.parent_refs = {ref};
  answer.child = artifacts.put_derived(input, sql);
  answer.preview = shown_preview(answer.child, measure_rows(input.media_type, *input.payload));
  return answer;
}

}  // namespace agentfootprint
