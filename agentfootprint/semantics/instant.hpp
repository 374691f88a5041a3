// Reading instants and wall times from text.
//
// What: an RFC 3339 text read leniently (lower-case `t` and `z`, a space for the `T`, seconds left
// out, second 60 as the next minute, up to nine fraction digits, a date alone) into exact integers.
//
// When to use: where a declaration names an instant (a period, a time axis). A text without an
// offset is a wall time: it is no instant, and it is never taken for UTC.
//
// Not guaranteed: other spellings (week dates, basic format, comma fractions).
//
// Limits: years 0000 to 9999; nanoseconds.
//
// Example:
//   auto read = semantics::parse_time("2026-11-01T02:00:00+02:00");
//   bool zoned = read->offset_minutes.has_value();
//   semantics::Instant at = read->instant();                       // 2026-11-01T00:00:00Z
//   std::string text = semantics::format_utc(at, semantics::Precision::second);
//   (void)zoned; (void)text;
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agentfootprint::semantics {

struct Instant {
  std::int64_t seconds = 0;  // since 1970-01-01T00:00:00Z, floored
  std::int32_t nanos = 0;    // 0 to 999'999'999

  friend auto operator<=>(const Instant&, const Instant&) = default;
};

enum class Precision : std::uint8_t { second, millisecond, nanosecond };
[[nodiscard]] std::string_view name_of(Precision precision) noexcept;
// The coarsest precision that writes the instant exactly.
[[nodiscard]] Precision precision_of(const Instant& at) noexcept;

struct ParsedTime {
  Instant wall;                       // the written fields, read as if they were UTC
  std::optional<int> offset_minutes;  // empty: a wall time
  // The instant of a text with an offset; without one it is the wall time read as UTC, so ask
  // first.
  [[nodiscard]] Instant instant() const noexcept;
};

// Empty when the text is no such time or falls outside the years 0000 to 9999.
[[nodiscard]] std::optional<ParsedTime> parse_time(std::string_view text) noexcept;
// Empty also when the text has no offset.
[[nodiscard]] std::optional<Instant> parse_instant(std::string_view text) noexcept;

// `2026-11-01T00:00:00Z`, with 3 or 9 fraction digits at the finer precisions (finer digits are
// cut).
[[nodiscard]] std::string format_utc(const Instant& at, Precision precision);
// Is the instant in the years 0000 to 9999?
[[nodiscard]] bool is_writable(const Instant& at) noexcept;

}  // namespace agentfootprint::semantics
