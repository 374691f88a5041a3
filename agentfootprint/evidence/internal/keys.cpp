// Keys of lexemes: what the index side emits.
#include "agentfootprint/evidence/internal/keys.hpp"

#include <bit>
#include <cstring>

#include "agentfootprint/evidence/internal/chars.hpp"

namespace agentfootprint::evidence::internal {
namespace {

constexpr std::uint64_t kPayload = (std::uint64_t{1} << 60) - 1;
constexpr std::int64_t kSecondsBias = std::int64_t{1} << 40;
constexpr unsigned kSecondsShift =
    18;  // small numbers stand in the upper bits, which are sorted first

std::uint64_t ordered(double value) noexcept {
  if (value == 0) value = 0;  // also minus zero
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}

__extension__ using Wide = unsigned __int128;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// ASCII capitals of eight bytes lowered.
std::uint64_t lower_word(std::uint64_t word) noexcept {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  const std::uint64_t seven = word & (0x7F * kOnes);
  const std::uint64_t from_a = seven + (0x80 - 'A') * kOnes;
  const std::uint64_t past_z = seven + (0x80 - 'Z' - 1) * kOnes;
  const std::uint64_t capital = (from_a & ~past_z & ~word) & (0x80 * kOnes);
  return word | (capital >> 2);
}

}  // namespace

std::uint64_t number_key(KeyTag tag, double value) noexcept {
  return (static_cast<std::uint64_t>(tag) << 60) | (ordered(value) >> 4);
}

std::uint64_t amount_key(std::uint16_t dimension, double base) noexcept {
  return (static_cast<std::uint64_t>(KeyTag::amount) << 60) |
         (std::uint64_t{dimension} & 0xFF) << 52 | (ordered(base) >> 12);
}

std::uint64_t identifier_key(std::string_view folded) noexcept {
  if (folded.size() > 2 && folded[0] == '0' && (folded[1] == 'x' || folded[1] == 'X'))
    folded.remove_prefix(2);
  std::uint64_t h = 0x9E3779B97F4A7C15ULL ^ folded.size();
  const char* p = folded.data();
  std::size_t left = folded.size();
  while (left >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    h = mix(h ^ lower_word(word), 0xD6E8FEB86659FD93ULL);
    p += 8;
    left -= 8;
  }
  std::uint64_t word = 0;
  std::memcpy(&word, p, left);
  h = mix(h ^ lower_word(word), 0xA0761D6478BD642FULL);
  return (static_cast<std::uint64_t>(KeyTag::identifier) << 60) | (h & kPayload);
}

std::uint64_t seconds_key(KeyTag tag, std::int64_t seconds) noexcept {
  return (static_cast<std::uint64_t>(tag) << 60) |
         static_cast<std::uint64_t>(seconds + kSecondsBias) << kSecondsShift;
}

std::int64_t seconds_of_key(std::uint64_t key) noexcept {
  return static_cast<std::int64_t>((key & kPayload) >> kSecondsShift) - kSecondsBias;
}

namespace {

void number_keys(std::string_view w, const Lexeme& l, char decimal, const UnitTable& units,
                 KeyList& out) {
  const double value = near_double(w, l.number, decimal, l.negative);
  out.add(number_key(KeyTag::number, value));
  if (l.sign_word) out.add(number_key(KeyTag::number, -value));
  if (l.unit.scale == 0 && l.unit.id == 0) return;
  static constexpr double kTens[] = {1e0, 1e1, 1e2, 1e3,  1e4,  1e5, 1e6,
                                     1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
  const double scaled = value * kTens[l.unit.scale];
  const auto add_amount = [&](std::uint16_t id, double amount) {
    const UnitTable::Entry& entry = units.row(id);
    const std::uint16_t dimension = id == 0 ? std::uint16_t{0} : entry.dimension;
    if (id == 0) return out.add(amount_key(0, amount));
    out.add(amount_key(dimension, (amount + entry.near_offset) * entry.near_factor));
    if (entry.near_other_factor != 0)
      out.add(amount_key(dimension, amount * entry.near_other_factor));
  };
  add_amount(l.unit.id, scaled);
  if (l.unit.id != 0 && l.unit.scale != 0) add_amount(0, scaled);
  if (l.unit.other_id != 0) add_amount(l.unit.other_id, value);
  if (l.sign_word) add_amount(l.unit.id, -scaled);
}

void calendar_keys(const Lexeme& l, const CivilDate& date, KeyList& out) {
  if (l.kind == ValueKind::time) return;
  if (date.year == 0) {
    out.add(small_key(KeyTag::month_day, date.month * 32U + date.day));
    return;
  }
  std::int64_t seconds = days_of(date) * 86400;
  if (l.kind == ValueKind::instant) seconds += l.time.second_of_day;
  out.add(seconds_key(KeyTag::civil, seconds));
  if (l.kind == ValueKind::instant && l.zone.written) {
    out.add(seconds_key(KeyTag::utc, seconds - l.zone.minutes * 60));
  }
}

}  // namespace

void keys_of(std::string_view w, const Lexeme& l, const UnitTable& units, KeyList& out) {
  const std::string_view token = w.substr(l.begin, l.end - l.begin);
  switch (l.kind) {
    case ValueKind::number:
    case ValueKind::quantity: {
      if (!l.number.no_number) {
        number_keys(w, l, l.number.decimal, units, out);
        if (l.number.has_second) number_keys(w, l, l.number.second_decimal, units, out);
      }
      if (!l.number.bare && l.kind == ValueKind::number) out.add(identifier_key(token));
      if (l.kind == ValueKind::quantity && l.end != l.number.end) out.add(identifier_key(token));
      break;
    }
    case ValueKind::identifier: {
      out.add(identifier_key(token));
      if (l.number.leading_zero) {
        number_keys(w, l, 0, units, out);
      } else if (token.size() > 2 && token[0] == '0' && (token[1] == 'x' || token[1] == 'X')) {
        NumberText digits;
        digits.begin = l.begin + 2;
        digits.end = l.end;
        for (std::size_t i = digits.begin; i < digits.end; ++i) {
          if (!is_digit(w[i])) return;
        }
        out.add(number_key(KeyTag::number, near_double(w, digits, 0, false)));
      }
      break;
    }
    case ValueKind::duration:
      out.add(number_key(KeyTag::duration, static_cast<double>(l.duration_ns) / 1e9));
      break;
    case ValueKind::shape:
      break;
    default:
      if (l.year) out.add(number_key(KeyTag::number, l.date.year));
      calendar_keys(l, l.date, out);
      if (l.has_other_date) calendar_keys(l, l.other_date, out);
      if (l.kind != ValueKind::date) {
        out.add(small_key(KeyTag::clock, static_cast<std::uint64_t>(l.time.second_of_day)));
        if (l.zone.written && l.zone.minutes != 0) {
          out.add(small_key(KeyTag::clock, static_cast<std::uint64_t>(utc_of_day(l.time, l.zone))));
        }
        if (l.half_day) {
          const int other = (l.time.second_of_day + 12 * 3600) % 86400;
          out.add(small_key(KeyTag::clock, static_cast<std::uint64_t>(other)));
        }
      }
      break;
  }
}

}  // namespace agentfootprint::evidence::internal
