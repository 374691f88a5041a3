// `present`: a model shows an artifact to the person without reading it.
//
// What: the arguments `ref`, `as` (how to show it: free text the screen understands) and `label`;
// the answer is a snapshot of the ticket, never its bytes.
//
// When to use: the dispatcher answers the reserved tool `present` with this when a store is
// attached.
//
// Not guaranteed: that a screen is there, or that the ticket outlives the moment.
//
// Example:
//   json::Value schema = present_input_schema();
//   (void)schema.at("required").size();   // 2
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agentfootprint/artifacts/capability.hpp"

namespace agentfootprint {

inline constexpr std::string_view kPresentToolName = "present";
[[nodiscard]] std::string_view present_description() noexcept;
[[nodiscard]] json::Value present_input_schema();

struct PresentOutcome {
  bool ok = false;
  json::Value result;                     // `{presented, ref, as, snapshot}` when ok
  std::string refusal;                    // for the model, when not
  std::optional<std::string> missed_ref;  // the ticket that was not there
};
// Facts: resolved (via head) and presented, or refused with op dispatch.
[[nodiscard]] PresentOutcome present_artifact(const ToolArtifacts& artifacts,
                                              const json::Value& args);

}  // namespace agentfootprint
