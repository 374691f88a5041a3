// The parts of a number's text, without arithmetic: what equality, canonical form and decimals
// share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agentfootprint::json::internal {

// Is the whole text a number as RFC 8259 has it?
[[nodiscard]] bool is_json_number(std::string_view text) noexcept;

// value = (negative ? -1 : 1) * digits * 10^exponent; `digits` has neither leading nor trailing
// zeros and is "" for zero (which has no sign and exponent 0).
struct NumberForm {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
  friend bool operator==(const NumberForm&, const NumberForm&) = default;
};

// An optional sign, digits with at most one point (`.5` and `5.` too), an optional exponent. Empty
// when it is nothing of the kind or the exponent has more than 17 digits.
[[nodiscard]] std::optional<NumberForm> number_form(std::string_view text);

// Shortest exact spelling: no exponent between 1e-7 and 1e21, as ECMAScript lays numbers out.
[[nodiscard]] std::string spell(bool negative, std::string_view digits, std::int64_t exponent);

// The canonical spelling of a JSON number; the text itself when its exponent is beyond
// `number_form`.
[[nodiscard]] std::string canonical_number(std::string_view text);

}  // namespace agentfootprint::json::internal
