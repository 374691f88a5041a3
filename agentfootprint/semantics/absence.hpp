// Recognising an absence and a coverage ledger in a tool's result.
//
// What: an *absence* is an object whose `af_absent` is exactly true and whose `checked` is a
// non-empty list: the tool ran and matched nothing. A *coverage ledger* is an object whose
// `af_coverage` is an object and that has a `result`: a value with stated limits.
//
// When to use: on a result parsed from a message or returned by a tool. A value that is neither
// stays ordinary data.
//
// Not guaranteed: that the parts are well formed; reading leaves out what says nothing. The mint
// (absent.hpp) is strict.
//
// Example:
//   json::Value value = json::object({
//       {"af_absent", true},
//       {"looked_for", "port fc1/33"},
//       {"checked", json::array({json::object({{"what", "the inventory"}})})},
//   });
//   auto absence = semantics::read_absence(value);
//   std::string ground = absence->coverage.checked.front().what;   // "the inventory"
//   bool ledger = semantics::is_coverage_ledger(value);            // false
//   (void)ledger;
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/json/value.hpp"
#include "agentfootprint/semantics/coverage_lists.hpp"
#include "agentfootprint/semantics/period.hpp"

namespace agentfootprint::semantics {

struct Absence {
  std::optional<std::string> looked_for;
  DeclaredCoverage coverage;
  std::optional<json::Value> provenance;
  std::optional<DeclaredPeriod> period;  // left out when malformed
  std::optional<std::string> try_instead;
  std::optional<json::Value> try_instead_tool;  // {tool, why?}
};

struct CoverageLedger {
  DeclaredCoverage coverage;
  std::optional<DeclaredPeriod> period;  // left out when malformed
  std::vector<InProgressItem> in_progress;
  json::Value result;
};

[[nodiscard]] bool is_absence(const json::Value& value) noexcept;
[[nodiscard]] bool is_coverage_ledger(const json::Value& value) noexcept;

// Empty when the value is none.
[[nodiscard]] std::optional<Absence> read_absence(const json::Value& value);
[[nodiscard]] std::optional<CoverageLedger> read_coverage_ledger(const json::Value& value);

}  // namespace agentfootprint::semantics
