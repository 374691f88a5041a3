// Construction, counting, getters and look-up of values.
#include "agentfootprint/json/value.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <new>

#include "agentfootprint/base/hash.hpp"
#include "agentfootprint/json/internal/node.hpp"
#include "agentfootprint/json/internal/number_form.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::json {
namespace internal {
namespace {

std::uint32_t checked_size(std::size_t size) {
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    throw Error("json-size", "a JSON string, array or object may hold at most 2^32 - 1 entries");
  }
  return static_cast<std::uint32_t>(size);
}

// An owner with room for one node behind it; returns the place of the node.
void* new_single(Kind kind, std::uint32_t size, std::size_t node_bytes) {
  void* memory = std::malloc(sizeof(Owner) + node_bytes);
  if (memory == nullptr) throw std::bad_alloc();
  Owner* owner = ::new (memory) Owner();
  owner->size = size;
  owner->kind = kind;
  void* node = owner + 1;
  if (kind == Kind::object) {
    (::new (node) ObjectNode())->owner = owner;
  } else {
    (::new (node) Node())->owner = owner;
  }
  return node;
}

Access::Raw text_value(Kind kind, std::string_view text) {
  if (text.size() <= kInlineText) return Access::inline_text(kind, text);
  const std::uint32_t size = checked_size(text.size());
  void* node = new_single(kind, size, sizeof(Node) + text.size());
  std::memcpy(static_cast<Node*>(node) + 1, text.data(), text.size());
  return Access::stored(kind, size, node);
}

void* single_node(Owner* owner) noexcept {
  return owner + 1;
}

void let_go(const Value& child, Owner*& dead) noexcept {
  const Access::Raw& raw = Access::raw(child);
  if (!Access::is_stored(raw)) return;
  Owner* owner = Access::owner(raw);
  if (owner->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    owner->next_dead = dead;
    dead = owner;
  }
}

void let_children_go(Owner* owner, Owner*& dead) noexcept {
  if (owner->kind == Kind::array) {
    const Value* elements = Access::elements(single_node(owner));
    for (std::uint32_t i = 0; i < owner->size; ++i) let_go(elements[i], dead);
  } else if (owner->kind == Kind::object) {
    const Member* members = Access::members(single_node(owner));
    for (std::uint32_t i = 0; i < owner->size; ++i) {
      let_go(members[i].key_value, dead);
      let_go(members[i].value, dead);
    }
  }
}

void free_indexes(Owner* owner) noexcept {
  KeyIndex* index = owner->indexes.load(std::memory_order_acquire);
  while (index != nullptr) std::free(std::exchange(index, index->next));
}

bool same_key(const Access::Raw& a, const Access::Raw& b) noexcept {
  if (!Access::is_stored(a)) return Access::same_bits(a, b);
  return Access::is_stored(b) && Access::text(a) == Access::text(b);
}

KeyIndex* build_index(std::span<const Member> members) noexcept {
  std::size_t slots = 32;
  while (slots < members.size() * 2) slots *= 2;
  void* memory = std::calloc(1, sizeof(KeyIndex) + slots * sizeof(std::uint32_t));
  if (memory == nullptr) return nullptr;
  KeyIndex* index = ::new (memory) KeyIndex();
  index->mask = static_cast<std::uint32_t>(slots - 1);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Access::Raw& key = Access::raw(members[i].key_value);
    std::size_t at = hash64(Access::text(key)) & index->mask;
    while (index->slots()[at] != 0 &&
           !same_key(Access::raw(members[index->slots()[at] - 1].key_value), key)) {
      at = (at + 1) & index->mask;
    }
    if (index->slots()[at] != 0) index->duplicates = true;
    index->slots()[at] = static_cast<std::uint32_t>(i + 1);
  }
  return index;
}

// The index of a large object, built by whoever asks first; null when there is no memory for it.
const KeyIndex* index_of(const Access::Raw& raw, std::span<const Member> members) noexcept {
  ObjectNode* node = static_cast<ObjectNode*>(raw.node);
  KeyIndex* index = node->index.load(std::memory_order_acquire);
  if (index != nullptr) return index;
  KeyIndex* built = build_index(members);
  if (built == nullptr) return nullptr;
  if (!node->index.compare_exchange_strong(index, built, std::memory_order_acq_rel)) {
    std::free(built);
    return index;
  }
  std::atomic<KeyIndex*>& list = node->owner->indexes;
  built->next = list.load(std::memory_order_relaxed);
  while (!list.compare_exchange_weak(built->next, built, std::memory_order_acq_rel)) {
  }
  return built;
}

// Only the bits a key of this text would have; a long text is compared through `text`.
const Value* find_in(const Access::Raw& raw, std::span<const Member> members,
                     std::string_view key) noexcept {
  const bool short_key = key.size() <= kInlineText;
  const Access::Raw probe =
      short_key ? Access::inline_text(Kind::string, key) : Access::inline_value(Kind::null);
  const auto matches = [&](const Member& member) {
    const Access::Raw& found = Access::raw(member.key_value);
    if (short_key) return Access::same_bits(found, probe);
    return Access::is_stored(found) && Access::text(found) == key;
  };
  if (members.size() > kIndexedMembers) {
    if (const KeyIndex* index = index_of(raw, members)) {
      for (std::size_t at = hash64(key) & index->mask;; at = (at + 1) & index->mask) {
        const std::uint32_t slot = index->slots()[at];
        if (slot == 0) return nullptr;
        if (matches(members[slot - 1])) return &members[slot - 1].value;
      }
    }
  }
  for (std::size_t i = members.size(); i-- > 0;) {
    if (matches(members[i])) return &members[i].value;
  }
  return nullptr;
}

}  // namespace

void destroy(Owner* owner) noexcept {
  owner->next_dead = nullptr;
  Owner* dead = owner;
  while (dead != nullptr) {
    Owner* current = dead;
    dead = current->next_dead;
    free_indexes(current);
    if (current->chunks != nullptr) {
      // The owner itself stands in the first chunk, so the chain is read before it is freed.
      for (Chunk* chunk = current->chunks; chunk != nullptr;) {
        std::free(std::exchange(chunk, chunk->previous));
      }
      continue;
    }
    let_children_go(current, dead);
    std::free(current);
  }
}

bool has_duplicate_keys(const Value& object) {
  const std::span<const Member> members = object.members();
  if (members.size() > kIndexedMembers) {
    const KeyIndex* index = index_of(Access::raw(object), members);
    if (index == nullptr) throw std::bad_alloc();
    return index->duplicates;
  }
  for (std::size_t i = 1; i < members.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (same_key(Access::raw(members[i].key_value), Access::raw(members[k].key_value))) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace internal

using internal::Access;

std::string_view name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "boolean";
    case Kind::number:
      return "number";
    case Kind::string:
      return "string";
    case Kind::array:
      return "array";
    case Kind::object:
      return "object";
  }
  return "";
}

void Value::retain() const noexcept {
  Access::owner(raw_)->references.fetch_add(1, std::memory_order_relaxed);
}

void Value::release() noexcept {
  internal::Owner* owner = Access::owner(raw_);
  if (owner->references.fetch_sub(1, std::memory_order_acq_rel) == 1) internal::destroy(owner);
}

Value::Value(double value) : raw_(internal::text_value(Kind::number, json::number_text(value))) {}

Value::Value(std::string_view text) : raw_(internal::text_value(Kind::string, text)) {}

Value Value::number(std::string_view text) {
  if (!internal::is_json_number(text)) {
    throw Error("json-number", "the text is not a JSON number");
  }
  return Access::adopt(internal::text_value(Kind::number, text));
}

Value Value::from_bool(bool value) noexcept {
  Raw raw = Access::inline_value(Kind::boolean);
  raw.length = value ? 1 : 0;
  return Access::adopt(raw);
}

Value Value::from_int64(std::int64_t value) noexcept {
  char text[24];
  const char* end = std::to_chars(text, text + sizeof text, value).ptr;
  return Access::adopt(internal::text_value(
      Kind::number, std::string_view(text, static_cast<std::size_t>(end - text))));
}

Value Value::from_uint64(std::uint64_t value) noexcept {
  char text[24];
  const char* end = std::to_chars(text, text + sizeof text, value).ptr;
  return Access::adopt(internal::text_value(
      Kind::number, std::string_view(text, static_cast<std::size_t>(end - text))));
}

namespace {

// The integer a number text stands for, as sign and magnitude.
struct Magnitude {
  bool negative = false;
  std::uint64_t value = 0;
};

std::optional<Magnitude> integer_of(std::string_view text) {
  Magnitude out;
  const bool sign = text.front() == '-';
  const std::string_view plain = text.substr(sign ? 1 : 0);
  if (plain.size() <= 19) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
    if (error == std::errc() && end == plain.data() + plain.size()) {
      return Magnitude{sign && value != 0, value};
    }
  }
  const std::optional<internal::NumberForm> form = internal::number_form(text);
  if (!form || form->exponent < 0 || form->exponent > 20) return std::nullopt;
  out.negative = form->negative;
  std::string digits = form->digits;
  digits.append(static_cast<std::size_t>(form->exponent), '0');
  if (digits.empty() || form->digits.empty()) return Magnitude();
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), out.value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return out;
}

}  // namespace

std::optional<std::int64_t> Value::as_int64() const noexcept {
  if (kind() != Kind::number) return std::nullopt;
  const std::optional<Magnitude> found = integer_of(Access::text(raw_));
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (!found || found->value > kMax + (found->negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(found->negative ? 0 - found->value : found->value);
}

std::optional<std::uint64_t> Value::as_uint64() const noexcept {
  if (kind() != Kind::number) return std::nullopt;
  const std::optional<Magnitude> found = integer_of(Access::text(raw_));
  if (!found || found->negative) return std::nullopt;
  return found->value;
}

std::optional<double> Value::as_double() const noexcept {
  if (kind() != Kind::number) return std::nullopt;
  const std::string_view text = Access::text(raw_);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc()) return value;
  const bool negative = text.front() == '-';
  const std::optional<internal::NumberForm> form = internal::number_form(text);
  bool large =
      text.find("e-") == std::string_view::npos && text.find("E-") == std::string_view::npos;
  if (form) large = form->exponent + static_cast<std::int64_t>(form->digits.size()) > 0;
  const double magnitude = large ? std::numeric_limits<double>::infinity() : 0.0;
  return negative ? -magnitude : magnitude;
}

const Value* Value::find(std::string_view key) const& noexcept {
  const std::span<const Member> all = members();
  return all.empty() ? nullptr : internal::find_in(raw_, all, key);
}

bool Value::contains(std::string_view key) const noexcept {
  return find(key) != nullptr;
}

const Value& Value::at(std::string_view key) const& {
  if (kind() != Kind::object) {
    throw Error("json-type", "cannot read member \"" + std::string(key) + "\": the value is " +
                                 std::string(name_of(kind())) + ", not object");
  }
  const Value* found = find(key);
  if (found == nullptr) throw Error("json-missing", "no member \"" + std::string(key) + "\"");
  return *found;
}

const Value& Value::at(std::size_t index) const& {
  if (kind() != Kind::array) {
    throw Error("json-type", "cannot read element " + std::to_string(index) + ": the value is " +
                                 std::string(name_of(kind())) + ", not array");
  }
  if (index >= size()) {
    throw Error("json-missing", "no element " + std::to_string(index) + ": the array has " +
                                    std::to_string(size()));
  }
  return elements()[index];
}

bool Value::same_storage(const Value& other) const noexcept {
  return Access::same_bits(raw_, other.raw_);
}

Member::Member(Value key, Value v) : key_value(std::move(key)), value(std::move(v)) {
  if (!key_value.is_string()) {
    throw Error("json-type", "the key of an object member must be a string, is " +
                                 std::string(name_of(key_value.kind())));
  }
}

namespace {

template <class Range>
Value build_array(Range&& elements) {
  if (elements.size() == 0) return Access::adopt(Access::inline_value(Kind::array));
  const std::uint32_t size = internal::checked_size(elements.size());
  void* node = internal::new_single(Kind::array, size,
                                    sizeof(internal::Node) + elements.size() * sizeof(Value));
  Value* out = Access::elements(node);
  for (auto& element : elements) ::new (out++) Value(std::move(element));
  return Access::adopt(Access::stored(Kind::array, size, node));
}

template <class Range>
Value build_object(Range&& members) {
  if (members.size() == 0) return Access::adopt(Access::inline_value(Kind::object));
  const std::uint32_t size = internal::checked_size(members.size());
  void* node = internal::new_single(Kind::object, size,
                                    sizeof(internal::ObjectNode) + members.size() * sizeof(Member));
  Member* out = Access::members(node);
  for (auto& member : members) ::new (out++) Member(std::move(member));
  return Access::adopt(Access::stored(Kind::object, size, node));
}

}  // namespace

Value array(std::initializer_list<Value> elements) {
  return build_array(elements);
}
Value array(std::vector<Value> elements) {
  return build_array(elements);
}
Value object(std::initializer_list<Member> members) {
  return build_object(members);
}
Value object(std::vector<Member> members) {
  return build_object(members);
}

namespace {

std::span<const Member> members_to_edit(const Value& value) {
  if (!value.is_object()) {
    throw Error("json-type",
                "only an object has members; the value is " + std::string(name_of(value.kind())));
  }
  return value.members();
}

}  // namespace

Value with_member(const Value& value, std::string_view key, Value member) {
  const std::span<const Member> old = members_to_edit(value);
  std::vector<Member> members(old.begin(), old.end());
  for (std::size_t i = members.size(); i-- > 0;) {
    if (members[i].key() == key) {
      members[i].value = std::move(member);
      return object(std::move(members));
    }
  }
  members.emplace_back(key, std::move(member));
  return object(std::move(members));
}

Value without_member(const Value& value, std::string_view key) {
  std::vector<Member> kept;
  for (const Member& member : members_to_edit(value)) {
    if (member.key() != key) kept.push_back(member);
  }
  return object(std::move(kept));
}

}  // namespace agentfootprint::json
