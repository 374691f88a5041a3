// JSON Schema from C++ types, for tool arguments.
//
// What: `schema::object()` collects properties whose types are C++ types: std::string, bool,
// integers, double, std::vector<T>, std::optional<T> (not required), json::Value (anything). The
// result is a plain JSON Schema with additionalProperties false.
//
// When to use: for tools written in C++. Tools that come as data bring their own schema.
//
// Not guaranteed: that a hand-written function reads what its schema says; validation happens
// before it.
//
// Example:
//   json::Value input = schema::object()
//                           .property<std::string>("port", "The port, like fc1/3.")
//                           .property<std::optional<int>>("limit", "At most this many rows.")
//                           .one_of("state", "Only ports in this state.", {"up", "down"})
//                           .build();
//   (void)input;
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::schema {

namespace internal {
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {
  using Inner = T;
};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {
  using Inner = T;
};
}  // namespace internal

// The schema of a C++ type.
template <class T>
[[nodiscard]] json::Value of() {
  if constexpr (internal::IsOptional<T>::value) {
    return of<typename internal::IsOptional<T>::Inner>();
  } else if constexpr (internal::IsVector<T>::value) {
    return json::object(
        {{"type", "array"}, {"items", of<typename internal::IsVector<T>::Inner>()}});
  } else if constexpr (std::same_as<T, bool>) {
    return json::object({{"type", "boolean"}});
  } else if constexpr (std::integral<T>) {
    return json::object({{"type", "integer"}});
  } else if constexpr (std::floating_point<T>) {
    return json::object({{"type", "number"}});
  } else if constexpr (std::convertible_to<T, std::string_view>) {
    return json::object({{"type", "string"}});
  } else {
    static_assert(std::same_as<T, json::Value>,
                  "a tool argument is a string, bool, number, vector, optional or json::Value");
    return json::object(std::vector<json::Member>{});
  }
}

class Object {
 public:
  template <class T>
  Object& property(std::string_view name, std::string_view description) {
    return add(name, json::with_member(of<T>(), "description", description),
               !internal::IsOptional<T>::value);
  }
  // A string out of a closed list.
  Object& one_of(std::string_view name, std::string_view description,
                 std::vector<std::string> values, bool required = true);
  // A nested schema of any kind.
  Object& add(std::string_view name, json::Value property_schema, bool required);
  [[nodiscard]] json::Value build() const;

 private:
  std::vector<json::Member> properties_;
  std::vector<json::Value> required_;
};

[[nodiscard]] inline Object object() {
  return Object();
}

}  // namespace agentfootprint::schema
