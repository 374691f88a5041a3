// How values are stored: owners, nodes and the key index of large objects.
//
// An owner is what is counted. A parsed document has one owner for all its nodes, which live in its
// chunks; a value built by hand is an owner with one node behind it. A node begins with the address
// of its owner, so any value can be copied without knowing which of the two it came from.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::json::internal {

struct Chunk {
  Chunk* previous = nullptr;
};

// Open addressing over member numbers; built at the first look-up in a large object.
struct KeyIndex {
  KeyIndex* next = nullptr;  // the owner's list
  std::uint32_t mask = 0;
  bool duplicates = false;
  // Followed by mask + 1 slots: the number of the last member with the key plus 1, or 0.
  [[nodiscard]] std::uint32_t* slots() noexcept {
    return reinterpret_cast<std::uint32_t*>(this + 1);
  }
  [[nodiscard]] const std::uint32_t* slots() const noexcept {
    return reinterpret_cast<const std::uint32_t*>(this + 1);
  }
};

struct Owner {
  std::atomic<std::uint64_t> references{1};
  Chunk* chunks = nullptr;     // of a parsed document
  Owner* next_dead = nullptr;  // chain used while destroying
  std::atomic<KeyIndex*> indexes{nullptr};
  // Of a single node: what it holds, so that the children can be let go.
  std::uint32_t size = 0;
  Kind kind = Kind::null;
};

struct Node {
  Owner* owner = nullptr;
};

// Objects have one more word in front of their members.
struct ObjectNode : Node {
  std::atomic<KeyIndex*> index{nullptr};
};

inline constexpr std::size_t kInlineText = 14;
inline constexpr std::size_t kIndexedMembers = 16;  // larger objects get an index

struct Access {
  using Raw = Value::Raw;
  static constexpr std::uint8_t kStored = Value::kStored;
  static constexpr std::size_t kNodeHeader = Value::kNodeHeader;
  static constexpr std::size_t kObjectHeader = Value::kObjectHeader;

  static const Raw& raw(const Value& value) noexcept { return value.raw_; }
  // Takes over one count of the owner.
  static Value adopt(const Raw& raw) noexcept {
    Value value;
    value.raw_ = raw;
    return value;
  }
  static bool is_stored(const Raw& raw) noexcept { return (raw.tag & kStored) != 0; }
  static Raw inline_value(Kind kind) noexcept {
    Raw raw;
    raw.tag = static_cast<std::uint8_t>(kind);
    return raw;
  }
  static Raw inline_text(Kind kind, std::string_view text) noexcept {
    Raw raw = inline_value(kind);
    raw.length = static_cast<std::uint8_t>(text.size());
    std::memcpy(reinterpret_cast<char*>(&raw) + 2, text.data(), text.size());
    return raw;
  }
  static Raw stored(Kind kind, std::uint32_t size, void* node) noexcept {
    Raw raw;
    raw.tag = static_cast<std::uint8_t>(static_cast<std::uint8_t>(kind) | kStored);
    raw.size = size;
    raw.node = node;
    return raw;
  }
  static std::string_view text(const Raw& raw) noexcept {
    if (is_stored(raw)) {
      return {reinterpret_cast<const char*>(static_cast<const Node*>(raw.node) + 1), raw.size};
    }
    return {reinterpret_cast<const char*>(&raw) + 2, raw.length};
  }
  static Owner* owner(const Raw& raw) noexcept { return static_cast<Node*>(raw.node)->owner; }
  static Value* elements(void* node) noexcept {
    return reinterpret_cast<Value*>(static_cast<Node*>(node) + 1);
  }
  static Member* members(void* node) noexcept {
    return reinterpret_cast<Member*>(static_cast<ObjectNode*>(node) + 1);
  }
  static bool same_bits(const Raw& a, const Raw& b) noexcept {
    return std::memcmp(&a, &b, sizeof(Raw)) == 0;
  }
};
static_assert(sizeof(Access::Raw) == 16);
static_assert(sizeof(Node) == Access::kNodeHeader && sizeof(ObjectNode) == Access::kObjectHeader);

// Has the object two members with one key?
[[nodiscard]] bool has_duplicate_keys(const Value& object);

// Frees what a count that reached zero held; iterative at any depth.
void destroy(Owner* owner) noexcept;

}  // namespace agentfootprint::json::internal
