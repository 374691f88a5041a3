// How two values compare: the one place where levels exact to converted are decided.
//
// What: `match` takes a value of an answer and a value of a result and says at which level the
// second grounds the first, if at all, and by what (a note: the reading, the conversion, the zone).
//
// When to use: by the judge for every candidate place; by derivations to compare operands.
//
// Not guaranteed: parts of composite values are not found here; the index offers them as values of
// their own and marks them.
//
// Example:
//   auto said = evidence::read_text("1,200");
//   auto carried = evidence::read_text("1200.00");
//   auto found = evidence::match(said[0], carried[0], evidence::MatchContext());
//   (void)found->level;   // same_value
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "agentfootprint/evidence/judge.hpp"
#include "agentfootprint/evidence/units.hpp"
#include "agentfootprint/evidence/value.hpp"

namespace agentfootprint::evidence {

struct MatchContext {
  const UnitTable* units = nullptr;  // nullptr: the standard table
  std::uint16_t carrier_unit = 0;    // told by a member name or a sibling `unit`
  bool respelled =
      false;  // the carrier is a text of a person or an app: its dates also count by number
};

struct Match {
  Level level = Level::exact;  // exact … converted
  bool cut = false;
  std::string_view note;  // static text; "" when there is nothing to tell
};

[[nodiscard]] std::optional<Match> match(const Value& said, const Value& carried,
                                         const MatchContext& context);
// The seconds of the smallest unit a compound duration is written to: 60 of `2 h 5 min`.
[[nodiscard]] double duration_step(double seconds) noexcept;
// The same for the readings of a value of a result; `same_bytes`: it is spelled as the answer's.
[[nodiscard]] std::optional<Match> match(const Value& said, std::span<const Reading> carried,
                                         bool same_bytes, const MatchContext& context);
// The same for one reading of each; never `exact`, which is about spelling.
[[nodiscard]] std::optional<Match> match_readings(const Reading& said, const Reading& carried,
                                                  const MatchContext& context);
// Are the two the same value (exact decimals with one unit, one date, one identifier)?
[[nodiscard]] bool same_value(const Value& a, const Value& b);

}  // namespace agentfootprint::evidence
