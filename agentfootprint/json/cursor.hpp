// Reading a value with errors that name the path.
//
// What: a `Cursor` is a place in a document: a value and the JSON pointer that led to it. Its
// getters throw Error "json-type" or "json-missing" whose message names the path and both types.
//
// When to use: configuration and other hand-written JSON, where the author must be told what to
// mend. For speed and for foreign data use the optional getters of Value.
//
// Example:
//   json::Value config = json::object({{"model", json::object({{"name", "small"}})}});
//   json::Cursor root(config);
//   std::string name(root["model"]["name"].string());
//   std::int64_t limit = root.has("limit") ? root["limit"].int64() : 10;
//   (void)name; (void)limit;
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::json {

class Cursor {
 public:
  explicit Cursor(const Value& root) : value_(&root) {}
  explicit Cursor(Value&&) = delete;

  [[nodiscard]] const Value& value() const noexcept { return *value_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }  // "" for the root

  [[nodiscard]] bool has(std::string_view key) const noexcept;
  [[nodiscard]] Cursor operator[](std::string_view key) const;
  [[nodiscard]] Cursor operator[](const char* key) const { return (*this)[std::string_view(key)]; }
  [[nodiscard]] Cursor operator[](std::size_t index) const;
  [[nodiscard]] Cursor operator[](int index) const {
    return (*this)[static_cast<std::size_t>(index)];
  }

  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::int64_t int64() const;
  [[nodiscard]] std::uint32_t uint32() const;  // an index or a count: 0 to 2^32 - 1
  [[nodiscard]] double number() const;
  [[nodiscard]] std::string_view string() const;
  [[nodiscard]] std::size_t array_size() const;         // throws unless an array
  [[nodiscard]] std::vector<Cursor> elements() const;   // throws unless an array
  [[nodiscard]] std::vector<std::string> keys() const;  // throws unless an object

 private:
  Cursor(const Value& value, std::string path) : value_(&value), path_(std::move(path)) {}
  const Value* value_;
  std::string path_;
};

// One token of a JSON pointer with `~` and `/` escaped.
[[nodiscard]] std::string pointer_token(std::string_view key);

}  // namespace agentfootprint::json
