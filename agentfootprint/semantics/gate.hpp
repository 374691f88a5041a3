// The gate for tool authors: do sample results declare what their class promises?
//
// What: `check_semantics` judges a catalogue of tools with sample results: every fault of a marked
// sample, a triage or inventory tool whose sample says no coverage, an inventory without display
// hints, a projection that lost a declaration. It never runs a tool.
//
// When to use: in a test or in CI, through the command `check-semantics`; samples are written by
// hand or taken from records.
//
// Not guaranteed: that a tool always returns what its samples show.
//
// A catalogue that has not the right shape throws a Refusal ("invalid-catalog",
// "unknown-result-class").
//
// Example:
//   json::Value catalog = json::array({json::object({{"name", "clock"}, {"result", "12:00"}})});
//   semantics::SemanticsReport report =
//       semantics::check_semantics(semantics::read_semantics_catalog(catalog));
//   bool ok = report.ok();                                          // true: plain data of no class
//   std::string text = semantics::format_semantics_report(report);
//   (void)ok; (void)text;
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/json/value.hpp"
#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics {

struct ProjectionSample {
  json::Value before;
  json::Value after;
};

struct CatalogEntry {
  std::string name;
  std::optional<ResultClass> result_class = std::nullopt;
  std::vector<json::Value> results = {};
  std::vector<ProjectionSample> projections = {};
};

enum class Severity : std::uint8_t { error, warning };

struct SemanticsFinding {
  std::string tool;
  std::string code;
  Severity severity = Severity::error;
  std::string field;
  std::optional<std::size_t> result_index = std::nullopt;  // from 0
  std::string message;
};

struct SemanticsReport {
  std::vector<SemanticsFinding> findings;
  std::size_t checked_tools = 0;
  std::size_t checked_results = 0;
  // Of the samples those that declare something or whose tool has a class, and the projections. A
  // report without findings and with none judged says nothing.
  std::size_t judged = 0;

  [[nodiscard]] std::size_t errors() const noexcept;
  [[nodiscard]] std::size_t warnings() const noexcept { return findings.size() - errors(); }
  [[nodiscard]] bool ok() const noexcept { return errors() == 0; }
  // 0, or 1 with errors; `strict` counts warnings too.
  [[nodiscard]] int exit_code(bool strict) const noexcept {
    return ok() && (!strict || findings.empty()) ? 0 : 1;
  }
};

// `[{name, resultClass?, results[] | result, projections?}]` or `{tools: [...]}`. Other keys of a
// row are let be; another spelling of one of these (`result_class`) is refused.
[[nodiscard]] std::vector<CatalogEntry> read_semantics_catalog(const json::Value& catalog);

[[nodiscard]] SemanticsReport check_semantics(const std::vector<CatalogEntry>& catalog);

// `{ok, findings[], checkedTools, checkedResults, judged}`.
[[nodiscard]] json::Value to_json(const SemanticsReport& report);
// For people; text from the catalogue is made printable.
[[nodiscard]] std::string format_semantics_report(const SemanticsReport& report);

}  // namespace agentfootprint::semantics
