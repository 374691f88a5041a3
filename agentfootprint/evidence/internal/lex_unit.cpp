// Units behind a number, currencies before it, compound durations.
#include <array>
#include <string>

#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/lexeme.hpp"

namespace agentfootprint::evidence::internal {
namespace {

// The bytes of folded text as the table spells them: control codes become their characters.
class Spelled {
 public:
  explicit Spelled(std::string_view folded) {
    for (const char c : folded) {
      std::string_view piece(&c, 1);
      switch (c) {
        case kDegree:
          piece = "\xC2\xB0";
          break;
        case kPermille:
          piece = "permille";
          break;
        case kEuro:
          piece = "\xE2\x82\xAC";
          break;
        case kPound:
          piece = "\xC2\xA3";
          break;
        case kYen:
          piece = "\xC2\xA5";
          break;
        case kRupee:
          piece = "\xE2\x82\xB9";
          break;
        case kWon:
          piece = "\xE2\x82\xA9";
          break;
        case kRouble:
          piece = "\xE2\x82\xBD";
          break;
        case kBitcoin:
          piece = "\xE2\x82\xBF";
          break;
        case kLira:
          piece = "\xE2\x82\xBA";
          break;
        case kHryvnia:
          piece = "\xE2\x82\xB4";
          break;
        case kCent:
          piece = "\xC2\xA2";
          break;
        default:
          break;
      }
      if (size_ + piece.size() > bytes_.size()) {
        size_ = 0;
        return;
      }
      for (const char b : piece) bytes_[size_++] = b;
    }
  }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  std::array<char, 40> bytes_{};
  std::size_t size_ = 0;
};

bool is_unit_sign(char c) noexcept {
  return c == '%' || c == kPermille || c == kDegree || c == kCent || is_currency(c);
}

// Where a unit's word ends: letters, a degree sign with its letter, and `/letters`.
std::size_t word_end(const Scan& scan, std::size_t at) {
  std::size_t p = at;
  if (scan.at(p) == kDegree) {
    ++p;
    const std::size_t letters = scan.letters_end(p);
    return letters - p == 1 ? letters : p;
  }
  if (is_unit_sign(scan.at(p))) return p + 1;
  p = scan.letters_end(p);
  return p;
}
std::size_t rate_end(const Scan& scan, std::size_t end) {
  if (scan.at(end) != '/') return end;
  const std::size_t letters = scan.letters_end(end + 1);
  return letters > end + 1 && letters - end - 1 <= 6 && scan.ends_at(letters) ? letters : end;
}

bool is_ordinal(std::string_view word) noexcept {
  return same_word(word, "st") || same_word(word, "nd") || same_word(word, "rd") ||
         same_word(word, "th");
}

// A rate the table names: `bits per second` is bps.
void name_rate(const UnitTable& units, UnitText& unit) {
  if (unit.id == 0 || unit.per == 0 || unit.per != units.find("s")) return;
  const std::uint16_t rate = units.find(std::string(units.row(unit.id).name) + "/s");
  if (rate == 0) return;
  unit.id = rate;
  unit.per = 0;
}

// Of `421G`, as lists of sizes write it, the bytes; 0 for any other word.
std::uint16_t size_letter(const UnitTable& units, std::string_view word) {
  if (word.size() != 1) return 0;
  switch (word[0]) {
    case 'k':
    case 'K':
      return units.find("kB");
    case 'M':
      return units.find("MB");
    case 'G':
      return units.find("GB");
    case 'T':
      return units.find("TB");
    case 'P':
      return units.find("PB");
    default:
      return 0;
  }
}

// ` per second`, ` per GB` behind a unit.
void read_per(const Scan& scan, const UnitTable& units, UnitText& unit, std::size_t& whole_end) {
  if (scan.at(whole_end) != ' ' || !same_word(scan.word_from(whole_end + 1), "per")) return;
  const std::size_t begin = whole_end + 5;
  const std::string_view word = scan.word_from(begin);
  const std::uint16_t per = units.find_spaced(word);
  if (per == 0 || scan.at(begin - 1) != ' ' || !scan.ends_at(begin + word.size())) return;
  unit.per = per;
  whole_end = begin + word.size();
  name_rate(units, unit);
}

// A table unit at `begin`, in its longest spelling; gives its end or 0.
std::size_t table_unit(const Scan& scan, const UnitTable& units, std::size_t begin, bool spaced,
                       UnitText& unit) {
  const std::size_t end = word_end(scan, begin);
  if (end == begin) return 0;
  const auto find = [&](std::size_t behind) {
    const Spelled spelled(scan.w.substr(begin, behind - begin));
    return spaced ? units.find_spaced(spelled.view()) : units.find(spelled.view());
  };
  const std::size_t rate = rate_end(scan, end);
  if (rate != end) {
    if (const std::uint16_t id = find(rate)) {
      unit.id = id;
      return rate;
    }
  }
  const std::uint16_t id = find(end);
  if (id == 0) return 0;
  const bool sign = is_unit_sign(scan.at(begin)) && scan.at(begin) != kDegree;
  if (rate != end) {
    const std::uint16_t per = units.find(Spelled(scan.w.substr(end + 1, rate - end - 1)).view());
    if (per == 0) return 0;
    unit.id = id;
    unit.per = per;
    name_rate(units, unit);
    return rate;
  }
  if (!sign && !scan.ends_at(end)) return 0;
  if (sign && scan.word_at(end)) return 0;
  unit.id = id;
  return end;
}

// `million` and `bn` behind the number, then perhaps a unit.
bool scale_word(const Scan& scan, const UnitTable& units, std::size_t begin, bool glued,
                bool currency, UnitText& unit, std::size_t& end) {
  const std::size_t behind = scan.letters_end(begin);
  if (behind == begin || !scan.ends_at(behind)) return false;
  const std::string_view word = scan.w.substr(begin, behind - begin);
  int power = units.find_scale(word, glued);
  if (power == 0 && currency && glued) {
    if (word == "m") power = 6;
    if (word == "b") power = 9;
    if (word == "t") power = 12;
  }
  if (power == 0) return false;
  unit.scale = static_cast<std::int8_t>(power);
  end = behind;
  if (!currency && glued) {
    const std::uint16_t other = units.find(word);
    unit.other_id = other != 0 ? other : size_letter(units, word);
  }
  return true;
}

// Letters glued or hyphenated to the number: at most five, perhaps `/` and five more.
bool glued_word(const Scan& scan, const UnitTable& units, std::size_t at, UnitText& unit,
                std::size_t& raw_end) {
  std::size_t begin = at;
  if (scan.at(begin) == '-' || scan.at(begin) == '/') ++begin;
  const std::size_t end = scan.letters_end(begin);
  if (end == begin) return false;
  if (scan.w.substr(begin, end - begin).find(kPoison) != std::string_view::npos) return false;
  std::size_t behind = end;
  if (scan.at(end) == '/') {
    const std::size_t second = scan.letters_end(end + 1);
    if (second > end + 1 && second - end - 1 <= 5) behind = second;
  }
  if (!scan.ends_at(behind)) return false;
  const std::string_view word = scan.w.substr(begin, end - begin);
  if (begin == at && behind == end && is_ordinal(word)) {
    raw_end = end;
    return true;
  }
  const bool rate_only = scan.at(at) == '/';
  if (behind == end && !rate_only) {
    const std::uint16_t id = units.find(word);
    unit.id = id != 0 || begin != at ? id : size_letter(units, word);
    if (unit.id != 0) {
      raw_end = behind;
      return true;
    }
  }
  if (end - begin > 5) return false;
  if (rate_only && unit.id != 0) {
    unit.per = units.find(word);
    if (unit.per != 0) {
      raw_end = behind;
      return true;
    }
  }
  unit.written_begin = static_cast<Pos>(rate_only ? at : begin);
  unit.written_end = static_cast<Pos>(behind);
  raw_end = behind;
  return true;
}

// A unit, scale word or percent one space behind.
void spaced_unit(const Scan& scan, const UnitTable& units, std::size_t at, bool currency,
                 UnitText& unit, std::size_t& whole_end) {
  if (scan.at(at) != ' ' && scan.at(at) != kGroupSpace) return;
  std::size_t end = 0;
  if (unit.scale == 0 && scale_word(scan, units, at + 1, false, currency, unit, end)) {
    whole_end = end;
    if (unit.id == 0) {
      UnitText more;
      const std::size_t behind =
          scan.at(end) == ' ' ? table_unit(scan, units, end + 1, true, more) : 0;
      if (behind != 0) {
        unit.id = more.id;
        unit.per = more.per;
        whole_end = behind;
      }
    }
    return;
  }
  if (unit.id != 0) return;
  UnitText found;
  const std::size_t behind = table_unit(scan, units, at + 1, true, found);
  if (behind == 0) return;
  if (scan.at(behind) == ' ' && units.row(found.id).name == "%" &&
      (same_word(scan.word_from(behind + 1), "points") ||
       same_word(scan.word_from(behind + 1), "point"))) {
    found.id = units.find("pp");
    whole_end = behind + 1 + scan.word_from(behind + 1).size();
  } else {
    whole_end = behind;
  }
  unit.id = found.id;
  unit.per = found.per;
  read_per(scan, units, unit, whole_end);
}

}  // namespace

bool lex_unit(const Scan& scan, const UnitTable& units, std::size_t at, bool currency,
              UnitText& unit, std::size_t& raw_end, std::size_t& whole_end) {
  raw_end = whole_end = at;
  const char c = scan.at(at);
  if (c == ' ' || c == kGroupSpace) {
    const UnitText before = unit;
    spaced_unit(scan, units, at, currency, unit, whole_end);
    return unit.id != before.id || unit.scale != 0;
  }
  if (!is_word(c) && !is_unit_sign(c) && c != '-' && c != '/') return false;
  std::size_t end = 0;
  if (scale_word(scan, units, at, true, currency, unit, end)) {
    raw_end = whole_end = end;
    spaced_unit(scan, units, end, currency, unit, whole_end);
    return true;
  }
  if (unit.id == 0 && c != '-' && c != '/') {
    UnitText found;
    if (const std::size_t behind = table_unit(scan, units, at, false, found)) {
      unit.id = found.id;
      unit.per = found.per;
      // An age of `58m`.
      if (behind == at + 1 && c == 'm') unit.other_id = units.find("min");
      raw_end = whole_end = behind;
      read_per(scan, units, unit, whole_end);
      return true;
    }
  }
  if (is_unit_sign(c)) return false;
  if (!glued_word(scan, units, at, unit, raw_end)) return false;
  whole_end = raw_end;
  return true;
}

std::uint16_t currency_before(const Scan& scan, const UnitTable& units, std::size_t at,
                              std::size_t floor, std::size_t& begin) {
  if (at <= floor) return 0;
  std::size_t from = at - 1;
  if (is_currency(scan.at(from))) {
    // `US$`, `C$`.
    std::size_t letters = from;
    while (letters > floor && from - letters < 2 && scan.at(letters - 1) >= 'A' &&
           scan.at(letters - 1) <= 'Z') {
      --letters;
    }
    if (letters < from && scan.starts_at(letters)) {
      const std::uint16_t id = units.find(Spelled(scan.w.substr(letters, at - letters)).view());
      if (id != 0) {
        begin = letters;
        return id;
      }
    }
    const std::uint16_t id = units.find(Spelled(scan.w.substr(from, 1)).view());
    if (id != 0) begin = from;
    return id;
  }
  // `USD1,200`
  if (at - floor < 3) return 0;
  from = at - 3;
  for (std::size_t i = from; i < at; ++i) {
    if (scan.at(i) < 'A' || scan.at(i) > 'Z') return 0;
  }
  if (!scan.starts_at(from)) return 0;
  const std::uint16_t id = units.find(scan.w.substr(from, 3));
  if (id == 0 || id >= units.size()) return 0;
  const UnitTable::Entry& dollars = units.row(units.find("USD"));
  // Only currencies stand before their number.
  if (units.row(id).name.size() != 3 || units.row(id).dimension < dollars.dimension) return 0;
  begin = from;
  return id;
}

namespace {

// Nanoseconds of a time unit's word inside a compound duration; 0 when it is none.
std::int64_t duration_unit(std::string_view word) noexcept {
  struct Row {
    std::string_view word;
    std::int64_t ns;
  };
  constexpr std::int64_t kSecond = 1'000'000'000;
  static constexpr std::array<Row, 28> kRows = {{{"d", 86400 * kSecond},
                                                 {"day", 86400 * kSecond},
                                                 {"days", 86400 * kSecond},
                                                 {"w", 604800 * kSecond},
                                                 {"wk", 604800 * kSecond},
                                                 {"week", 604800 * kSecond},
                                                 {"weeks", 604800 * kSecond},
                                                 {"h", 3600 * kSecond},
                                                 {"hr", 3600 * kSecond},
                                                 {"hrs", 3600 * kSecond},
                                                 {"hour", 3600 * kSecond},
                                                 {"hours", 3600 * kSecond},
                                                 {"m", 60 * kSecond},
                                                 {"min", 60 * kSecond},
                                                 {"mins", 60 * kSecond},
                                                 {"minute", 60 * kSecond},
                                                 {"minutes", 60 * kSecond},
                                                 {"s", kSecond},
                                                 {"sec", kSecond},
                                                 {"secs", kSecond},
                                                 {"second", kSecond},
                                                 {"seconds", kSecond},
                                                 {"ms", kSecond / 1000},
                                                 {"millisecond", kSecond / 1000},
                                                 {"milliseconds", kSecond / 1000},
                                                 {"us", 1000},
                                                 {"ns", 1},
                                                 {"msec", kSecond / 1000}}};
  for (const Row& row : kRows) {
    if (same_word(word, row.word)) return row.ns;
  }
  return 0;
}

struct DurationPiece {
  std::int64_t ns = 0;
  std::int64_t unit_ns = 0;
  std::size_t end = 0;
};

bool duration_piece(const Scan& scan, std::size_t at, DurationPiece& out) {
  const std::size_t digits = scan.digits_end(at);
  if (digits == at || digits - at > 9) return false;
  const char next = scan.at(digits);
  const bool blank = next == ' ' || next == kGroupSpace;
  if (next != '.' && !is_letter(blank ? scan.at(digits + 1) : next)) return false;
  std::size_t end = digits;
  std::int64_t fraction = 0;
  std::int64_t fraction_unit = 1;
  if (scan.at(digits) == '.' && scan.digit_at(digits + 1)) {
    end = scan.digits_end(digits + 1);
    if (end - digits - 1 > 9) return false;
    fraction = scan.number(digits + 1, end);
    for (std::size_t i = digits + 1; i < end; ++i) fraction_unit *= 10;
  }
  std::size_t word = end;
  if (scan.at(word) == ' ' || scan.at(word) == kGroupSpace) ++word;
  const std::size_t behind = scan.letters_end(word);
  out.unit_ns = duration_unit(scan.w.substr(word, behind - word));
  if (out.unit_ns == 0) return false;
  const std::int64_t whole = scan.number(at, digits);
  if (whole > 0 && out.unit_ns > 4'000'000'000'000'000'000 / whole) return false;
  // Not more exact than a nanosecond.
  out.ns = whole * out.unit_ns +
           (out.unit_ns % fraction_unit == 0 ? fraction * (out.unit_ns / fraction_unit) : 0);
  out.end = behind;
  return true;
}

std::size_t behind_duration_joint(const Scan& scan, std::size_t at) {
  std::size_t p = at;
  if (scan.at(p) == ',') ++p;
  if (scan.at(p) == ' ' || scan.at(p) == kGroupSpace) ++p;
  if (p > at && same_word(scan.word_from(p), "and") && scan.at(p + 3) == ' ') p += 4;
  return scan.digit_at(p) &&
                 (p == at || scan.at(at) == ' ' || scan.at(at) == kGroupSpace || p > at + 1)
             ? p
             : 0;
}

}  // namespace

bool lex_iso_duration(const Scan& scan, std::size_t at, std::size_t floor, Lexeme& out) {
  std::size_t begin = at;
  while (begin > floor && (scan.at(begin - 1) == 'P' || scan.at(begin - 1) == 'T') &&
         at - begin < 2)
    --begin;
  if (scan.at(begin) != 'P' || !scan.starts_at(begin)) return false;
  bool clock = scan.at(begin + 1) == 'T';
  std::int64_t total = 0;
  std::size_t p = at;
  while (scan.digit_at(p) || (scan.at(p) == 'T' && !clock)) {
    if (scan.at(p) == 'T') {
      clock = true;
      ++p;
      continue;
    }
    const std::size_t digits = scan.digits_end(p);
    if (digits - p > 6) return false;
    const std::int64_t value = scan.number(p, digits);
    const char unit = scan.at(digits);
    std::int64_t seconds = 0;
    if (unit == 'W' && !clock) seconds = 604800;
    if (unit == 'D' && !clock) seconds = 86400;
    if (unit == 'H' && clock) seconds = 3600;
    if (unit == 'M' && clock) seconds = 60;
    if (unit == 'S' && clock) seconds = 1;
    if (seconds == 0 || value > 4'000'000'000 / seconds) return false;
    total += value * seconds;
    p = digits + 1;
  }
  if (!scan.ends_at(p)) return false;
  out.kind = ValueKind::duration;
  out.begin = static_cast<Pos>(begin);
  out.end = out.whole_end = out.next = static_cast<Pos>(p);
  out.duration_ns = total * 1'000'000'000;
  return true;
}

bool lex_duration(const Scan& scan, const UnitTable& units, std::size_t at, Lexeme& out) {
  static_cast<void>(units);
  DurationPiece piece;
  if (!duration_piece(scan, at, piece)) return false;
  std::int64_t total = piece.ns;
  std::int64_t unit = piece.unit_ns;
  std::size_t end = piece.end;
  int pieces = 1;
  while (const std::size_t next = behind_duration_joint(scan, end)) {
    if (next > end && !scan.ends_at(end)) break;
    if (!duration_piece(scan, next, piece) || piece.unit_ns >= unit) break;
    total += piece.ns;
    unit = piece.unit_ns;
    end = piece.end;
    ++pieces;
  }
  if (pieces < 2 || !scan.ends_at(end)) return false;
  out.kind = ValueKind::duration;
  out.begin = static_cast<Pos>(at);
  out.end = out.whole_end = out.next = static_cast<Pos>(end);
  out.duration_ns = total;
  return true;
}

}  // namespace agentfootprint::evidence::internal
