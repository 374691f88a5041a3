// The JSON value: immutable, shared, 16 bytes.
//
// What: null, boolean, number, string, array or object. Numbers keep the text they were read with
// (`1.50`, `1e3`, a 20-digit id) and never pass through a double on the way to a comparison or a
// writer. Objects keep the order of their members and every duplicate key. Copies share; a copy
// costs at most one atomic increment, and copies may be read from any number of threads.
//
// When to use: for every JSON the project touches. Build by hand with `array({...})`,
// `object({...})` and the builders; read with `find`, `at`, the `as_*` getters, or a `Cursor`
// (cursor.hpp) whose errors name the path.
//
// Not guaranteed: a copy of a small part keeps the whole parsed document alive; `detach()` makes a
// copy that does not. Views (`as_string`, `number_text`) point into the value: they live as long as
// the value object they were asked of, so asking a temporary does not compile.
//
// Limits: at most 2^32 - 1 bytes a string, elements an array, members an object.
//
// Example:
//   json::Value value = json::object({
//       {"name", "alpha-01"},
//       {"ports", json::array({1, 2, 3})},
//       {"ratio", json::Value::number("0.6110")},
//   });
//   const json::Value* name = value.find("name");
//   std::string_view text = *name->as_string();             // "alpha-01"
//   std::int64_t first = value.at("ports").at(0).as_int64().value();
//   (void)text; (void)first;
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agentfootprint/base/error.hpp"

namespace agentfootprint::json {

enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

// "null", "boolean", "number", "string", "array", "object".
[[nodiscard]] std::string_view name_of(Kind kind) noexcept;

struct Member;
namespace internal {
struct Access;  // the parser and the builders
}

class Value {
 public:
  Value() noexcept = default;                  // null
  Value(std::nullptr_t) noexcept : Value() {}  // NOLINT implicit
  template <std::same_as<bool> B>
  Value(B value) noexcept : Value(from_bool(value)) {}  // NOLINT implicit
  template <std::integral I>
    requires(!std::same_as<I, bool> && !std::same_as<I, char>)
  Value(I value) noexcept  // NOLINT implicit
      : Value(std::signed_integral<I> ? from_int64(static_cast<std::int64_t>(value))
                                      : from_uint64(static_cast<std::uint64_t>(value))) {}
  // As ECMAScript prints it; a double that is not finite throws Error "json-number".
  Value(double value);                                               // NOLINT implicit
  Value(std::string_view text);                                      // NOLINT implicit
  Value(const std::string& text) : Value(std::string_view(text)) {}  // NOLINT implicit
  Value(const char* text) : Value(std::string_view(text)) {}         // NOLINT implicit
  Value(char) = delete;  // a number or a text? say which

  // A number with exactly this text, which must be a JSON number (else Error "json-number").
  [[nodiscard]] static Value number(std::string_view text);

  Value(const Value& other) noexcept : raw_(other.raw_) {
    if (is_stored()) retain();
  }
  Value(Value&& other) noexcept : raw_(std::exchange(other.raw_, Raw())) {}
  Value& operator=(const Value& other) noexcept {
    Value copy(other);
    std::swap(raw_, copy.raw_);
    return *this;
  }
  Value& operator=(Value&& other) noexcept {
    Value taken(std::move(other));
    std::swap(raw_, taken.raw_);
    return *this;
  }
  ~Value() {
    if (is_stored()) release();
  }

  [[nodiscard]] Kind kind() const noexcept { return static_cast<Kind>(raw_.tag & kKindMask); }
  [[nodiscard]] bool is_null() const noexcept { return kind() == Kind::null; }
  [[nodiscard]] bool is_bool() const noexcept { return kind() == Kind::boolean; }
  [[nodiscard]] bool is_number() const noexcept { return kind() == Kind::number; }
  [[nodiscard]] bool is_string() const noexcept { return kind() == Kind::string; }
  [[nodiscard]] bool is_array() const noexcept { return kind() == Kind::array; }
  [[nodiscard]] bool is_object() const noexcept { return kind() == Kind::object; }

  // Typed getters: empty when the kind is another one.
  [[nodiscard]] std::optional<bool> as_bool() const noexcept {
    if (kind() != Kind::boolean) return std::nullopt;
    return raw_.length != 0;
  }
  [[nodiscard]] std::optional<std::string_view> as_string() const& noexcept {
    if (kind() != Kind::string) return std::nullopt;
    return text();
  }
  std::optional<std::string_view> as_string() const&& = delete;
  // The text of a number as written.
  [[nodiscard]] std::optional<std::string_view> number_text() const& noexcept {
    if (kind() != Kind::number) return std::nullopt;
    return text();
  }
  std::optional<std::string_view> number_text() const&& = delete;
  // Exact or empty: `3.0` and `1e3` are integers, `0.5`, `1e400` and anything out of range are not.
  [[nodiscard]] std::optional<std::int64_t> as_int64() const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> as_uint64() const noexcept;
  // The nearest double; for display and statistics only.
  [[nodiscard]] std::optional<double> as_double() const noexcept;

  // Elements of an array, members of an object; 0 otherwise.
  [[nodiscard]] std::size_t size() const noexcept {
    return kind() == Kind::array || kind() == Kind::object ? raw_.size : 0;
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  // Empty unless this is an array / an object.
  [[nodiscard]] std::span<const Value> elements() const& noexcept;
  std::span<const Value> elements() const&& = delete;
  [[nodiscard]] std::span<const Member> members() const& noexcept;
  std::span<const Member> members() const&& = delete;

  // The last member with this key (as JSON.parse keeps it), or null. O(1) in large objects.
  [[nodiscard]] const Value* find(std::string_view key) const& noexcept;
  const Value* find(std::string_view key) const&& = delete;
  [[nodiscard]] bool contains(std::string_view key) const noexcept;
  // Throw Error "json-missing" or "json-type", naming the key or index.
  [[nodiscard]] const Value& at(std::string_view key) const&;
  const Value& at(std::string_view key) const&& = delete;
  [[nodiscard]] const Value& at(const char* key) const& { return at(std::string_view(key)); }
  const Value& at(const char* key) const&& = delete;
  [[nodiscard]] const Value& at(std::size_t index) const&;
  const Value& at(std::size_t index) const&& = delete;
  [[nodiscard]] const Value& at(int index) const& { return at(static_cast<std::size_t>(index)); }
  const Value& at(int index) const&& = delete;

  // The value an RFC 6901 pointer leads to ("" is the whole, "/a/0/b~1c"), or null.
  [[nodiscard]] const Value* find_pointer(std::string_view pointer) const& noexcept;
  const Value* find_pointer(std::string_view pointer) const&& = delete;

  // A deep copy that shares nothing with the document this came from.
  [[nodiscard]] Value detach() const;
  // Do the two share their storage (or are they equal inline values)? A cheap sufficient test of
  // equality.
  [[nodiscard]] bool same_storage(const Value& other) const noexcept;

  // Strict structural equality: numbers by exact decimal value (1.0 equals 1e0), strings by bytes,
  // arrays in order, objects as multisets of members. For "the same text" compare `dump`.
  friend bool operator==(const Value& a, const Value& b);

 private:
  friend struct internal::Access;
  static Value from_bool(bool value) noexcept;
  static Value from_int64(std::int64_t value) noexcept;
  static Value from_uint64(std::uint64_t value) noexcept;

  // Null, booleans, empty containers and texts of at most 14 bytes stand in the value itself (a
  // text from `low` on, `length` bytes, the rest zero: so two inline texts are equal when all 16
  // bytes are). Anything else is a node, and a node's first word names the owner that is counted:
  // the whole parsed document, or the node alone when it was built by hand. Values inside a parsed
  // document are never destroyed one by one, which is why they need no count of their own.
  static constexpr std::uint8_t kKindMask = 7;
  static constexpr std::uint8_t kStored = 8;
  struct Raw {
    std::uint8_t tag = 0;     // kind and kStored
    std::uint8_t length = 0;  // of an inline text; 1 for true
    std::uint8_t low[2] = {0, 0};
    std::uint32_t size = 0;  // of a node: bytes, elements or members
    void* node = nullptr;
  };
  [[nodiscard]] bool is_stored() const noexcept { return (raw_.tag & kStored) != 0; }
  void retain() const noexcept;
  void release() noexcept;
  // What stands in front of the bytes or elements of a node, and of its members.
  static constexpr std::size_t kNodeHeader = 8;
  static constexpr std::size_t kObjectHeader = 16;
  [[nodiscard]] const char* behind_node(std::size_t header) const noexcept {
    return static_cast<const char*>(raw_.node) + header;
  }
  [[nodiscard]] std::string_view text() const noexcept {
    if (is_stored()) return {behind_node(kNodeHeader), raw_.size};
    return {reinterpret_cast<const char*>(&raw_) + 2, raw_.length};
  }

  Raw raw_;
};
static_assert(sizeof(Value) == 16);

struct Member {
  // The key is a string value, so short keys stand inline and long ones are shared.
  Value key_value;
  Value value;

  Member(std::string_view key, Value v) : key_value(key), value(std::move(v)) {}
  Member(const char* key, Value v) : Member(std::string_view(key), std::move(v)) {}
  Member(const std::string& key, Value v) : Member(std::string_view(key), std::move(v)) {}
  // Throws Error "json-type" unless the key is a string.
  Member(Value key, Value v);
  [[nodiscard]] std::string_view key() const& noexcept { return *key_value.as_string(); }
  std::string_view key() const&& = delete;
};

inline std::span<const Value> Value::elements() const& noexcept {
  if (kind() != Kind::array || !is_stored()) return {};
  return {reinterpret_cast<const Value*>(behind_node(kNodeHeader)), raw_.size};
}

inline std::span<const Member> Value::members() const& noexcept {
  if (kind() != Kind::object || !is_stored()) return {};
  return {reinterpret_cast<const Member*>(behind_node(kObjectHeader)), raw_.size};
}

[[nodiscard]] Value array(std::initializer_list<Value> elements);
[[nodiscard]] Value array(std::vector<Value> elements);
[[nodiscard]] Value object(std::initializer_list<Member> members);
[[nodiscard]] Value object(std::vector<Member> members);

// Adds members one by one; `build` leaves the builder empty.
class ObjectBuilder {
 public:
  ObjectBuilder& add(std::string_view key, Value value) & {
    members_.emplace_back(key, std::move(value));
    return *this;
  }
  ObjectBuilder&& add(std::string_view key, Value value) && {
    members_.emplace_back(key, std::move(value));
    return std::move(*this);
  }
  // Adds nothing when the optional is empty: absent and null are two things.
  template <class T>
  ObjectBuilder& add_if(std::string_view key, const std::optional<T>& value) & {
    if (value) members_.emplace_back(key, Value(*value));
    return *this;
  }
  [[nodiscard]] bool empty() const noexcept { return members_.empty(); }
  void reserve(std::size_t count) { members_.reserve(count); }
  [[nodiscard]] Value build() { return object(std::exchange(members_, {})); }

 private:
  std::vector<Member> members_;
};

class ArrayBuilder {
 public:
  ArrayBuilder& add(Value value) {
    elements_.push_back(std::move(value));
    return *this;
  }
  [[nodiscard]] bool empty() const noexcept { return elements_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return elements_.size(); }
  void reserve(std::size_t count) { elements_.reserve(count); }
  [[nodiscard]] Value build() { return array(std::exchange(elements_, {})); }

 private:
  std::vector<Value> elements_;
};

// Copies of an object with one member set (replaced in place at its last occurrence, else appended)
// or without every member of that key. `value` must be an object.
[[nodiscard]] Value with_member(const Value& value, std::string_view key, Value member);
[[nodiscard]] Value without_member(const Value& value, std::string_view key);

}  // namespace agentfootprint::json
