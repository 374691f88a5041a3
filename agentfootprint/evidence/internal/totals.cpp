// Exact sums of written numbers, and amounts with a sign of currency.
#include <algorithm>

#include "agentfootprint/base/hash.hpp"
#include "agentfootprint/evidence/internal/tables.hpp"

namespace agentfootprint::evidence::internal {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The digits of a plain number as an integer and its places after the point; false for more than 17
// digits, more than six places, or another spelling.
bool small_number(std::string_view text, std::int64_t& value, std::size_t& places) {
  std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
  const bool negative = at == 1;
  if (text.size() <= at || text.size() > 18) return false;
  value = 0;
  places = 0;
  bool point = false;
  for (; at < text.size(); ++at) {
    if (is_digit(text[at])) {
      value = value * 10 + (text[at] - '0');
      if (point) ++places;
    } else if (text[at] == '.' && !point) {
      point = true;
    } else {
      return false;
    }
  }
  if (negative) value = -value;
  return places < 7;
}

}  // namespace

bool Total::add(std::string_view number) {
  std::int64_t value = 0;
  std::size_t places = 0;
  if (small_number(number, value, places)) {
    if (places > 0) integers_ = false;
    ++count_;
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(parts_[places], value, &sum)) {
      parts_[places] = sum;
      return true;
    }
    const auto wide = json::Decimal::scaled(value, -static_cast<std::int32_t>(places));
    if (auto more = spill_.value_or(json::Decimal()).plus(wide)) spill_ = *more;
    return true;
  }
  const auto exact = json::Decimal::parse(number);
  if (!exact) return false;
  const auto more = spill_.value_or(json::Decimal()).plus(*exact);
  if (!more) return false;
  spill_ = *more;
  if (!exact->is_integer()) integers_ = false;
  ++count_;
  return true;
}

json::Decimal Total::sum() const {
  json::Decimal total = spill_.value_or(json::Decimal());
  for (std::size_t places = 0; places < kPlaces; ++places) {
    if (parts_[places] == 0) continue;
    const auto part = json::Decimal::scaled(parts_[places], -static_cast<std::int32_t>(places));
    total = total.plus(part).value_or(total);
  }
  return total;
}

void Total::add_sum(const json::Decimal& sum, std::uint32_t count, bool integers) {
  const json::Decimal before = spill_.value_or(json::Decimal());
  spill_ = before.plus(sum).value_or(before);
  count_ += count;
  integers_ = integers_ && integers;
}

std::uint64_t text_hash(std::string_view text) {
  if (text.size() == 1) return hash64(text);
  char small[kMaxGroupBytes];
  const std::size_t size = std::min(text.size(), kMaxGroupBytes);
  for (std::size_t i = 0; i < size; ++i) {
    const char c = text[i];
    small[i] = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return hash64(std::string_view(small, size));
}

std::optional<PlainAmount> plain_amount(std::string_view text) {
  PlainAmount amount;
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  for (const std::string_view sign : {"$", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5"}) {
    if (!text.starts_with(sign)) continue;
    amount.unit = sign;
    text.remove_prefix(sign.size());
    break;
  }
  if (amount.unit.empty() && text.ends_with('%')) {
    amount.unit = "%";
    text.remove_suffix(1);
  }
  if (text.empty() || text.size() > 40 || !is_digit(text[0])) return std::nullopt;
  if (negative) amount.number = "-";
  bool point = false;
  std::size_t run = 0;  // digits since the last comma
  bool grouped = false;
  for (const char c : text) {
    if (is_digit(c)) {
      amount.number += c;
      if (!point) ++run;
    } else if (c == ',' && !point && run >= 1 && run <= 3 && (!grouped || run == 3)) {
      grouped = true;
      run = 0;
    } else if (c == '.' && !point && (!grouped || run == 3)) {
      point = true;
      amount.number += c;
    } else {
      return std::nullopt;
    }
  }
  if (grouped && run != 3) return std::nullopt;
  if (!is_digit(text.back())) return std::nullopt;
  // A leading zero without a point makes it an identifier.
  if (text.size() > 1 && text[0] == '0' && !point) return std::nullopt;
  return amount;
}

}  // namespace agentfootprint::evidence::internal
