// Keys and paths: how a stage names the state it reads and writes.
//
// What: a `Path` is a root key and the tokens below it, as a JSON pointer has them
// (`/customer/address/0`). A `Key<T>` is a path with the C++ type its value has; `Codec<T>` turns
// one into the other. Declare keys once, as constants, and hand them to the scope:
// `scope.set(kScore, 700)`.
//
// When to use: `Key<T>` wherever the type is fixed; a plain `Path` (or a string, which is one root
// key) with json::Value for the rest.
//
// Not guaranteed: that a stored value has the key's type: whoever writes through a Path can store
// anything. Reading it through the key then throws Error "flow-type".
//
// Limits: 64 tokens a path. A digit token means an element of an array and a member of an object.
// Keys and paths may be used by any number of threads at once.
//
// Example:
//   using flow::Key;
//   using flow::Path;
//   const Key<std::int64_t> score("score");
//   const Path city = Path("customer") / "address" / "city";
//   const Key<std::string> typed_city(city);
//   std::string pointer = city.pointer();   // "/customer/address/city"
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::flow {

namespace internal {
class PathTable;
}

class Path {
 public:
  Path(std::string_view key);                                    // NOLINT implicit
  Path(const std::string& key) : Path(std::string_view(key)) {}  // NOLINT implicit
  Path(const char* key) : Path(std::string_view(key)) {}         // NOLINT implicit
  // `/a/b~1c`; Error "flow-path" when it does not start with a slash.
  [[nodiscard]] static Path from_pointer(std::string_view pointer);

  Path(const Path& other) : tokens_(other.tokens_), hash_(other.hash_), hint_(other.hint()) {}
  Path(Path&& other) noexcept
      : tokens_(std::move(other.tokens_)), hash_(other.hash_), hint_(other.hint()) {}
  Path& operator=(const Path& other);
  Path& operator=(Path&& other) noexcept;
  ~Path() = default;

  [[nodiscard]] friend Path operator/(Path base, std::string_view token) {
    base.push(token);
    return base;
  }
  [[nodiscard]] friend Path operator/(Path base, std::size_t index) {
    base.push(std::to_string(index));
    return base;
  }

  [[nodiscard]] const std::vector<std::string>& tokens() const noexcept { return tokens_; }
  [[nodiscard]] std::string pointer() const;
  friend bool operator==(const Path& a, const Path& b) { return a.tokens_ == b.tokens_; }

 private:
  friend class internal::PathTable;
  Path() = default;
  void push(std::string_view token);
  [[nodiscard]] std::uint32_t hint() const noexcept {
    return hint_.load(std::memory_order_relaxed);
  }

  std::vector<std::string> tokens_;
  std::uint64_t hash_ = 0;
  mutable std::atomic<std::uint32_t> hint_{0};  // where a table had it last; verified before use
};

// How a C++ type stands in the state. Specialise it for your own types: `to_json` and `from_json`,
// the latter empty when the value has another shape.
template <class T>
struct Codec;

template <>
struct Codec<json::Value> {
  static json::Value to_json(json::Value value) { return value; }
  static std::optional<json::Value> from_json(const json::Value& value) { return value; }
};

template <>
struct Codec<bool> {
  static json::Value to_json(bool value) { return json::Value(value); }
  static std::optional<bool> from_json(const json::Value& value) { return value.as_bool(); }
};

template <std::integral I>
  requires(!std::same_as<I, bool> && !std::same_as<I, char>)
struct Codec<I> {
  static json::Value to_json(I value) { return json::Value(value); }
  static std::optional<I> from_json(const json::Value& value) {
    if constexpr (std::signed_integral<I>) {
      const auto wide = value.as_int64();
      if (!wide || !std::in_range<I>(*wide)) return std::nullopt;
      return static_cast<I>(*wide);
    } else {
      const auto wide = value.as_uint64();
      if (!wide || !std::in_range<I>(*wide)) return std::nullopt;
      return static_cast<I>(*wide);
    }
  }
};

template <>
struct Codec<double> {
  static json::Value to_json(double value) { return json::Value(value); }
  static std::optional<double> from_json(const json::Value& value) { return value.as_double(); }
};

template <>
struct Codec<std::string> {
  static json::Value to_json(std::string_view value) { return json::Value(value); }
  static std::optional<std::string> from_json(const json::Value& value) {
    const auto text = value.as_string();
    if (!text) return std::nullopt;
    return std::string(*text);
  }
};

template <class T>
struct Codec<std::vector<T>> {
  static json::Value to_json(const std::vector<T>& values) {
    json::ArrayBuilder builder;
    builder.reserve(values.size());
    for (const auto& value : values) builder.add(Codec<T>::to_json(value));
    return builder.build();
  }
  static std::optional<std::vector<T>> from_json(const json::Value& value) {
    if (!value.is_array()) return std::nullopt;
    std::vector<T> out;
    out.reserve(value.size());
    for (const json::Value& element : value.elements()) {
      auto one = Codec<T>::from_json(element);
      if (!one) return std::nullopt;
      out.push_back(std::move(*one));
    }
    return out;
  }
};

template <class T>
struct Codec<std::map<std::string, T>> {
  static json::Value to_json(const std::map<std::string, T>& values) {
    json::ObjectBuilder builder;
    for (const auto& [key, value] : values) builder.add(key, Codec<T>::to_json(value));
    return builder.build();
  }
  static std::optional<std::map<std::string, T>> from_json(const json::Value& value) {
    if (!value.is_object()) return std::nullopt;
    std::map<std::string, T> out;
    for (const json::Member& member : value.members()) {
      auto one = Codec<T>::from_json(member.value);
      if (!one) return std::nullopt;
      out.insert_or_assign(std::string(member.key()), std::move(*one));
    }
    return out;
  }
};

template <class T>
class Key {
 public:
  explicit Key(Path path) : path_(std::move(path)) {}
  explicit Key(std::string_view key) : path_(key) {}
  explicit Key(const std::string& key) : path_(key) {}
  explicit Key(const char* key) : path_(key) {}

  [[nodiscard]] const Path& path() const noexcept { return path_; }
  // A member or element below this key.
  [[nodiscard]] friend Path operator/(const Key& key, std::string_view token) {
    return key.path_ / token;
  }
  [[nodiscard]] friend Path operator/(const Key& key, std::size_t index) {
    return key.path_ / index;
  }

 private:
  Path path_;
};

}  // namespace agentfootprint::flow
