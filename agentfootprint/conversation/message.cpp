// Messages: names of the enumerators, the two ways to make a call, and the text of a content.
#include "agentfootprint/conversation/message.hpp"

#include <array>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

constexpr std::array<std::string_view, 4> kRoles{"system", "user", "assistant", "tool"};
constexpr std::array<std::string_view, 5> kOrigins{"person", "app", "model", "tool", "library"};
constexpr std::array<std::string_view, 4> kStatuses{"ok", "error", "absent", "settled"};

template <class Enum, std::size_t N>
std::optional<Enum> parse_name(const std::array<std::string_view, N>& names,
                               std::string_view name) noexcept {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

bool is_blank(std::string_view text) noexcept {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// The text of one block, or nothing: images, documents, thinking and unknown kinds are not text.
std::optional<std::string_view> block_text(const json::Value& block) {
  if (block.is_string()) return block.as_string();
  if (!block.is_object()) return std::nullopt;
  const json::Value* text = block.find("text");
  if (text == nullptr || !text->is_string()) return std::nullopt;
  const json::Value* type = block.find("type");
  if (type == nullptr) return text->as_string();
  if (!type->is_string()) return std::nullopt;
  const std::string_view name = *type->as_string();
  if (name == "text" || name == "output_text" || name == "input_text") return text->as_string();
  return std::nullopt;
}

Message plain(Role role, std::string_view text) {
  Message message;
  message.role = role;
  message.origin = default_origin(role);
  message.content = json::Value(text);
  return message;
}

}  // namespace

SharedText share_text(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

std::string_view name_of(Role role) noexcept {
  return kRoles[static_cast<std::size_t>(role)];
}
std::string_view name_of(Origin origin) noexcept {
  return kOrigins[static_cast<std::size_t>(origin)];
}
std::string_view name_of(ResultStatus status) noexcept {
  return kStatuses[static_cast<std::size_t>(status)];
}

std::optional<Role> parse_role(std::string_view name) noexcept {
  return parse_name<Role>(kRoles, name);
}
std::optional<Origin> parse_origin(std::string_view name) noexcept {
  return parse_name<Origin>(kOrigins, name);
}
std::optional<ResultStatus> parse_status(std::string_view name) noexcept {
  return parse_name<ResultStatus>(kStatuses, name);
}

Origin default_origin(Role role) noexcept {
  switch (role) {
    case Role::system:
      return Origin::app;
    case Role::user:
      return Origin::person;
    case Role::assistant:
      return Origin::model;
    case Role::tool:
      break;
  }
  return Origin::tool;
}

json::Value to_json(const CallKey& key) {
  return json::array({key.message, key.ordinal});
}

std::optional<CallKey> call_key_from_json(const json::Value& value) noexcept {
  const auto numbers = value.elements();
  if (numbers.size() != 2) return std::nullopt;
  const auto message = numbers[0].as_uint64();
  const auto ordinal = numbers[1].as_uint64();
  if (!message || !ordinal || *message > UINT32_MAX || *ordinal > UINT32_MAX) return std::nullopt;
  return CallKey{static_cast<std::uint32_t>(*message), static_cast<std::uint32_t>(*ordinal), false};
}

ToolCall::ToolCall(std::optional<std::string> id, std::string tool, std::string arguments_as_text)
    : wire_id(std::move(id)),
      name(std::move(tool)),
      arguments_text(share_text(std::move(arguments_as_text))) {
  if (is_blank(*arguments_text)) {
    arguments = json::object(std::vector<json::Member>());
    return;
  }
  auto parsed = json::parse(*arguments_text);
  if (parsed) {
    arguments = std::move(*parsed);
  } else {
    arguments_malformed = true;
  }
}

ToolCall::ToolCall(std::optional<std::string> id, std::string tool,
                   std::string_view arguments_as_text)
    : ToolCall(std::move(id), std::move(tool), std::string(arguments_as_text)) {}

ToolCall::ToolCall(std::optional<std::string> id, std::string tool, const char* arguments_as_text)
    : ToolCall(std::move(id), std::move(tool), std::string(arguments_as_text)) {}

ToolCall::ToolCall(std::optional<std::string> id, std::string tool, json::Value arguments_value)
    : wire_id(std::move(id)),
      name(std::move(tool)),
      arguments_text(share_text(json::dump(arguments_value))),
      arguments(std::move(arguments_value)) {}

Message Message::system(std::string_view text) {
  return plain(Role::system, text);
}
Message Message::user(std::string_view text) {
  return plain(Role::user, text);
}

Message Message::assistant(std::string_view text, std::vector<ToolCall> calls) {
  Message message = plain(Role::assistant, text);
  message.calls = std::move(calls);
  return message;
}

Message Message::tool_result(std::optional<std::string> id, std::string tool, std::string_view text,
                             ResultStatus status) {
  Message message = plain(Role::tool, text);
  message.tool_call_id = std::move(id);
  message.tool_name = std::move(tool);
  message.status = status;
  return message;
}

std::vector<std::string_view> Message::text_parts() const {
  std::vector<std::string_view> parts;
  if (content.is_string()) {
    parts.push_back(*content.as_string());
    return parts;
  }
  for (const json::Value& block : content.elements()) {
    if (const auto text = block_text(block)) parts.push_back(*text);
  }
  return parts;
}

std::string Message::text() const {
  if (content.is_string()) return std::string(*content.as_string());
  std::string joined;
  bool first = true;
  for (const std::string_view part : text_parts()) {
    if (!first) joined += '\n';
    first = false;
    joined += part;
  }
  return joined;
}

}  // namespace agentfootprint
