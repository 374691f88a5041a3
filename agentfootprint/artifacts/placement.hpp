// Placement: an oversized result becomes a ticket.
//
// What: when the text of a result is longer than the operator's threshold, `place_tool_result`
// parks the value and gives the small substitute the model sees instead. A JSON value stays JSON in
// the store, so a tool that wants the kind gets rows and not a text of rows.
//
// When to use: after a call that succeeded, on the value the model would be shown, before any
// truncation.
//
// Not guaranteed: that it happens: a store that refuses leaves the result where it was; the refusal
// is told to the sink and the run goes on.
//
// Units: the threshold counts Unicode code points of the text, or of the JSON text of a value.
//
// Example:
//   check_max_inline_chars(2'000);
//   std::string kind = placed_result_kind("search", std::nullopt);   // "tool-result/search"
//   (void)kind;
#pragma once

#include <optional>
#include <string>

#include "agentfootprint/artifacts/capability.hpp"

namespace agentfootprint {

// Throws Refusal "artifact-placement" unless the threshold is above zero.
void check_max_inline_chars(std::int64_t max_inline_chars);
// Throws Refusal "artifact-placement" for a blank kind.
void check_result_kind(const std::string& tool, const std::optional<std::string>& kind);
// What the tool declares, else `tool-result/<tool>`.
[[nodiscard]] std::string placed_result_kind(const std::string& tool,
                                             const std::optional<std::string>& declared);

struct PlacedToolResult {
  ArtifactMeta meta;
  std::string reason;  // for the model: what happened and how to go on
};
// `{"placed":true, "ref", "kind", "mediaType", "bytes", "reason"}`.
[[nodiscard]] json::Value to_json(const PlacedToolResult& placed);
[[nodiscard]] bool is_placed_tool_result(const json::Value& value) noexcept;

// Empty when the result is short enough or the store refused.
[[nodiscard]] std::optional<PlacedToolResult> place_tool_result(
    const ToolArtifacts& artifacts, const std::string& tool, const json::Value& result,
    std::int64_t max_inline_chars, const std::optional<std::string>& declared_kind);

}  // namespace agentfootprint
