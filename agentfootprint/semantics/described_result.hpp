// Described results: data together with the caveats that make it honest.
//
// What: `described_result` turns facts, a series or relationships from a system of record into one
// envelope with grain, provenance, period, coverage, a question and display hints. The record keeps
// the envelope whole; a model reads `model_view` of it (recognise.hpp). There are two doors to one
// mint:
//   - C++ structs with designated initialisers, snake_case. What the type system can require, it
//     requires: facts or a series without provenance, a series without grain, a limit without its
//     reason do not compile.
//   - JSON in camelCase, for tools whose results arrive as data.
// Both give the same bytes for the same declaration.
//
// When to use: a tool's result from a store that has a measuring time and an edge. Use `absent`
// when nothing matched, `coverage` for any other value that has limits (absent.hpp), and never wrap
// one helper's result in another.
//
// Every fault is reported at once: a Refusal carries a code and a field, as its author spelled it,
// for each. `measured_at` is when the world was measured, taken from the data (the export's time,
// the moment of a live read, the newest sample, the end of a window); it is never parsed.
//
// Not guaranteed: that the caveats are true. The declaration structs are views: they refer to their
// texts and rows, so they must be written inside the call; a named one does not compile. For the
// same reason they are safe inside a `co_await` expression, where GCC 12 destroys owning aggregates
// twice.
//
// Limits: at most eight items in a braced list (give a vector of CoverageItem for more); rows are
// shared, never copied; 2^32 - 1 rows.
//
// Example:
//   json::Value rows = json::array({json::object({{"entity", "vm-1"}, {"size_tb", 1.5}})});
//   std::string export_time = "2026-11-01T02:00:00Z";
//   semantics::ToolSemantics result = semantics::described_result({
//       .facts = rows,
//       .provenance = {.measured_at = export_time, .source = "RVTools export"},
//       .coverage = {.checked = {"every VM in the export of " + export_time},
//                    .cannot_cover = {{"hosts that are not VMware", "RVTools sees VMware only"}}},
//   });
//   (void)result.envelope();
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "agentfootprint/json/value.hpp"
#include "agentfootprint/semantics/coverage_lists.hpp"
#include "agentfootprint/semantics/declaration.hpp"
#include "agentfootprint/semantics/period.hpp"
#include "agentfootprint/semantics/rows.hpp"

namespace agentfootprint::semantics {

// A member that has to be stated although all its parts are optional: `.grain = Grain{...}`.
template <class T>
class Stated {
 public:
  Stated(const T& value) : value_(value) {}  // NOLINT implicit
  [[nodiscard]] const T& value() const noexcept { return value_; }

 private:
  T value_;
};

// Wholly optional parts are given as `Render{...}`, `Clarification{...}`, `Grain{...}`; a `period`
// lives elsewhere and is pointed to.
struct DescribedFacts {
  FactList facts;
  Provenance provenance;
  std::optional<EdgeList> edges = {};
  std::optional<Grain> grain = {};
  const DeclaredPeriod* period = nullptr;
  Coverage coverage = {};
  std::optional<Clarification> clarify = {};
  std::optional<Render> render = {};
};

struct DescribedSeries {
  SeriesList series;
  Stated<Grain> grain;
  Provenance provenance;
  std::optional<FactList> facts = {};
  std::optional<EdgeList> edges = {};
  const DeclaredPeriod* period = nullptr;
  Coverage coverage = {};
  std::optional<Clarification> clarify = {};
  std::optional<Render> render = {};
};

struct DescribedEdges {
  EdgeList edges;
  std::optional<Provenance> provenance = {};
  const DeclaredPeriod* period = nullptr;
  Coverage coverage = {};
  std::optional<Clarification> clarify = {};
  std::optional<Render> render = {};
};

static_assert(std::is_trivially_copyable_v<DescribedFacts> &&
              std::is_trivially_copyable_v<DescribedSeries> &&
              std::is_trivially_copyable_v<DescribedEdges>);

// A minted or recognised envelope; it obeys every rule of the vocabulary. Copies share their data.
class ToolSemantics {
 public:
  // The wire form, `af_semantics` first.
  [[nodiscard]] const json::Value& envelope() const& noexcept { return envelope_; }
  [[nodiscard]] json::Value envelope() && noexcept { return std::move(envelope_); }
  [[nodiscard]] bool declares_coverage() const noexcept { return envelope_.contains("coverage"); }
  // Empty lists when none is declared.
  [[nodiscard]] DeclaredCoverage coverage() const;
  [[nodiscard]] std::optional<DeclaredPeriod> period() const;

 private:
  friend struct SemanticsAccess;
  explicit ToolSemantics(json::Value envelope) : envelope_(std::move(envelope)) {}
  json::Value envelope_;
};

[[nodiscard]] ToolSemantics described_result(DescribedFacts&& declaration);
[[nodiscard]] ToolSemantics described_result(DescribedSeries&& declaration);
[[nodiscard]] ToolSemantics described_result(DescribedEdges&& declaration);
// Only a question: what has to be known before anything can be described.
[[nodiscard]] ToolSemantics described_question(Text question, Texts candidates = {});
// The JSON door, camelCase.
[[nodiscard]] ToolSemantics described_result(const json::Value& declaration);

}  // namespace agentfootprint::semantics

namespace agentfootprint {
using semantics::described_question;
using semantics::described_result;
}  // namespace agentfootprint
