// Minting an absence (nothing matched) and a coverage ledger (a value with stated limits).
//
// What: `absent` says that the tool ran, what it looked for, the ground it covered and the ground
// it did not; `coverage` puts the same lists, a period and work in progress beside any other value.
// Both have the two doors of `described_result`: C++ structs in snake_case and JSON in camelCase.
//
// When to use: `absent` when nothing matched; an error when the tool could not look; `coverage` for
// a text, a number or a plain object that has limits; `described_result` carries its own coverage.
// One helper a result: wrapping is refused, except `coverage(absent(...))`. An effects envelope
// goes outside.
//
// Every fault is reported at once in a Refusal. Texts are trimmed; empty lists are left out; null
// stands for "not stated" only where the upstream has it (`short`, `kind`, `provenance`, `period`,
// `tryInsteadTool`).
//
// Not guaranteed: that a tool named in `try_instead_tool` exists; it is never looked up.
//
// Limits: as in declaration.hpp. `short` has at most 80 code points.
//
// Example:
//   json::Value nothing = semantics::absent({
//       .what = "port fc1/33",
//       .checked = {"the inventory of 2026-11-01"},
//       .cannot_cover = {{"hosts that are not VMware", "RVTools sees VMware only"}},
//       .try_instead = "search by WWN",
//   });
//   json::Value limited = semantics::coverage(json::Value(42), {.checked = {"site A"}});
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "agentfootprint/json/value.hpp"
#include "agentfootprint/semantics/coverage_lists.hpp"
#include "agentfootprint/semantics/declaration.hpp"
#include "agentfootprint/semantics/period.hpp"

namespace agentfootprint::semantics {

struct TryInsteadTool {
  Text tool;
  std::optional<Text> why = {};
};

// `what` and `checked` have to be given: an absence without ground does not compile.
struct AbsentDeclaration {
  Text what;
  GroundItems checked;
  CoverageItems not_checked = {};
  LimitItems cannot_cover = {};
  std::optional<Text> try_instead = {};
  std::optional<TryInsteadTool> try_instead_tool = {};
  std::optional<Provenance> provenance = {};
  const DeclaredPeriod* period = nullptr;
};

struct CoverageDeclaration {
  CoverageItems checked = {};
  CoverageItems not_checked = {};
  LimitItems cannot_cover = {};
  const DeclaredPeriod* period = nullptr;
  const std::vector<InProgressItem>* in_progress = nullptr;
};
static_assert(std::is_trivially_copyable_v<AbsentDeclaration> &&
              std::is_trivially_copyable_v<CoverageDeclaration>);

// `{af_absent, outcome, looked_for, checked, …, note}`.
[[nodiscard]] json::Value absent(AbsentDeclaration&& declaration);
[[nodiscard]] json::Value absent(const json::Value& declaration);

// `{af_coverage: {…, note}, result}`.
[[nodiscard]] json::Value coverage(const json::Value& result, CoverageDeclaration&& declaration);
[[nodiscard]] json::Value coverage(const json::Value& result, const json::Value& declaration);

}  // namespace agentfootprint::semantics

namespace agentfootprint {
using semantics::absent;
using semantics::coverage;
}  // namespace agentfootprint
