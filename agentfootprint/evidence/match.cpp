// Comparing two readings: equality of typed values, rounding, conversion.
#include "agentfootprint/evidence/match.hpp"

#include <algorithm>
#include <cmath>

#include "agentfootprint/evidence/internal/readings.hpp"

namespace agentfootprint::evidence {
namespace {

constexpr int kFewestDigits = 2;  // significant ones, for a rounded conversion
constexpr std::int64_t kDaySeconds = 86400;

Match level(Level l, std::string_view note = {}) {
  return {l, false, note};
}

// One side states no unit, or both the same.
bool units_agree(const Unit& a, const Unit& b) {
  return !a.stated() || !b.stated() || a == b;
}

class NumberMatcher {
 public:
  NumberMatcher(const Reading& said, const Reading& carried, const UnitTable& units,
                std::uint16_t hint)
      : said_(said), carried_(carried), units_(units), hint_(hint) {}

  std::optional<Match> match() const {
    if (said_.scale == carried_.scale && units_agree(said_.unit, carried_.unit)) {
      if (said_.number == carried_.number) return level(Level::same_value);
      if (auto rounded = rounded_of()) return rounded;
    }
    return converted();
  }

 private:
  // A carried decimal at the written precision; a whole number is never rounded.
  std::optional<Match> rounded_of() const {
    if (carried_.number.is_integer()) return std::nullopt;
    if (carried_.number.rounded(said_.decimals) == said_.number) return level(Level::rounded);
    if (carried_.number.truncated(said_.decimals) == said_.number) {
      Match found = level(Level::rounded);
      found.cut = true;
      return found;
    }
    return std::nullopt;
  }

  // `carried` in the unit and scale that were said, exactly or at the written precision.
  bool agrees(const std::optional<Decimal>& carried) const {
    if (!carried) return false;
    if (*carried == said_.number) return true;
    return said_.significant >= kFewestDigits && carried->rounded(said_.decimals) == said_.number;
  }

  static std::optional<Decimal> scaled(const Reading& reading) {
    return reading.number.shifted(reading.scale);
  }

  // From a base amount into the said unit and scale; `factor` of the said unit.
  std::optional<Decimal> in_said_unit(const Decimal& base, const Decimal& factor) const {
    const UnitTable::Entry& entry = units_.row(said_.unit.id);
    const auto product = base.times(entry.divisor);
    if (!product) return std::nullopt;
    constexpr int kDecimals = 40;
    const auto number = product->divide(factor, kDecimals);
    if (!number) return std::nullopt;
    const auto shifted = number->minus(entry.offset);
    return shifted ? shifted->shifted(-said_.scale) : std::nullopt;
  }

  // A quick look in doubles: false when the exact comparison cannot hold.
  bool may_agree(const Decimal& base, double factor) const {
    const UnitTable::Entry& entry = units_.row(said_.unit.id);
    const double said = internal::near_double(said_.number);
    const double carried =
        (internal::near_double(base) / factor - entry.near_offset) * std::pow(10.0, -said_.scale);
    if (!std::isfinite(said) || !std::isfinite(carried)) return true;
    constexpr double kError = 1e-9;
    return std::abs(said - carried) <= std::pow(10.0, -said_.decimals) + std::abs(said) * kError;
  }

  std::optional<Match> by_base(const Decimal& amount, const Unit& unit, const char* note) const {
    const auto base = units_.to_base(amount, unit);
    if (!base) return std::nullopt;
    const UnitTable::Entry& said = units_.row(said_.unit.id);
    const UnitTable::Entry& other = units_.row(unit.id);
    const bool near = may_agree(*base, said.near_factor);
    if (near && agrees(in_said_unit(*base, said.factor))) return level(Level::converted, note);
    if (said.other_factor && may_agree(*base, said.near_other_factor) &&
        agrees(in_said_unit(*base, *said.other_factor))) {
      return level(Level::converted, "binary-unit");
    }
    if (other.other_factor) {
      const auto binary = amount.times(*other.other_factor);
      if (binary && may_agree(*binary, said.near_factor) &&
          agrees(in_said_unit(*binary, said.factor)))
        return level(Level::converted, "binary-unit");
      if (binary && said.other_factor && may_agree(*binary, said.near_other_factor) &&
          agrees(in_said_unit(*binary, *said.other_factor)))
        return level(Level::converted, "binary-unit");
    }
    return std::nullopt;
  }

  std::optional<Match> converted() const {
    const auto amount = scaled(carried_);
    if (!amount) return std::nullopt;
    const bool agree = units_agree(said_.unit, carried_.unit);
    if (agree && said_.scale != carried_.scale && agrees(amount->shifted(-said_.scale))) {
      return level(Level::converted, "scale");
    }
    if (units_.convertible(said_.unit, carried_.unit) && said_.unit.id != carried_.unit.id) {
      return by_base(*amount, carried_.unit, "unit");
    }
    if (carried_.unit.stated() && said_.unit.stated()) return std::nullopt;
    return unit_of_one(*amount);
  }

  // One side states no unit: a percentage of one, a base unit, or what the member's name tells.
  std::optional<Match> unit_of_one(const Decimal& amount) const {
    const std::uint16_t percent = units_.named().percent;
    const std::uint16_t ratio = units_.row(percent).dimension;
    const Unit one;
    if (said_.unit.id != 0 && !carried_.unit.stated()) {
      const UnitTable::Entry& said = units_.row(said_.unit.id);
      if (hint_ != 0 && hint_ != said_.unit.id && said_.unit.per == 0 &&
          units_.row(hint_).dimension == said.dimension) {
        Unit told;
        told.id = hint_;
        if (auto found = by_base(amount, told, "unit-by-name")) return found;
      }
      if (said.dimension == ratio && (!amount.is_integer() || is_zero_or_one(amount))) {
        return by_base(amount, one, "percent");
      }
      if (said.dimension == units_.row(units_.named().byte).dimension && said_.unit.per == 0 &&
          hint_ == 0) {
        return by_base(amount, one, "bytes");
      }
    }
    if (!said_.unit.stated() && carried_.unit.id != 0 &&
        units_.row(carried_.unit.id).dimension == ratio && !said_.number.is_integer()) {
      const auto base = units_.to_base(amount, carried_.unit);
      if (base && agrees(base->shifted(-said_.scale))) return level(Level::converted, "percent");
    }
    return std::nullopt;
  }

  static bool is_zero_or_one(const Decimal& number) {
    return number.is_zero() || number == Decimal(1);
  }

  const Reading& said_;
  const Reading& carried_;
  const UnitTable& units_;
  std::uint16_t hint_;
};

std::optional<Match> match_identifier(const Reading& said, const Reading& carried) {
  if (said.text != carried.text) return std::nullopt;
  return level(Level::same_value);
}

bool same_clock(const ClockTime& a, const ClockTime& b) {
  return a.second_of_day == b.second_of_day && a.nanosecond == b.nanosecond;
}
// 08:15:30.12 for 08:15:30.123456: the fraction at the precision it is written with.
bool fraction_covers(std::uint32_t said, std::uint32_t carried) {
  if (said == 0) return carried == 0;
  std::uint32_t step = 1;
  while (said % (step * 10) == 0) step *= 10;
  return said / step == carried / step;
}
// `said` names the carried time with fewer parts: 08:15 for 08:15:30.
bool clock_covers(const ClockTime& said, const ClockTime& carried) {
  switch (said.precision) {
    case ClockPrecision::hour:
    case ClockPrecision::minute:
      return said.second_of_day / 60 == carried.second_of_day / 60;
    case ClockPrecision::second:
      return said.second_of_day == carried.second_of_day;
    case ClockPrecision::fraction:
      return said.second_of_day == carried.second_of_day &&
             fraction_covers(said.nanosecond, carried.nanosecond);
  }
  return false;
}

// The written parts of `said` are those of `carried`.
bool date_covers(const CivilDate& said, const CivilDate& carried) {
  return (said.year == 0 || said.year == carried.year) &&
         (said.month == 0 || said.month == carried.month) &&
         (said.day == 0 || said.day == carried.day);
}

bool zones_agree(const ZoneOffset& a, const ZoneOffset& b) {
  return !a.written || !b.written || a == b;
}

std::int64_t utc_seconds(const Reading& r) {
  return internal::days_of(r.date) * kDaySeconds + r.time.second_of_day -
         (r.zone.written ? r.zone.minutes * 60 : 0);
}

std::optional<Match> match_date(const Reading& said, const Reading& carried) {
  if (carried.kind == ValueKind::date) {
    if (said.date == carried.date) return level(Level::same_value);
    if (date_covers(said.date, carried.date)) return level(Level::part_of);
    return std::nullopt;
  }
  if (carried.kind != ValueKind::instant) return std::nullopt;
  if (date_covers(said.date, carried.date)) return level(Level::part_of);
  if (carried.zone.written && carried.zone.minutes != 0 && said.date.complete()) {
    const std::int64_t utc = utc_seconds(carried);
    const std::int64_t day = (utc >= 0 ? utc : utc - kDaySeconds + 1) / kDaySeconds;
    if (internal::date_of_days(day) == said.date) return level(Level::converted, "zone");
  }
  return std::nullopt;
}

std::optional<Match> match_time(const Reading& said, const Reading& carried) {
  if (carried.kind != ValueKind::time && carried.kind != ValueKind::instant) return std::nullopt;
  if (!zones_agree(said.zone, carried.zone)) {
    // Two zones are written: the same time of day in the other.
    ClockTime here = said.time;
    ClockTime there = carried.time;
    here.second_of_day = internal::utc_of_day(said.time, said.zone);
    there.second_of_day = internal::utc_of_day(carried.time, carried.zone);
    return clock_covers(here, there) ? std::optional<Match>(level(Level::converted, "zone"))
                                     : std::nullopt;
  }
  if (carried.kind == ValueKind::time && same_clock(said.time, carried.time))
    return level(Level::same_value);
  return clock_covers(said.time, carried.time) ? std::optional<Match>(level(Level::part_of))
                                               : std::nullopt;
}

std::optional<Match> match_instant(const Reading& said, const Reading& carried) {
  if (carried.kind != ValueKind::instant) return std::nullopt;
  if (said.date == carried.date && zones_agree(said.zone, carried.zone)) {
    if (same_clock(said.time, carried.time)) return level(Level::same_value);
    if (clock_covers(said.time, carried.time)) return level(Level::part_of);
    return std::nullopt;
  }
  if (said.zone.written && carried.zone.written) {
    const std::int64_t a = utc_seconds(said);
    const std::int64_t b = utc_seconds(carried);
    const bool minutes = said.time.precision <= ClockPrecision::minute;
    if (minutes ? a / 60 == b / 60 : a == b) return level(Level::converted, "zone");
  }
  return std::nullopt;
}

// A number of seconds, milli-, micro- or nanoseconds since 1970 for an instant or its date.
std::optional<Match> match_epoch(const Reading& calendar, const Reading& number) {
  // `1712908800.25` is a moment of that second.
  const auto whole = number.number.truncated(0).to_int64();
  if (!whole || *whole < 100'000'000 || number.unit.stated() || number.scale != 0)
    return std::nullopt;
  struct Row {
    std::int64_t unit;
    const char* note;
  };
  static constexpr Row kRows[] = {
      {1, "epoch-s"}, {1000, "epoch-ms"}, {1'000'000, "epoch-us"}, {1'000'000'000, "epoch-ns"}};
  for (const Row& row : kRows) {
    const std::int64_t seconds = *whole / row.unit;
    if (seconds < 100'000'000 || seconds > 10'000'000'000) continue;
    if (calendar.kind == ValueKind::date) {
      if (calendar.date.complete() &&
          internal::date_of_days(seconds / kDaySeconds) == calendar.date) {
        return level(Level::converted, row.note);
      }
      continue;
    }
    const std::int64_t said = utc_seconds(calendar);
    const bool minutes = calendar.time.precision <= ClockPrecision::minute;
    if (minutes ? said / 60 == seconds / 60 : said == seconds)
      return level(Level::converted, row.note);
  }
  return std::nullopt;
}

// `20240520`, written without signs, for a date.
std::optional<Match> match_compact_date(const Reading& calendar, const Reading& number) {
  if (calendar.kind != ValueKind::date || !calendar.date.complete()) return std::nullopt;
  if (number.unit.stated() || number.scale != 0 || number.decimals != 0) return std::nullopt;
  return number.number == Decimal(internal::compact_date(calendar.date))
             ? std::optional<Match>(level(Level::same_value, "compact-date"))
             : std::nullopt;
}

bool is_number(const Reading& r) {
  return r.kind == ValueKind::number || r.kind == ValueKind::quantity;
}

// `2 h 5 min` for 7,530 seconds: rounded, or cut, to the smallest unit that is written.
std::optional<Match> match_rounded_duration(double said, double carried) {
  const double step = duration_step(said);
  const double cut = carried - said;
  if (step < 1 || cut < -step / 2 || cut >= step) return std::nullopt;
  Match found = level(Level::rounded);
  found.cut = cut > step / 2;
  return found;
}

// A compound duration as seconds beside a quantity of time.
std::optional<Match> match_duration(const Reading& said, const Reading& carried,
                                    const UnitTable& units, std::uint16_t hint) {
  if (said.kind == carried.kind) {
    if (said.number == carried.number) return level(Level::same_value);
    return match_rounded_duration(said.number.to_double(), carried.number.to_double());
  }
  const bool of_carried = is_number(carried);
  const Reading& number = of_carried ? carried : said;
  if (!is_number(number)) return std::nullopt;
  Reading known = number;
  if (!known.unit.stated() && of_carried) known.unit.id = hint;
  if (known.unit.id == 0) return std::nullopt;
  const auto found = of_carried ? NumberMatcher(said, known, units, 0).match()
                                : NumberMatcher(known, carried, units, 0).match();
  if (found) {
    const bool rounded = found->level == Level::rounded && !of_carried;
    return level(rounded ? Level::rounded : Level::converted, "unit");
  }
  const auto seconds = units.to_base(known.number, known.unit);
  const bool time = units.row(known.unit.id).dimension == units.row(units.named().second).dimension;
  if (!of_carried || !seconds || !time || known.scale != 0 || known.unit.per != 0) {
    return std::nullopt;
  }
  const bool holds =
      match_rounded_duration(said.number.to_double(), seconds->to_double()).has_value();
  return holds ? std::optional<Match>(level(Level::converted, "unit")) : std::nullopt;
}

}  // namespace

std::optional<Match> match_readings(const Reading& said, const Reading& carried,
                                    const MatchContext& context) {
  const UnitTable& units = context.units == nullptr ? UnitTable::standard() : *context.units;
  if (said.kind == ValueKind::duration || carried.kind == ValueKind::duration) {
    return match_duration(said, carried, units, context.carrier_unit);
  }
  if (is_number(said) && is_number(carried)) {
    // Two identifiers with leading zeros are compared as identifiers.
    if (said.note == ReadingNote::leading_zero && carried.note == said.note) return std::nullopt;
    // `35M` is 35 MB only beside bytes, never a bare 35.
    const bool bare = !carried.unit.stated() && context.carrier_unit == 0;
    if ((said.note == ReadingNote::other_unit && bare) ||
        (carried.note == ReadingNote::other_unit && !said.unit.stated())) {
      return std::nullopt;
    }
    return NumberMatcher(said, carried, units, context.carrier_unit).match();
  }
  const bool text = said.kind == ValueKind::identifier || said.kind == ValueKind::shape;
  if (text) {
    const bool other = carried.kind == ValueKind::identifier || carried.kind == ValueKind::shape;
    return other ? match_identifier(said, carried) : std::nullopt;
  }
  const bool calendar = said.kind == ValueKind::date || said.kind == ValueKind::instant;
  if (calendar && is_number(carried)) {
    if (said.date.year_only()) {
      const bool bare = !carried.unit.stated() && carried.scale == 0;
      return bare && carried.number == Decimal(said.date.year)
                 ? std::optional<Match>(level(Level::same_value))
                 : std::nullopt;
    }
    if (const auto found = match_compact_date(said, carried)) return found;
    return match_epoch(said, carried);
  }
  if (is_number(said)) {
    if (carried.kind != ValueKind::instant && carried.kind != ValueKind::date) return std::nullopt;
    if (carried.date.year_only()) {
      // A result's own bare year is a number too.
      return !said.unit.stated() && said.number == Decimal(carried.date.year)
                 ? std::optional<Match>(level(Level::same_value))
                 : std::nullopt;
    }
    if (context.respelled && !said.unit.stated() && said.scale == 0) {
      for (const int part :
           {int{carried.date.year}, int{carried.date.month}, int{carried.date.day}}) {
        if (part != 0 && said.number == Decimal(part)) return level(Level::part_of);
      }
    }
    if (const auto found = match_compact_date(carried, said)) return found;
    return carried.kind == ValueKind::instant ? match_epoch(carried, said) : std::nullopt;
  }
  switch (said.kind) {
    case ValueKind::date:
      return match_date(said, carried);
    case ValueKind::time:
      return match_time(said, carried);
    case ValueKind::instant:
      return match_instant(said, carried);
    default:
      return std::nullopt;
  }
}

std::optional<Match> match(const Value& said, const Value& carried, const MatchContext& context) {
  return match(said, carried.readings, said.raw == carried.raw && said.year == carried.year,
               context);
}

std::optional<Match> match(const Value& said, std::span<const Reading> carried, bool same_bytes,
                           const MatchContext& context) {
  std::optional<Match> best;
  for (const Reading& mine : said.readings) {
    for (const Reading& theirs : carried) {
      auto found = match_readings(mine, theirs, context);
      if (!found) continue;
      if (found->note.empty()) {
        found->note = name_of(mine.note == ReadingNote::plain ? theirs.note : mine.note);
      }
      if (!best || found->level < best->level ||
          (found->level == best->level && best->cut && !found->cut)) {
        best = found;
      }
    }
  }
  if (best && best->level == Level::same_value && same_bytes) best->level = Level::exact;
  return best;
}

namespace {
bool has_sign_word(const Value& value) {
  return std::any_of(value.readings.begin(), value.readings.end(),
                     [](const Reading& r) { return r.note == ReadingNote::sign_word; });
}
}  // namespace

double duration_step(double seconds) noexcept {
  for (const double unit : {86'400.0, 3'600.0, 60.0}) {
    if (std::fmod(seconds, unit) == 0) return unit;
  }
  return 1;
}

bool same_value(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.readings.empty() != b.readings.empty() || a.ending != b.ending)
    return false;
  if (a.readings.empty()) return a.value == b.value;
  const Reading& x = a.readings.front();
  const Reading& y = b.readings.front();
  switch (a.kind) {
    case ValueKind::number:
    case ValueKind::quantity:
      return x.number == y.number && x.scale == y.scale && x.unit == y.unit &&
             has_sign_word(a) == has_sign_word(b);
    case ValueKind::identifier:
    case ValueKind::shape:
      return x.text == y.text && a.shape == b.shape;
    case ValueKind::date:
      return x.date == y.date && a.readings.size() == b.readings.size();
    case ValueKind::time:
      return same_clock(x.time, y.time) && x.zone == y.zone &&
             a.readings.size() == b.readings.size();
    case ValueKind::instant:
      return x.date == y.date && same_clock(x.time, y.time) && x.zone == y.zone &&
             a.readings.size() == b.readings.size();
    case ValueKind::duration:
      return x.number == y.number;
  }
  return false;
}

}  // namespace agentfootprint::evidence
