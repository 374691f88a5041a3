// Strict comparison of state values with constants.
#include "agentfootprint/flow/rules.hpp"

#include <algorithm>
#include <compare>

#include "agentfootprint/json/decimal.hpp"

namespace agentfootprint::flow {
namespace {

// The order of two numbers or two strings; empty for anything else.
std::optional<std::strong_ordering> order_of(const json::Value& a, const json::Value& b) {
  if (a.is_number() && b.is_number()) {
    const auto left = a.as_int64();
    const auto right = b.as_int64();
    if (left && right) return *left <=> *right;
    const auto exact_left = json::Decimal::parse(*a.number_text());
    const auto exact_right = json::Decimal::parse(*b.number_text());
    if (!exact_left || !exact_right) return std::nullopt;
    return *exact_left <=> *exact_right;
  }
  if (a.is_string() && b.is_string()) return *a.as_string() <=> *b.as_string();
  return std::nullopt;
}

bool is_among(const json::Value& list, const json::Value& value) {
  const auto elements = list.elements();
  return std::any_of(elements.begin(), elements.end(), [&](const json::Value& one) {
    return one.kind() == value.kind() && one == value;
  });
}

}  // namespace

std::string_view name_of(Operator op) noexcept {
  switch (op) {
    case Operator::eq:
      return "eq";
    case Operator::ne:
      return "ne";
    case Operator::gt:
      return "gt";
    case Operator::gte:
      return "gte";
    case Operator::lt:
      return "lt";
    case Operator::lte:
      return "lte";
    case Operator::one_of:
      return "in";
    case Operator::not_in:
      return "notIn";
    case Operator::absent:
      return "absent";
    case Operator::present:
      return "present";
  }
  return "";
}

bool holds(const Condition& condition, const std::optional<json::Value>& actual) {
  switch (condition.op) {
    case Operator::absent:
      return !actual;
    case Operator::present:
      return actual.has_value();
    case Operator::eq:
      return actual && *actual == condition.threshold;
    case Operator::ne:
      return !actual || !(*actual == condition.threshold);
    case Operator::one_of:
      return actual && is_among(condition.threshold, *actual);
    case Operator::not_in:
      return !actual || !is_among(condition.threshold, *actual);
    default:
      break;
  }
  if (!actual) return false;
  const auto order = order_of(*actual, condition.threshold);
  if (!order) return false;
  switch (condition.op) {
    case Operator::gt:
      return *order > 0;
    case Operator::gte:
      return *order >= 0;
    case Operator::lt:
      return *order < 0;
    case Operator::lte:
      return *order <= 0;
    default:
      return false;
  }
}

}  // namespace agentfootprint::flow
