// Reading the inputs that eval functions share: messages, texts, required members.
//
// What: `eval_conversation` turns `messages[]` of an input line into a Conversation;
// `eval_required` gives a member or refuses with code "eval-input" naming it.
//
// When to use: every eval function that takes `messages[]`.
//
// Not guaranteed: anything about members it does not name; they are ignored.
//
// Example:
//   json::Value in = json::object({{"messages", json::array({json::object(
//       {{"role", "user"}, {"content", "go"}})})}});
//   Conversation conversation = eval_conversation(in);
//   (void)conversation.size();   // 1
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint {

// Throws Refusal "eval-input": what an input line says there cannot be taken.
[[noreturn]] void eval_refuse(std::string_view field, std::string_view message);

// The member, or Refusal "eval-input" with the key as field.
[[nodiscard]] const json::Value& eval_required(const json::Value& in, std::string_view key);
// The same, of a stated kind.
[[nodiscard]] const json::Value& eval_required(const json::Value& in, std::string_view key,
                                               json::Kind kind);
[[nodiscard]] std::string eval_required_text(const json::Value& in, std::string_view key);

// The member when it is there and not null, of a stated kind, else null.
[[nodiscard]] const json::Value* eval_optional(const json::Value& in, std::string_view key,
                                               json::Kind kind);
// A list of texts; empty when the member is not there.
[[nodiscard]] std::vector<std::string> eval_texts(const json::Value& in, std::string_view key);

// One message: `role`, `content` (string, null or blocks), `toolCallId`, `toolName`,
// `toolCalls[{id,name,args}]`, `status`, `origin`.
[[nodiscard]] Message eval_message(const json::Value& in);
// `messages[]` of an input line, which must be there.
[[nodiscard]] Conversation eval_conversation(const json::Value& in);

}  // namespace agentfootprint
