// What a value is: a typed piece of text with its readings.
//
// What: `Value` is one number, quantity, identifier, date, time, instant or duration as a text
// wrote it: the bytes (`raw`, `span`), the kind, and one or more `Reading`s. A reading is typed: an
// exact decimal with its written precision and unit, a calendar date, a clock time, a folded
// identifier. `1,410` has two readings (1410 and 1.410); they are alternatives of one span and
// never used together.
//
// When to use: results of `read_text` (reading.hpp), operands of derivations, what a verdict
// reports.
//
// Not guaranteed: that a value is true, or that its unit is in the table: a unit outside it is kept
// as written and equals only itself.
//
// Limits: years 1 to 9999; clock fractions to the nanosecond, further digits are cut.
//
// Example:
//   evidence::Reading reading;
//   reading.kind = evidence::ValueKind::number;
//   reading.number = json::Decimal(41200);
//   bool whole = reading.number.is_integer();   // true
//   (void)whole;
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/json/decimal.hpp"
#include "agentfootprint/json/scanner.hpp"

namespace agentfootprint::evidence {

using json::Decimal;
using json::Span;

enum class ValueKind : std::uint8_t {
  number,
  quantity,
  identifier,
  date,
  time,
  instant,
  duration,
  shape
};
// "number" … "duration"; "shape" for a declared shape (whose name stands in Value::shape).
[[nodiscard]] std::string_view name_of(ValueKind kind) noexcept;

// A calendar date. A part that is not written is 0: `2024` has a year only, `May 2024` year and
// month, `May 20` month and day.
struct CivilDate {
  std::int16_t year = 0;
  std::uint8_t month = 0;
  std::uint8_t day = 0;
  [[nodiscard]] bool complete() const noexcept { return year != 0 && month != 0 && day != 0; }
  [[nodiscard]] bool year_only() const noexcept { return year != 0 && month == 0; }
  friend bool operator==(const CivilDate&, const CivilDate&) = default;
};

enum class ClockPrecision : std::uint8_t { hour, minute, second, fraction };

struct ClockTime {
  std::int32_t second_of_day = 0;
  std::uint32_t nanosecond = 0;
  ClockPrecision precision = ClockPrecision::minute;
  friend bool operator==(const ClockTime&, const ClockTime&) = default;
};

struct ZoneOffset {
  bool written = false;
  std::int16_t minutes = 0;  // east of UTC
  friend bool operator==(const ZoneOffset&, const ZoneOffset&) = default;
};

// A unit of the table (units.hpp) by number, optionally per another (`GB/s`); or, outside the
// table, its folded spelling.
struct Unit {
  std::uint16_t id = 0;   // 0: none, or outside the table
  std::uint16_t per = 0;  // 0: no divisor
  std::string written;    // outside the table only
  [[nodiscard]] bool stated() const noexcept { return id != 0 || !written.empty(); }
  friend bool operator==(const Unit&, const Unit&) = default;
};

// Why a reading is one alternative among others; `plain` when the spelling is unambiguous.
enum class ReadingNote : std::uint8_t {
  plain,
  grouped,        // `1,410` or `1.410` read as 1410
  decimal_comma,  // `1,410` read as 1.410
  decimal_point,  // `1.410` read as 1.410, where 1410 is the other
  day_first,      // `03/04/2024` read as 3 April
  month_first,    // `03/04/2024` read as March 4
  half_day,       // `8:40` read as 20:40
  leading_zero,   // `0042` read as the number 42
  sign_word,      // `fell by 3000` read as -3000
  other_unit      // `35B` read as billion where bytes is the other
};
// "grouped", "decimal-comma", … ; "" for plain.
[[nodiscard]] std::string_view name_of(ReadingNote note) noexcept;

struct Reading {
  ValueKind kind = ValueKind::number;
  ReadingNote note = ReadingNote::plain;
  // number, quantity: as written, without scale word and unit. duration: seconds.
  Decimal number;
  std::int16_t decimals = 0;     // written digits behind the point, less the exponent
  std::int16_t significant = 0;  // written digits without leading zeros
  std::int8_t scale = 0;         // power of ten of a scale word: 6 for `M` and `million`
  Unit unit;
  CivilDate date;    // date, instant
  ClockTime time;    // time, instant
  ZoneOffset zone;   // time, instant
  std::string text;  // identifier, shape: folded, without 0x
};

struct Value {
  Span span;          // of `raw` in the text read
  std::string raw;    // verbatim
  std::string value;  // normal spelling: folded, no digit groups, no unit
  ValueKind kind = ValueKind::number;
  std::string shape;  // the declared shape's name
  std::vector<Reading> readings;
  // Answers only: members of a comma run's list reading, or of an identifier that may be a value
  // behind its label or alike values in a row.
  std::vector<Value> list;
  std::uint16_t digits = 0;  // written digits
  bool year = false;         // a bare year, told by a word before it
  bool ending = false;       // the text says that these are the last digits
  bool ratio = false;        // `24/7`
};

// The spellings a ledger compares: `value`, then the glued spelling (`1007us`), then either without
// 0x.
[[nodiscard]] std::vector<std::string> forms_of(const Value& value);

// The number of a reading with its scale word applied; empty past the limits of Decimal.
[[nodiscard]] Decimal scaled_number(const Reading& reading);

}  // namespace agentfootprint::evidence
