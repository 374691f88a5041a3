// Numbers: digit groups, decimal signs, exponents, lists; signs, currencies and units around them.
#include <algorithm>
#include <array>

#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/lexeme.hpp"

namespace agentfootprint::evidence::internal {
namespace {

// Lengths of digit runs joined by one sign.
struct Groups {
  std::array<std::uint16_t, 32> length{};
  std::size_t count = 0;  // all of them; only the first 32 lengths are kept
  std::size_t end = 0;    // behind the last run
  std::size_t last_begin = 0;
  bool western = true;
  bool indian = true;

  void add(std::size_t begin, std::size_t behind) {
    const std::size_t size = behind - begin;
    if (count != 0) {
      // All but the last of an Indian number have two digits, the last has three.
      if (size != 3) western = false;
      if (count > 1 && previous_ != 2) indian = false;
    }
    previous_ = size;
    if (count < length.size())
      length[count] = static_cast<std::uint16_t>(std::min<std::size_t>(size, 999));
    ++count;
    last_begin = begin;
    end = behind;
  }
  // `zero`: the first digit is a zero.
  [[nodiscard]] bool grouped(bool zero) const noexcept {
    if (count < 2 || zero || length[0] == 0) return false;
    return (western && length[0] <= 3) || (indian && length[0] <= 2 && previous_ == 3);
  }

 private:
  std::size_t previous_ = 0;
};

// Runs of digits from `at` joined by `sign`; an exact width of three keeps plain spaces from
// joining columns.
Groups read_groups(const Scan& scan, std::size_t at, char sign, bool exact_three) {
  Groups groups;
  std::size_t end = scan.digits_end(at);
  groups.add(at, end);
  while (scan.at(end) == sign && scan.digit_at(end + 1)) {
    const std::size_t behind = scan.digits_end(end + 1);
    if (exact_three && behind - end - 1 != 3) break;
    groups.add(end + 1, behind);
    end = behind;
  }
  return groups;
}

bool read_exponent(const Scan& scan, std::size_t& end) {
  if (scan.at(end) != 'e' && scan.at(end) != 'E') return false;
  std::size_t p = end + 1;
  if (scan.at(p) == '+' || scan.at(p) == '-') ++p;
  if (!scan.digit_at(p)) return false;
  p = scan.digits_end(p);
  if (scan.word_at(p)) return false;
  end = p;
  return true;
}

bool comma_number(const Scan& scan, std::size_t at, bool zero, NumberText& out) {
  const Groups groups = read_groups(scan, at, ',', false);
  const bool grouped = groups.grouped(zero);
  out.end = static_cast<Pos>(groups.end);
  out.list = true;
  if (scan.at(groups.end) == '.' && scan.digit_at(groups.end + 1)) {
    // `1,200.00`; or a list whose last member has decimals.
    const std::size_t end = scan.digits_end(groups.end + 1);
    // `1,200.5,300.5`: the first number ends at its comma. A point behind may end the sentence.
    const bool more = (scan.at(end) == '.' || scan.at(end) == ',') && scan.digit_at(end + 1);
    if (more) return false;
    out.end = static_cast<Pos>(end);
    out.decimal = '.';
    out.no_number = !grouped;
    return true;
  }
  const bool one_comma = groups.count == 2;
  if (grouped) {
    out.note = one_comma ? ReadingNote::grouped : ReadingNote::plain;
    if (one_comma) {
      out.has_second = true;
      out.second_decimal = ',';
      out.second_note = ReadingNote::decimal_comma;
    }
  } else if (one_comma) {
    out.decimal = ',';
    out.note = ReadingNote::decimal_comma;
  } else {
    out.no_number = true;
  }
  return true;
}

bool dot_number(const Scan& scan, std::size_t at, bool zero, NumberText& out) {
  const Groups groups = read_groups(scan, at, '.', false);
  const bool grouped = groups.grouped(zero);
  out.end = static_cast<Pos>(groups.end);
  if (grouped && scan.at(groups.end) == ',' && scan.digit_at(groups.end + 1)) {
    const std::size_t end = scan.digits_end(groups.end + 1);
    const bool more = (scan.at(end) == ',' || scan.at(end) == '.') && scan.digit_at(end + 1);
    if (!more) {  // `1.410,00`
      out.end = static_cast<Pos>(end);
      out.decimal = ',';
      return true;
    }
  }
  if (groups.count == 2) {
    std::size_t end = groups.end;
    const bool exponent = read_exponent(scan, end);
    out.end = static_cast<Pos>(end);
    out.decimal = '.';
    if (grouped && !exponent) {
      out.note = ReadingNote::decimal_point;
      out.has_second = true;
      out.second_note = ReadingNote::grouped;
    }
    return true;
  }
  return grouped;
}

// Groups by a sign that only groups: an apostrophe, an underscore, a space.
bool grouped_number(const Scan& scan, std::size_t at, char sign, bool zero, NumberText& out) {
  const bool space = sign == ' ' || sign == kGroupSpace;
  const Groups groups = read_groups(scan, at, sign, space);
  if (!groups.grouped(zero) || (sign == ' ' && groups.count < 3)) return false;
  std::size_t end = groups.end;
  const char mark = scan.at(end);
  if ((mark == '.' || mark == ',') && scan.digit_at(end + 1)) {
    const std::size_t behind = scan.digits_end(end + 1);
    const bool more =
        (scan.at(behind) == ',' || scan.at(behind) == '.') && scan.digit_at(behind + 1);
    if (more) return false;
    out.decimal = mark;
    end = behind;
  }
  out.end = static_cast<Pos>(end);
  out.list = sign == ' ';
  out.list_sign = ' ';
  return true;
}

}  // namespace

bool lex_number_text(const Scan& scan, std::size_t at, NumberText& out) {
  out = NumberText();
  out.begin = static_cast<Pos>(at);
  if (scan.at(at) == '.') {
    std::size_t end = scan.digits_end(at + 1);
    read_exponent(scan, end);
    out.end = static_cast<Pos>(end);
    out.decimal = '.';
    return end > at + 1;
  }
  const std::size_t first = scan.digits_end(at);
  const bool zero = scan.at(at) == '0' && first - at > 1;
  const bool lone_zero = scan.at(at) == '0';
  const char sign = scan.at(first);
  if (sign == ',' && scan.digit_at(first + 1)) {
    if (comma_number(scan, at, lone_zero, out)) return true;
    out = NumberText();
    out.begin = static_cast<Pos>(at);
  } else if (sign == '.' && scan.digit_at(first + 1)) {
    return dot_number(scan, at, lone_zero, out);
  } else if ((sign == '\'' || sign == '_' || sign == kGroupSpace || sign == ' ') &&
             scan.digit_at(first + 1)) {
    if (grouped_number(scan, at, sign, lone_zero, out)) return true;
    if (sign == '_') return false;
  }
  std::size_t end = first;
  const bool exponent = read_exponent(scan, end);
  out.end = static_cast<Pos>(end);
  out.leading_zero = zero && !exponent;
  out.bare = !exponent;
  return true;
}

namespace {

// The sign and the currency before the first digit. True when the number may begin here.
bool read_prefix(const Scan& scan, const UnitTable& units, std::size_t at, std::size_t floor,
                 Lexeme& out) {
  std::size_t begin = at;
  const auto sign_at = [&](std::size_t i) {
    return i > floor && (scan.at(i - 1) == '-' || scan.at(i - 1) == '+') && scan.starts_at(i - 1);
  };
  bool signed_already = false;
  if (sign_at(begin)) {
    out.negative = scan.at(begin - 1) == '-';
    --begin;
    signed_already = true;
  }
  std::size_t currency_begin = begin;
  out.unit.id = currency_before(scan, units, begin, floor, currency_begin);
  if (out.unit.id != 0) {
    begin = currency_begin;
    if (!signed_already && sign_at(begin)) {
      out.negative = scan.at(begin - 1) == '-';
      --begin;
    }
  }
  out.begin = static_cast<Pos>(begin);
  return begin != at || at == floor || scan.starts_at(at);
}

// `1000-2500`: another number joined by one dash. Gives where the second begins.
bool joins_range(const Scan& scan, std::size_t end) {
  if (scan.at(end) != '-' && scan.at(end) != kLongDash) return false;
  std::size_t p = end + 1;
  if (is_currency(scan.at(p))) ++p;
  if (!scan.digit_at(p)) return false;
  NumberText second;
  if (!lex_number_text(scan, p, second)) return false;
  std::size_t behind = second.end;
  if (scan.at(behind) == '%' || scan.at(behind) == kPermille) return true;
  const std::size_t letters = scan.letters_end(behind);
  if (letters - behind <= 5 || is_currency(scan.at(behind))) behind = letters;
  return scan.ends_at(behind);
}

bool has_comma_groups(const Scan& scan, const NumberText& number) {
  const std::string_view text = scan.w.substr(number.begin, number.end - number.begin);
  if (number.no_number || text.find(',') == std::string_view::npos) return false;
  return number.decimal != ',' || text.find('.') != std::string_view::npos;
}

// Of `00:00:00+1` the days after: a clock's digits, a plus, one digit that ends the token.
bool is_days_after(const Scan& scan, std::size_t at) {
  if (at < 6 || scan.at(at - 1) != '+' || scan.at(at) < '1' || scan.at(at) > '9') return false;
  return scan.digit_at(at - 2) && scan.digit_at(at - 3) && scan.at(at - 4) == ':' &&
         scan.digit_at(at - 5) && scan.digits_end(at) == at + 1 && scan.ends_at(at + 1);
}

}  // namespace

bool is_grouped_by_comma(const Scan& scan, std::size_t at) {
  NumberText number;
  return scan.digit_at(at) && lex_number_text(scan, at, number) && has_comma_groups(scan, number);
}

bool lex_quantity(const Scan& scan, const UnitTable& units, std::size_t at, std::size_t floor,
                  Lexeme& out) {
  if (is_days_after(scan, at)) {
    out.number = NumberText();
    out.number.begin = out.begin = static_cast<Pos>(at);
    out.number.end = out.end = out.whole_end = out.next = static_cast<Pos>(at + 1);
    out.unit.id = units.named().day;
    out.kind = ValueKind::quantity;
    return true;
  }
  if (!lex_number_text(scan, at, out.number)) return false;
  if (!read_prefix(scan, units, at, floor, out)) return false;
  const bool currency = out.unit.id != 0;
  // A list's last comma may belong to the text: try the whole run, then fewer digits.
  for (;;) {
    const std::size_t end = out.number.end;
    std::size_t raw_end = end;
    std::size_t whole_end = end;
    UnitText unit = out.unit;
    const bool unit_found = lex_unit(scan, units, end, currency, unit, raw_end, whole_end);
    const bool range = joins_range(scan, raw_end);
    // No token holds a comma: `41,200/51,300` are two numbers.
    const bool joined = !unit_found && !scan.ends_at(end) && !scan.word_at(end) &&
                        has_comma_groups(scan, out.number);
    if (unit_found || scan.ends_at(end) || range || joined) {
      if (!unit_found && range) raw_end = whole_end = end;
      out.unit = unit;
      out.end = static_cast<Pos>(raw_end);
      out.whole_end = static_cast<Pos>(std::max(raw_end, whole_end));
      out.next = static_cast<Pos>(range || joined ? raw_end + 1 : out.whole_end);
      break;
    }
    const std::size_t comma = scan.w.substr(0, end).rfind(out.number.list_sign);
    if (!out.number.list || comma == std::string_view::npos || comma <= out.number.begin)
      return false;
    NumberText shorter;
    if (!lex_number_text(Scan{scan.w.substr(0, comma)}, at, shorter)) return false;
    if (shorter.end >= end) return false;
    out.number = shorter;
  }
  const bool stated = out.unit.stated() || out.unit.scale != 0;
  out.kind = stated ? ValueKind::quantity : ValueKind::number;
  // With a unit it is one number, not a list.
  if (stated && !out.number.no_number) out.number.list = false;
  if (!stated && out.number.leading_zero) out.kind = ValueKind::identifier;
  return true;
}

}  // namespace agentfootprint::evidence::internal
