// The committed conversation: append-only, a value, shared by copies.
//
// What: messages in chunks that copies share; appending is O(1) and never moves or changes a
// message. While it grows it pairs each result with its call: by position first, by wire id within
// the open calls, never by name. The pairing does not change when later messages arrive.
//
// When to use: hand it to a run and get it back (exclusivity is ownership; there is no lock), or
// build one from a transcript. Windows and summaries are views made elsewhere; keys survive them.
//
// Pairing: a result belongs to the newest assistant message with calls before it. Among that
// message's calls without a result, the first with the same wire id takes it; if the result names
// no id, the first one without a result; if none of that message's open calls fits, the newest
// earlier open call with that id takes it; if there is none, the first open call of that message
// that has no wire id; else the result is an orphan. So four calls that all spell their id "X" keep
// four results, each with its own call.
//
// Threads: copies may be read and appended to from different threads; one object may not.
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
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "agentfootprint/conversation/message.hpp"

namespace agentfootprint {

class Conversation {
 public:
  Conversation() = default;
  explicit Conversation(std::vector<Message> messages);
  Conversation(const Conversation&) = default;
  Conversation& operator=(const Conversation&) = default;
  // The one moved from is empty and may be used again.
  Conversation(Conversation&& other) noexcept;
  Conversation& operator=(Conversation&& other) noexcept;
  ~Conversation() = default;

  // Returns the index of the new message.
  std::uint32_t append(Message message);

  // The same for a result whose call is known: a loop that runs calls itself must not depend on ids
  // that repeat. Throws std::invalid_argument when `key` names no open call or the message is no
  // result.
  std::uint32_t append_result(const CallKey& key, Message message);

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  // References stay valid as long as any copy of the conversation that holds the message.
  [[nodiscard]] const Message& operator[](std::uint32_t index) const noexcept;

  // The message, shared: it outlives every conversation that holds it.
  [[nodiscard]] std::shared_ptr<const Message> share(std::uint32_t index) const noexcept;

  // The key of a result message (an orphan's says so); empty when the message is no result.
  [[nodiscard]] std::optional<CallKey> key_of_result(std::uint32_t index) const noexcept;
  // The index of the message that answers a call.
  [[nodiscard]] std::optional<std::uint32_t> result_of(const CallKey& key) const noexcept;
  // The call itself; null for an orphan's key or a key that is not there.
  [[nodiscard]] const ToolCall* call_of(const CallKey& key) const noexcept;
  // Result messages in order.
  [[nodiscard]] std::vector<std::uint32_t> results() const;
  // Is there such a call, and has it no result yet?
  [[nodiscard]] bool is_open(const CallKey& key) const noexcept { return open_.contains(key); }
  // Calls without a result, in order.
  [[nodiscard]] std::vector<CallKey> open_calls() const;

  // The turn of a message: the number of messages of person or app with role user up to it, itself
  // included. Library-authored messages start no turn.
  [[nodiscard]] std::uint32_t turn_of(std::uint32_t index) const noexcept;

 private:
  struct Chunk;
  struct Entry;
  [[nodiscard]] const Entry& entry(std::uint32_t index) const noexcept;
  std::uint32_t append(Message message, const CallKey* known);
  // The slot for the next message, in a chunk that no other copy can write to.
  Entry& take_slot();
  void open(const Message& message, std::uint32_t index);
  CallKey pair(const Message& result, std::uint32_t index);
  [[nodiscard]] std::optional<CallKey> earlier_open(const Message& result) const;
  void close(const CallKey& key);

  std::vector<std::shared_ptr<Chunk>> chunks_;
  std::uint32_t size_ = 0;
  // Calls that wait for a result: few at any time, so a copy may hold its own.
  std::set<CallKey> open_;
  std::unordered_map<std::string, std::vector<CallKey>> by_id_;
  std::optional<std::uint32_t> newest_;  // the newest assistant message with calls
};

}  // namespace agentfootprint
