// The conversation: chunks shared by copies, and the pairing of results with calls while it grows.
//
// A chunk has room for a fixed number of entries and counts how many are taken. A conversation owns
// the entries below its own size; to append it must take the next slot of its last chunk with one
// compare-and-swap. A copy that comes second finds the slot taken and continues in a chunk of its
// own, so no copy ever sees another's message and no entry is ever written twice.
#include "agentfootprint/conversation/conversation.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <utility>

namespace agentfootprint {

struct Conversation::Entry {
  std::shared_ptr<const Message> message;
  CallKey key;  // of results
  std::uint32_t turn = 0;
};

struct Conversation::Chunk {
  static constexpr std::uint32_t kRoom = 32;
  std::array<Entry, kRoom> entries;
  std::atomic<std::uint32_t> taken{0};
};

namespace {

bool starts_turn(const Message& message) noexcept {
  return message.role == Role::user &&
         (message.origin == Origin::person || message.origin == Origin::app);
}

}  // namespace

Conversation::Conversation(std::vector<Message> messages) {
  for (Message& message : messages) append(std::move(message));
}

Conversation::Conversation(Conversation&& other) noexcept {
  *this = std::move(other);
}

Conversation& Conversation::operator=(Conversation&& other) noexcept {
  if (this == &other) return *this;
  chunks_ = std::exchange(other.chunks_, {});
  size_ = std::exchange(other.size_, 0);
  open_ = std::exchange(other.open_, {});
  by_id_ = std::exchange(other.by_id_, {});
  newest_ = std::exchange(other.newest_, std::nullopt);
  return *this;
}

const Conversation::Entry& Conversation::entry(std::uint32_t index) const noexcept {
  return chunks_[index / Chunk::kRoom]->entries[index % Chunk::kRoom];
}

const Message& Conversation::operator[](std::uint32_t index) const noexcept {
  return *entry(index).message;
}

Conversation::Entry& Conversation::take_slot() {
  const std::uint32_t slot = size_ % Chunk::kRoom;
  if (slot == 0) {
    chunks_.push_back(std::make_shared<Chunk>());
    chunks_.back()->taken.store(1, std::memory_order_relaxed);
    return chunks_.back()->entries[0];
  }
  std::uint32_t expected = slot;
  if (!chunks_.back()->taken.compare_exchange_strong(expected, slot + 1)) {
    auto own = std::make_shared<Chunk>();
    for (std::uint32_t i = 0; i < slot; ++i) own->entries[i] = chunks_.back()->entries[i];
    own->taken.store(slot + 1, std::memory_order_relaxed);
    chunks_.back() = std::move(own);
  }
  return chunks_.back()->entries[slot];
}

std::shared_ptr<const Message> Conversation::share(std::uint32_t index) const noexcept {
  return entry(index).message;
}

std::uint32_t Conversation::append(Message message) {
  return append(std::move(message), nullptr);
}

std::uint32_t Conversation::append_result(const CallKey& key, Message message) {
  if (!message.is_result() || !open_.contains(key)) {
    throw std::invalid_argument("append_result needs a result and the key of a call without one");
  }
  return append(std::move(message), &key);
}

std::uint32_t Conversation::append(Message message, const CallKey* known) {
  if (size_ == UINT32_MAX)
    throw std::length_error("a conversation holds at most 2^32 - 1 messages");
  const std::uint32_t index = size_;
  const std::uint32_t turn_before = index == 0 ? 0 : entry(index - 1).turn;
  auto shared = std::make_shared<const Message>(std::move(message));
  Entry& slot = take_slot();
  slot.turn = turn_before + (starts_turn(*shared) ? 1 : 0);
  if (known != nullptr) {
    slot.key = *known;
    close(*known);
  } else if (shared->is_result()) {
    slot.key = pair(*shared, index);
  }
  if (!shared->calls.empty()) open(*shared, index);
  slot.message = std::move(shared);
  ++size_;
  return index;
}

void Conversation::open(const Message& message, std::uint32_t index) {
  newest_ = index;
  for (std::uint32_t i = 0; i < message.calls.size(); ++i) {
    open_.emplace(CallKey{index, i, false});
    if (message.calls[i].wire_id)
      by_id_[*message.calls[i].wire_id].push_back(CallKey{index, i, false});
  }
}

CallKey Conversation::pair(const Message& result, std::uint32_t index) {
  std::optional<CallKey> found;
  if (newest_) {
    // Calls of one message are few; the walk stops at the first that fits.
    std::optional<CallKey> unnamed;
    for (auto at = open_.lower_bound(CallKey{*newest_, 0, false}); at != open_.end(); ++at) {
      const auto& wire_id = entry(at->message).message->calls[at->ordinal].wire_id;
      if (!result.tool_call_id || wire_id == result.tool_call_id) {
        found = *at;
        break;
      }
      if (!wire_id && !unnamed) unnamed = *at;
    }
    if (!found) found = earlier_open(result);
    if (!found) found = unnamed;
  }
  if (!found) return CallKey{index, 0, true};
  close(*found);
  return *found;
}

std::optional<CallKey> Conversation::earlier_open(const Message& result) const {
  if (!result.tool_call_id) return std::nullopt;
  const auto named = by_id_.find(*result.tool_call_id);
  if (named == by_id_.end()) return std::nullopt;
  return named->second.back();
}

// Takes an answered call out of both lists, so that they hold the open ones and no more.
void Conversation::close(const CallKey& key) {
  open_.erase(key);
  const auto& wire_id = entry(key.message).message->calls[key.ordinal].wire_id;
  if (!wire_id) return;
  const auto named = by_id_.find(*wire_id);
  std::vector<CallKey>& keys = named->second;
  keys.erase(std::find(keys.rbegin(), keys.rend(), key).base() - 1);
  if (keys.empty()) by_id_.erase(named);
}

std::optional<CallKey> Conversation::key_of_result(std::uint32_t index) const noexcept {
  if (index >= size_ || !entry(index).message->is_result()) return std::nullopt;
  return entry(index).key;
}

std::optional<std::uint32_t> Conversation::result_of(const CallKey& key) const noexcept {
  if (key.message >= size_) return std::nullopt;
  if (key.orphan) {
    const auto own = key_of_result(key.message);
    return own == key ? std::optional(key.message) : std::nullopt;
  }
  if (call_of(key) == nullptr || open_.contains(key)) return std::nullopt;
  // An answer stands close behind its call, as a rule directly behind the message.
  for (std::uint32_t i = key.message + 1; i < size_; ++i) {
    if (entry(i).message->is_result() && entry(i).key == key) return i;
  }
  return std::nullopt;
}

const ToolCall* Conversation::call_of(const CallKey& key) const noexcept {
  if (key.orphan || key.message >= size_) return nullptr;
  const std::vector<ToolCall>& calls = entry(key.message).message->calls;
  return key.ordinal < calls.size() ? &calls[key.ordinal] : nullptr;
}

std::vector<std::uint32_t> Conversation::results() const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < size_; ++i) {
    if (entry(i).message->is_result()) found.push_back(i);
  }
  return found;
}

std::vector<CallKey> Conversation::open_calls() const {
  return {open_.begin(), open_.end()};
}

std::uint32_t Conversation::turn_of(std::uint32_t index) const noexcept {
  return index < size_ ? entry(index).turn : 0;
}

}  // namespace agentfootprint
