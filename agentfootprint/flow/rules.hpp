// Declarative rules for decisions, and the conditions they are made of.
//
// What: a `Condition` compares the value at one key with a constant, strictly by type. `Rules` are
// tried in order; all conditions of a rule must hold; the first rule that matches chooses its
// branch (`select` takes every one that matches). What each condition saw and gave is recorded as
// evidence.
//
// When to use: wherever a branch depends on state. Use a function rule, or a function for the whole
// decision, only for what conditions cannot say; the reads of a function are recorded, its reasons
// are not.
//
// Not guaranteed: coercion. `"10"` is not greater than 9; null is not 0; a comparison of two kinds
// is false for every operator but `ne` and `not_in`. An absent value matches `absent`, `ne` and
// `not_in` only. Numbers compare by exact decimal value, strings by bytes.
//
// Limits: 1,000 values in `one_of` and `not_in`, 1,000 rules, 1,000 conditions a rule.
//
// Example:
//   const flow::Key<std::int64_t> score("score");
//   const flow::Key<std::string> flag("flag");
//   flow::Rules rules;
//   rules.when(flow::gte(score, 750), "approve", "excellent score")
//       .when(flow::all(flow::gt(score, 650), flow::absent(flag)), "review")
//       .otherwise("decline");
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agentfootprint/flow/key.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::flow {

class Scope;

enum class Operator : std::uint8_t { eq, ne, gt, gte, lt, lte, one_of, not_in, absent, present };
[[nodiscard]] std::string_view name_of(Operator op) noexcept;

struct Condition {
  Path path;
  Operator op;
  json::Value threshold;  // an array for one_of and not_in; null for absent and present
};

// Does the condition hold for this value? An empty optional is an absent value.
[[nodiscard]] bool holds(const Condition& condition, const std::optional<json::Value>& actual);

template <class T, class U>
[[nodiscard]] Condition eq(const Key<T>& key, const U& value) {
  return {key.path(), Operator::eq, Codec<T>::to_json(static_cast<T>(value))};
}
template <class T, class U>
[[nodiscard]] Condition ne(const Key<T>& key, const U& value) {
  return {key.path(), Operator::ne, Codec<T>::to_json(static_cast<T>(value))};
}
template <class T, class U>
[[nodiscard]] Condition gt(const Key<T>& key, const U& value) {
  return {key.path(), Operator::gt, Codec<T>::to_json(static_cast<T>(value))};
}
template <class T, class U>
[[nodiscard]] Condition gte(const Key<T>& key, const U& value) {
  return {key.path(), Operator::gte, Codec<T>::to_json(static_cast<T>(value))};
}
template <class T, class U>
[[nodiscard]] Condition lt(const Key<T>& key, const U& value) {
  return {key.path(), Operator::lt, Codec<T>::to_json(static_cast<T>(value))};
}
template <class T, class U>
[[nodiscard]] Condition lte(const Key<T>& key, const U& value) {
  return {key.path(), Operator::lte, Codec<T>::to_json(static_cast<T>(value))};
}
template <class T>
[[nodiscard]] Condition one_of(const Key<T>& key, const std::vector<T>& values) {
  return {key.path(), Operator::one_of, Codec<std::vector<T>>::to_json(values)};
}
template <class T>
[[nodiscard]] Condition not_in(const Key<T>& key, const std::vector<T>& values) {
  return {key.path(), Operator::not_in, Codec<std::vector<T>>::to_json(values)};
}
template <class T>
[[nodiscard]] Condition absent(const Key<T>& key) {
  return {key.path(), Operator::absent, json::Value()};
}
template <class T>
[[nodiscard]] Condition present(const Key<T>& key) {
  return {key.path(), Operator::present, json::Value()};
}

// Several conditions, all of which must hold.
template <class... C>
[[nodiscard]] std::vector<Condition> all(C... conditions) {
  std::vector<Condition> out;
  out.reserve(sizeof...(conditions));
  (out.push_back(std::move(conditions)), ...);
  return out;
}

struct Rule {
  std::vector<Condition> conditions;
  std::function<bool(Scope&)> function;  // instead of conditions
  std::string branch;
  std::string label;
};

class Rules {
 public:
  Rules& when(Condition condition, std::string branch, std::string label = "") {
    std::vector<Condition> conditions;
    conditions.push_back(std::move(condition));
    return when(std::move(conditions), std::move(branch), std::move(label));
  }
  Rules& when(std::vector<Condition> conditions, std::string branch, std::string label = "") {
    rules_.push_back({std::move(conditions), nullptr, std::move(branch), std::move(label)});
    return *this;
  }
  // A function that only reads. An exception counts as "does not match" and is kept in the
  // evidence.
  Rules& when(std::function<bool(Scope&)> function, std::string branch, std::string label = "") {
    rules_.push_back({{}, std::move(function), std::move(branch), std::move(label)});
    return *this;
  }
  // The branch when no rule matches. For `select` there is none: nothing is chosen then.
  Rules& otherwise(std::string branch, std::string label = "") {
    otherwise_ = std::move(branch);
    otherwise_label_ = std::move(label);
    return *this;
  }

  [[nodiscard]] const std::vector<Rule>& rules() const noexcept { return rules_; }
  [[nodiscard]] const std::optional<std::string>& otherwise_branch() const noexcept {
    return otherwise_;
  }
  [[nodiscard]] const std::string& otherwise_label() const noexcept { return otherwise_label_; }

 private:
  std::vector<Rule> rules_;
  std::optional<std::string> otherwise_;
  std::string otherwise_label_;
};

}  // namespace agentfootprint::flow
