// Reading messages and other shared members of eval inputs.
#include "agentfootprint/cli/eval_messages.hpp"

#include <fmt/format.h>

#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

void check_kind(const json::Value& value, std::string_view key, json::Kind kind) {
  if (value.kind() == kind) return;
  eval_refuse(key, fmt::format("{} must be of type {}, is {}", key, json::name_of(kind),
                               json::name_of(value.kind())));
}

std::optional<std::string> optional_text(const json::Value& in, std::string_view key) {
  const json::Value* found = eval_optional(in, key, json::Kind::string);
  if (found == nullptr) return std::nullopt;
  return std::string(*found->as_string());
}

ToolCall read_call(const json::Value& in) {
  if (!in.is_object()) eval_refuse("toolCalls", "a tool call is an object with name and args");
  std::optional<std::string> id = optional_text(in, "id");
  std::string name = eval_required_text(in, "name");
  const json::Value* args = in.find("args");
  if (args == nullptr || args->is_null()) return {std::move(id), std::move(name), ""};
  if (args->is_string()) return {std::move(id), std::move(name), *args->as_string()};
  return {std::move(id), std::move(name), *args};
}

}  // namespace

void eval_refuse(std::string_view field, std::string_view message) {
  throw Refusal("eval-input", field, message);
}

const json::Value& eval_required(const json::Value& in, std::string_view key) {
  const json::Value* found = in.find(key);
  if (found == nullptr) eval_refuse(key, fmt::format("{} is missing: this function needs it", key));
  return *found;
}

const json::Value& eval_required(const json::Value& in, std::string_view key, json::Kind kind) {
  const json::Value& found = eval_required(in, key);
  check_kind(found, key, kind);
  return found;
}

std::string eval_required_text(const json::Value& in, std::string_view key) {
  const json::Value& found = eval_required(in, key, json::Kind::string);
  return std::string(*found.as_string());
}

const json::Value* eval_optional(const json::Value& in, std::string_view key, json::Kind kind) {
  const json::Value* found = in.find(key);
  if (found == nullptr || found->is_null()) return nullptr;
  check_kind(*found, key, kind);
  return found;
}

std::vector<std::string> eval_texts(const json::Value& in, std::string_view key) {
  std::vector<std::string> texts;
  const json::Value* found = eval_optional(in, key, json::Kind::array);
  if (found == nullptr) return texts;
  for (const json::Value& element : found->elements()) {
    if (!element.is_string()) eval_refuse(key, fmt::format("{} is a list of texts", key));
    texts.emplace_back(*element.as_string());
  }
  return texts;
}

Message eval_message(const json::Value& in) {
  if (!in.is_object()) eval_refuse("messages", "a message is an object with role and content");
  Message message;
  const std::string role_name = eval_required_text(in, "role");
  const auto role = parse_role(role_name);
  if (!role) {
    eval_refuse("role",
                fmt::format("role \"{}\" is none of system, user, assistant, tool", role_name));
  }
  message.role = *role;
  message.origin = default_origin(*role);
  if (const json::Value* content = in.find("content")) {
    // A structure or a number in a result's place is read as its JSON text.
    const bool text = content->is_string() || content->is_null() || content->is_array();
    message.content = text ? *content : json::Value(json::dump(*content));
  }
  message.tool_call_id = optional_text(in, "toolCallId");
  message.tool_name = optional_text(in, "toolName");
  if (const auto* calls = eval_optional(in, "toolCalls", json::Kind::array)) {
    for (const json::Value& call : calls->elements()) message.calls.push_back(read_call(call));
  }
  if (const auto status = optional_text(in, "status")) {
    const auto parsed = parse_status(*status);
    if (!parsed) eval_refuse("status", fmt::format("status \"{}\" is not ok or error", *status));
    message.status = *parsed;
    message.dispatched = *parsed != ResultStatus::settled;
  }
  if (const auto origin = optional_text(in, "origin")) {
    const auto parsed = parse_origin(*origin);
    if (!parsed) {
      eval_refuse(
          "origin",
          fmt::format("origin \"{}\" is none of person, app, model, tool, library", *origin));
    }
    message.origin = *parsed;
  }
  return message;
}

Conversation eval_conversation(const json::Value& in) {
  Conversation conversation;
  for (const json::Value& message : eval_required(in, "messages", json::Kind::array).elements()) {
    conversation.append(eval_message(message));
  }
  return conversation;
}

}  // namespace agentfootprint
