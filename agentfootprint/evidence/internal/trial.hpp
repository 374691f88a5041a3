// Trying formulas on one value.
//
// A trial holds the value that is to be explained. Each formula is computed in doubles first; only
// a result within reach of the value is computed again exactly. Every result with the written
// number of digits is counted for `chance`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/evidence/derivation.hpp"
#include "agentfootprint/evidence/internal/tables.hpp"

namespace agentfootprint::evidence::internal {

// An operand with what the formulas need at hand.
struct Term {
  Amount amount;
  double value = 0;  // of amount.number
  double factor = 1;
  bool integer = false;
  DerivedOperand about;

  Term(Amount given, DerivedOperand stands);
};

// A written move in time: `next day`, `two weeks later`.
struct Shift {
  std::int64_t seconds = 0;
  std::int32_t months = 0;
  std::string text;
};

class Trial {
 public:
  explicit Trial(const Amount& target);

  // a + b, a - b, 100 * a / b, 100 * (a - b) / b, a / b, in both orders; differences of dates,
  // times and instants; a date, time or instant moved by a duration; an instant from a date and a
  // time of day.
  void pair(const Term& a, const Term& b);
  // 100 - a.
  void complement(const Term& a);
  // a * n and a / n, n a count.
  void times(const Term& a, const Term& n);
  void shift(const Term& a, const Shift& by);
  // `sum(p)`, `mean(p)`: the text of the pointer stands in brackets.
  void total(const json::Decimal& sum, std::uint32_t count, bool integers, const std::string& unit,
             const std::string& pointer, const std::vector<DerivedOperand>& operands);
  void count(std::uint32_t rows, const std::string& pointer,
             const std::vector<DerivedOperand>& operands);
  // All values of a list: their total, mean and count.
  void all(const std::vector<const Term*>& operands);

  // Counts a result before its exact form is at hand; true when it may be the target.
  bool reaches(double value) { return target_.measure == Measure::number && near(value); }

  // Entries sorted by `value`: calls `hit` for those within reach, and counts those with the
  // written number of digits (beyond 20,000 of them, equal ones are counted again).
  template <class Entries, class Hit>
  void look_up(const Entries& entries, const Hit& hit) {
    const auto at = [&](double value) {
      return std::lower_bound(entries.begin(), entries.end(), value,
                              [](const auto& entry, double v) { return entry.value < v; });
    };
    const auto range = [&](double low, double high) {
      const auto first = at(low);
      const auto last = at(high);
      if (last - first > 20'000) {
        bound_ += static_cast<double>(last - first);
      } else {
        for (auto entry = first; entry != last; ++entry) near(entry->value);
      }
    };
    range((low_ - 0.5) / ten_, (high_ - 0.5) / ten_);
    range((0.5 - high_) / ten_, (0.5 - low_) / ten_);
    const auto reach = [&](double value) {
      const auto last = at(value + reach_ * 1.000001);
      for (auto entry = at(value - reach_ * 1.000001); entry != last; ++entry) hit(*entry);
    };
    reach(value_);
    if (falls_) reach(-value_);
  }

  // A negative result stands for a value whose sign a word carries.
  void accept_falls(bool accept) noexcept { falls_ = accept; }
  [[nodiscard]] std::size_t tried() const noexcept { return tried_; }
  [[nodiscard]] std::vector<Formula>& found() noexcept { return found_; }
  [[nodiscard]] double chance();

 private:
  enum class Op : std::uint8_t { add, subtract, percent, change, ratio, times, per };
  // The operands in one unit, and the unit the target is written in.
  struct Scale {
    const json::Decimal* a;
    const json::Decimal* b;
    const json::Decimal* target;
    double fa, fb, ft;
  };

  void numbers(const Term& a, const Term& b);
  void gap(const Term& later, const Term& earlier);
  void compose(const Term& a, const Term& b);
  void moved(const Term& a, const json::Decimal& seconds, std::int32_t months,
             const std::string& text, std::vector<DerivedOperand> operands);
  void offer(Op op, const Term& a, const Term& b, double value, const Scale& scale);
  [[nodiscard]] bool exactly(Op op, const Term& a, const Term& b, const Scale& scale) const;
  // Counts the result; true when it may be the target.
  bool near(double value);
  [[nodiscard]] bool equals(const json::Decimal& numerator, const json::Decimal& denominator,
                            bool exact) const;
  void keep(std::string text, std::vector<DerivedOperand> operands);
  [[nodiscard]] bool unit_fits(const std::string& dimension) const;

  Amount target_;
  double value_ = 0;
  double ten_ = 1;  // 10^decimals
  double low_ = 0;  // results with as many digits as the target lie between these
  double high_ = 0;
  double space_ = 1;
  double reach_ = 0;
  double bound_ = 0;  // results counted without looking for equal ones
  bool falls_ = false;
  std::size_t tried_ = 0;
  std::vector<std::int64_t> results_;
  std::vector<Formula> found_;
};

inline constexpr std::size_t kMaxFormulas = 64;

}  // namespace agentfootprint::evidence::internal
