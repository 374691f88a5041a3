// The Gregorian calendar as days since 1970, both ways.
#pragma once

#include <cstdint>

namespace agentfootprint::evidence::internal {

inline constexpr std::int64_t kSecondsADay = 86'400;

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}

struct CalendarDay {
  std::int64_t year;
  int month;
  int day;
};

// Years are counted from March here, so that a leap day is the last of its year.
constexpr CalendarDay calendar_day(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = floor_div(days, 146'097);
  const std::int64_t of_era = days - era * 146'097;
  const std::int64_t year = (of_era - of_era / 1'460 + of_era / 36'524 - of_era / 146'096) / 365;
  const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const std::int64_t march = (5 * of_year + 2) / 153;
  const int day = static_cast<int>(of_year - (153 * march + 2) / 5 + 1);
  const int month = static_cast<int>(march < 10 ? march + 3 : march - 9);
  return {year + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

constexpr std::int64_t days_of_date(std::int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = floor_div(year, 400);
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

constexpr int days_in_month(std::int64_t year, int month) {
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (month == 2) return leap ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

}  // namespace agentfootprint::evidence::internal
