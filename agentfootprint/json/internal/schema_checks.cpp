// The keywords of a schema that are checked on our values directly.
#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/decimal.hpp"
#include "agentfootprint/json/internal/schema_prepare.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::json::internal {
namespace {

using Fault = std::optional<std::string>;
using Made = Expected<SchemaCheck, std::string>;

Made refuse(std::string reason) {
  return Unexpected<std::string>(std::move(reason));
}

bool is_integer(const Value& value) {
  if (!value.is_number()) return false;
  if (value.as_int64()) return true;
  const std::optional<Decimal> number = Decimal::parse(*value.number_text());
  return number && number->is_integer();
}

std::string_view with_article(std::string_view type) noexcept {
  if (type == "integer") return "an integer";
  if (type == "number") return "a number";
  if (type == "string") return "a string";
  if (type == "boolean") return "a boolean";
  if (type == "array") return "an array";
  if (type == "object") return "an object";
  return type == "null" ? "null" : "";
}

bool has_type(const Value& value, std::string_view type) {
  return type == "integer" ? is_integer(value) : name_of(value.kind()) == type;
}

Made type_check(const Value& argument) {
  std::vector<std::string> types;
  const auto add = [&](const Value& name) {
    if (!name.is_string() || with_article(*name.as_string()).empty()) return false;
    types.emplace_back(*name.as_string());
    return true;
  };
  if (argument.is_array()) {
    for (const Value& name : argument.elements()) {
      if (!add(name)) return refuse("names a type JSON Schema does not have");
    }
  } else if (!add(argument)) {
    return refuse("names a type JSON Schema does not have");
  }
  if (types.empty()) return refuse("is empty");
  std::string wanted;
  for (const std::string& type : types) {
    if (!wanted.empty()) wanted += " or ";
    wanted += with_article(type);
  }
  return SchemaCheck([types, wanted](const Value& value) -> Fault {
    for (const std::string& type : types) {
      if (has_type(value, type)) return std::nullopt;
    }
    return "must be " + wanted + ", is " + std::string(type_of(value));
  });
}

// A number beyond the limits of exact decimals is refused by every bound: it cannot be compared.
using Bound = bool (*)(const Decimal& value, const Decimal& bound);

Made bound_check(const Value& argument, const char* words, Bound holds) {
  if (!argument.is_number()) return refuse("must be a number");
  const std::optional<Decimal> bound = Decimal::parse(*argument.number_text());
  if (!bound) return refuse("is beyond the limits of exact numbers");
  const std::string wanted = std::string("must be ") + words + " " + bound->to_string();
  return SchemaCheck([bound = *bound, wanted, holds](const Value& value) -> Fault {
    if (!value.is_number()) return std::nullopt;
    const std::optional<Decimal> number = Decimal::parse(*value.number_text());
    if (number && holds(*number, bound)) return std::nullopt;
    return wanted;
  });
}

Made multiple_check(const Value& argument) {
  if (!argument.is_number()) return refuse("must be a number");
  const std::optional<Decimal> divisor = Decimal::parse(*argument.number_text());
  if (!divisor || divisor->is_zero() || divisor->is_negative()) {
    return refuse("must be a number above 0");
  }
  const std::string wanted = "must be a multiple of " + divisor->to_string();
  return SchemaCheck([divisor = *divisor, wanted](const Value& value) -> Fault {
    if (!value.is_number()) return std::nullopt;
    const std::optional<Decimal> number = Decimal::parse(*value.number_text());
    if (!number) return wanted;
    // The nearest whole quotient times the divisor gives the number back, or it is no multiple.
    const std::optional<Decimal> quotient = number->divide(divisor, 0);
    const std::optional<Decimal> back = quotient ? quotient->times(divisor) : std::nullopt;
    if (back && *back == *number) return std::nullopt;
    return wanted;
  });
}

Made length_check(const Value& argument, bool minimum) {
  const std::optional<std::uint64_t> bound = argument.as_uint64();
  if (!bound) return refuse("must be a whole number, 0 or more");
  const std::string wanted = std::string("must have at ") + (minimum ? "least " : "most ") +
                             std::to_string(*bound) + (*bound == 1 ? " character" : " characters");
  return SchemaCheck([bound = *bound, minimum, wanted](const Value& value) -> Fault {
    if (!value.is_string()) return std::nullopt;
    const std::uint64_t length = utf8::count(*value.as_string());
    if (minimum ? length >= bound : length <= bound) return std::nullopt;
    return wanted;
  });
}

Made pattern_check(const Value& argument) {
  if (!argument.is_string()) return refuse("must be a string");
  if (const Fault fault = pattern_fault(*argument.as_string())) return refuse(*fault);
  const auto pattern = std::make_shared<const RE2>(re2_pattern(*argument.as_string()), RE2::Quiet);
  const std::string wanted = "must match the pattern " + std::string(*argument.as_string());
  return SchemaCheck([pattern, wanted](const Value& value) -> Fault {
    if (!value.is_string()) return std::nullopt;
    const std::string_view text = *value.as_string();
    if (RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *pattern)) {
      return std::nullopt;
    }
    return wanted;
  });
}

Made unique_check(const Value& argument) {
  if (!argument.is_bool()) return refuse("must be true or false");
  const bool wanted = *argument.as_bool();
  return SchemaCheck([wanted](const Value& value) -> Fault {
    if (!wanted || !value.is_array()) return std::nullopt;
    // Canonical form keeps the order of members with one key, so equal elements that hold such
    // members in different orders count as different.
    std::unordered_set<std::string> seen;
    for (const Value& element : value.elements()) {
      if (!seen.insert(dump_canonical(element)).second) return "must not have two equal elements";
    }
    return std::nullopt;
  });
}

}  // namespace

std::string_view type_of(const Value& value) noexcept {
  if (is_integer(value)) return "an integer";
  return with_article(name_of(value.kind()));
}

std::string re2_pattern(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = pattern.substr(i);
    if (rest.size() >= 6 && rest.substr(0, 2) == "\\u" &&
        rest.substr(2, 4).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos) {
      out += "\\x{" + std::string(rest.substr(2, 4)) + "}";
      i += 5;
    } else if (rest[0] == '\\' && rest.size() > 1) {
      out += rest.substr(0, 2);
      ++i;
    } else if (rest.size() > 3 && rest.substr(0, 3) == "(?<" && rest[3] != '=' && rest[3] != '!') {
      out += "(?P<";
      i += 2;
    } else {
      out += rest[0];
    }
  }
  return out;
}

std::optional<std::string> pattern_fault(std::string_view pattern) {
  const RE2 compiled(re2_pattern(pattern), RE2::Quiet);
  if (compiled.ok()) return std::nullopt;
  return "is not a pattern RE2 can compile: " + compiled.error();
}

Expected<SchemaCheck, std::string> make_check(std::string_view keyword, const Value& argument) {
  if (keyword == "type") return type_check(argument);
  if (keyword == "minimum") {
    return bound_check(argument, "at least",
                       [](const Decimal& a, const Decimal& b) { return a >= b; });
  }
  if (keyword == "maximum") {
    return bound_check(argument, "at most",
                       [](const Decimal& a, const Decimal& b) { return a <= b; });
  }
  if (keyword == "exclusiveMinimum") {
    return bound_check(argument, "above", [](const Decimal& a, const Decimal& b) { return a > b; });
  }
  if (keyword == "exclusiveMaximum") {
    return bound_check(argument, "below", [](const Decimal& a, const Decimal& b) { return a < b; });
  }
  if (keyword == "multipleOf") return multiple_check(argument);
  if (keyword == "pattern") return pattern_check(argument);
  if (keyword == "uniqueItems") return unique_check(argument);
  if (keyword == "minLength") return length_check(argument, true);
  if (keyword == "maxLength") return length_check(argument, false);
  return refuse("is not a keyword with a check");
}

}  // namespace agentfootprint::json::internal
