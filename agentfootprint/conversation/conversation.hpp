// The committed conversation: append-only, a value, shared by copies.
//
// What: messages in chunks that copies share; appending is O(1) and never moves or changes a message.
// While it grows it pairs each result with its call: by position first, by wire id within the open
// calls, never by name. The pairing does not change when later messages arrive.
//
// When to use: hand it to a run and get it back (exclusivity is ownership; there is no lock), or build
// one from a transcript. Windows and summaries are views made elsewhere; keys survive them.
//
// Pairing: a result belongs to the newest assistant message with calls before it. Among that message's
// calls without a result, the first with the same wire id takes it; if the result names no id, the first
// one without a result; if none of that message's open calls fits, the newest earlier open call with that
// id takes it; else the result is an orphan.
//
// Not guaranteed: that every call has a result. `open_calls` lists those without.
//
// Limits: 2^32 - 1 messages.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::user("is fc1/3 down?"));
//   conversation.append(Message::assistant("", {ToolCall("c1", "ports", "{}")}));
//   conversation.append(Message::tool_result("c1", "ports", "down"));
//   Conversation copy = conversation;             // shares every message
//   CallKey key = *conversation.key_of_result(2);  // [1,0]
//   std::optional<std::uint32_t> result = conversation.result_of(key);   // 2
//   (void)result;
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "agentfootprint/conversation/message.hpp"

namespace agentfootprint {

class Conversation {
 public:
  Conversation() = default;
  explicit Conversation(std::vector<Message> messages);

  // Returns the index of the new message.
  std::uint32_t append(Message message);

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  // References stay valid as long as any copy of the conversation that holds the message.
  [[nodiscard]] const Message& operator[](std::uint32_t index) const noexcept;

  // The key of a result message (an orphan's says so); empty when the message is no result.
  [[nodiscard]] std::optional<CallKey> key_of_result(std::uint32_t index) const noexcept;
  // The index of the message that answers a call.
  [[nodiscard]] std::optional<std::uint32_t> result_of(const CallKey& key) const noexcept;
  // The call itself; null for an orphan's key or a key that is not there.
  [[nodiscard]] const ToolCall* call_of(const CallKey& key) const noexcept;
  // Result messages in order.
  [[nodiscard]] std::vector<std::uint32_t> results() const;
  // Calls without a result, in order.
  [[nodiscard]] std::vector<CallKey> open_calls() const;

  // The turn of a message: the number of messages of person or app with role user up to it, itself
  // included. Library-authored messages start no turn.
  [[nodiscard]] std::uint32_t turn_of(std::uint32_t index) const noexcept;

 private:
  struct Chunk;
  struct Entry;
  [[nodiscard]] const Entry& entry(std::uint32_t index) const noexcept;

  std::vector<std::shared_ptr<Chunk>> chunks_;
  std::uint32_t size_ = 0;
};

}  // namespace agentfootprint
