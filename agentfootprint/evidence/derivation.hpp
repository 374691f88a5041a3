// Derivations: is a value computed from values in view, and by which formula?
//
// What: tries the formulas of docs/evidence.md on one value of an answer that no result carries.
// The operands are the values quoted in the same block (a sentence, a Markdown list or table), the
// members of a record that is tied to the block by a value quoted in it (or that is the whole
// result), whole columns, and counts. A moment comes only from records of what it is said of. Every
// formula that gives the value is returned, the nearest source first, with its operands and where
// they stand, and the chance that some formula would have given any number of that length.
//
// When to use: behind the grounding levels, for a value they leave unsupported. The judge does it.
//
// Not guaranteed: that the model computed it that way. `chance` says how much of the number space
// the formulas admit; above `kWeakChance` the derivation is weak and counted apart. The smallest
// and the largest of a column are carried values and never reach this.
//
// Units and limits: 32 operands a block, 64 members a record, 10^6 rows a column, 400,000 results
// of formulas a value (newest results first), 64 formulas reported. Past a limit the formula is not
// tried and `clipped` says so. Comparison is exact, at the written precision, half away from zero;
// sums, differences and products of integers must be equal.
//
// Example:
//   evidence::Amount a = evidence::Amount::of_number(json::Decimal(1370));
//   evidence::Amount b = evidence::Amount::of_number(json::Decimal(1940));
//   evidence::Amount total = evidence::Amount::of_number(json::Decimal(3310));
//   std::vector<std::string> formulas =
//       evidence::formulas_between(total, {{a, "1370"}, {b, "1940"}});
//   (void)formulas;   // "1370 + 1940"
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agentfootprint/evidence/blocks.hpp"
#include "agentfootprint/json/decimal.hpp"
#include "agentfootprint/json/scanner.hpp"

namespace agentfootprint::evidence {

inline constexpr double kWeakChance = 0.05;

enum class Measure : std::uint8_t { number, date, time, instant };

// A value as the formulas see it.
struct Amount {
  Measure measure = Measure::number;
  // A number as written, its scale word applied. Otherwise seconds: of midnight of the date, of the
  // time of day, since 1970 for an instant.
  json::Decimal number;
  std::string dimension;  // "" no unit, "%", "time", "$", or the unit as written
  json::Decimal factor =
      json::Decimal(1);         // number * factor is in the dimension's base unit (seconds)
  std::int32_t decimals = 0;    // places behind the point; negative with a scale word
  std::int64_t resolution = 1;  // seconds: 86400 for a date, 60 for 08:15
  bool yearless = false;        // a date without a year: month and day count
  bool measured = false;        // in a unit of the table: an amount of something, never a count

  [[nodiscard]] static Amount of_number(json::Decimal number, std::int32_t decimals = 0);
};

// A value read in the answer.
struct Quoted {
  Amount amount;
  std::string raw;
  json::Span span;
  bool grounded = false;   // supplied, or grounded at any level (derived ones once they are)
  bool candidate = false;  // long enough to be judged
  bool numeric = true;     // false: only an anchor (an identifier)
  // Where results carry it: the result and the byte of its text.
  std::vector<std::pair<std::uint32_t, std::size_t>> places;
  // Where results carry what it is said of, and the results whose calls named that. Asked for
  // moments only; empty when it is said of nothing that a record carries.
  std::vector<std::pair<std::uint32_t, std::size_t>> of;
  std::vector<std::uint32_t> asked;
};

// One operand of a formula.
struct DerivedOperand {
  std::string raw;
  std::optional<std::size_t> quoted;   // the value of the answer it is
  std::vector<std::uint32_t> results;  // the results it was read in
  std::string pointer;                 // JSON pointer in them
};

struct Formula {
  std::string text;
  std::vector<DerivedOperand> operands;
};

struct Derived {
  std::vector<Formula> formulas;  // the first is the one to print
  double chance = 0;
  std::vector<std::string> clipped;  // limits that were reached, each said once
  [[nodiscard]] bool found() const noexcept { return !formulas.empty(); }
  [[nodiscard]] bool weak() const noexcept { return chance > kWeakChance; }
};

struct DerivationFacts;  // the records and columns of a text, and caches over them

// Where a result's index keeps what derivations read of it: read at the first use, kept with the
// index. Safe to use from several threads.
class DerivationSlot {
 public:
  [[nodiscard]] const DerivationFacts& read(std::string_view text) const;

 private:
  mutable std::once_flag once_;
  mutable std::shared_ptr<const DerivationFacts> facts_;
};

// One result as derivations see it. What it points to must outlive every use.
struct DerivationResult {
  std::uint32_t result = 0;  // its number, as `Quoted::places` and operands spell it
  std::string_view tool;
  std::uint32_t turn = 0;
  std::string_view text;
  const DerivationSlot* slot = nullptr;

  [[nodiscard]] const DerivationFacts& facts() const { return slot->read(text); }
};
// In ascending order of their numbers.
using DerivationResults = std::vector<DerivationResult>;

// Reads the typed amounts of a text: what a string member of a record holds.
using AmountReader =
    std::function<void(std::string_view text, std::vector<std::pair<Amount, std::string>>& out)>;

// The derivations of one answer. Built once a judgement, on its first value that needs it.
class Deriver {
 public:
  // `results` in order; `turn` is the current one.
  Deriver(std::string_view answer, std::vector<Quoted> quoted, const DerivationResults& results,
          std::uint32_t turn, AmountReader reader);
  ~Deriver();
  Deriver(const Deriver&) = delete;
  Deriver& operator=(const Deriver&) = delete;

  // The derivations of value `index` of the quoted ones, read as `target` (one of its readings).
  [[nodiscard]] Derived derive(std::size_t index, const Amount& target);
  // Makes a value an operand for later ones (it was found derived).
  void set_grounded(std::size_t index, const Amount& amount);

  struct State;  // opaque

 private:
  std::unique_ptr<State> state_;
};

// The formulas between two values that give a third, as text; for tests and tools.
[[nodiscard]] std::vector<std::string> formulas_between(
    const Amount& target, const std::vector<std::pair<Amount, std::string>>& operands);

}  // namespace agentfootprint::evidence
