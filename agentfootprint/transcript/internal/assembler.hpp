// Builds one conversation from messages in the wire shapes of OpenAI Chat and Anthropic Messages.
//
// What: `add_message` takes one message of either shape, splits off the tool results that stand
// inside an Anthropic message, and appends what results to the conversation; `gap` records what
// could not be told.
//
// When to use: every reader of this folder. The two shapes are told apart message by message, so
// that a transcript that mixes them loses nothing.
//
// Not guaranteed: that a message becomes exactly one: results inside it become messages of their
// own.
//
// Example:
//   transcript::internal::Assembler assembler;
//   assembler.add_message(json::object({{"role", "user"}, {"content", "go"}}), "message 1");
//   Transcript transcript = assembler.finish();
//   (void)transcript.conversation.size();   // 1
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/transcript/transcript.hpp"

namespace agentfootprint::transcript::internal {

// Adds a gap, or counts it when the same code and message are there. From 64 gaps on those of one
// code are counted together.
void add_gap(std::vector<Gap>& gaps, Gap gap);

class Assembler {
 public:
  // A message of role system, developer, user, assistant, tool or function; `where` names it in
  // gaps.
  void add_message(const json::Value& message, std::string_view where);
  // The top `system` of Anthropic requests: a string or blocks.
  void add_system(const json::Value& content);
  // The member `content` of a user or assistant message with blocks.
  void add_blocks(Role role, Origin origin, const json::Value& content, std::string_view where,
                  std::vector<ToolCall> calls = {});
  void append(Message message) { conversation_.append(std::move(message)); }

  void gap(std::string code, std::string message, std::string_view where, bool damage = false);
  void gap_counted(Gap gap) { add_gap(gaps_, std::move(gap)); }
  [[nodiscard]] bool saw_anthropic() const noexcept { return saw_anthropic_; }
  [[nodiscard]] bool saw_openai() const noexcept { return saw_openai_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return conversation_.size(); }

  // Adds what only the whole conversation tells (calls without a result, orphans, repeated ids).
  [[nodiscard]] Transcript finish();

 private:
  void note_unread(const json::Value& message, std::string_view where);
  void add_response_item(const json::Value& item);
  void add_calls(const json::Value& list, std::vector<ToolCall>& calls, std::string_view where);
  void add_openai_assistant(const json::Value& message, std::string_view where);
  void add_result_block(const json::Value& block, std::string_view type, std::string_view where);
  void flush_blocks(Role role, Origin origin, std::vector<json::Value>& blocks,
                    std::vector<ToolCall>& calls, const json::Value* whole);
  void check_pairs();

  Conversation conversation_;
  std::vector<Gap> gaps_;
  bool saw_anthropic_ = false;
  bool saw_openai_ = false;
};

// A call as OpenAI spells it, in `tool_calls` or the older `function_call`; empty when it has no
// name.
[[nodiscard]] std::optional<ToolCall> openai_call(const json::Value& call);
// An item of OpenAI Responses that is a message without a role: a call, its output, or reasoning.
[[nodiscard]] bool is_response_item(const json::Value& item);
// "an array", "a number", "null".
[[nodiscard]] std::string with_article(json::Kind kind);
// The member when it is a string.
[[nodiscard]] std::optional<std::string> text_member(const json::Value& object,
                                                     std::string_view key);
[[nodiscard]] bool true_member(const json::Value& object, std::string_view key);

}  // namespace agentfootprint::transcript::internal
