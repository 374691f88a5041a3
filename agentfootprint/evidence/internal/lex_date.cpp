// Instants and dates; a time alone.
#include <array>

#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/lexeme.hpp"

namespace agentfootprint::evidence::internal {
namespace {

constexpr int kFirstYear = 1500;  // of a bare year and of year and month
constexpr int kLastYear = 2199;

bool valid_day(int year, int month, int day) noexcept {
  static constexpr std::array<int, 13> kDays = {0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1 || day > kDays[static_cast<std::size_t>(month)])
    return false;
  const bool leap = year == 0 || (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
  return month != 2 || day != 29 || leap;
}

CivilDate civil(int year, int month, int day) noexcept {
  return {static_cast<std::int16_t>(year), static_cast<std::uint8_t>(month),
          static_cast<std::uint8_t>(day)};
}

struct MonthName {
  std::string_view full;
  std::size_t shortest;  // letters that suffice
};
constexpr std::array<MonthName, 12> kMonths = {{{"january", 3},
                                                {"february", 3},
                                                {"march", 3},
                                                {"april", 3},
                                                {"may", 3},
                                                {"june", 3},
                                                {"july", 3},
                                                {"august", 3},
                                                {"september", 3},
                                                {"october", 3},
                                                {"november", 3},
                                                {"december", 3}}};

// 1 to 12; 0 for another word. `may` and `march` count only with a capital: they are also verbs.
int month_of(std::string_view word) noexcept {
  if (word.size() < 3) return 0;
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    const bool full = same_word(word, kMonths[i].full);
    const bool brief = word.size() == 3 && same_word(word, kMonths[i].full.substr(0, 3));
    if (full || brief || (i == 8 && same_word(word, "sept"))) {
      const bool verb = i == 4 || (i == 2 && full);
      if (verb && (word[0] < 'A' || word[0] > 'Z')) return 0;
      return static_cast<int>(i) + 1;
    }
  }
  return 0;
}

bool is_blank(char c) noexcept {
  return c == ' ' || c == kGroupSpace;
}

}  // namespace

// What has been read so far and where it ends.
class DateReader {
 public:
  DateReader(const Scan& scan, std::size_t floor, Lexeme& out)
      : s_(scan), floor_(floor), out_(out) {}

  bool read(std::size_t at) {
    out_.begin = static_cast<Pos>(at);
    std::size_t end = 0;
    if (unix_date(at)) return true;
    if (iso_date(at, end) || compact_date(at, end) || month_first(at, end) || day_first(at, end) ||
        mixed_date(at, end)) {
      return finish_date(end);
    }
    if (year_month(at, end)) return finish_month(at, end);
    return clock(at);
  }

 private:
  bool iso_date(std::size_t at, std::size_t& end) {
    const std::size_t year_end = s_.digits_end(at);
    const char sign = s_.at(year_end);
    if (year_end - at != 4 || (sign != '-' && sign != '/' && sign != '.')) return false;
    const std::size_t month_end = s_.digits_end(year_end + 1);
    if (month_end - year_end - 1 > 2 || s_.at(month_end) != sign) return false;
    const std::size_t day_end = s_.digits_end(month_end + 1);
    if (day_end == month_end + 1 || day_end - month_end - 1 > 2) return false;
    if (month_end == year_end + 1) return false;
    const int year = s_.number(at, year_end);
    const int month = s_.number(year_end + 1, month_end);
    const int day = s_.number(month_end + 1, day_end);
    if (year == 0 || !valid_day(year, month, day)) return false;
    out_.date = civil(year, month, day);
    end = day_end;
    return true;
  }

  // `20240520T0815Z`: only with a time.
  bool compact_date(std::size_t at, std::size_t& end) {
    const std::size_t digits = s_.digits_end(at);
    if (digits - at != 8 || s_.at(digits) != 'T' || !s_.digit_at(digits + 1)) return false;
    const int year = s_.number(at, at + 4);
    const int month = s_.number(at + 4, at + 6);
    const int day = s_.number(at + 6, digits);
    if (year == 0 || !valid_day(year, month, day)) return false;
    out_.date = civil(year, month, day);
    end = digits;
    return true;
  }

  // `03/04/2024`, `3-4-2024`, `20.05.2024`, `05/20/24`.
  bool mixed_date(std::size_t at, std::size_t& end) {
    const std::size_t first_end = s_.digits_end(at);
    const char sign = s_.at(first_end);
    if (first_end - at > 2 || (sign != '/' && sign != '-' && sign != '.')) return false;
    const std::size_t second_end = s_.digits_end(first_end + 1);
    const std::size_t second = second_end - first_end - 1;
    if (second == 0 || second > 2 || s_.at(second_end) != sign) return false;
    const std::size_t year_end = s_.digits_end(second_end + 1);
    const std::size_t year_digits = year_end - second_end - 1;
    if (year_digits != 4 && !(year_digits == 2 && sign == '/')) return false;
    const int a = s_.number(at, first_end);
    const int b = s_.number(first_end + 1, second_end);
    int year = s_.number(second_end + 1, year_end);
    if (year_digits == 2) year += year < 70 ? 2000 : 1900;
    const bool month_first = year >= 1000 && valid_day(year, a, b) && sign != '.';
    const bool day_first = year >= 1000 && valid_day(year, b, a);
    if (!month_first && !day_first) return false;
    out_.date = month_first ? civil(year, a, b) : civil(year, b, a);
    if (month_first && day_first && a != b) {
      out_.has_other_date = true;
      out_.other_date = civil(year, b, a);
      out_.date_note = ReadingNote::month_first;
    }
    end = year_end;
    return true;
  }

  std::size_t day_end(std::size_t at, int& day) const {
    const std::size_t digits = s_.digits_end(at);
    if (digits == at || digits - at > 2) return 0;
    day = s_.number(at, digits);
    if (day < 1 || day > 31) return 0;
    const std::size_t letters = s_.letters_end(digits);
    if (letters == digits) return digits;
    const std::string_view word = s_.w.substr(digits, letters - digits);
    const bool ordinal = same_word(word, "st") || same_word(word, "nd") || same_word(word, "rd") ||
                         same_word(word, "th");
    return ordinal ? letters : 0;
  }

  // A year behind a date's other parts, joined by a comma, a space, or both; 0 when none stands
  // there.
  std::size_t year_behind(std::size_t at, int& year) const {
    std::size_t p = at;
    if (s_.at(p) == ',') ++p;
    if (is_blank(s_.at(p))) ++p;
    if (p == at && s_.at(p) == '-') ++p;
    if (p == at) return 0;
    const std::size_t end = s_.digits_end(p);
    if (end - p != 4) return 0;
    year = s_.number(p, end);
    const bool plain = year >= 1000 && year <= 2999 && s_.ends_at(end);
    // `May 20, 1500 rows` states a number only when it cannot be a year of a date.
    return plain && s_.at(end) != '%' ? end : 0;
  }

  // Of `15/Jan/2026:23:30:00`, as web servers write their logs.
  std::size_t year_behind_slash(std::size_t at, int& year) const {
    if (s_.at(at) != '/') return 0;
    const std::size_t end = s_.digits_end(at + 1);
    if (end - at - 1 != 4) return 0;
    year = s_.number(at + 1, end);
    return year >= 1000 && year <= 2999 ? end : 0;
  }

  // The month name before `at`, behind a space or a dash: sets where it begins.
  int month_before(std::size_t at, std::size_t& begin) const {
    if (at <= floor_ || (!is_blank(s_.at(at - 1)) && s_.at(at - 1) != '-')) return 0;
    std::size_t word_end = at - 1;
    if (word_end > floor_ && s_.at(word_end - 1) == '.') --word_end;
    begin = word_end;
    while (begin > floor_ && is_letter(s_.at(begin - 1))) --begin;
    if (begin == word_end || !s_.starts_at(begin)) return 0;
    return month_of(s_.w.substr(begin, word_end - begin));
  }

  // `May 20, 2024`, `May 2024`, and the second day of `May 20-25, 2024`.
  bool month_first(std::size_t at, std::size_t& end) {
    std::size_t begin = at;
    int month = month_before(at, begin);
    if (month == 0 && (month = month_of_range(at)) != 0) begin = at;
    if (month == 0) return false;
    const std::size_t digits = s_.digits_end(at);
    if (digits - at == 4) {
      const int year = s_.number(at, digits);
      if (year < kFirstYear || year > kLastYear || begin == at) return false;
      out_.begin = static_cast<Pos>(begin);
      out_.date = civil(year, month, 0);
      end = digits;
      return true;
    }
    int day = 0;
    end = day_end(at, day);
    if (end == 0 || !valid_day(0, month, day)) return impossible(at, begin, month, end);
    int year = 0;
    if (const std::size_t behind = year_behind(end, year);
        behind != 0 && valid_day(year, month, day)) {
      end = behind;
      out_.date = civil(year, month, day);
    } else {
      out_.date = civil(year_of_range(end), month, day);
    }
    out_.begin = static_cast<Pos>(begin);
    return true;
  }

  // `Nov 30 10:02:33 2026 +0100` and `Nov  3 10:02:33 CET 2026`, as Unix programs print an instant.
  bool unix_date(std::size_t at) {
    const bool padded = at >= 2 && is_blank(s_.at(at - 2));
    std::size_t begin = at;
    const int month = month_before(padded ? at - 1 : at, begin);
    const std::size_t day_end = s_.digits_end(at);
    if (month == 0 || day_end - at > 2 || !is_blank(s_.at(day_end))) return false;
    const int day = s_.number(at, day_end);
    std::size_t end = 0;
    std::size_t p = 0;
    if (!s_.digit_at(day_end + 1) || !lex_clock(s_, day_end + 1, false, true, out_, end, p)) {
      return false;
    }
    if (is_blank(s_.at(p)) && s_.letters_end(p + 1) > p + 1) p = s_.letters_end(p + 1);
    const std::size_t year_end = s_.digits_end(p + 1);
    const int year = s_.number(p + 1, year_end);
    if (!is_blank(s_.at(p)) || year_end - p - 1 != 4 || year < kFirstYear || year > kLastYear ||
        !valid_day(year, month, day) || !s_.ends_at(year_end)) {
      return false;
    }
    out_.begin = static_cast<Pos>(begin);
    out_.date = civil(year, month, day);
    return finish(ValueKind::instant, year_end, offset_behind(year_end));
  }

  // ` +0100` behind a year; gives its end, or where it would begin.
  std::size_t offset_behind(std::size_t at) {
    const char sign = s_.at(at + 1);
    const std::size_t end = s_.digits_end(at + 2);
    if (!is_blank(s_.at(at)) || (sign != '+' && sign != '-') || end - at != 6 || !s_.ends_at(end)) {
      return at;
    }
    const int minutes = s_.number(at + 2, at + 4) * 60 + s_.number(at + 4, end);
    out_.zone = {true, static_cast<std::int16_t>(sign == '-' ? -minutes : minutes)};
    return end;
  }

  // `May 50, 2024`: a date in every part, and one that nothing can carry.
  bool impossible(std::size_t at, std::size_t begin, int month, std::size_t& end) {
    const std::size_t digits = s_.digits_end(at);
    if (digits - at != 2) return false;
    const std::size_t letters = s_.letters_end(digits);
    if (letters - digits != 0 && letters - digits != 2) return false;
    int year = 0;
    end = year_behind(letters, year);
    if (end == 0) return false;
    out_.begin = static_cast<Pos>(begin);
    out_.date = civil(year, month, s_.number(at, digits));
    return true;
  }

  // At the second day of `May 20-25`: the month.
  int month_of_range(std::size_t at) const {
    if (at == 0 || (s_.at(at - 1) != '-' && s_.at(at - 1) != kLongDash)) return 0;
    std::size_t day = at - 1;
    while (day > 0 && s_.digit_at(day - 1)) --day;
    if (day == at - 1 || at - 1 - day > 2 || day == 0 || !is_blank(s_.at(day - 1))) return 0;
    std::size_t word = day - 1;
    while (word > 0 && is_letter(s_.at(word - 1))) --word;
    return word == day - 1 ? 0 : month_of(s_.w.substr(word, day - 1 - word));
  }
  // Behind the first day of `May 20-25, 2024`: the year.
  int year_of_range(std::size_t at) const {
    if (s_.at(at) != '-' && s_.at(at) != kLongDash) return 0;
    int day = 0;
    const std::size_t end = day_end(at + 1, day);
    int year = 0;
    return end != 0 && year_behind(end, year) != 0 ? year : 0;
  }

  // `20 May 2024`, `20-May-2024`, `20/May/2024`, `20th of May`.
  bool day_first(std::size_t at, std::size_t& end) {
    int day = 0;
    std::size_t p = day_end(at, day);
    if (p == 0) return false;
    const bool slash = s_.at(p) == '/';
    if (!is_blank(s_.at(p)) && s_.at(p) != '-' && !slash) return false;
    ++p;
    if (same_word(s_.word_from(p), "of") && is_blank(s_.at(p + 2))) p += 3;
    const std::size_t word_end = s_.letters_end(p);
    const int month = month_of(s_.w.substr(p, word_end - p));
    if (month == 0 || !valid_day(0, month, day)) return false;
    std::size_t behind = word_end;
    int year = 0;
    const std::size_t dot =
        s_.at(behind) == '.' && is_blank(s_.at(behind + 1)) ? behind + 1 : behind;
    const std::size_t year_end = slash ? year_behind_slash(dot, year) : year_behind(dot, year);
    if (slash && year_end == 0) return false;
    if (year_end != 0 && valid_day(year, month, day)) {
      out_.date = civil(year, month, day);
      end = year_end;
      return true;
    }
    if (!s_.ends_at(behind)) return false;
    out_.date = civil(0, month, day);
    end = behind;
    return true;
  }

  bool year_month(std::size_t at, std::size_t& end) {
    const std::size_t year_end = s_.digits_end(at);
    if (year_end - at != 4 || (s_.at(year_end) != '-' && s_.at(year_end) != '/')) return false;
    end = s_.digits_end(year_end + 1);
    if (end - year_end - 1 != 2) return false;
    const int year = s_.number(at, year_end);
    const int month = s_.number(year_end + 1, end);
    if (year < kFirstYear || year > kLastYear || month < 1 || month > 12) return false;
    out_.date = civil(year, month, 0);
    return s_.ends_at(end);
  }

  bool finish_month(std::size_t at, std::size_t end) {
    if (at != out_.begin || !starts(at)) return false;
    return finish(ValueKind::date, end, end);
  }

  bool starts(std::size_t at) const { return at == floor_ || s_.starts_at(at); }

  // A date; with a time behind it, an instant.
  bool finish_date(std::size_t end) {
    if (!starts(out_.begin)) return false;
    if (out_.date.complete()) {
      std::size_t p = end;
      const bool log = s_.at(p) == ':' && is_letter(s_.at(p - 6));  // `15/Jan/2026:23:30:00`
      const bool letter = s_.at(p) == 'T' || s_.at(p) == 't' || s_.at(p) == '_' || log;
      if (letter) {
        ++p;
      } else {
        if (s_.at(p) == ',') ++p;
        if (is_blank(s_.at(p))) ++p;
        if (p == end + 1 && s_.at(end) == ',') p = end;
      }
      std::size_t clock_end = 0;
      std::size_t whole = 0;
      if (p > end && s_.digit_at(p) && lex_clock(s_, p, letter, true, out_, clock_end, whole)) {
        return finish(ValueKind::instant, whole, whole);
      }
    }
    // `2024-05-20/2024-05-25` and `May 20-25` go on behind the sign.
    const char c = s_.at(end);
    const bool joined = (c == '/' || c == '-' || c == kLongDash) && s_.digit_at(end + 1);
    if (!s_.ends_at(end)) {
      if (!joined || !another_date(end + 1)) return false;
      finish(ValueKind::date, end, end);
      out_.next = static_cast<Pos>(end + 1);
      return true;
    }
    return finish(ValueKind::date, end, end);
  }

  bool another_date(std::size_t at) const {
    Lexeme other;
    DateReader reader(s_, at, other);
    return reader.read(at) && (other.kind == ValueKind::date || other.kind == ValueKind::instant);
  }

  bool finish(ValueKind kind, std::size_t end, std::size_t whole) {
    out_.kind = kind;
    out_.end = static_cast<Pos>(end);
    out_.whole_end = out_.next = static_cast<Pos>(whole);
    return true;
  }

  // `08:15`, `8:15:30.250 pm`, `8 am`.
  bool clock(std::size_t at) {
    if (!starts(at)) return false;
    std::size_t end = 0;
    std::size_t whole = 0;
    if (!lex_clock(s_, at, false, false, out_, end, whole)) return false;
    finish(ValueKind::time, end, whole);
    if (s_.at(end) == '-' && whole == end) out_.next = static_cast<Pos>(end + 1);
    return true;
  }

  const Scan& s_;
  std::size_t floor_;
  Lexeme& out_;
};

namespace {

// `2026-04-12T08:15:00Z` and the same without its Z, alone in its place: how most machines write an
// instant. False for anything else, which is then read with care.
bool lex_plain_instant(const Scan& scan, std::size_t at, std::size_t floor, Lexeme& out) {
  constexpr std::size_t kLength = 19;
  if (scan.w.size() - at < kLength || (at != floor && !scan.starts_at(at))) return false;
  const char* p = scan.w.data() + at;
  if (p[4] != '-' || p[7] != '-' || p[10] != 'T' || p[13] != ':' || p[16] != ':') return false;
  int parts[6] = {};
  static constexpr std::array<std::array<std::uint8_t, 2>, 6> kPlaces = {
      {{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}}};
  for (std::size_t i = 0; i < kPlaces.size(); ++i) {
    for (std::size_t k = kPlaces[i][0]; k < kPlaces[i][1]; ++k) {
      if (!is_digit(p[k])) return false;
      parts[i] = parts[i] * 10 + (p[k] - '0');
    }
  }
  if (parts[0] == 0 || !valid_day(parts[0], parts[1], parts[2])) return false;
  if (parts[3] > 23 || parts[4] > 59 || parts[5] > 60) return false;
  std::size_t end = at + kLength;
  const bool zulu = scan.at(end) == 'Z';
  if (zulu) ++end;
  const char behind = scan.at(end);
  if (end < scan.w.size() && behind != '"' && behind != '\n' && !(zulu && behind == ' '))
    return false;
  out.kind = ValueKind::instant;
  out.begin = static_cast<Pos>(at);
  out.end = out.whole_end = out.next = static_cast<Pos>(end);
  out.date = civil(parts[0], parts[1], parts[2]);
  out.time.second_of_day = parts[3] * 3600 + parts[4] * 60 + parts[5];
  out.time.precision = ClockPrecision::second;
  if (zulu) out.zone = {true, 0};
  return true;
}

}  // namespace

bool lex_calendar(const Scan& scan, std::size_t at, std::size_t floor, Lexeme& out) {
  // Only digits that a date or clock can begin with.
  const std::size_t digits = scan.digits_end(at) - at;
  if (digits == 0 || digits > 8 || (digits > 4 && digits != 8)) return false;
  if (digits == 4 && lex_plain_instant(scan, at, floor, out)) return true;
  Lexeme found;
  DateReader reader(scan, floor, found);
  if (!reader.read(at)) return false;
  out = found;
  return true;
}

}  // namespace agentfootprint::evidence::internal
