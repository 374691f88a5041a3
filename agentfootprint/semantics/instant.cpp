// RFC 3339, leniently, into integers.
#include "agentfootprint/semantics/instant.hpp"

#include <date/date.h>
#include <fmt/format.h>

namespace agentfootprint::semantics {
namespace {

constexpr std::int64_t kFirstSecond = -62'167'219'200;  // 0000-01-01T00:00:00Z
constexpr std::int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z

// A reader of fixed digit fields; each step fails without moving on.
struct Fields {
  std::string_view rest;

  std::optional<int> digits(std::size_t count) noexcept {
    if (rest.size() < count) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (rest[i] < '0' || rest[i] > '9') return std::nullopt;
      value = value * 10 + (rest[i] - '0');
    }
    rest.remove_prefix(count);
    return value;
  }
  bool skip(char c) noexcept {
    if (rest.empty() || rest.front() != c) return false;
    rest.remove_prefix(1);
    return true;
  }
};

std::optional<std::int64_t> read_date(Fields& in) noexcept {
  const auto year = in.digits(4);
  if (!year || !in.skip('-')) return std::nullopt;
  const auto month = in.digits(2);
  if (!month || !in.skip('-')) return std::nullopt;
  const auto day = in.digits(2);
  if (!day) return std::nullopt;
  const date::year_month_day ymd = date::year(*year) / *month / *day;
  if (!ymd.ok()) return std::nullopt;
  return static_cast<std::int64_t>(date::sys_days(ymd).time_since_epoch().count()) * 86'400;
}

// `.` and one to nine digits, to nanoseconds.
std::optional<std::int32_t> read_fraction(Fields& in) noexcept {
  if (!in.skip('.')) return 0;
  std::int32_t nanos = 0;
  int count = 0;
  for (std::int32_t scale = 100'000'000; count < 9; scale /= 10, ++count) {
    const auto digit = in.digits(1);
    if (!digit) break;
    nanos += *digit * scale;
  }
  if (count == 0) return std::nullopt;
  return nanos;
}

struct Offset {
  bool readable = false;
  bool stated = false;
  int minutes = 0;
};

Offset read_offset(Fields& in) noexcept {
  if (in.rest.empty()) return {true, false, 0};
  if (in.skip('Z') || in.skip('z')) return {true, true, 0};
  const bool west = in.skip('-');
  if (!west && !in.skip('+')) return {};
  const auto hours = in.digits(2);
  if (!hours || !in.skip(':')) return {};
  const auto minutes = in.digits(2);
  if (!minutes || *hours > 23 || *minutes > 59) return {};
  const int total = *hours * 60 + *minutes;
  return {true, true, west ? -total : total};
}

}  // namespace

std::string_view name_of(Precision precision) noexcept {
  switch (precision) {
    case Precision::second:
      return "second";
    case Precision::millisecond:
      return "millisecond";
    case Precision::nanosecond:
      break;
  }
  return "nanosecond";
}

Precision precision_of(const Instant& at) noexcept {
  if (at.nanos == 0) return Precision::second;
  return at.nanos % 1'000'000 == 0 ? Precision::millisecond : Precision::nanosecond;
}

Instant ParsedTime::instant() const noexcept {
  return Instant{wall.seconds - std::int64_t{offset_minutes.value_or(0)} * 60, wall.nanos};
}

std::optional<ParsedTime> parse_time(std::string_view text) noexcept {
  Fields in{text};
  ParsedTime time;
  const auto day = read_date(in);
  if (!day) return std::nullopt;
  time.wall.seconds = *day;
  if (in.rest.empty()) return time;
  if (!in.skip('T') && !in.skip('t') && !in.skip(' ')) return std::nullopt;
  const auto hour = in.digits(2);
  if (!hour || *hour > 23 || !in.skip(':')) return std::nullopt;
  const auto minute = in.digits(2);
  if (!minute || *minute > 59) return std::nullopt;
  int second = 0;
  if (in.skip(':')) {
    const auto read = in.digits(2);
    if (!read || *read > 60) return std::nullopt;
    second = *read;
    const auto nanos = read_fraction(in);
    if (!nanos) return std::nullopt;
    time.wall.nanos = *nanos;
  }
  time.wall.seconds += *hour * 3600 + *minute * 60 + second;
  const Offset offset = read_offset(in);
  if (!offset.readable || !in.rest.empty()) return std::nullopt;
  if (offset.stated) time.offset_minutes = offset.minutes;
  if (!is_writable(time.instant())) return std::nullopt;
  return time;
}

std::optional<Instant> parse_instant(std::string_view text) noexcept {
  const auto time = parse_time(text);
  if (!time || !time->offset_minutes) return std::nullopt;
  return time->instant();
}

std::string format_utc(const Instant& at, Precision precision) {
  const std::int64_t day_count =
      at.seconds >= 0 ? at.seconds / 86'400 : (at.seconds - 86'399) / 86'400;
  const std::int64_t in_day = at.seconds - day_count * 86'400;
  const date::year_month_day ymd{date::sys_days{date::days{static_cast<int>(day_count)}}};
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(ymd.year()),
                  static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()),
                  in_day / 3600, in_day / 60 % 60, in_day % 60);
  if (precision == Precision::millisecond) text += fmt::format(".{:03}", at.nanos / 1'000'000);
  if (precision == Precision::nanosecond) text += fmt::format(".{:09}", at.nanos);
  return text + 'Z';
}

bool is_writable(const Instant& at) noexcept {
  return at.seconds >= kFirstSecond && at.seconds <= kLastSecond;
}

}  // namespace agentfootprint::semantics
