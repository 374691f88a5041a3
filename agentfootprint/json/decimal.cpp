// Exact decimal arithmetic: words where the coefficient fits, big integers behind.
#include "agentfootprint/json/decimal.hpp"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <limits>

#include "agentfootprint/base/hash.hpp"
#include "agentfootprint/json/internal/number_form.hpp"

namespace agentfootprint::json {
namespace {

using boost::multiprecision::cpp_int;
__extension__ using Wide = unsigned __int128;

constexpr int kMaxDigits = 4096;
constexpr std::int64_t kMaxExponent = 100'000;
constexpr int kWordDigits = 19;  // any 19 digits fit an unsigned 64-bit word

constexpr std::array<std::uint64_t, 20> kPowers = [] {
  std::array<std::uint64_t, 20> powers{};
  powers[0] = 1;
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

int digit_count(std::uint64_t value) noexcept {
  int count = 1;
  while (count < 20 && value >= kPowers[static_cast<std::size_t>(count)]) ++count;
  return count;
}

cpp_int power_of_ten(std::int64_t exponent) {
  return boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(exponent));
}

}  // namespace

Decimal::Decimal(std::int64_t value) {
  *this = scaled(value, 0);
}

Decimal Decimal::scaled(std::int64_t coefficient, std::int32_t exponent) {
  const std::uint64_t magnitude = coefficient < 0 ? 0 - static_cast<std::uint64_t>(coefficient)
                                                  : static_cast<std::uint64_t>(coefficient);
  return from_word(coefficient < 0, magnitude, exponent);
}

Decimal Decimal::from_word(bool negative, std::uint64_t coefficient, std::int64_t exponent) {
  Decimal out;
  if (coefficient == 0) return out;
  while (coefficient % 10 == 0) {
    coefficient /= 10;
    ++exponent;
  }
  out.negative_ = negative;
  out.small_ = coefficient;
  out.exponent_ = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(exponent, std::numeric_limits<std::int32_t>::min(),
                               std::numeric_limits<std::int32_t>::max()));
  return out;
}

// `digits` without leading or trailing zeros; empty when a limit is passed.
std::optional<Decimal> Decimal::from_digits(bool negative, std::string digits,
                                            std::int64_t exponent) {
  if (digits.empty()) return Decimal();
  if (digits.size() > kMaxDigits || exponent > kMaxExponent || exponent < -kMaxExponent) {
    return std::nullopt;
  }
  Decimal out;
  out.negative_ = negative;
  out.exponent_ = static_cast<std::int32_t>(exponent);
  if (digits.size() <= kWordDigits) {
    std::from_chars(digits.data(), digits.data() + digits.size(), out.small_);
  } else {
    out.digits_ = digits;  // a copy: moving makes GCC 12 warn of an overflow that cannot be
  }
  return out;
}

std::optional<Decimal> Decimal::parse(std::string_view text) {
  std::optional<internal::NumberForm> form = internal::number_form(text);
  if (!form) return std::nullopt;
  return from_digits(form->negative, std::move(form->digits), form->exponent);
}

std::string Decimal::coefficient_text() const {
  return digits_.empty() ? std::to_string(small_) : digits_;
}

int Decimal::digits() const noexcept {
  return digits_.empty() ? digit_count(small_) : static_cast<int>(digits_.size());
}

bool Decimal::is_zero() const noexcept {
  return small_ == 0 && digits_.empty();
}
bool Decimal::is_negative() const noexcept {
  return negative_;
}
bool Decimal::is_integer() const noexcept {
  return exponent_ >= 0;
}

Decimal Decimal::negated() const {
  Decimal out = *this;
  if (!is_zero()) out.negative_ = !negative_;
  return out;
}

Decimal Decimal::abs() const {
  Decimal out = *this;
  out.negative_ = false;
  return out;
}

namespace {

std::string trimmed(const cpp_int& magnitude, std::int64_t& exponent) {
  std::string digits = magnitude.str();
  const std::size_t last = digits.find_last_not_of('0');
  if (last == std::string::npos) return "";
  exponent += static_cast<std::int64_t>(digits.size() - 1 - last);
  digits.erase(last + 1);
  return digits;
}

}  // namespace

std::optional<Decimal> Decimal::plus(const Decimal& other) const {
  if (is_zero()) return other;
  if (other.is_zero()) return *this;
  const std::int64_t low = std::min(exponent_, other.exponent_);
  const std::int64_t shift_a = exponent_ - low;
  const std::int64_t shift_b = other.exponent_ - low;
  // The sum reaches from the highest digit of either to the lowest; cancellation cannot shorten it
  // below what the smaller exponent needs.
  if (shift_a + digits() > kMaxDigits + 1 || shift_b + other.digits() > kMaxDigits + 1) {
    return std::nullopt;
  }
  if (digits_.empty() && other.digits_.empty() && shift_a + digits() <= 18 &&
      shift_b + other.digits() <= 18) {
    const auto word = [](const Decimal& d, std::int64_t shift) {
      const auto magnitude =
          static_cast<std::int64_t>(d.small_ * kPowers[static_cast<std::size_t>(shift)]);
      return d.negative_ ? -magnitude : magnitude;
    };
    const std::int64_t sum = word(*this, shift_a) + word(other, shift_b);
    return scaled(sum, static_cast<std::int32_t>(low));
  }
  const auto big = [](const Decimal& d, std::int64_t shift) {
    cpp_int value(d.coefficient_text());
    if (shift > 0) value *= power_of_ten(shift);
    if (d.negative_) value = -value;
    return value;
  };
  const cpp_int sum = big(*this, shift_a) + big(other, shift_b);
  std::int64_t exponent = low;
  std::string digits = trimmed(boost::multiprecision::abs(sum), exponent);
  return from_digits(sum < 0, std::move(digits), exponent);
}

std::optional<Decimal> Decimal::minus(const Decimal& other) const {
  return plus(other.negated());
}

std::optional<Decimal> Decimal::times(const Decimal& other) const {
  if (is_zero() || other.is_zero()) return Decimal();
  std::int64_t exponent = std::int64_t{exponent_} + other.exponent_;
  const bool negative = negative_ != other.negative_;
  if (digits_.empty() && other.digits_.empty()) {
    const Wide product = Wide{small_} * other.small_;
    if (product <= std::numeric_limits<std::uint64_t>::max()) {
      const Decimal out = from_word(negative, static_cast<std::uint64_t>(product), exponent);
      if (out.exponent_ > kMaxExponent || out.exponent_ < -kMaxExponent) return std::nullopt;
      if (out.digits() <= kWordDigits) return out;
    }
  }
  const cpp_int product = cpp_int(coefficient_text()) * cpp_int(other.coefficient_text());
  std::string digits = trimmed(product, exponent);
  return from_digits(negative, std::move(digits), exponent);
}

std::optional<Decimal> Decimal::divide(const Decimal& other, int decimals) const {
  if (other.is_zero()) return std::nullopt;
  if (is_zero()) return Decimal();
  // quotient * 10^decimals = a / b * 10^(ea - eb + decimals), as one integer division.
  const std::int64_t shift = std::int64_t{exponent_} - other.exponent_ + decimals;
  if (shift + digits() - other.digits() > kMaxDigits + 1) return std::nullopt;
  if (shift + digits() - other.digits() < -1) return Decimal();
  if (other.small_ == 1 && other.digits_.empty()) {  // a power of ten only moves the point
    const std::int64_t exponent = shift - decimals;
    if (exponent >= -kMaxExponent && exponent <= kMaxExponent) {
      Decimal moved = other.negative_ ? negated() : *this;
      moved.exponent_ = static_cast<std::int32_t>(exponent);
      return moved.rounded(decimals);
    }
  }
  cpp_int over(coefficient_text());
  cpp_int under(other.coefficient_text());
  if (shift >= 0) {
    over *= power_of_ten(shift);
  } else {
    under *= power_of_ten(-shift);
  }
  const cpp_int quotient = (over * 2 + under) / (under * 2);
  std::int64_t exponent = -std::int64_t{decimals};
  std::string digits = trimmed(quotient, exponent);
  return from_digits(negative_ != other.negative_, std::move(digits), exponent);
}

std::optional<Decimal> Decimal::shifted(std::int32_t power) const {
  if (is_zero()) return *this;
  Decimal out = *this;
  const std::int64_t exponent = std::int64_t{exponent_} + power;
  if (exponent > kMaxExponent || exponent < -kMaxExponent) return std::nullopt;
  out.exponent_ = static_cast<std::int32_t>(exponent);
  return out;
}

Decimal Decimal::cut(int decimals, bool round) const {
  const std::int64_t drop = -std::int64_t{decimals} - exponent_;  // digits to leave out
  if (is_zero() || drop <= 0) return *this;
  const int count = digits();
  if (drop > count) return Decimal();
  if (digits_.empty() && drop < kWordDigits) {
    const std::uint64_t unit = kPowers[static_cast<std::size_t>(drop)];
    std::uint64_t kept = small_ / unit;
    if (round && small_ % unit >= unit - unit / 2) ++kept;
    return from_word(negative_, kept, exponent_ + drop);
  }
  const std::string all = coefficient_text();
  const std::size_t keep = static_cast<std::size_t>(count - drop);
  cpp_int kept = keep == 0 ? cpp_int(0) : cpp_int(all.substr(0, keep));
  if (round && all[keep] >= '5') ++kept;
  std::int64_t exponent = exponent_ + drop;
  std::string text = trimmed(kept, exponent);
  // Fewer digits than before and a larger exponent: only the limit on exponents can be passed.
  Decimal out = *from_digits(negative_, text, 0);
  if (!out.is_zero()) out.exponent_ = static_cast<std::int32_t>(exponent);
  return out;
}

Decimal Decimal::rounded(int decimals) const {
  return cut(decimals, true);
}
Decimal Decimal::truncated(int decimals) const {
  return cut(decimals, false);
}

std::optional<std::int64_t> Decimal::to_int64() const noexcept {
  if (is_zero()) return 0;
  if (!digits_.empty() || exponent_ < 0 || exponent_ > 18) return std::nullopt;
  const Wide magnitude = Wide{small_} * kPowers[static_cast<std::size_t>(exponent_)];
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (magnitude > Wide{kMax} + (negative_ ? 1 : 0)) return std::nullopt;
  const std::uint64_t word = static_cast<std::uint64_t>(magnitude);
  return static_cast<std::int64_t>(negative_ ? 0 - word : word);
}

double Decimal::to_double() const noexcept {
  const std::string text = coefficient_text() + "e" + std::to_string(exponent_);
  double value = 0;
  const auto error = std::from_chars(text.data(), text.data() + text.size(), value).ec;
  if (error == std::errc::result_out_of_range) {
    value = exponent_ + digits() > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  }
  return negative_ ? -value : value;
}

std::string Decimal::to_string() const {
  if (is_zero()) return "0";
  return internal::spell(negative_, coefficient_text(), exponent_);
}

std::uint64_t Decimal::hash() const noexcept {
  const std::uint64_t seed =
      (static_cast<std::uint64_t>(static_cast<std::uint32_t>(exponent_)) << 1) |
      (negative_ ? 1U : 0U);
  if (!digits_.empty()) return hash64(digits_, seed);
  // SplitMix64's finisher over both words.
  std::uint64_t z = small_ + 0x9E3779B97F4A7C15ULL * (seed + 1);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

bool operator==(const Decimal& a, const Decimal& b) noexcept {
  return a.negative_ == b.negative_ && a.exponent_ == b.exponent_ && a.small_ == b.small_ &&
         a.digits_ == b.digits_;
}

// Compares the magnitudes of two numbers that are not zero.
std::strong_ordering Decimal::compare_magnitudes(const Decimal& a, const Decimal& b) noexcept {
  const int a_digits = a.digits();
  const int b_digits = b.digits();
  const std::int64_t a_top = std::int64_t{a.exponent_} + a_digits;
  const std::int64_t b_top = std::int64_t{b.exponent_} + b_digits;
  if (a_top != b_top) return a_top <=> b_top;
  if (a.digits_.empty() && b.digits_.empty()) {
    const int width = std::max(a_digits, b_digits);
    const Wide left = Wide{a.small_} * kPowers[static_cast<std::size_t>(width - a_digits)];
    const Wide right = Wide{b.small_} * kPowers[static_cast<std::size_t>(width - b_digits)];
    if (left == right) return std::strong_ordering::equal;
    return left < right ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  // Digits from the top: the shorter text is smaller when it is a prefix, since no zeros trail.
  return a.coefficient_text().compare(b.coefficient_text()) <=> 0;
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) noexcept {
  if (a == b) return std::strong_ordering::equal;
  if (a.is_zero()) return b.negative_ ? std::strong_ordering::greater : std::strong_ordering::less;
  if (b.is_zero()) return a.negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  if (a.negative_ != b.negative_) {
    return a.negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return a.negative_ ? Decimal::compare_magnitudes(b, a) : Decimal::compare_magnitudes(a, b);
}

}  // namespace agentfootprint::json
