// Placing oversized results.
#include "agentfootprint/artifacts/placement.hpp"

#include <fmt/format.h>

#include "agentfootprint/artifacts/internal/text.hpp"
#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint {

void check_max_inline_chars(std::int64_t max_inline_chars) {
  if (max_inline_chars > 0) return;
  throw Refusal("artifact-placement", "maxInlineChars",
                fmt::format("maxInlineChars is {}: it must be a whole number above zero; leave "
                            "placement out to keep every result inline",
                            max_inline_chars));
}

void check_result_kind(const std::string& tool, const std::optional<std::string>& kind) {
  if (!kind || !artifacts_internal::is_blank(*kind)) return;
  throw Refusal("artifact-placement", "resultKind",
                fmt::format("tool {}: resultKind is blank: leave it out to get tool-result/{}",
                            utf8::printable(tool), utf8::printable(tool)));
}

std::string placed_result_kind(const std::string& tool,
                               const std::optional<std::string>& declared) {
  return declared ? *declared : "tool-result/" + tool;
}

json::Value to_json(const PlacedToolResult& placed) {
  return json::object({{"placed", true},
                       {"ref", placed.meta.ref},
                       {"kind", placed.meta.kind},
                       {"mediaType", placed.meta.media_type},
                       {"bytes", placed.meta.bytes},
                       {"reason", placed.reason}});
}

bool is_placed_tool_result(const json::Value& value) noexcept {
  const json::Value* placed = value.find("placed");
  const json::Value* ref = value.find("ref");
  const json::Value* reason = value.find("reason");
  return placed != nullptr && placed->as_bool() == true && ref != nullptr && ref->is_string() &&
         reason != nullptr && reason->is_string();
}

std::optional<PlacedToolResult> place_tool_result(const ToolArtifacts& artifacts,
                                                  const std::string& tool,
                                                  const json::Value& result,
                                                  std::int64_t max_inline_chars,
                                                  const std::optional<std::string>& declared_kind) {
  const ArtifactPayload payload = ArtifactPayload::of(result);
  // A text never has more code points than bytes: most results are measured by their size alone.
  if (payload.bytes().size() <= static_cast<std::size_t>(max_inline_chars)) return std::nullopt;
  const std::size_t chars = utf8::count(payload.bytes());
  if (chars <= static_cast<std::size_t>(max_inline_chars)) return std::nullopt;
  const bool text = payload.shape() == PayloadShape::text;
  PutArtifactInput input(placed_result_kind(tool, declared_kind),
                         text ? "text/plain" : "application/json", payload);
  input.label = tool + " result";
  PlacedToolResult placed;
  try {
    placed.meta = artifacts.put(input);
  } catch (const std::exception&) {
    return std::nullopt;  // the sink was told; the result stays as it is
  }
  placed.reason = fmt::format(
      "The result of {} has {} characters, more than the {} that are shown, and was stored as {} "
      "of "
      "kind {}. Pass the ref to a tool that wants this kind, or to present. Its content was not "
      "read: "
      "do not quote from it.",
      tool, chars, max_inline_chars, placed.meta.ref, placed.meta.kind);
  return placed;
}

}  // namespace agentfootprint
