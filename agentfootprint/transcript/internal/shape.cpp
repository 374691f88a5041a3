// The keys that tell shapes apart.
#include "agentfootprint/transcript/internal/shape.hpp"

#include <fmt/format.h>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/transcript/internal/assembler.hpp"
#include "agentfootprint/transcript/internal/claude_code.hpp"
#include "agentfootprint/transcript/internal/swe_agent.hpp"

namespace agentfootprint::transcript::internal {
namespace {

bool has_array(const json::Value& item, std::string_view key) {
  const json::Value* found = item.find(key);
  return found != nullptr && found->is_array();
}

bool is_message(const json::Value& item) {
  const json::Value* role = item.find("role");
  return (role != nullptr && role->is_string()) || is_response_item(item);
}

Shape object_shape(const json::Value& item) {
  if (has_array(item, "traj")) return Shape::tau;
  if (has_array(item, "loglines")) return Shape::claude_lines;
  if (is_claude_code_line(item)) return Shape::claude_line;
  const json::Value* request = request_of(item);
  if (request != nullptr && has_array(body_of(*request), "messages")) return Shape::exchange;
  if (has_array(item, "messages")) return Shape::chat;
  if (is_agent_history(item)) return Shape::agent_history;
  if (has_array(item, "choices")) return Shape::openai_response;
  if (is_message(item)) {
    return text_member(item, "type") == "message" && text_member(item, "role") == "assistant"
               ? Shape::anthropic_response
               : Shape::message;
  }
  const json::Value* message = item.find("message");
  if (message != nullptr && message->is_object() && is_message(*message)) {
    return Shape::wrapped_message;
  }
  return Shape::unknown;
}

}  // namespace

Shape shape_of(const json::Value& item) {
  if (item.is_object()) return object_shape(item);
  if (!item.is_array()) return Shape::unknown;
  for (const json::Value& element : item.elements()) {
    if (!is_message(element)) return Shape::unknown;
  }
  return Shape::message_list;
}

const json::Value* request_of(const json::Value& item) {
  const json::Value* request = item.find("request");
  return request != nullptr ? request : item.find("body");
}

json::Value body_of(const json::Value& logged) {
  json::Value body = logged;
  constexpr int kMaxWrappings = 4;
  for (int i = 0; i < kMaxWrappings; ++i) {
    if (const auto text = body.as_string()) {
      auto parsed = json::parse(*text);
      if (!parsed || !(parsed->is_object() || parsed->is_array())) return body;
      body = std::move(*parsed);
    }
    const json::Value* inner = body.is_object() ? body.find("body") : nullptr;
    if (inner == nullptr) return body;
    json::Value next = *inner;
    body = std::move(next);
  }
  return body;
}

std::string describe_item(const json::Value& item) {
  constexpr std::size_t kMaxKeys = 12;
  if (!item.is_object()) return with_article(item.kind());
  std::string text = item.empty() ? "no keys" : "keys:";
  std::size_t shown = 0;
  for (const json::Member& member : item.members()) {
    if (shown == kMaxKeys) {
      text += fmt::format(", and {} more", item.size() - shown);
      break;
    }
    text += shown == 0 ? " " : ", ";
    text += utf8::printable(utf8::clip(member.key(), 40));
    ++shown;
  }
  return text;
}

std::string binary_kind(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("PK\x03\x04"sv)) return "a zip archive";
  if (head.starts_with("\x1f\x8b"sv)) return "gzip data";
  if (head.starts_with("\x28\xb5\x2f\xfd"sv)) return "zstd data";
  if (head.starts_with("\x89PNG"sv)) return "a PNG image";
  if (head.starts_with("%PDF"sv)) return "a PDF";
  if (head.starts_with("SQLite format 3"sv)) return "a SQLite database";
  if (head.starts_with("\xff\xfe"sv) || head.starts_with("\xfe\xff"sv)) {
    return "UTF-16 text; it must be UTF-8";
  }
  // Without its mark: every other byte of ASCII text is NUL.
  if (head.size() >= 4 && (head[0] == '\0') != (head[1] == '\0') &&
      (head[2] == '\0') == (head[0] == '\0') && (head[3] == '\0') == (head[1] == '\0')) {
    return "UTF-16 text; it must be UTF-8";
  }
  for (const char c : head) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0 || (byte < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f')) {
      return "binary data";
    }
  }
  return "";
}

}  // namespace agentfootprint::transcript::internal
