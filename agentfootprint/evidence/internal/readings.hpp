// From a lexeme to a Value, and small calendar sums. Not for direct use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agentfootprint/evidence/internal/fold.hpp"
#include "agentfootprint/evidence/internal/lexeme.hpp"
#include "agentfootprint/evidence/value.hpp"

namespace agentfootprint::evidence::internal {

// Digits of one reading of a number: sign aside, coefficient * 10^exponent.
struct Mantissa {
  std::uint64_t coefficient = 0;  // the first 19 significant digits
  std::int32_t exponent = 0;
  std::int16_t decimals = 0;
  std::int16_t significant = 0;
  bool exact = true;  // false: more digits than fit
};
[[nodiscard]] Mantissa read_mantissa(std::string_view folded, const NumberText& number,
                                     char decimal) noexcept;
// A bare JSON number.
[[nodiscard]] Reading json_number(std::string_view text);
// A double that is the same for every spelling of the same number, and near it.
[[nodiscard]] double near_double(const Mantissa& mantissa, bool negative) noexcept;
[[nodiscard]] double near_double(std::string_view folded, const NumberText& number, char decimal,
                                 bool negative) noexcept;
[[nodiscard]] double near_double(const Decimal& number) noexcept;

[[nodiscard]] std::int64_t days_of(
    const CivilDate& date) noexcept;  // since 1970-01-01; missing parts count as 1
[[nodiscard]] CivilDate date_of_days(std::int64_t days) noexcept;
// 2024-05-20 as the number 20240520.
[[nodiscard]] constexpr std::int32_t compact_date(const CivilDate& date) noexcept {
  return date.year * 10'000 + date.month * 100 + date.day;
}
// The second of the day in UTC; the zone counts only where it is written.
[[nodiscard]] constexpr std::int32_t utc_of_day(const ClockTime& time,
                                                const ZoneOffset& zone) noexcept {
  constexpr std::int32_t kDay = 86'400;
  const std::int32_t second = time.second_of_day - (zone.written ? zone.minutes * 60 : 0);
  return ((second % kDay) + kDay) % kDay;
}

// `offset` is where `work`'s raw text begins in the text that spans refer to; `source` is that raw
// text. `lists`: with the members of a list. `spelled`: with the normal spelling, which comparing
// does not need.
[[nodiscard]] Value make_value(const WorkText& work, std::string_view source, std::size_t offset,
                               const Lexeme& lexeme, const UnitTable& units, bool lists,
                               bool spelled = true);
// The same into a value that is used again.
void make_value(const WorkText& work, std::string_view source, std::size_t offset,
                const Lexeme& lexeme, const UnitTable& units, bool lists, bool spelled, Value& out);

}  // namespace agentfootprint::evidence::internal
