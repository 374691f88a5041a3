// The period a tool was asked about, and what its store holds of it.
//
// What: `DeclaredPeriod` says the span that was queried, the span the store holds (or that this is
// unknown) and when the store was read. The verdict follows by comparing instants; nothing is
// guessed.
//
// When to use: for data that is kept for a limited time. Nothing found outside of what is held is
// not evidence of absence, and the served note says so.
//
// Not guaranteed: that the tool tells the truth. Instants are kept as they were written.
//
// Limits: spans are inclusive at both ends; every instant needs an offset or Z.
//
// Example:
//   json::Value wire = json::object({
//       {"queried", json::object({{"from", "2026-11-01T09:00Z"}, {"to", "2026-11-01T10:00Z"}})},
//       {"held", json::object({{"from", "2026-10-01T00:00Z"}, {"to", "2026-11-01T02:00Z"}})},
//   });
//   auto period = semantics::read_period(wire);
//   bool none = semantics::verdict_of(*period) == semantics::PeriodVerdict::not_held;   // true
//   (void)none;
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::semantics {

// Two instants as they were written.
struct PeriodSpan {
  std::string from;
  std::string to;
  friend bool operator==(const PeriodSpan&, const PeriodSpan&) = default;
};

struct DeclaredPeriod {
  PeriodSpan queried;
  std::optional<PeriodSpan> held;  // empty: the tool says that it does not know
  std::optional<std::string> read_at;
  friend bool operator==(const DeclaredPeriod&, const DeclaredPeriod&) = default;
};

enum class PeriodVerdict : std::uint8_t { covered, unknown, partly_held, not_held };
[[nodiscard]] std::string_view name_of(
    PeriodVerdict verdict) noexcept;  // "partly-held", "not-held"
[[nodiscard]] PeriodVerdict verdict_of(const DeclaredPeriod& period) noexcept;
// not-held before partly-held before unknown before covered.
[[nodiscard]] PeriodVerdict least_held(PeriodVerdict a, PeriodVerdict b) noexcept;

// From the wire form `{queried, held, read_at?}`; a `verdict` that was served beside them is left
// out. Empty when it breaks a rule.
[[nodiscard]] std::optional<DeclaredPeriod> read_period(const json::Value& wire);
[[nodiscard]] json::Value to_json(const DeclaredPeriod& period);  // the wire form

// One line for people: the tool, the span asked for, what is held, when it was read; no verdict.
[[nodiscard]] std::string period_line(std::string_view tool, const DeclaredPeriod& period);

}  // namespace agentfootprint::semantics
