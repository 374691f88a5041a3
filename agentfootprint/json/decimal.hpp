// Exact decimal numbers.
//
// What: a sign, digits and a power of ten, of any length within the limits, with parsing,
// comparison, the four operations and rounding; no double anywhere. Up to 19 digits stay in one
// word.
//
// When to use: comparing and computing with numbers that people or tools wrote.
//
// Not guaranteed: `divide` is not exact; it gives the stated number of decimals.
//
// Limits: 4,096 digits and exponents within ±100,000; a text beyond them does not parse, and an
// operation that would need more (the sum of 1e100000 and 1) gives an empty result.
//
// Example:
//   auto a = json::Decimal::parse("1.50");
//   auto b = json::Decimal::parse("15e-1");
//   bool same = *a == *b;                                 // true
//   std::string sum = a->plus(*b)->to_string();           // "3"
//   std::string third = a->divide(*json::Decimal::parse("9"), 4)->to_string();   // "0.1667"
//   (void)same;
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agentfootprint::json {

class Decimal {
 public:
  Decimal() = default;  // 0
  explicit Decimal(std::int64_t value);

  // An optional sign (+ or -), digits with at most one point, an optional exponent. Leading zeros,
  // `.5` and `5.` are read. No white space, no separators.
  [[nodiscard]] static std::optional<Decimal> parse(std::string_view text);
  // coefficient * 10^exponent; exponents beyond the limits are not refused here.
  [[nodiscard]] static Decimal scaled(std::int64_t coefficient, std::int32_t exponent);

  [[nodiscard]] bool is_zero() const noexcept;
  [[nodiscard]] bool is_negative() const noexcept;
  [[nodiscard]] bool is_integer() const noexcept;
  [[nodiscard]] Decimal negated() const;
  [[nodiscard]] Decimal abs() const;

  [[nodiscard]] std::optional<Decimal> plus(const Decimal& other) const;
  [[nodiscard]] std::optional<Decimal> minus(const Decimal& other) const;
  [[nodiscard]] std::optional<Decimal> times(const Decimal& other) const;
  // Rounded half away from zero at `decimals` places; empty for a zero divisor.
  [[nodiscard]] std::optional<Decimal> divide(const Decimal& other, int decimals) const;
  // Times 10^power.
  [[nodiscard]] std::optional<Decimal> shifted(std::int32_t power) const;

  // At `decimals` places (negative: tens, hundreds): half away from zero, or cut towards zero.
  [[nodiscard]] Decimal rounded(int decimals) const;
  [[nodiscard]] Decimal truncated(int decimals) const;

  [[nodiscard]] std::optional<std::int64_t> to_int64() const noexcept;
  // The magnitude as coefficient * 10^exponent, without trailing zeros; empty for more than 19
  // digits.
  struct Word {
    std::uint64_t coefficient = 0;
    std::int32_t exponent = 0;
  };
  [[nodiscard]] std::optional<Word> word() const noexcept {
    if (!digits_.empty()) return std::nullopt;
    return Word{small_, exponent_};
  }
  [[nodiscard]] double to_double() const noexcept;  // nearest; for display
  // Shortest exact spelling: no exponent between 1e-7 and 1e21, no trailing zeros, no `+`.
  [[nodiscard]] std::string to_string() const;
  // Significant digits without trailing zeros; 1 for zero.
  [[nodiscard]] int digits() const noexcept;
  // Equal values have equal hashes.
  [[nodiscard]] std::uint64_t hash() const noexcept;

  friend bool operator==(const Decimal& a, const Decimal& b) noexcept;
  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) noexcept;

 private:
  [[nodiscard]] static Decimal from_word(bool negative, std::uint64_t coefficient,
                                         std::int64_t exponent);
  [[nodiscard]] static std::optional<Decimal> from_digits(bool negative, std::string digits,
                                                          std::int64_t exponent);
  [[nodiscard]] static std::strong_ordering compare_magnitudes(const Decimal& a,
                                                               const Decimal& b) noexcept;
  [[nodiscard]] std::string coefficient_text() const;
  [[nodiscard]] Decimal cut(int decimals, bool round) const;

  // value = (negative ? -1 : 1) * coefficient * 10^exponent, normalised: no trailing zero in the
  // coefficient, zero has exponent 0 and no sign. Coefficients of at most 19 digits stand in
  // `small_`, longer ones in `digits_`.
  bool negative_ = false;
  std::int32_t exponent_ = 0;
  std::uint64_t small_ = 0;
  std::string digits_;  // decimal digits, most significant first; "" when `small_` holds it
};

}  // namespace agentfootprint::json
