// Recognising what a tool's result declares, and what of it a model reads.
//
// What: `read_semantics` gives an envelope that obeys every rule, or nothing; `semantic_issues` and
// `explain_semantics` say why not. `ResultReader` is the one funnel for a returned value: it
// recognises a described result, an absence, a coverage ledger, gives the coverage rows for the
// record and the view a model is served. A marked value with a fault is never half-applied: it
// stays ordinary data, and the diagnostic port hears of it once.
//
// When to use: at the door where a tool's value arrives, on the value as it was returned (never on
// a text).
//
// Not guaranteed: anything about envelopes nested deeper than a ledger around an absence.
//
// Limits: what a rule reports about rows is bounded (a hundred faults a list).
//
// Example:
//   json::Value value = json::object({{"af_semantics", "yes"}});
//   bool recognised = semantics::read_semantics(value).has_value();          // false
//   std::vector<Issue> why = semantics::semantic_issues(value);              // field af_semantics
//   semantics::ResultReader reader([](const semantics::Diagnostic& said) { (void)said.message; });
//   semantics::ReadResult read = reader.read(value, "inventory");
//   (void)recognised; (void)why; (void)read.served;
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/value.hpp"
#include "agentfootprint/semantics/coverage_lists.hpp"
#include "agentfootprint/semantics/described_result.hpp"
#include "agentfootprint/semantics/period.hpp"

namespace agentfootprint::semantics {

// Every fault of a value that should be an envelope, in rule order, wire spelling; none: it is one.
[[nodiscard]] std::vector<Issue> semantic_issues(const json::Value& value);
[[nodiscard]] std::optional<ToolSemantics> read_semantics(const json::Value& value);
// The faults of a value that carries the marker, whatever its value; empty for any other value.
[[nodiscard]] std::vector<Issue> explain_semantics(const json::Value& value);

// What a model reads of a described result: the data, grain, provenance, period with its verdict,
// the lines that are not covered, the question, the note. Never the marker, the display hints or
// the coverage lists. Values are shared; the same envelope gives the same bytes.
[[nodiscard]] json::Value model_view(const ToolSemantics& semantics);
// What a model reads of any returned value: the model view, an absence or a ledger without
// record-only keys and with the verdict of its period, or the value itself.
[[nodiscard]] json::Value served_view(const json::Value& value);

// What a tool declared about its coverage, as the record keeps it.
struct CoverageDeclared {
  enum class Kind { absence, ledger };
  Kind kind = Kind::ledger;
  std::string tool_name;
  std::optional<std::string> tool_call_id = std::nullopt;
  std::int64_t iteration = 0;
  std::optional<std::string> looked_for = std::nullopt;
  DeclaredCoverage coverage = {};
  std::optional<DeclaredPeriod> period = std::nullopt;
  std::vector<InProgressItem> in_progress = {};
  std::optional<std::string> try_instead = std::nullopt;
  std::optional<json::Value> try_instead_tool = std::nullopt;
  std::optional<json::Value> provenance = std::nullopt;
};
// The row `{kind, toolName, toolCallId?, iteration, lookedFor?, checked, notChecked, cannotCover,
// …}`.
[[nodiscard]] json::Value to_json(const CoverageDeclared& row);
// The row read back; empty when the value is not what `to_json` writes.
[[nodiscard]] std::optional<CoverageDeclared> coverage_declared_from_json(const json::Value& row);

struct Diagnostic {
  std::string code;  // semantics-ignored, period-ignored, wrapped-declaration
  std::string tool;
  std::string field;
  std::string message;
};
using DiagnosticPort = std::function<void(const Diagnostic&)>;

struct ReadResult {
  std::vector<CoverageDeclared> declared;  // in order: a ledger before the absence inside of it
  bool absent = false;
  std::optional<ToolSemantics> semantics;  // the full envelope for the record
  json::Value served;
};

// One reader a run; it remembers which tools it has already warned about. Not for concurrent use.
class ResultReader {
 public:
  explicit ResultReader(DiagnosticPort port = {}) : port_(std::move(port)) {}

  [[nodiscard]] ReadResult read(const json::Value& value, std::string_view tool_name,
                                const std::optional<std::string>& tool_call_id = std::nullopt,
                                std::int64_t iteration = 0);

 private:
  void say(std::string_view code, std::string_view tool, std::string_view field,
           const std::string& message) const;
  void say_once(std::string_view code, std::string_view tool, std::string_view field,
                const std::string& message);
  void check_period(const json::Value& stated, std::string_view tool);
  void read_absence_into(const json::Value& value, CoverageDeclared row, ReadResult& out);
  void read_ledger_into(const json::Value& value, const CoverageDeclared& row, ReadResult& out);

  DiagnosticPort port_;
  std::set<std::string, std::less<>> warned_;
};

}  // namespace agentfootprint::semantics
