// The formulas of a derivation.
#include "agentfootprint/evidence/internal/trial.hpp"

#include <algorithm>
#include <cmath>

#include "agentfootprint/evidence/internal/calendar.hpp"

namespace agentfootprint::evidence::internal {
namespace {

const json::Decimal kOne(1);
const json::Decimal kHundred(100);
constexpr std::int64_t kDay = kSecondsADay;

bool agree(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() || a == b;
}

// Seconds moved by whole months: the day is kept, or the last of a shorter month.
std::int64_t add_months(std::int64_t seconds, std::int32_t months) {
  if (months == 0) return seconds;
  const std::int64_t day = floor_div(seconds, kDay);
  const CalendarDay date = calendar_day(day);
  const std::int64_t total = date.year * 12 + date.month - 1 + months;
  const std::int64_t year = floor_div(total, 12);
  const int month = static_cast<int>(total - year * 12) + 1;
  const std::int64_t moved =
      days_of_date(year, month, std::min(date.day, days_in_month(year, month)));
  return moved * kDay + (seconds - day * kDay);
}

std::string joined(const std::vector<const Term*>& operands, std::string_view by) {
  std::string text;
  for (const Term* operand : operands) {
    if (!text.empty()) text += by;
    text += operand->about.raw;
  }
  return text;
}

}  // namespace

Term::Term(Amount given, DerivedOperand stands)
    : amount(std::move(given)), about(std::move(stands)) {
  value = amount.number.to_double();
  factor = amount.factor.to_double();
  integer = amount.number.is_integer();
}

Trial::Trial(const Amount& target) : target_(target) {
  value_ = target_.number.to_double();
  ten_ = std::pow(10.0, target_.decimals);
  const double written = std::max(1.0, std::round(std::fabs(value_) * ten_));
  const double digits = std::floor(std::log10(written) + 1e-12);
  low_ = std::pow(10.0, digits);
  high_ = low_ * 10;
  space_ = 9 * low_;
  reach_ = 0.5000001 / ten_ + std::fabs(value_) * 1e-9;
}

bool Trial::unit_fits(const std::string& dimension) const {
  return agree(target_.dimension, dimension);
}

bool Trial::near(double value) {
  ++tried_;
  const double written = std::fabs(value) * ten_ + 0.5;
  if (written >= low_ && written < std::min(high_, 9e18)) {
    results_.push_back(static_cast<std::int64_t>(written));
  }
  return std::fabs(value - value_) <= reach_ || (falls_ && std::fabs(value + value_) <= reach_);
}

bool Trial::equals(const json::Decimal& numerator, const json::Decimal& denominator,
                   bool exact) const {
  const auto same = [&](const json::Decimal& result) {
    return result == target_.number || (falls_ && result.negated() == target_.number);
  };
  if (exact) {
    const auto scaled = target_.number.times(denominator);
    return scaled && (*scaled == numerator || (falls_ && scaled->negated() == numerator));
  }
  if (target_.decimals >= 0) {
    const auto result = numerator.divide(denominator, target_.decimals);
    return result && same(*result);
  }
  const auto wide = denominator.shifted(-target_.decimals);
  if (!wide) return false;
  const auto result = numerator.divide(*wide, 0);
  const auto shifted = result ? result->shifted(-target_.decimals) : std::nullopt;
  return shifted && same(*shifted);
}

void Trial::keep(std::string text, std::vector<DerivedOperand> operands) {
  if (found_.size() >= kMaxFormulas) return;
  const bool known = std::any_of(found_.begin(), found_.end(), [&](const Formula& formula) {
    if (formula.text != text || formula.operands.size() != operands.size()) return false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (formula.operands[i].results != operands[i].results) return false;
    }
    return true;
  });
  if (!known) found_.push_back({std::move(text), std::move(operands)});
}

void Trial::pair(const Term& a, const Term& b) {
  const bool a_moves = a.amount.measure != Measure::number;
  const bool b_moves = b.amount.measure != Measure::number;
  if (!a_moves && !b_moves) {
    if (target_.measure == Measure::number) numbers(a, b);
    return;
  }
  if (a_moves && b_moves) {
    if (target_.measure == Measure::number) gap(a, b);
    if (target_.measure == Measure::instant) compose(a, b);
    return;
  }
  const Term& date = a_moves ? a : b;
  const Term& by = a_moves ? b : a;
  if (target_.measure == Measure::number || by.amount.dimension != "time") return;
  const auto seconds = by.amount.number.times(by.amount.factor);
  if (!seconds) return;
  moved(date, *seconds, 0, date.about.raw + " + " + by.about.raw, {date.about, by.about});
}

// Operands without a unit take the other's, or the target's; a target without one takes theirs.
void Trial::numbers(const Term& a, const Term& b) {
  if (!agree(a.amount.dimension, b.amount.dimension)) return;
  const std::string& dimension =
      a.amount.dimension.empty() ? b.amount.dimension : a.amount.dimension;
  const json::Decimal* shared =
      !dimension.empty() ? (a.amount.dimension.empty() ? &b.amount.factor : &a.amount.factor)
                         : &target_.factor;
  Scale scale{};
  scale.a = a.amount.dimension.empty() ? shared : &a.amount.factor;
  scale.b = b.amount.dimension.empty() ? shared : &b.amount.factor;
  scale.target = target_.dimension.empty() ? shared : &target_.factor;
  scale.fa = scale.a->to_double();
  scale.fb = scale.b->to_double();
  scale.ft = scale.target->to_double();
  const double x = a.value * scale.fa;
  const double y = b.value * scale.fb;
  const bool bare = target_.dimension.empty();
  if (unit_fits(dimension)) {
    offer(Op::add, a, b, (x + y) / scale.ft, scale);
    offer(Op::subtract, a, b, (x - y) / scale.ft, scale);
    const Scale turned{scale.b, scale.a, scale.target, scale.fb, scale.fa, scale.ft};
    offer(Op::subtract, b, a, (y - x) / scale.ft, turned);
  }
  if (!bare && target_.dimension != "%") return;
  const Scale turned{scale.b, scale.a, scale.target, scale.fb, scale.fa, scale.ft};
  if (y != 0) {
    offer(Op::percent, a, b, 100 * x / y, scale);
    offer(Op::change, a, b, 100 * (x - y) / y, scale);
    if (bare) offer(Op::ratio, a, b, x / y, scale);
  }
  if (x != 0) {
    offer(Op::percent, b, a, 100 * y / x, turned);
    offer(Op::change, b, a, 100 * (y - x) / x, turned);
    if (bare) offer(Op::ratio, b, a, y / x, turned);
  }
}

void Trial::offer(Op op, const Term& a, const Term& b, double value, const Scale& scale) {
  if (!near(value) || !exactly(op, a, b, scale)) return;
  const std::string& x = a.about.raw;
  const std::string& y = b.about.raw;
  std::string text;
  switch (op) {
    case Op::add:
      text = x + " + " + y;
      break;
    case Op::subtract:
      text = x + " - " + y;
      break;
    case Op::percent:
      text = "100 * " + x + " / " + y;
      break;
    case Op::change:
      text = "100 * (" + x + " - " + y + ") / " + y;
      break;
    case Op::ratio:
    case Op::per:
      text = x + " / " + y;
      break;
    case Op::times:
      text = x + " * " + y;
      break;
  }
  keep(std::move(text), {a.about, b.about});
}

bool Trial::exactly(Op op, const Term& a, const Term& b, const Scale& scale) const {
  const bool counted = op == Op::times || op == Op::per;
  const auto x = a.amount.number.times(*scale.a);
  const auto y = counted ? std::optional(b.amount.number) : b.amount.number.times(*scale.b);
  if (!x || !y) return false;
  const bool integers = a.integer && b.integer;
  std::optional<json::Decimal> top;
  std::optional<json::Decimal> bottom = kOne;
  switch (op) {
    case Op::add:
      top = x->plus(*y);
      bottom = *scale.target;
      break;
    case Op::subtract:
      top = x->minus(*y);
      bottom = *scale.target;
      break;
    case Op::times:
      top = x->times(*y);
      bottom = *scale.target;
      break;
    case Op::per:
      top = x;
      bottom = y->times(*scale.target);
      break;
    case Op::percent:
      top = x->times(kHundred);
      bottom = y;
      break;
    case Op::change: {
      const auto difference = x->minus(*y);
      top = difference ? difference->times(kHundred) : std::nullopt;
      bottom = y;
      break;
    }
    case Op::ratio:
      top = x;
      bottom = y;
      break;
  }
  if (!top || !bottom || bottom->is_zero()) return false;
  const bool whole = op == Op::add || op == Op::subtract || op == Op::times;
  return equals(*top, *bottom, whole && integers);
}

void Trial::complement(const Term& a) {
  if (target_.measure != Measure::number || a.amount.measure != Measure::number) return;
  const auto percent = [](const std::string& d) { return d.empty() || d == "%"; };
  if (!percent(a.amount.dimension) || !percent(target_.dimension)) return;
  if (a.value < 0 || a.value > 100) return;
  if (!near(100 - a.value)) return;
  const auto rest = kHundred.minus(a.amount.number);
  if (rest && equals(*rest, kOne, a.integer)) keep("100 - " + a.about.raw, {a.about});
}

void Trial::times(const Term& a, const Term& n) {
  if (target_.measure != Measure::number || a.amount.measure != Measure::number) return;
  if (!unit_fits(a.amount.dimension) || n.value == 0) return;
  const json::Decimal* shared = a.amount.dimension.empty() ? &target_.factor : &a.amount.factor;
  Scale scale{};
  scale.a = shared;
  scale.b = &kOne;
  scale.target = target_.dimension.empty() ? shared : &target_.factor;
  scale.fa = scale.a->to_double();
  scale.fb = 1;
  scale.ft = scale.target->to_double();
  offer(Op::times, a, n, a.value * scale.fa * n.value / scale.ft, scale);
  offer(Op::per, a, n, a.value * scale.fa / n.value / scale.ft, scale);
}

// The time between two dates, times or instants. Past midnight a time of day goes on.
void Trial::gap(const Term& a, const Term& b) {
  if (a.amount.measure != b.amount.measure || a.amount.yearless != b.amount.yearless) return;
  if (!unit_fits("time") || (target_.dimension.empty() && a.amount.measure != Measure::date))
    return;
  const bool a_later = a.value >= b.value;
  const Term& later = a_later ? a : b;
  const Term& earlier = a_later ? b : a;
  const json::Decimal unit = target_.dimension.empty() ? json::Decimal(kDay) : target_.factor;
  const auto difference = later.amount.number.minus(earlier.amount.number);
  if (!difference) return;
  const std::string text = later.about.raw + " - " + earlier.about.raw;
  if (near(difference->to_double() / unit.to_double()) && equals(*difference, unit, false)) {
    keep(text, {later.about, earlier.about});
  }
  if (a.amount.measure != Measure::time) return;
  const auto around = json::Decimal(kDay).minus(*difference);
  if (around && near(around->to_double() / unit.to_double()) && equals(*around, unit, false)) {
    keep(earlier.about.raw + " + 24 h - " + later.about.raw, {earlier.about, later.about});
  }
}

// The instant of a date and a time of day that stand in two members.
void Trial::compose(const Term& a, const Term& b) {
  const Term& date = a.amount.measure == Measure::date ? a : b;
  const Term& time = a.amount.measure == Measure::date ? b : a;
  if (date.amount.measure != Measure::date || time.amount.measure != Measure::time) return;
  moved(date, time.amount.number, 0, date.about.raw + " + " + time.about.raw,
        {date.about, time.about});
}

void Trial::shift(const Term& a, const Shift& by) {
  if (a.amount.measure == Measure::number || target_.measure == Measure::number) return;
  moved(a, json::Decimal(by.seconds), by.months, a.about.raw + " + " + by.text, {a.about});
}

void Trial::moved(const Term& a, const json::Decimal& seconds, std::int32_t months,
                  const std::string& text, std::vector<DerivedOperand> operands) {
  const auto whole = seconds.rounded(0).to_int64();
  const auto start = a.amount.number.truncated(0).to_int64();
  const auto goal = target_.number.truncated(0).to_int64();
  if (!whole || !start || !goal || std::abs(*whole) > kDay * 40'000) return;
  const bool of_day = a.amount.measure == Measure::time;
  if (of_day != (target_.measure == Measure::time) && of_day) return;
  std::int64_t result = add_months(*start, months) + *whole;
  ++tried_;
  if (of_day || target_.measure == Measure::time) result = ((result % kDay) + kDay) % kDay;
  bool same = floor_div(result, target_.resolution) == floor_div(*goal, target_.resolution);
  if (target_.measure == Measure::date && (target_.yearless || a.amount.yearless)) {
    const CalendarDay is = calendar_day(floor_div(result, kDay));
    const CalendarDay want = calendar_day(floor_div(*goal, kDay));
    same = is.month == want.month && is.day == want.day;
  }
  results_.push_back(floor_div(result, target_.resolution));
  if (same) keep(text, std::move(operands));
}

void Trial::total(const json::Decimal& sum, std::uint32_t count, bool integers,
                  const std::string& unit, const std::string& pointer,
                  const std::vector<DerivedOperand>& operands) {
  if (target_.measure != Measure::number || !unit_fits(unit) || count < 2) return;
  const double total = sum.to_double();
  if (near(total) && equals(sum, kOne, integers)) keep("sum(" + pointer + ")", operands);
  if (near(total / count) && equals(sum, json::Decimal(std::int64_t{count}), false)) {
    keep("mean(" + pointer + ")", operands);
  }
}

void Trial::count(std::uint32_t rows, const std::string& pointer,
                  const std::vector<DerivedOperand>& operands) {
  if (target_.measure != Measure::number || !target_.dimension.empty()) return;
  if (near(rows) && equals(json::Decimal(std::int64_t{rows}), kOne, true)) {
    keep("count(" + pointer + ")", operands);
  }
}

void Trial::all(const std::vector<const Term*>& operands) {
  if (operands.size() < 2 || target_.measure != Measure::number) return;
  std::string dimension;
  const json::Decimal* factor = nullptr;
  for (const Term* operand : operands) {
    if (operand->amount.measure != Measure::number) return;
    if (operand->amount.dimension.empty()) continue;
    if (!agree(dimension, operand->amount.dimension)) return;
    dimension = operand->amount.dimension;
    if (factor == nullptr) factor = &operand->amount.factor;
  }
  if (!unit_fits(dimension)) return;
  if (factor == nullptr) factor = &target_.factor;
  json::Decimal sum;
  bool integers = true;
  std::vector<DerivedOperand> abouts;
  for (const Term* operand : operands) {
    const auto part = operand->amount.number.times(
        operand->amount.dimension.empty() ? *factor : operand->amount.factor);
    const auto more = part ? sum.plus(*part) : std::nullopt;
    if (!more) return;
    sum = *more;
    integers = integers && operand->integer;
    abouts.push_back(operand->about);
  }
  const json::Decimal& unit = target_.dimension.empty() ? *factor : target_.factor;
  const double total = sum.to_double() / unit.to_double();
  const auto size = static_cast<std::int64_t>(operands.size());
  if (near(total) && equals(sum, unit, integers)) keep(joined(operands, " + "), abouts);
  const auto parts = unit.times(json::Decimal(size));
  if (parts && near(total / static_cast<double>(size)) && equals(sum, *parts, false)) {
    keep("mean(" + joined(operands, "; ") + ")", abouts);
  }
}

double Trial::chance() {
  std::sort(results_.begin(), results_.end());
  const auto end = std::unique(results_.begin(), results_.end());
  const auto distinct = static_cast<double>(end - results_.begin()) + bound_;
  double space = space_;
  // Moments are counted against a year of them: a date lies somewhere in one, not among all dates.
  if (target_.measure == Measure::date) space = 366;
  if (target_.measure == Measure::time) {
    space = static_cast<double>(kDay) / static_cast<double>(target_.resolution);
  }
  if (target_.measure == Measure::instant) {
    space = 366.0 * static_cast<double>(kDay) / static_cast<double>(target_.resolution);
  }
  return std::min(1.0, distinct / space);
}

}  // namespace agentfootprint::evidence::internal
