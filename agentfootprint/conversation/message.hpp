// Messages: who said what, what a result is, and which call it answers.
//
// What: one message of a conversation. Every message carries its origin (who wrote it) beside its
// wire role; a result carries its status and whether its call was dispatched. Nothing is recognised
// by the text it starts with. Content is kept verbatim: a string, null, or the blocks of the wire
// as JSON.
//
// When to use: building or reading conversations. Identity of calls is `CallKey`, never the wire
// id, which repeats in real transcripts.
//
// Not guaranteed: that a result has a call (an orphan says so), or that a call has a result.
//
// Example:
//   Message ask = Message::user("is fc1/3 down?");
//   Message call = Message::assistant("", {ToolCall("c1", "ports", R"({"port":"fc1/3"})")});
//   Message result = Message::tool_result("c1", "ports", R"({"state":"down"})");
//   (void)result.text();   // {"state":"down"}
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint {

// Immutable text shared by copies of a message. Never null inside a Message.
using SharedText = std::shared_ptr<const std::string>;
[[nodiscard]] SharedText share_text(std::string text);

enum class Role : std::uint8_t { system, user, assistant, tool };
enum class Origin : std::uint8_t { person, app, model, tool, library };

// `failed`: the tool reports an error. `absent`: it looked and found nothing (a declared absence).
// `settled`: closed by the library without a real result (a cut batch, an interruption).
enum class ResultStatus : std::uint8_t { ok, failed, absent, settled };

[[nodiscard]] std::string_view name_of(Role role) noexcept;
[[nodiscard]] std::string_view name_of(Origin origin) noexcept;
[[nodiscard]] std::string_view name_of(
    ResultStatus status) noexcept;  // "ok" "error" "absent" "settled"
[[nodiscard]] std::optional<Role> parse_role(std::string_view name) noexcept;
[[nodiscard]] std::optional<Origin> parse_origin(std::string_view name) noexcept;
[[nodiscard]] std::optional<ResultStatus> parse_status(std::string_view name) noexcept;
// What a role says about the origin when nothing else does.
[[nodiscard]] Origin default_origin(Role role) noexcept;

// Identity of a call and of its result: (index of the assistant message in the committed
// conversation, ordinal of the call in it). A result without a call has its own message's index and
// `orphan` set.
struct CallKey {
  std::uint32_t message = 0;
  std::uint32_t ordinal = 0;
  bool orphan = false;

  friend bool operator==(const CallKey&, const CallKey&) = default;
  friend auto operator<=>(const CallKey&, const CallKey&) = default;
};
// `[4,1]`; whether it is an orphan is written beside it by the caller (`"orphan":true`).
[[nodiscard]] json::Value to_json(const CallKey& key);
// The key `to_json` wrote, read from foreign bytes: nothing unless it is an array of two whole
// numbers of 32 bits. `orphan` is false; the caller reads what stands beside it.
[[nodiscard]] std::optional<CallKey> call_key_from_json(const json::Value& value) noexcept;

// A tool call as the model wrote it.
struct ToolCall {
  std::optional<std::string> wire_id;
  std::string name;
  SharedText arguments_text;         // verbatim; empty and blank texts stand for {}
  json::Value arguments;             // the parsed view; {} for blank text, null when malformed
  bool arguments_malformed = false;  // the text is not JSON

  // From the text the model wrote. The three spellings keep a text from being taken for a JSON
  // string.
  ToolCall(std::optional<std::string> id, std::string tool, std::string arguments_as_text);
  ToolCall(std::optional<std::string> id, std::string tool, std::string_view arguments_as_text);
  ToolCall(std::optional<std::string> id, std::string tool, const char* arguments_as_text);
  // From an arguments object (its compact form becomes the text).
  ToolCall(std::optional<std::string> id, std::string tool, json::Value arguments_value);
};

struct Message {
  Role role = Role::user;
  Origin origin = Origin::person;
  // Verbatim content: a string, null, or an array of blocks.
  json::Value content;
  std::vector<ToolCall> calls;              // assistant messages
  std::optional<std::string> tool_call_id;  // tool messages: the wire id they name
  std::optional<std::string> tool_name;
  ResultStatus status = ResultStatus::ok;  // tool messages
  bool dispatched = true;                  // false: the call never ran (settled by the library)

  [[nodiscard]] static Message system(std::string_view text);
  [[nodiscard]] static Message user(std::string_view text);
  [[nodiscard]] static Message assistant(std::string_view text, std::vector<ToolCall> calls = {});
  [[nodiscard]] static Message tool_result(std::optional<std::string> id, std::string tool,
                                           std::string_view text,
                                           ResultStatus status = ResultStatus::ok);

  // The text of the content: the string itself, or the text blocks joined by a line feed; images,
  // base64 and unknown blocks are left out. "" for null.
  [[nodiscard]] std::string text() const;
  // The same as pieces, without joining: one per text block. Views into `content`.
  [[nodiscard]] std::vector<std::string_view> text_parts() const;
  [[nodiscard]] bool is_result() const noexcept { return role == Role::tool; }
};

}  // namespace agentfootprint
