// Telling the known shapes of transcripts apart.
//
// What: `shape_of` looks at one item (a line, an element of a top array, a whole document) and says
// which known shape it has, by its keys alone. When to use: the transcript reader. Not guaranteed:
// that an item of a known shape is free of faults.
//
// Example:
//   json::Value item = json::object({{"role", "user"}, {"content", "go"}});
//   auto shape = transcript::internal::shape_of(item);
//   (void)shape;   // Shape::message
#pragma once

#include <cstdint>
#include <string>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::transcript::internal {

enum class Shape : std::uint8_t {
  unknown,
  message,            // {role, content}
  message_list,       // [{role, content}, …]
  chat,               // {messages: […]}: a conversation or a request body
  tau,                // {traj: […]}
  agent_history,      // {history: […]} or {trajectory: […]}
  claude_line,        // a line of a Claude Code session
  claude_lines,       // {loglines: […]}
  exchange,           // {request: {messages}, response: {…}}, or a request alone under `body`
  wrapped_message,    // {message: {role, content}} among facts of the log
  openai_response,    // {choices: […]}
  anthropic_response  // {type: "message", role: "assistant", content: […]}
};

[[nodiscard]] Shape shape_of(const json::Value& item);

// The request of an exchange; null when there is none.
[[nodiscard]] const json::Value* request_of(const json::Value& item);
// A logged body: as it is, under `body`, or as the text of it.
[[nodiscard]] json::Value body_of(const json::Value& logged);

// "keys: a, b, c" or "a number", for people; at most twelve keys.
[[nodiscard]] std::string describe_item(const json::Value& item);

// What a binary or foreign file looks like by its first bytes: "a zip archive", "" when it does
// not.
[[nodiscard]] std::string binary_kind(std::string_view head);

}  // namespace agentfootprint::transcript::internal
