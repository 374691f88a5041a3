// Our values as valijson sees them. Included by schema.cpp alone.
//
// Members whose key comes again later are hidden, so that an object has one member a key.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <valijson/adapters/std_string_adapter.hpp>
#include <valijson/internal/adapter.hpp>
#include <valijson/internal/basic_adapter.hpp>
#include <valijson/internal/frozen_value.hpp>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::json::internal {

class SchemaAdapter;
using SchemaMember = std::pair<std::string, SchemaAdapter>;

class SchemaArray {
 public:
  class const_iterator;
  using iterator = const_iterator;
  explicit SchemaArray(const Value& value) : value_(&value) {}
  SchemaArray() = default;
  [[nodiscard]] const_iterator begin() const;
  [[nodiscard]] const_iterator end() const;
  [[nodiscard]] std::size_t size() const { return value_ == nullptr ? 0 : value_->size(); }

 private:
  const Value* value_ = nullptr;
};

class SchemaObject {
 public:
  class const_iterator;
  using iterator = const_iterator;
  explicit SchemaObject(const Value& value) : value_(&value) {}
  SchemaObject() = default;
  [[nodiscard]] const_iterator begin() const;
  [[nodiscard]] const_iterator end() const;
  [[nodiscard]] const_iterator find(const std::string& key) const;
  [[nodiscard]] std::size_t size() const;

 private:
  [[nodiscard]] std::span<const Member> members() const {
    return value_ == nullptr ? std::span<const Member>() : value_->members();
  }
  const Value* value_ = nullptr;
};

class SchemaFrozen final : public valijson::adapters::FrozenValue {
 public:
  explicit SchemaFrozen(Value value) : value_(std::move(value)) {}
  [[nodiscard]] FrozenValue* clone() const override { return new SchemaFrozen(value_); }
  [[nodiscard]] bool equalTo(const valijson::adapters::Adapter& other, bool strict) const override;

 private:
  Value value_;
};

class SchemaValue {
 public:
  SchemaValue() : value_(&empty()) {}
  explicit SchemaValue(const Value& value) : value_(&value) {}

  [[nodiscard]] const Value& value() const { return *value_; }
  [[nodiscard]] valijson::adapters::FrozenValue* freeze() const {
    return new SchemaFrozen(*value_);
  }
  [[nodiscard]] opt::optional<SchemaArray> getArrayOptional() const {
    if (!isArray()) return {};
    return SchemaArray(*value_);
  }
  [[nodiscard]] opt::optional<SchemaObject> getObjectOptional() const {
    if (!isObject()) return {};
    return SchemaObject(*value_);
  }
  bool getArraySize(std::size_t& result) const {
    if (isArray()) result = value_->size();
    return isArray();
  }
  bool getObjectSize(std::size_t& result) const {
    if (isObject()) result = SchemaObject(*value_).size();
    return isObject();
  }
  bool getBool(bool& result) const {
    if (isBool()) result = *value_->as_bool();
    return isBool();
  }
  bool getDouble(double& result) const {
    if (value_->is_number()) result = *value_->as_double();
    return value_->is_number();
  }
  bool getInteger(std::int64_t& result) const {
    if (isInteger()) result = *value_->as_int64();
    return isInteger();
  }
  bool getString(std::string& result) const {
    if (isString()) result.assign(*value_->as_string());
    return isString();
  }
  static bool hasStrictTypes() { return true; }
  [[nodiscard]] bool isArray() const { return value_->is_array(); }
  [[nodiscard]] bool isBool() const { return value_->is_bool(); }
  [[nodiscard]] bool isDouble() const { return value_->is_number() && !isInteger(); }
  [[nodiscard]] bool isInteger() const { return value_->as_int64().has_value(); }
  [[nodiscard]] bool isNull() const { return value_->is_null(); }
  [[nodiscard]] bool isNumber() const { return value_->is_number(); }
  [[nodiscard]] bool isObject() const { return value_->is_object(); }
  [[nodiscard]] bool isString() const { return value_->is_string(); }

 private:
  static const Value& empty() {
    static const Value value = object({});
    return value;
  }
  const Value* value_;
};

class SchemaAdapter
    : public valijson::adapters::BasicAdapter<SchemaAdapter, SchemaArray, SchemaMember,
                                              SchemaObject, SchemaValue> {
 public:
  SchemaAdapter() : seen_(SchemaValue()) {}
  explicit SchemaAdapter(const Value& value)
      : BasicAdapter(SchemaValue(value)), seen_(SchemaValue(value)) {}

  [[nodiscard]] const Value& value() const { return seen_.value(); }
  // Exact, as our values compare.
  [[nodiscard]] bool equalTo(const valijson::adapters::Adapter& other, bool strict) const override {
    return SchemaFrozen(value()).equalTo(other, strict);
  }

 private:
  SchemaValue seen_;  // the base keeps its own to itself
};

// Walks a span of values or members and gives adapters.
class SchemaArray::const_iterator {
 public:
  using iterator_category = std::bidirectional_iterator_tag;
  using value_type = SchemaAdapter;
  using difference_type = std::ptrdiff_t;
  using pointer = SchemaAdapter*;
  using reference = SchemaAdapter;

  explicit const_iterator(const Value* at) : at_(at) {}
  SchemaAdapter operator*() const { return SchemaAdapter(*at_); }
  valijson::adapters::DerefProxy<SchemaAdapter> operator->() const {
    return valijson::adapters::DerefProxy<SchemaAdapter>(**this);
  }
  const_iterator& operator++() {
    ++at_;
    return *this;
  }
  const_iterator operator++(int) {
    const const_iterator before = *this;
    ++at_;
    return before;
  }
  const_iterator& operator--() {
    --at_;
    return *this;
  }
  void advance(std::ptrdiff_t count) { at_ += count; }
  friend bool operator==(const const_iterator&, const const_iterator&) = default;

 private:
  const Value* at_;
};

class SchemaObject::const_iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = SchemaMember;
  using difference_type = std::ptrdiff_t;
  using pointer = SchemaMember*;
  using reference = SchemaMember;

  const_iterator(const Value* object, const Member* at) : object_(object), at_(at) { skip(); }
  SchemaMember operator*() const {
    return SchemaMember(std::string(at_->key()), SchemaAdapter(at_->value));
  }
  valijson::adapters::DerefProxy<SchemaMember> operator->() const {
    return valijson::adapters::DerefProxy<SchemaMember>(**this);
  }
  const_iterator& operator++() {
    ++at_;
    skip();
    return *this;
  }
  const_iterator operator++(int) {
    const const_iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const const_iterator& a, const const_iterator& b) {
    return a.at_ == b.at_;
  }

 private:
  void skip() {
    if (object_ == nullptr) return;
    const std::span<const Member> all = object_->members();
    while (at_ != all.data() + all.size() && object_->find(at_->key()) != &at_->value) ++at_;
  }
  const Value* object_;
  const Member* at_;
};

inline SchemaArray::const_iterator SchemaArray::begin() const {
  return const_iterator(value_ == nullptr ? nullptr : value_->elements().data());
}
inline SchemaArray::const_iterator SchemaArray::end() const {
  if (value_ == nullptr) return const_iterator(nullptr);
  return const_iterator(value_->elements().data() + value_->size());
}
inline SchemaObject::const_iterator SchemaObject::begin() const {
  return const_iterator(value_, members().data());
}
inline SchemaObject::const_iterator SchemaObject::end() const {
  return const_iterator(value_, members().data() + members().size());
}
inline SchemaObject::const_iterator SchemaObject::find(const std::string& key) const {
  const Value* found = value_ == nullptr ? nullptr : value_->find(key);
  if (found == nullptr) return end();
  for (const Member& member : members()) {
    if (&member.value == found) return const_iterator(value_, &member);
  }
  return end();
}
inline std::size_t SchemaObject::size() const {
  std::size_t count = 0;
  for (const_iterator at = begin(); !(at == end()); ++at) ++count;
  return count;
}

inline bool SchemaFrozen::equalTo(const valijson::adapters::Adapter& other, bool) const {
  if (const auto* ours = dynamic_cast<const SchemaAdapter*>(&other)) return value_ == ours->value();
  // The name of a member, as `propertyNames` checks it.
  return value_.is_string() && other.isString() && *value_.as_string() == other.getString();
}

}  // namespace agentfootprint::json::internal

namespace valijson::adapters {

template <>
struct AdapterTraits<agentfootprint::json::internal::SchemaAdapter> {
  using DocumentType = agentfootprint::json::Value;
  static std::string adapterName() { return "agentfootprint"; }
};

}  // namespace valijson::adapters
