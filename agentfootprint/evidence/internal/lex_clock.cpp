// Clock times: hours to fractions, halves of the day, zones.
#include <array>

#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/lexeme.hpp"

namespace agentfootprint::evidence::internal {
namespace {

bool is_blank(char c) noexcept {
  return c == ' ' || c == kGroupSpace;
}

class ClockReader {
 public:
  ClockReader(const Scan& scan, Lexeme& out) : s_(scan), out_(out) {}

  // Hours, minutes, seconds; `am`, `pm`; a zone. `compact`: `0815` counts too.
  bool read(std::size_t at, bool compact, bool dated, std::size_t& end, std::size_t& whole) {
    int hour = 0;
    int minute = 0;
    int second = 0;
    ClockTime time;
    std::size_t p = s_.digits_end(at);
    const std::size_t digits = p - at;
    if (s_.at(p) == ':' && digits <= 2) {
      hour = s_.number(at, p);
      const std::size_t minutes = s_.digits_end(p + 1);
      if (minutes - p - 1 != 2) return false;
      minute = s_.number(p + 1, minutes);
      p = minutes;
      if (s_.at(p) == ':' && s_.digit_at(p + 1)) {
        const std::size_t seconds = s_.digits_end(p + 1);
        if (seconds - p - 1 != 2) return false;
        second = s_.number(p + 1, seconds);
        time.precision = ClockPrecision::second;
        p = seconds;
        if ((s_.at(p) == '.' || s_.at(p) == ',') && s_.digit_at(p + 1)) p = fraction(p + 1, time);
      }
    } else if (compact && (digits == 4 || digits == 6)) {
      hour = s_.number(at, at + 2);
      minute = s_.number(at + 2, at + 4);
      if (digits == 6) {
        second = s_.number(at + 4, p);
        time.precision = ClockPrecision::second;
      }
    } else if (digits <= 2) {
      hour = s_.number(at, p);
      time.precision = ClockPrecision::hour;
    } else {
      return false;
    }
    end = whole = p;
    const int half = read_half(end, whole);
    if (time.precision == ClockPrecision::hour && half < 0) return false;
    if (half >= 0) {
      if (hour < 1 || hour > 12) return false;
      hour = hour % 12 + half * 12;
    }
    if (hour > 23 || minute > 59 || second > 60) return false;
    time.second_of_day = hour * 3600 + minute * 60 + second;
    out_.time = time;
    out_.half_day = half < 0 && digits == 1 && hour >= 1;
    if (half < 0 && digits == 2 && hour >= 10 && hour <= 12 && !dated) out_.half_day = true;
    if (!read_zone(dated, end, whole) && !clock_ends(whole, dated)) return false;
    return true;
  }

 private:
  std::size_t fraction(std::size_t at, ClockTime& time) const {
    const std::size_t end = s_.digits_end(at);
    std::uint32_t ns = 0;
    std::uint32_t unit = 100'000'000;
    for (std::size_t i = at; i < end && unit != 0; ++i, unit /= 10) {
      ns += static_cast<std::uint32_t>(s_.at(i) - '0') * unit;
    }
    time.nanosecond = ns;
    time.precision = ClockPrecision::fraction;
    return end;
  }

  // -1: none; 0: am; 1: pm. Glued it belongs to `end`, behind a space to `whole` only.
  int read_half(std::size_t& end, std::size_t& whole) const {
    std::size_t p = end;
    if (is_blank(s_.at(p))) ++p;
    const char c = lower(s_.at(p));
    if (c != 'a' && c != 'p') return -1;
    std::size_t behind = 0;
    if (lower(s_.at(p + 1)) == 'm') {
      behind = p + 2;
    } else if (s_.at(p + 1) == '.' && lower(s_.at(p + 2)) == 'm') {
      behind = p + 3 + (s_.at(p + 3) == '.' ? 1 : 0);
    }
    if (behind == 0 || s_.word_at(behind)) return -1;
    whole = behind;
    if (p == end) end = behind;
    return c == 'p' ? 1 : 0;
  }

  // `Z`, `+02:00`, ` UTC`. True when one was read.
  bool read_zone(bool dated, std::size_t& end, std::size_t& whole) {
    std::size_t p = whole;
    if ((s_.at(p) == 'Z' || s_.at(p) == 'z') && !s_.word_at(p + 1))
      return zone(0, p + 1, end, whole);
    const bool blank = is_blank(s_.at(p));
    const std::size_t sign = blank ? p + 1 : p;
    if ((s_.at(sign) == '+' || (s_.at(sign) == '-' && dated)) && s_.digit_at(sign + 1)) {
      if (const std::size_t behind = numeric_zone(sign)) {
        end = whole;
        whole = behind;
        if (!blank) end = behind;
        return s_.ends_at(behind);
      }
    }
    if (!blank) return false;
    const std::string_view word = s_.word_from(p + 1);
    const int minutes = zone_minutes(word);
    if (minutes == kNoZone || !s_.ends_at(p + 1 + word.size())) return false;
    out_.zone = {true, static_cast<std::int16_t>(minutes)};
    whole = p + 1 + word.size();
    return true;
  }

  bool zone(int minutes, std::size_t behind, std::size_t& end, std::size_t& whole) {
    out_.zone = {true, static_cast<std::int16_t>(minutes)};
    end = whole = behind;
    return true;
  }

  std::size_t numeric_zone(std::size_t sign) {
    std::size_t p = s_.digits_end(sign + 1);
    const std::size_t digits = p - sign - 1;
    int hours = 0;
    int minutes = 0;
    if (digits == 4) {
      hours = s_.number(sign + 1, sign + 3);
      minutes = s_.number(sign + 3, p);
    } else if (digits == 2) {
      hours = s_.number(sign + 1, p);
      if (s_.at(p) == ':' && s_.digits_end(p + 1) - p - 1 == 2) {
        minutes = s_.number(p + 1, p + 3);
        p += 3;
      }
    } else {
      return 0;
    }
    if (hours > 15 || minutes > 59) return 0;
    const int total = hours * 60 + minutes;
    out_.zone = {true, static_cast<std::int16_t>(s_.at(sign) == '-' ? -total : total)};
    return p;
  }

  static constexpr int kNoZone = 100'000;
  static int zone_minutes(std::string_view word) noexcept {
    struct Row {
      std::string_view name;
      int minutes;
    };
    static constexpr std::array<Row, 15> kRows = {{{"UTC", 0},
                                                   {"GMT", 0},
                                                   {"EST", -300},
                                                   {"EDT", -240},
                                                   {"CST", -360},
                                                   {"CDT", -300},
                                                   {"MST", -420},
                                                   {"MDT", -360},
                                                   {"PST", -480},
                                                   {"PDT", -420},
                                                   {"CET", 60},
                                                   {"CEST", 120},
                                                   {"BST", 60},
                                                   {"JST", 540},
                                                   {"EET", 120}}};
    for (const Row& row : kRows) {
      if (word == row.name) return row.minutes;
    }
    return kNoZone;
  }

  // `10:00-12:30`: the second clock is read next.
  bool clock_ends(std::size_t end, bool dated) const {
    if (s_.ends_at(end)) return true;
    if (dated || (s_.at(end) != '-' && s_.at(end) != kLongDash) || !s_.digit_at(end + 1))
      return false;
    Lexeme other;
    std::size_t behind = 0;
    std::size_t whole = 0;
    return ClockReader(s_, other).read(end + 1, false, false, behind, whole);
  }

  const Scan& s_;
  Lexeme& out_;
};

}  // namespace

bool lex_clock(const Scan& scan, std::size_t at, bool compact, bool dated, Lexeme& out,
               std::size_t& end, std::size_t& whole) {
  return ClockReader(scan, out).read(at, compact, dated, end, whole);
}

}  // namespace agentfootprint::evidence::internal
