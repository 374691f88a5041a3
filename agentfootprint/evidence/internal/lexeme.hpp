// One value as the reader cuts it, without memory of its own. Not for direct use.
//
// Everything is a place in the folded text; `readings.cpp` turns a lexeme into a Value, `keys.cpp`
// into index keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/evidence/units.hpp"
#include "agentfootprint/evidence/value.hpp"

namespace agentfootprint::evidence::internal {

using Pos = std::uint32_t;

// Digits with their separators: [begin, end), read with `decimal` as the decimal sign (0: none) and
// every other sign between digits as a group.
struct NumberText {
  Pos begin = 0;
  Pos end = 0;
  char decimal = 0;
  ReadingNote note = ReadingNote::plain;
  bool has_second = false;  // another reading of the same digits
  char second_decimal = 0;
  ReadingNote second_note = ReadingNote::plain;
  bool no_number = false;  // neither reading: a list only
  bool list = false;       // members separated by `list_sign` are values of their own
  char list_sign = ',';
  bool leading_zero = false;
  bool bare = false;  // nothing but digits
};

struct UnitText {
  std::uint16_t id = 0;
  std::uint16_t per = 0;
  std::int8_t scale = 0;
  std::uint16_t other_id = 0;  // an alternative: `35B` as bytes, where the first is the scale word
  Pos written_begin = 0;       // of a unit outside the table
  Pos written_end = 0;
  [[nodiscard]] bool stated() const noexcept { return id != 0 || written_end != written_begin; }
};

struct Lexeme {
  Pos begin = 0;  // raw
  Pos end = 0;
  Pos whole_end = 0;  // behind a unit, a scale word or `am` that stands one space behind
  Pos next = 0;       // where reading goes on
  ValueKind kind = ValueKind::number;
  bool negative = false;
  bool sign_word = false;  // a word tells a negative sign
  bool year = false;
  bool ending = false;
  bool ratio = false;
  bool half_day =
      false;  // a clock without am or pm, written as half of the day: also 12 hours later
  bool has_other_date = false;
  NumberText number;
  UnitText unit;
  CivilDate date;
  CivilDate other_date;  // day and month exchanged
  ReadingNote date_note = ReadingNote::plain;
  ClockTime time;
  ZoneOffset zone;
  std::int64_t duration_ns = 0;
};

class Lexer {
 public:
  // `no_uris`: the caller knows that the text holds no `data:`.
  Lexer(std::string_view folded, const UnitTable& units, bool no_uris = false)
      : w_(folded),
        units_(units),
        data_uri_(no_uris ? std::string_view::npos : 0),
        data_uri_known_(no_uris) {}

  // The first value at `from` or later; false at the end. Deterministic in (text, from).
  bool next(std::size_t from, Lexeme& out);

 private:
  friend class DateReader;
  std::string_view w_;
  const UnitTable& units_;
  std::size_t base64_known_ = 0;  // runs up to here were looked at
  std::size_t data_uri_;          // place of the next `data:`; npos: none
  bool data_uri_known_;

  bool skip_opaque(std::size_t& at, std::size_t token_begin);
  bool read_token(std::size_t token, std::size_t digit, std::size_t floor, Lexeme& out);
};

// Pieces of the reader; each looks at the folded text from `at` on and gives where its value ends.
struct Scan {
  std::string_view w;

  [[nodiscard]] char at(std::size_t i) const noexcept { return i < w.size() ? w[i] : '\0'; }
  [[nodiscard]] bool word_at(std::size_t i) const noexcept {
    return i < w.size() && is_word_byte(w[i]);
  }
  [[nodiscard]] bool digit_at(std::size_t i) const noexcept {
    return i < w.size() && static_cast<unsigned char>(w[i] - '0') < 10;
  }
  [[nodiscard]] std::size_t digits_end(std::size_t i) const noexcept {
    while (digit_at(i)) ++i;
    return i;
  }
  [[nodiscard]] std::size_t letters_end(std::size_t i) const noexcept;
  [[nodiscard]] int number(std::size_t begin,
                           std::size_t end) const noexcept;  // of at most 9 digits
  // No letter or digit, and no joiner joined to one, on that side.
  [[nodiscard]] bool ends_at(std::size_t i) const noexcept;
  [[nodiscard]] bool starts_at(std::size_t i) const noexcept;
  // The letters that end before `i` (exclusive), behind one space: [begin, end).
  [[nodiscard]] std::string_view word_before(std::size_t i) const noexcept;
  [[nodiscard]] std::string_view word_from(std::size_t i) const noexcept;
  // Two or more points from `i` on between two words (`db-017..db-019`): a range or a pause.
  [[nodiscard]] bool pause_at(std::size_t i) const noexcept;
  [[nodiscard]] bool pause_before(std::size_t i) const noexcept;
  // Does a token that holds the byte before go on here?
  [[nodiscard]] bool goes_on_at(std::size_t i) const noexcept;
  // `line 1475.To fix it`: the sentence ends at the point, and its space was forgotten.
  [[nodiscard]] bool sentence_ends_at(std::size_t i) const noexcept;
  static bool is_word_byte(char c) noexcept;
};

// ASCII case is ignored; `word` is lower case.
[[nodiscard]] bool same_word(std::string_view text, std::string_view word) noexcept;

// lex_number.cpp
[[nodiscard]] bool lex_number_text(const Scan& scan, std::size_t at, NumberText& out);
// Does a number with a comma between its groups begin here? What stands behind it is not of it.
[[nodiscard]] bool is_grouped_by_comma(const Scan& scan, std::size_t at);
// A number with sign, currency and unit; `at` is its first digit (or the point before it), `floor`
// the first byte that may be taken.
[[nodiscard]] bool lex_quantity(const Scan& scan, const UnitTable& units, std::size_t at,
                                std::size_t floor, Lexeme& out);
// lex_unit.cpp
[[nodiscard]] bool lex_unit(const Scan& scan, const UnitTable& units, std::size_t at, bool currency,
                            UnitText& unit, std::size_t& raw_end, std::size_t& whole_end);
[[nodiscard]] std::uint16_t currency_before(const Scan& scan, const UnitTable& units,
                                            std::size_t at, std::size_t floor, std::size_t& begin);
[[nodiscard]] bool lex_duration(const Scan& scan, const UnitTable& units, std::size_t at,
                                Lexeme& out);
// `PT3H30M`, with `at` on its first digit.
[[nodiscard]] bool lex_iso_duration(const Scan& scan, std::size_t at, std::size_t floor,
                                    Lexeme& out);
// lex_clock.cpp: hours, minutes, seconds, `am` or `pm`, a zone, from their first digit. Gives where
// the raw ends and where the whole does. `compact`: `0815` counts too. `dated`: a date stands
// before.
[[nodiscard]] bool lex_clock(const Scan& scan, std::size_t at, bool compact, bool dated,
                             Lexeme& out, std::size_t& end, std::size_t& whole);
// lex_date.cpp: an instant, a date or a time; `at` is the first digit, `floor` as above (a month
// name may stand before the digits).
[[nodiscard]] bool lex_calendar(const Scan& scan, std::size_t at, std::size_t floor, Lexeme& out);
// lex_words.cpp: what the words around a value say of it.
void read_words_around(const Scan& scan, Lexeme& lexeme);
// lex_host.cpp: where an address with signs beyond the token alphabet ends; `end` of the token
// otherwise.
[[nodiscard]] std::size_t address_end(const Scan& scan, std::size_t begin,
                                      std::size_t end) noexcept;

// The other spellings of a MAC address or a WWN (pairs by `:` or `-`, fours by `.`, nothing
// between) or an IPv6 address (shortest, no group left out, every digit), in lower case; none for
// other tokens.
[[nodiscard]] std::vector<std::string> address_spellings(std::string_view token);

// `v1.2`, `V2026.4.1-rc1`: a version behind its letter.
[[nodiscard]] bool is_version(std::string_view token) noexcept;

// Does an identifier that begins here stand behind the `#` of a URL or a file name?
[[nodiscard]] bool is_fragment(std::string_view folded, std::size_t begin) noexcept;

inline constexpr std::size_t kShortestDigest = 40;  // in hexadecimal digits; it has parts

// Parts of an identifier that are values of their own (host, port, path, query value, …), as
// places.
struct PartSink {
  virtual void part(std::size_t begin, std::size_t end) = 0;

 protected:
  ~PartSink() = default;
};
void each_part(std::string_view folded, std::size_t begin, std::size_t end, PartSink& sink);

}  // namespace agentfootprint::evidence::internal
