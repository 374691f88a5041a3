// Key ranges of a value: where in the index its matches can be.
#include <algorithm>
#include <array>
#include <cmath>

#include "agentfootprint/evidence/internal/keys.hpp"
#include "agentfootprint/evidence/match.hpp"

namespace agentfootprint::evidence::internal {
namespace {

constexpr std::uint64_t kSlack = 8;  // in key steps: more than the error of near_double
constexpr int kDay = 86400;

class QueryMaker {
 public:
  QueryMaker(const QueryContext& context, Stage stage, std::vector<KeyRange>& out)
      : context_(context), units_(*context.units), stage_(stage), out_(out) {}

  void make(const Value& value) {
    out_.clear();
    for (const Reading& reading : value.readings) add(reading, value);
    if (out_.size() > 1) tidy(out_);
  }

 private:
  using List = std::vector<KeyRange>;

  [[nodiscard]] bool same() const noexcept { return stage_ == Stage::same; }
  [[nodiscard]] bool conversions() const noexcept { return stage_ == Stage::converted; }
  void point(std::uint64_t key) { out_.push_back({key, key}); }
  void numbers(double a, double b) {
    out_.push_back({number_key(KeyTag::number, std::min(a, b)) - kSlack,
                    number_key(KeyTag::number, std::max(a, b)) + kSlack});
  }
  void amounts(std::uint16_t dimension, double a, double b) {
    out_.push_back({amount_key(dimension, std::min(a, b)) - kSlack,
                    amount_key(dimension, std::max(a, b)) + kSlack});
  }
  void seconds(KeyTag tag, std::int64_t first, std::int64_t last) {
    out_.push_back({seconds_key(tag, first), seconds_key(tag, last)});
  }

  void add(const Reading& reading, const Value& value) {
    switch (reading.kind) {
      case ValueKind::number:
      case ValueKind::quantity:
        number(reading);
        break;
      case ValueKind::identifier:
        if (same()) point(identifier_key(reading.text));
        break;
      case ValueKind::duration:
        duration(reading);
        break;
      case ValueKind::date:
        date(reading.date);
        break;
      case ValueKind::time:
        if (same()) clock(reading.time);
        if (conversions() && reading.zone.written) {
          ClockTime utc = reading.time;
          utc.second_of_day = utc_of_day(reading.time, reading.zone);
          clock(utc);
        }
        break;
      case ValueKind::instant:
        instant(reading);
        break;
      case ValueKind::shape:
        break;
    }
    if (value.year && same()) point(number_key(KeyTag::number, reading.date.year));
  }

  void number(const Reading& r) {
    const double value = near_double(r.number);
    if (same()) {
      compact(r, value);
      return point(number_key(KeyTag::number, value));
    }
    // One step of the written precision: rounding reaches half of it down, cutting a whole one up.
    const double step = std::pow(10.0, -r.decimals);
    const double away = value < 0 ? -step : step;
    if (stage_ == Stage::rounded) return numbers(value - away / 2, value + away);
    converted(r, value, step);
    epoch_of_number(r, value);
  }

  // `20240520` for the date.
  void compact(const Reading& r, double value) {
    if (r.unit.stated() || r.scale != 0 || r.decimals > 0) return;
    if (value < 15'000'101 || value > 21'991'231) return;
    const int digits = static_cast<int>(value);
    const CivilDate date{static_cast<std::int16_t>(digits / 10'000),
                         static_cast<std::uint8_t>(digits / 100 % 100),
                         static_cast<std::uint8_t>(digits % 100)};
    if (date.month < 1 || date.month > 12 || date.day < 1 || date.day > 31) return;
    const std::int64_t day = days_of(date) * kDay;
    seconds(KeyTag::civil, day, day);
  }

  void converted(const Reading& r, double value, double step) {
    const double half = r.significant >= 2 ? step / 2 : 0;
    const double scale = std::pow(10.0, r.scale);
    const double low = (value - half) * scale;
    const double high = (value + half) * scale;
    // A bare number for a scaled one and the reverse.
    if (r.scale != 0) numbers(low, high);
    amounts(0, low, high);
    if (r.unit.id == 0) {
      const std::uint16_t percent = units_.named().percent;
      amounts(units_.row(percent).dimension, low, high);  // 0.611 said for 61.1 %
      return;
    }
    const UnitTable::Entry& entry = units_.row(r.unit.id);
    in_base(r.unit.id, entry.near_factor, low, high);
    if (entry.near_other_factor != 0) in_base(r.unit.id, entry.near_other_factor, low, high);
  }

  // The interval in the base of the unit's dimension, and in every unit that member names tell.
  void in_base(std::uint16_t id, double factor, double low, double high) {
    const UnitTable::Entry& entry = units_.row(id);
    const double a = (low + entry.near_offset) * factor;
    const double b = (high + entry.near_offset) * factor;
    amounts(entry.dimension, a, b);
    if (entry.dimension == units_.row(units_.named().percent).dimension ||
        entry.dimension == units_.row(units_.named().byte).dimension) {
      numbers(a, b);
    }
    if (entry.dimension == units_.row(units_.named().second).dimension) {
      out_.push_back({number_key(KeyTag::duration, std::min(a, b)) - kSlack,
                      number_key(KeyTag::duration, std::max(a, b)) + kSlack});
    }
    hinted(entry.dimension, a, b);
  }

  void hinted(std::uint16_t dimension, double a, double b) {
    if (context_.hint_units == nullptr) return;
    for (const std::uint16_t hint : *context_.hint_units) {
      const UnitTable::Entry& other = units_.row(hint);
      if (other.dimension != dimension) continue;
      const auto back = [&](double base, double factor) {
        return base / factor - other.near_offset;
      };
      numbers(back(a, other.near_factor), back(b, other.near_factor));
      if (other.near_other_factor != 0) {
        numbers(back(a, other.near_other_factor), back(b, other.near_other_factor));
      }
    }
  }

  void duration(const Reading& r) {
    const double value = near_double(r.number);
    if (same()) return point(number_key(KeyTag::duration, value));
    const double step = duration_step(value);
    const double low = value - step / 2;
    const double high = value + step;
    if (stage_ == Stage::rounded) {
      out_.push_back({number_key(KeyTag::duration, low), number_key(KeyTag::duration, high)});
    }
    if (!conversions()) return;
    const std::uint16_t second = units_.named().second;
    amounts(units_.row(second).dimension, low, high);
    hinted(units_.row(second).dimension, low, high);
  }

  void date(const CivilDate& d) {
    if (stage_ == Stage::rounded) return;
    if (d.year == 0) {
      if (!same()) return;
      point(small_key(KeyTag::month_day, d.month * 32U + d.day));
      for (int year = context_.first_year; year <= context_.last_year; ++year) {
        CivilDate whole = d;
        whole.year = static_cast<std::int16_t>(year);
        const std::int64_t day = days_of(whole) * kDay;
        seconds(KeyTag::civil, day, day + kDay - 1);
      }
      return;
    }
    CivilDate after = d;
    if (d.month == 0) {
      ++after.year;
    } else if (d.day == 0) {
      after.month = static_cast<std::uint8_t>(d.month % 12 + 1);
      if (d.month == 12) ++after.year;
    }
    const std::int64_t first = days_of(d) * kDay;
    const std::int64_t last = (d.complete() ? first + kDay : days_of(after) * kDay) - 1;
    if (same()) {
      if (d.complete()) numbers(compact_date(d), compact_date(d));
      return seconds(KeyTag::civil, first, last);
    }
    if (d.complete()) {
      seconds(KeyTag::utc, first - kDay, last + kDay);
      epochs(first, last + 1);
    }
  }

  void epochs(std::int64_t first, std::int64_t behind) {
    for (const double unit : {1.0, 1e3, 1e6, 1e9}) {
      numbers(static_cast<double>(first) * unit, static_cast<double>(behind) * unit);
    }
  }

  static std::int64_t span_of(const ClockTime& time) {
    return time.precision <= ClockPrecision::minute ? 59 : 0;
  }

  void clock(const ClockTime& time) {
    const auto first = static_cast<std::uint64_t>(time.second_of_day);
    out_.push_back({small_key(KeyTag::clock, first),
                    small_key(KeyTag::clock, first + static_cast<std::uint64_t>(span_of(time)))});
  }

  void instant(const Reading& r) {
    const std::int64_t first = days_of(r.date) * kDay + r.time.second_of_day;
    const std::int64_t last = first + span_of(r.time);
    if (same()) return seconds(KeyTag::civil, first, last);
    if (!conversions()) return;
    const std::int64_t shift = r.zone.written ? r.zone.minutes * 60 : 0;
    if (r.zone.written) seconds(KeyTag::utc, first - shift, last - shift);
    epochs(first - shift, last - shift + 1);
  }

  // A number said for an instant read: seconds, milli-, micro- or nanoseconds since 1970.
  void epoch_of_number(const Reading& r, double value) {
    if (r.unit.stated() || r.scale != 0 || r.decimals > 0 || value < 1e8) return;
    for (const double unit : {1.0, 1e3, 1e6, 1e9}) {
      const double second = std::floor(value / unit);
      if (second < 1e8 || second > 1e10) continue;
      const auto at = static_cast<std::int64_t>(second);
      seconds(KeyTag::utc, at, at);
      seconds(KeyTag::civil, at, at);
    }
  }

  static void tidy(List& list) {
    std::sort(list.begin(), list.end(),
              [](const KeyRange& a, const KeyRange& b) { return a.low < b.low; });
    List merged;
    for (const KeyRange& range : list) {
      if (!merged.empty() && range.low <= merged.back().high) {
        merged.back().high = std::max(merged.back().high, range.high);
      } else {
        merged.push_back(range);
      }
    }
    list = std::move(merged);
  }

  const QueryContext& context_;
  const UnitTable& units_;
  const Stage stage_;
  List& out_;
};

}  // namespace

void queries_of(const Value& value, const QueryContext& context, Stage stage,
                std::vector<KeyRange>& out) {
  QueryMaker(context, stage, out).make(value);
}

}  // namespace agentfootprint::evidence::internal
