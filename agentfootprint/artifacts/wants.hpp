// `wants`: arguments that are tickets, resolved before a tool runs.
//
// What: a tool declares which arguments name artifacts of which kind. The model passes tickets; the
// tool gets the data. Every argument is judged by its head before any payload is loaded, and all
// are judged before one answer: either the tool runs with all of them or it does not run and one
// refusal says what is wrong with each and which tickets would do.
//
// When to use: the dispatcher calls `check_tool_wants` where a tool is defined and
// `resolve_tool_wants` for each call, after arguments were validated. Kinds are compared as they
// are; there is no wildcard.
//
// Not guaranteed: the shape of the data: JSON comes parsed, text as a string, binary as base64
// text.
//
// Example:
//   ToolWants wants{{"dataset", "dataset/rows"}};
//   json::Value schema = json::object({{"type", "object"},
//       {"properties", json::object({{"dataset", json::object({{"type", "string"}})}})}});
//   check_tool_wants("chart", wants, schema);
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agentfootprint/artifacts/capability.hpp"

namespace agentfootprint {

// Argument name and kind, in the order of declaration.
using ToolWants = std::vector<std::pair<std::string, std::string>>;

// Throws Refusal "artifact-wants" with every fault: no argument, a blank kind, an argument the
// input schema does not have or types as anything but string. No schema is a schema without
// properties.
void check_tool_wants(const std::string& tool, const ToolWants& wants,
                      const std::optional<json::Value>& input_schema);
// What a tool with wants is refused with when there is no store.
[[nodiscard]] std::string wants_needs_store_refusal(const std::string& tool,
                                                    const ToolWants& wants);

struct WantsRefusal {
  std::string argument;
  ArtifactRefusalReason reason = ArtifactRefusalReason::invalid_input;
  std::optional<std::string> ref;
  std::string message;
};

struct WantsResolution {
  bool ok = true;
  json::Value args;                            // with the data in place of tickets, when ok
  std::map<std::string, ArtifactMeta> wanted;  // by argument, when ok
  std::vector<WantsRefusal> refusals;
  std::string refusal;  // one text for the model, when not ok
};

// Tells the sink one `resolved` fact a resolved argument, or one `refused` fact (op dispatch) a
// refusal.
[[nodiscard]] WantsResolution resolve_tool_wants(const ToolArtifacts& artifacts,
                                                 const std::string& tool, const ToolWants& wants,
                                                 const json::Value& args,
                                                 const std::optional<json::Value>& input_schema);

}  // namespace agentfootprint
