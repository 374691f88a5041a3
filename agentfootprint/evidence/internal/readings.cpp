// Building values: every reading of a lexeme, its normal spelling, its list members.
#include "agentfootprint/evidence/internal/readings.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "agentfootprint/evidence/internal/chars.hpp"

namespace agentfootprint::evidence::internal {

namespace {

// Plain digits with at most one decimal sign, few enough to be exact; false for any other text.
// Its double is the same as that of the general reading: both are rounded once.
bool read_short(std::string_view text, char decimal, double& out) noexcept {
  constexpr std::size_t kExact = 15;
  static constexpr std::array<double, 16> kPowers = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  if (text.size() > kExact) return false;
  std::uint64_t coefficient = 0;
  std::size_t point = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = static_cast<unsigned char>(text[i] - '0');
    if (digit < 10) {
      coefficient = coefficient * 10 + digit;
    } else if (text[i] == decimal && point == text.size()) {
      point = i;
    } else {
      return false;
    }
  }
  out = static_cast<double>(coefficient);
  if (point != text.size()) out /= kPowers[text.size() - point - 1];
  return true;
}

}  // namespace

double near_double(std::string_view folded, const NumberText& number, char decimal,
                   bool negative) noexcept {
  double value = 0;
  if (read_short(folded.substr(number.begin, number.end - number.begin), decimal, value)) {
    return negative ? -value : value;
  }
  return near_double(read_mantissa(folded, number, decimal), negative);
}

Mantissa read_mantissa(std::string_view folded, const NumberText& number, char decimal) noexcept {
  Mantissa out;
  std::int64_t exponent = 0;
  bool behind = false;
  int zeros = 0;  // pending, so that trailing zeros do not count
  for (std::size_t i = number.begin; i < number.end; ++i) {
    const char c = folded[i];
    if (is_digit(c)) {
      if (behind) ++out.decimals;
      if (c != '0' || out.significant != 0) ++out.significant;
      if (c == '0') {
        ++zeros;
        continue;
      }
      for (; zeros > 0; --zeros) {
        if (out.coefficient == 0) break;
        if (out.coefficient < 1'000'000'000'000'000'000) {
          out.coefficient *= 10;
        } else {
          ++exponent;
        }
      }
      zeros = 0;
      if (out.coefficient < 1'000'000'000'000'000'000) {
        out.coefficient = out.coefficient * 10 + static_cast<std::uint64_t>(c - '0');
      } else {
        out.exact = false;
        ++exponent;
      }
    } else if (c == decimal && decimal != 0) {
      behind = true;
    } else if (c == 'e' || c == 'E') {
      std::int64_t written = 0;
      bool negative = false;
      for (++i; i < number.end; ++i) {
        if (folded[i] == '-') negative = true;
        if (is_digit(folded[i]) && written < 1'000'000) written = written * 10 + (folded[i] - '0');
      }
      exponent += negative ? -written : written;
      out.exponent =
          static_cast<std::int32_t>(exponent + (out.coefficient == 0 ? 0 : zeros) - out.decimals);
      out.decimals = static_cast<std::int16_t>(out.decimals - (negative ? -written : written));
      return out;
    }
  }
  if (out.coefficient != 0) exponent += zeros;
  out.exponent = static_cast<std::int32_t>(exponent - out.decimals);
  return out;
}

double near_double(const Mantissa& mantissa, bool negative) noexcept {
  static constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  double value = static_cast<double>(mantissa.coefficient);
  const std::int32_t e = mantissa.exponent;
  if (mantissa.coefficient == 0 || e == 0) {
    // nothing to scale
  } else if (e > 0 && e <= 22) {
    value *= kPowers[static_cast<std::size_t>(e)];
  } else if (e < 0 && e >= -22) {
    value /= kPowers[static_cast<std::size_t>(-e)];
  } else {
    value *= std::pow(10.0, e);
  }
  return negative ? -value : value;
}

double near_double(const Decimal& number) noexcept {
  if (const auto word = number.word()) {
    Mantissa mantissa;
    mantissa.coefficient = word->coefficient;
    mantissa.exponent = word->exponent;
    return near_double(mantissa, number.is_negative());
  }
  const std::string text = number.to_string();
  NumberText form;
  form.begin = !text.empty() && text[0] == '-' ? 1 : 0;
  form.end = static_cast<Pos>(text.size());
  return near_double(read_mantissa(text, form, '.'), form.begin != 0);
}

std::int64_t days_of(const CivilDate& date) noexcept {
  const int month = date.month == 0 ? 1 : date.month;
  const int day = date.day == 0 ? 1 : date.day;
  const int y = date.year - (month <= 2 ? 1 : 0);
  const int era = (y >= 0 ? y : y - 399) / 400;
  const int year_of_era = y - era * 400;
  const int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return std::int64_t{era} * 146097 + day_of_era - 719468;
}

CivilDate date_of_days(std::int64_t days) noexcept {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const auto day_of_era = static_cast<int>(days - era * 146097);
  const int year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int mp = (5 * day_of_year + 2) / 153;
  const int day = day_of_year - (153 * mp + 2) / 5 + 1;
  const int month = mp < 10 ? mp + 3 : mp - 9;
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  return {static_cast<std::int16_t>(year), static_cast<std::uint8_t>(month),
          static_cast<std::uint8_t>(day)};
}

namespace {

Decimal decimal_of(std::string_view folded, const NumberText& number, char decimal, bool negative,
                   const Mantissa& mantissa) {
  if (mantissa.exact && mantissa.coefficient < 1'000'000'000'000'000'000) {
    const auto coefficient = static_cast<std::int64_t>(mantissa.coefficient);
    return Decimal::scaled(negative ? -coefficient : coefficient, mantissa.exponent);
  }
  std::string text;
  if (negative) text.push_back('-');
  for (std::size_t i = number.begin; i < number.end; ++i) {
    const char c = folded[i];
    if (c == decimal && decimal != 0) {
      text.push_back('.');
    } else if (is_digit(c)) {
      text.push_back(c);
    } else if (c == 'e' || c == 'E') {
      text.append(folded.substr(i, number.end - i));
      break;
    }
  }
  return Decimal::parse(text).value_or(Decimal());
}

}  // namespace

Reading json_number(std::string_view text) {
  NumberText digits;
  digits.begin = text[0] == '-' ? 1 : 0;
  digits.end = static_cast<Pos>(text.size());
  const Mantissa mantissa = read_mantissa(text, digits, '.');
  Reading reading;
  reading.number = decimal_of(text, digits, '.', digits.begin != 0, mantissa);
  reading.decimals = mantissa.decimals;
  reading.significant = mantissa.significant;
  return reading;
}

namespace {

std::string comparable(std::string_view folded) {
  std::string out;
  append_comparable(out, folded);
  return out;
}

std::string clock_text(const ClockTime& time) {
  const int s = time.second_of_day;
  std::string out = fmt::format(FMT_COMPILE("{:02}:{:02}"), s / 3600, s / 60 % 60);
  if (time.precision >= ClockPrecision::second) out += fmt::format(FMT_COMPILE(":{:02}"), s % 60);
  if (time.precision == ClockPrecision::fraction) {
    std::string fraction = fmt::format(FMT_COMPILE("{:09}"), time.nanosecond);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    if (!fraction.empty()) out += "." + fraction;
  }
  return out;
}

std::string zone_text(const ZoneOffset& zone) {
  if (!zone.written) return "";
  if (zone.minutes == 0) return "Z";
  const int minutes = zone.minutes < 0 ? -zone.minutes : zone.minutes;
  return fmt::format(FMT_COMPILE("{}{:02}:{:02}"), zone.minutes < 0 ? '-' : '+', minutes / 60,
                     minutes % 60);
}

std::string date_text(const CivilDate& date) {
  if (date.year == 0) return fmt::format(FMT_COMPILE("{:02}-{:02}"), date.month, date.day);
  if (date.month == 0) return fmt::format(FMT_COMPILE("{}"), date.year);
  if (date.day == 0) return fmt::format(FMT_COMPILE("{:04}-{:02}"), date.year, date.month);
  return fmt::format(FMT_COMPILE("{:04}-{:02}-{:02}"), date.year, date.month, date.day);
}

class Maker {
 public:
  Maker(const WorkText& work, std::string_view source, std::size_t offset, const Lexeme& lexeme,
        const UnitTable& units, bool spelled)
      : spelled_(spelled),
        work_(work),
        w_(work.text()),
        source_(source),
        offset_(offset),
        l_(lexeme),
        units_(units) {}

  void make(bool lists, Value& value) {
    value.kind = l_.kind;
    value.value.clear();
    value.shape.clear();
    value.readings.clear();
    value.list.clear();
    value.digits = 0;
    const std::size_t begin = work_.original(l_.begin);
    const std::size_t end = work_.original_end(l_.end);
    value.span = {offset_ + begin, offset_ + end};
    value.raw.assign(source_.substr(begin, end - begin));
    for (std::size_t i = l_.begin; i < l_.end; ++i)
      if (is_digit(w_[i])) ++value.digits;
    value.year = l_.year;
    value.ending = l_.ending;
    value.ratio = l_.ratio;
    switch (l_.kind) {
      case ValueKind::number:
      case ValueKind::quantity:
        numbers(value, lists);
        break;
      case ValueKind::identifier:
      case ValueKind::shape:
        identifier(value);
        if (lists) composite(value);
        break;
      case ValueKind::duration:
        duration(value);
        break;
      default:
        calendar(value);
        break;
    }
  }

 private:
  Reading number(char decimal, ReadingNote note) const {
    Reading reading;
    const Mantissa mantissa = read_mantissa(w_, l_.number, decimal);
    reading.kind = l_.kind == ValueKind::quantity ? ValueKind::quantity : ValueKind::number;
    reading.note = note;
    reading.number = decimal_of(w_, l_.number, decimal, l_.negative, mantissa);
    reading.decimals = mantissa.decimals;
    reading.significant = mantissa.significant;
    reading.scale = l_.unit.scale;
    reading.unit.id = l_.unit.id;
    reading.unit.per = l_.unit.per;
    if (l_.unit.written_end != l_.unit.written_begin) {
      reading.unit.written =
          comparable(w_.substr(l_.unit.written_begin, l_.unit.written_end - l_.unit.written_begin));
    }
    return reading;
  }

  void numbers(Value& value, bool lists) {
    if (!l_.number.no_number) {
      value.readings.push_back(number(l_.number.decimal, l_.number.note));
      if (l_.number.has_second)
        value.readings.push_back(number(l_.number.second_decimal, l_.number.second_note));
    }
    if (l_.unit.other_id != 0) {
      Reading other = value.readings.empty() ? Reading() : value.readings.front();
      other.scale = 0;
      other.unit.id = l_.unit.other_id;
      other.note = ReadingNote::other_unit;
      if (!value.readings.empty()) value.readings.push_back(std::move(other));
    }
    if (l_.sign_word) {
      const std::size_t count = value.readings.size();
      for (std::size_t i = 0; i < count; ++i) {
        Reading negated = value.readings[i];
        negated.number = negated.number.negated();
        negated.note = ReadingNote::sign_word;
        value.readings.push_back(std::move(negated));
      }
    }
    if (spelled_)
      value.value = value.readings.empty() ? comparable(w_.substr(l_.begin, l_.end - l_.begin))
                                           : value.readings.front().number.to_string();
    hexadecimal_twin(value);
    if (lists && l_.number.list) members(value);
  }

  // Digits with letters in them (`12ab`, `1e5`) may also be an identifier that elsewhere stands
  // behind 0x.
  void hexadecimal_twin(Value& value) {
    const std::string_view token = w_.substr(l_.begin, l_.end - l_.begin);
    bool letters = false;
    for (const char c : token) {
      if (is_letter(c)) {
        letters = true;
      } else if (!is_digit(c)) {
        return;
      }
    }
    if (!letters) return;
    Reading reading;
    reading.kind = ValueKind::identifier;
    reading.text = comparable(token);
    value.readings.push_back(std::move(reading));
  }

  void members(Value& value) {
    std::size_t begin = l_.number.begin;
    while (begin < l_.number.end) {
      std::size_t end = w_.substr(0, l_.number.end).find(l_.number.list_sign, begin);
      if (end == std::string_view::npos) end = l_.number.end;
      Lexeme member;
      Lexer lexer(w_.substr(0, end), units_);
      if (lexer.next(begin, member) && member.begin == begin && member.end == end) {
        Maker(work_, source_, offset_, member, units_, spelled_)
            .make(false, value.list.emplace_back());
      }
      begin = end + 1;
    }
  }

  // Reads [begin, end) of the text as one value.
  bool one_value(std::size_t begin, std::size_t end, Lexeme& out) const {
    return Lexer(w_.substr(0, end), units_).next(begin, out) && out.begin == begin &&
           out.end == end && out.kind != ValueKind::shape;
  }

  // What no result carries as a whole may be a value behind its label (`port:8080`, `v1.2.3`), or
  // alike values in a row (`db-017/db-018`, `512/1024`).
  void composite(Value& value) {
    const std::string_view token = w_.substr(l_.begin, l_.end - l_.begin);
    for (std::string& spelling : address_spellings(token)) {
      Reading& other = value.readings.emplace_back();
      other.kind = ValueKind::identifier;
      other.text = std::move(spelling);
    }
    const std::size_t colon = token.find(':');
    const bool label =
        colon > 1 && colon != std::string_view::npos &&
        std::all_of(token.begin(), token.begin() + static_cast<std::ptrdiff_t>(colon),
                    [](char c) { return is_letter(c) || c == '_' || c == '-'; });
    Lexeme member;
    const std::size_t behind = label ? colon + 1 : is_version(token) ? 1 : 0;
    if (behind != 0 && one_value(l_.begin + behind, l_.end, member)) {
      Maker(work_, source_, offset_, member, units_, spelled_)
          .make(false, value.list.emplace_back());
      return;
    }
    for (const char sign : {'/', ':', kLongDash, '-'}) {
      if (alike(sign, value)) return;
      value.list.clear();
    }
  }

  // How a value is built: its letters and signs, a 9 for each run of digits. All numbers are alike.
  static std::string pattern_of(std::string_view text, const Lexeme& lexeme) {
    if (lexeme.kind == ValueKind::number || lexeme.kind == ValueKind::quantity) return "#";
    std::string out;
    for (const char c : text) {
      if (!is_digit(c)) {
        out += lower(c);
      } else if (out.empty() || out.back() != '9') {
        out += '9';
      }
    }
    return out;
  }

  bool alike(char sign, Value& value) {
    constexpr std::size_t kMost = 8;
    const std::string_view text = w_.substr(0, l_.end);
    if (text.find(sign, l_.begin) == std::string_view::npos) return false;
    std::string pattern;
    for (std::size_t begin = l_.begin; begin <= l_.end;) {
      const std::size_t end = std::min<std::size_t>(text.find(sign, begin), l_.end);
      Lexeme member;
      if (end == begin || value.list.size() == kMost || !one_value(begin, end, member))
        return false;
      const std::string own = pattern_of(w_.substr(begin, end - begin), member);
      if (!pattern.empty() && own != pattern) return false;
      pattern = own;
      Maker(work_, source_, offset_, member, units_, spelled_)
          .make(false, value.list.emplace_back());
      begin = end + 1;
    }
    // Three whole numbers in a row are the name of a port, not a list.
    return value.list.size() > 1 && (pattern != "#" || value.list.size() == 2);
  }

  void identifier(Value& value) {
    Reading reading;
    reading.kind = l_.kind;
    const std::string_view token = w_.substr(l_.begin, l_.end - l_.begin);
    value.value = comparable(token);
    reading.text = value.value;
    const bool hexadecimal = reading.text.size() > 2 && reading.text.starts_with("0x");
    if (hexadecimal) reading.text.erase(0, 2);
    const bool digits = reading.text.find_first_not_of("0123456789") == std::string::npos;
    const std::string text = reading.text;
    value.readings.push_back(std::move(reading));
    if (l_.number.leading_zero) {
      value.readings.push_back(number(l_.number.decimal, ReadingNote::leading_zero));
      value.readings.back().kind = ValueKind::number;
    } else if (hexadecimal && digits) {
      Reading other;
      other.number = Decimal::parse(text).value_or(Decimal());
      other.significant = static_cast<std::int16_t>(text.size());
      value.readings.push_back(std::move(other));
    }
  }

  void duration(Value& value) {
    Reading reading;
    reading.kind = ValueKind::duration;
    reading.number = Decimal::scaled(l_.duration_ns, -9);
    reading.unit.id = units_.named().second;
    if (spelled_) value.value = comparable(w_.substr(l_.begin, l_.end - l_.begin));
    value.readings.push_back(std::move(reading));
  }

  void calendar(Value& value) {
    Reading reading;
    reading.kind = l_.kind;
    reading.note = l_.date_note;
    reading.date = l_.date;
    reading.time = l_.time;
    reading.zone = l_.zone;
    if (!spelled_) {
      // left out
    } else if (l_.kind == ValueKind::date) {
      value.value = date_text(l_.date);
    } else if (l_.kind == ValueKind::time) {
      value.value = clock_text(l_.time) + zone_text(l_.zone);
    } else {
      value.value = date_text(l_.date) + "T" + clock_text(l_.time) + zone_text(l_.zone);
    }
    if (l_.year) {
      reading.significant = 4;
      reading.number = Decimal(l_.date.year);
    }
    value.readings.push_back(reading);
    if (l_.has_other_date) {
      Reading other = reading;
      other.date = l_.other_date;
      other.note = ReadingNote::day_first;
      value.readings.push_back(std::move(other));
    }
    if (l_.half_day && l_.kind != ValueKind::date) {
      const std::size_t count = value.readings.size();
      for (std::size_t i = 0; i < count; ++i) {
        Reading later = value.readings[i];
        constexpr std::int32_t kHalf = 12 * 3600;
        later.time.second_of_day += later.time.second_of_day >= kHalf ? -kHalf : kHalf;
        later.note = ReadingNote::half_day;
        value.readings.push_back(std::move(later));
      }
    }
  }

  const bool spelled_;
  const WorkText& work_;
  std::string_view w_;
  std::string_view source_;
  std::size_t offset_;
  const Lexeme& l_;
  const UnitTable& units_;
};

}  // namespace

Value make_value(const WorkText& work, std::string_view source, std::size_t offset,
                 const Lexeme& lexeme, const UnitTable& units, bool lists, bool spelled) {
  Value value;
  make_value(work, source, offset, lexeme, units, lists, spelled, value);
  return value;
}

void make_value(const WorkText& work, std::string_view source, std::size_t offset,
                const Lexeme& lexeme, const UnitTable& units, bool lists, bool spelled,
                Value& out) {
  Maker(work, source, offset, lexeme, units, spelled).make(lists, out);
}

}  // namespace agentfootprint::evidence::internal
