// The 64-bit keys by which the index finds values: equal values share a key, near values have near
// keys. Not for direct use.
//
// A key only proposes: every place it leads to is read again and compared exactly.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "agentfootprint/evidence/internal/lexeme.hpp"
#include "agentfootprint/evidence/internal/readings.hpp"
#include "agentfootprint/evidence/value.hpp"

namespace agentfootprint::evidence::internal {

enum class KeyTag : std::uint64_t {
  number = 1,      // the number as written, without scale word and unit
  identifier = 2,  // hash of the folded text without 0x
  civil = 3,       // seconds of the local calendar
  clock = 4,       // second of the day
  utc = 5,         // seconds since the epoch, of instants with an offset
  duration = 6,    // seconds of compound durations
  month_day = 7,   // dates without a year
  amount = 8       // numbers with a unit or scale word, in the base of their dimension
};

struct KeyRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

[[nodiscard]] std::uint64_t number_key(KeyTag tag, double value) noexcept;
[[nodiscard]] std::uint64_t amount_key(std::uint16_t dimension, double base) noexcept;
[[nodiscard]] std::uint64_t identifier_key(std::string_view folded) noexcept;
[[nodiscard]] std::uint64_t seconds_key(KeyTag tag, std::int64_t seconds) noexcept;
[[nodiscard]] inline std::uint64_t small_key(KeyTag tag, std::uint64_t value) noexcept {
  return (static_cast<std::uint64_t>(tag) << 60) | (value << 40);
}
// The calendar second of a key made by seconds_key.
[[nodiscard]] std::int64_t seconds_of_key(std::uint64_t key) noexcept;

// Every key of a lexeme, at most eight.
struct KeyList {
  std::uint64_t keys[12] = {};
  std::size_t count = 0;
  void add(std::uint64_t key) noexcept {
    if (count < 12) keys[count++] = key;
  }
};
void keys_of(std::string_view folded, const Lexeme& lexeme, const UnitTable& units, KeyList& out);

// The levels that are looked for together: exact, same-value and part-of; then rounded; then
// converted.
enum class Stage : std::uint8_t { same, rounded, converted };
// `years`: first and last year of the calendar keys there are (for dates without a year).
struct QueryContext {
  const UnitTable* units = nullptr;
  const std::vector<std::uint16_t>* hint_units = nullptr;
  int first_year = 0;
  int last_year = -1;
};
// Where values may be that match one of the value's readings in a stage; in order, without
// overlaps.
void queries_of(const Value& value, const QueryContext& context, Stage stage,
                std::vector<KeyRange>& out);

}  // namespace agentfootprint::evidence::internal
