// SWE-agent trajectories and plain agent logs.
#include "agentfootprint/transcript/internal/swe_agent.hpp"

#include <fmt/format.h>

namespace agentfootprint::transcript::internal {
namespace {

bool is_array_member(const json::Value& root, std::string_view key) {
  const json::Value* found = root.find(key);
  return found != nullptr && found->is_array();
}

bool has_actions(const json::Value& history) {
  for (const json::Value& message : history.elements()) {
    if (message.contains("action") || message.contains("tool_calls")) return true;
  }
  return false;
}

std::vector<ToolCall> calls_of(const json::Value& message) {
  std::vector<ToolCall> calls;
  if (const json::Value* list = message.find("tool_calls")) {
    for (const json::Value& element : list->elements()) {
      if (auto call = openai_call(element)) calls.push_back(std::move(*call));
    }
  }
  const auto action = text_member(message, "action");
  if (calls.empty() && action) {
    calls.emplace_back(std::nullopt, "action", json::object({{"action", *action}}));
  }
  return calls;
}

// What the model thought stands apart from the action, which is the call.
json::Value prose_of(const json::Value& message) {
  if (message.contains("action")) {
    if (const json::Value* thought = message.find("thought"); thought && thought->is_string()) {
      return *thought;
    }
  }
  const json::Value* content = message.find("content");
  return content != nullptr ? *content : json::Value();
}

std::optional<std::string> answered_id(const json::Value& message) {
  if (auto id = text_member(message, "tool_call_id")) return id;
  const json::Value* ids = message.find("tool_call_ids");
  if (ids == nullptr || ids->elements().empty()) return std::nullopt;
  const json::Value& first = ids->elements().front();
  if (!first.is_string()) return std::nullopt;
  return std::string(*first.as_string());
}

Message observation(const json::Value& content, std::optional<std::string> id) {
  Message result;
  result.role = Role::tool;
  result.origin = Origin::tool;
  result.content = content;
  result.tool_call_id = std::move(id);
  return result;
}

void add_assistant(Assembler& assembler, const json::Value& content, std::vector<ToolCall> calls) {
  Message message;
  message.role = Role::assistant;
  message.origin = Origin::model;
  message.content = content;
  message.calls = std::move(calls);
  assembler.append(std::move(message));
}

// Returns the number of actions taken.
std::size_t read_history(const json::Value& history, Assembler& assembler) {
  std::size_t actions = 0;
  std::size_t index = 0;
  bool waiting = false;  // an action without a structured call waits for its observation
  for (const json::Value& message : history.elements()) {
    const std::string where = fmt::format("message {}", index++);
    if (true_member(message, "is_demo")) {
      assembler.gap("demonstration", "worked examples (is_demo) are not evidence and are left out",
                    where);
      continue;
    }
    const std::string role = text_member(message, "role").value_or("");
    const json::Value* content = message.find("content");
    if (role == "assistant") {
      std::vector<ToolCall> calls = calls_of(message);
      waiting = calls.size() == 1 && !calls.front().wire_id;
      actions += calls.empty() ? 0 : 1;
      add_assistant(assembler, prose_of(message), std::move(calls));
    } else if (content != nullptr && (role == "tool" || (role == "user" && waiting))) {
      assembler.append(observation(*content, answered_id(message)));
      waiting = false;
    } else {
      assembler.add_message(message, where);
    }
  }
  return actions;
}

// The last steps may stand in `trajectory` only.
void read_last_steps(const json::Value& steps, std::size_t done, Assembler& assembler) {
  for (std::size_t i = done; i < steps.size(); ++i) {
    const json::Value& step = steps.elements()[i];
    const auto action = text_member(step, "action");
    std::vector<ToolCall> calls;
    if (action) calls.emplace_back(std::nullopt, "action", json::object({{"action", *action}}));
    const auto thought = text_member(step, "thought");
    const auto response = text_member(step, "response");
    add_assistant(assembler, json::Value(thought ? *thought : response.value_or("")),
                  std::move(calls));
    if (const json::Value* seen = step.find("observation"); action && seen != nullptr) {
      assembler.append(observation(*seen, std::nullopt));
    }
  }
}

Transcript read_plain_log(const json::Value& history) {
  Assembler assembler;
  for (const json::Value& message : history.elements()) {
    Message plain;
    const std::string role = text_member(message, "role").value_or("");
    const bool person = role == "human";
    plain.role = person ? Role::user : Role::assistant;
    plain.origin = person ? Origin::person : Origin::model;
    if (const json::Value* content = message.find("content")) plain.content = *content;
    assembler.append(std::move(plain));
  }
  assembler.gap("no-structured-evidence",
                "the log has no tool calls or results as such (code output is a plain message): "
                "nothing can be checked against it",
                "");
  Transcript transcript = assembler.finish();
  transcript.format = "agent-log";
  transcript.structured = false;
  return transcript;
}

}  // namespace

bool is_agent_history(const json::Value& root) {
  return is_array_member(root, "history") || is_array_member(root, "trajectory");
}

Transcript read_agent_history(const json::Value& root) {
  const json::Value* history = root.find("history");
  const json::Value* steps = root.find("trajectory");
  if (steps == nullptr && history != nullptr && !has_actions(*history)) {
    return read_plain_log(*history);
  }
  Assembler assembler;
  const std::size_t done = history != nullptr ? read_history(*history, assembler) : 0;
  if (steps != nullptr) read_last_steps(*steps, done, assembler);
  Transcript transcript = assembler.finish();
  transcript.format = "swe-agent";
  return transcript;
}

}  // namespace agentfootprint::transcript::internal
