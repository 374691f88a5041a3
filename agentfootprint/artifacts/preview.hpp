// Previews: what a payload of rows holds, without the payload.
//
// What: row count, columns with their types, nulls, least and greatest value, and the first rows,
// measured once at mint; beside it what the producer declared (the time axis). Measured and
// declared are two members, never mixed. An index of row places, kept with the measured part, lets
// `read_rows` start in the middle.
//
//     {"measured": {"format", "rows",
//                   "columns": [{"name", "types": {…}, "nulls", "missing", "min"?, "max"?}],
//                   "first": […], "columnsCut"?: true},
//      "declared"?: {"timeAxis": {…}}}
//
// When to use: to tell a model or a person what a ticket holds before any byte is loaded.
//
// Not guaranteed: a least and greatest value for a column of mixed types. A payload that turns out
// not to be rows has no preview; that is never a refusal.
//
// Limits: 256 columns, 5 first rows of at most 2,000 bytes each, values clipped at 80 code points.
//
// Example:
//   ArtifactPayload payload = ArtifactPayload::json(json::array({json::object({{"n", 1}})}));
//   auto measured = measure_rows("application/json", payload);
//   std::int64_t rows = measured->at("rows").as_int64().value();   // 1
//   (void)rows;
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "agentfootprint/artifacts/artifact.hpp"
#include "agentfootprint/artifacts/row_splitter.hpp"

namespace agentfootprint {

// Measures rows as they come; `feed` with the payload's bytes in order.
class RowMeasure {
 public:
  explicit RowMeasure(RowFormat format);
  ~RowMeasure();
  RowMeasure(const RowMeasure&) = delete;
  RowMeasure& operator=(const RowMeasure&) = delete;
  void feed(std::string_view bytes);
  // Empty when the bytes were not rows.
  [[nodiscard]] std::optional<json::Value> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The measured part with its row index; empty when the payload is not rows.
[[nodiscard]] std::optional<json::Value> measure_rows(std::string_view media_type,
                                                      const ArtifactPayload& payload);
// The preview as shown: `measured` without the row index, and what the ticket declares.
[[nodiscard]] std::optional<json::Value> shown_preview(const ArtifactMeta& meta,
                                                       const std::optional<json::Value>& measured);
// The format that was measured, from a preview as shown.
[[nodiscard]] std::optional<RowFormat> measured_format(const std::optional<json::Value>& preview);
[[nodiscard]] std::optional<json::Value> preview_of(const ArtifactMeta& meta,
                                                    const ArtifactPayload& payload);

}  // namespace agentfootprint
