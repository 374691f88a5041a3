// Units and scale words: one table, extensible.
//
// What: `UnitTable` knows spellings (`ms`, `GiB`, `percent`, `$`, `million`), the dimension each
// belongs to and its factor to the dimension's base. Two units of one dimension convert; two
// currencies do not.
//
// When to use: the standard table serves nearly everybody; add rows for units of your field.
//
// Not guaranteed: that every unit of the world is here. A unit outside the table equals only
// itself, as written.
//
// Limits: 4,096 rows; factors are exact decimals.
//
// Example:
//   evidence::UnitTable table = evidence::UnitTable::standard();
//   std::uint16_t ms = table.find("ms");
//   std::uint16_t s = table.find("s");
//   bool related = table.row(ms).dimension == table.row(s).dimension;   // true
//   table.add({"furlong", "length", "201.168"});
//   (void)related;
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/evidence/value.hpp"
#include "agentfootprint/json/decimal.hpp"

namespace agentfootprint::evidence {

// A row as a user declares it. `factor` is how many of the dimension's base one of this unit is, a
// decimal or a fraction `5/9`; `offset` is added before it (°F to °C: -32). `spaced`: whether the
// spelling counts one space behind a number, or only glued to it. Spellings of one letter, or in
// which case tells two units apart, are compared as written.
struct UnitRow {
  std::string spelling;
  std::string dimension;
  std::string factor = "1";
  std::string canonical = {};  // the spelling this one is the same unit as; "" for itself
  bool spaced = true;
  std::string offset = {};        // temperature
  std::string other_factor = {};  // a second usage in the field: GB as 2^30
};

class UnitTable {
 public:
  struct Entry {
    std::string name;             // canonical spelling
    std::uint16_t dimension = 0;  // equal numbers convert
    Decimal factor;               // to the base: (number + offset) * factor / divisor
    Decimal divisor;
    Decimal offset;
    std::optional<Decimal> other_factor;
    // Nearest doubles of the same, for proposing places to look at.
    double near_factor = 1;
    double near_offset = 0;
    double near_other_factor = 0;  // 0: none
  };

  // An empty table; most callers want `standard()`.
  UnitTable();
  [[nodiscard]] static const UnitTable& standard();

  // Refused ("unit-declared"): a blank spelling, a factor that is no positive decimal.
  void add(const UnitRow& row);

  // The unit with this spelling, 0 when there is none. Spelled as written; folded when case does
  // not matter.
  [[nodiscard]] std::uint16_t find(std::string_view spelling) const noexcept;
  // The same, and whether it may stand one space behind a number.
  [[nodiscard]] std::uint16_t find_spaced(std::string_view spelling) const noexcept;
  // A power of ten, 0 for none: `million` 6, `k` 3. `glued`: letters count only glued to the
  // number.
  [[nodiscard]] int find_scale(std::string_view word, bool glued) const noexcept;
  // The unit a member's name tells (`latency_ms`, `sizeBytes`, `used pct`), 0 for none.
  [[nodiscard]] std::uint16_t of_key(std::string_view key) const noexcept;
  // The same for the name before a number in a text, which must have more words than the unit:
  // `latency_ms=1843`, `durationMs: 12`, `"size_bytes":7`; 0 when `text[begin]` has no such name.
  [[nodiscard]] std::uint16_t of_label(std::string_view text, std::size_t begin) const noexcept;

  // Units the comparison of values asks for by name.
  struct Named {
    std::uint16_t percent = 0;
    std::uint16_t byte = 0;
    std::uint16_t second = 0;
    std::uint16_t day = 0;
  };
  [[nodiscard]] const Named& named() const noexcept { return named_; }

  [[nodiscard]] const Entry& row(std::uint16_t id) const noexcept { return entries_[id]; }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  // Units of one dimension, in table order.
  [[nodiscard]] std::vector<std::uint16_t> of_dimension(std::uint16_t dimension) const;
  [[nodiscard]] std::uint16_t dimension(std::string_view name) const noexcept;  // 0 when unknown

  // `3` hours → seconds …: the number in the base of its dimension. Empty past the limits of
  // Decimal.
  [[nodiscard]] std::optional<Decimal> to_base(const Decimal& number, const Unit& unit) const;
  // Do the two units convert into each other (also the same unit)?
  [[nodiscard]] bool convertible(const Unit& a, const Unit& b) const noexcept;

 private:
  struct Spelling;
  struct Index;
  std::vector<Entry> entries_;  // [0] is "no unit"
  std::vector<std::string> dimensions_;
  Named named_;
  std::shared_ptr<Index> index_;  // copied before a change when shared
};

}  // namespace agentfootprint::evidence
