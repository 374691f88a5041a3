// The gate over sample results.
#include "agentfootprint/semantics/gate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/semantics/absence.hpp"
#include "agentfootprint/semantics/internal/faults.hpp"
#include "agentfootprint/semantics/projection_guard.hpp"
#include "agentfootprint/semantics/recognise.hpp"

namespace agentfootprint::semantics {
namespace {

[[noreturn]] void invalid(const std::string& field, const std::string& message) {
  throw Refusal("invalid-catalog", field, message);
}

std::vector<ProjectionSample> read_projections(const json::Value& list, const std::string& field) {
  if (!list.is_array())
    invalid(field, fmt::format("{} must be an array of {{before, after}}", field));
  std::vector<ProjectionSample> samples;
  for (std::size_t i = 0; i < list.elements().size(); ++i) {
    const json::Value& pair = list.elements()[i];
    const json::Value* before = pair.find("before");
    const json::Value* after = pair.find("after");
    if (before == nullptr || after == nullptr) {
      const std::string at = internal::index_field(field, i);
      invalid(at, fmt::format("{} must have before and after", at));
    }
    samples.push_back(ProjectionSample{*before, *after});
  }
  return samples;
}

// A row may say more than the gate reads; a key of the gate that is misspelt, stands twice or is
// outdone by another one would leave something unjudged without a word.
void check_row_keys(const json::Value& row, const std::string& field) {
  static constexpr std::string_view kKeys[] = {"name", "resultClass", "results", "result",
                                               "projections"};
  std::vector<std::string_view> seen;
  for (const json::Member& member : row.members()) {
    const std::string_view meant = internal::known_spelling(member.key(), kKeys);
    if (meant.empty()) continue;
    const std::string at = internal::join_field(field, utf8::printable(member.key()));
    if (member.key() != meant) {
      invalid(at, fmt::format("{} is not read, so nothing is judged by it; write {}", at, meant));
    }
    if (std::find(seen.begin(), seen.end(), meant) != seen.end()) {
      invalid(at, fmt::format("{} stands twice, and one of the two is not read; keep one", at));
    }
    seen.push_back(meant);
  }
  if (row.contains("results") && row.contains("result")) {
    const std::string at = field + ".result";
    invalid(at, fmt::format("{} is not judged beside results; move it into results", at));
  }
}

std::optional<ResultClass> read_class(const json::Value& row, const std::string& name) {
  const json::Value* value = row.find("resultClass");
  if (value == nullptr) return std::nullopt;
  const auto text = value->as_string();
  return checked_result_class(name, text ? *text : std::string_view("(not a text)"));
}

CatalogEntry read_entry(const json::Value& row, const std::string& field) {
  if (!row.is_object())
    invalid(field, fmt::format("{} must be an object {{name, results}}", field));
  check_row_keys(row, field);
  const json::Value* name = row.find("name");
  if (!internal::is_text(name))
    invalid(field + ".name", fmt::format("{}.name does not name a tool", field));
  CatalogEntry entry;
  entry.name = std::string(*name->as_string());
  entry.result_class = read_class(row, entry.name);
  if (const json::Value* results = row.find("results")) {
    if (!results->is_array()) {
      invalid(field + ".results",
              fmt::format("{}.results must be an array of sample results", field));
    }
    entry.results.assign(results->elements().begin(), results->elements().end());
  } else if (const json::Value* result = row.find("result")) {
    entry.results.push_back(*result);
  } else {
    invalid(field + ".results", fmt::format("{} has neither results nor result", field));
  }
  if (const json::Value* projections = row.find("projections")) {
    entry.projections = read_projections(*projections, field + ".projections");
  }
  return entry;
}

struct Gate {
  const CatalogEntry& entry;
  SemanticsReport& report;

  void add(std::string_view code, Severity severity, std::string_view field,
           std::optional<std::size_t> index, std::string message) {
    report.findings.push_back(SemanticsFinding{entry.name, std::string(code), severity,
                                               std::string(field), index, std::move(message)});
  }

  void run() {
    if (entry.result_class && entry.results.empty()) {
      add("unsampled-tool-class", Severity::warning, "results", std::nullopt,
          fmt::format("a tool of class {} has no sample result, so nothing was judged; add one",
                      name_of(*entry.result_class)));
    }
    report.judged += entry.projections.size();
    for (std::size_t i = 0; i < entry.projections.size(); ++i) projection(i);
    for (std::size_t i = 0; i < entry.results.size(); ++i) sample(entry.results[i], i);
  }

  void projection(std::size_t index) {
    const ProjectionSample& pair = entry.projections[index];
    for (const Issue& issue : projection_issues(snapshot_projection(pair.before), pair.after)) {
      add(issue.code, Severity::error, fmt::format("projections[{}].{}", index, issue.field),
          std::nullopt, issue.message);
    }
  }

  void sample(const json::Value& returned, std::size_t index) {
    const json::Value& value =
        internal::is_effects_envelope(returned) ? returned.at("content") : returned;
    if (entry.result_class || !internal::marker_of(value).empty()) ++report.judged;
    const std::vector<Issue> faults = explain_semantics(value);
    for (const Issue& fault : faults) {
      add(fault.code, Severity::error, fault.field, index, fault.message);
    }
    if (!faults.empty() || !entry.result_class) return;
    const bool described = value.contains(kSemanticsMarker);
    const bool covered =
        is_absence(value) || is_coverage_ledger(value) || (described && value.contains("coverage"));
    const bool inventory = *entry.result_class == ResultClass::inventory;
    if (!covered) {
      add(inventory ? "inventory-without-coverage" : "triage-without-coverage", Severity::error,
          "coverage", index,
          fmt::format(
              "a result of class {} does not say what it covers, so a clean one proves nothing; "
              "declare coverage, or return coverage() or absent()",
              name_of(*entry.result_class)));
    }
    if (inventory && described && value.contains("facts") && !value.contains("render")) {
      add("inventory-without-render", Severity::warning, "render", index,
          "an inventory's facts do not say how to show them; declare render");
    }
  }
};

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::size_t SemanticsReport::errors() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [](const SemanticsFinding& f) { return f.severity == Severity::error; }));
}

std::vector<CatalogEntry> read_semantics_catalog(const json::Value& catalog) {
  const json::Value* rows = catalog.is_object() ? catalog.find("tools") : &catalog;
  if (rows == nullptr || !rows->is_array()) {
    invalid(catalog.is_object() ? "tools" : "",
            "a catalogue is an array of {name, results}, or an object with one under tools");
  }
  std::vector<CatalogEntry> entries;
  for (std::size_t i = 0; i < rows->elements().size(); ++i) {
    entries.push_back(read_entry(rows->elements()[i], internal::index_field("tools", i)));
  }
  return entries;
}

SemanticsReport check_semantics(const std::vector<CatalogEntry>& catalog) {
  SemanticsReport report;
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    const CatalogEntry& entry = catalog[i];
    if (is_blank(entry.name)) {
      const std::string field = internal::index_field("tools", i) + ".name";
      invalid(field, fmt::format("{} does not name a tool", field));
    }
    ++report.checked_tools;
    report.checked_results += entry.results.size();
    Gate{entry, report}.run();
  }
  return report;
}

json::Value to_json(const SemanticsReport& report) {
  json::ArrayBuilder findings;
  for (const SemanticsFinding& finding : report.findings) {
    json::ObjectBuilder row;
    row.add("tool", finding.tool);
    row.add("code", finding.code);
    row.add("severity", finding.severity == Severity::error ? "error" : "warning");
    row.add("field", finding.field);
    if (finding.result_index) row.add("resultIndex", *finding.result_index);
    row.add("message", finding.message);
    findings.add(row.build());
  }
  json::ObjectBuilder object;
  object.add("ok", report.ok());
  object.add("findings", findings.build());
  object.add("checkedTools", report.checked_tools);
  object.add("checkedResults", report.checked_results);
  object.add("judged", report.judged);
  return object.build();
}

std::string format_semantics_report(const SemanticsReport& report) {
  std::string text = fmt::format("{}, {}\n", plural(report.checked_tools, "tool"),
                                 plural(report.checked_results, "sample result"));
  for (const SemanticsFinding& finding : report.findings) {
    text += fmt::format("  {} {}", finding.severity == Severity::error ? "✗" : "⚠",
                        utf8::printable(finding.tool));
    if (finding.result_index) text += fmt::format(" result {}", *finding.result_index + 1);
    // The field stands in front of the message here, so not behind it again.
    std::string_view message = finding.message;
    const std::string field = fmt::format(" (field: {})", finding.field);
    if (message.ends_with(field)) message.remove_suffix(field.size());
    text += fmt::format(" [{}] {}: {}\n", finding.code, utf8::printable(finding.field),
                        utf8::printable(message));
  }
  if (report.judged == 0) {
    text +=
        "  nothing was judged: no sample declares anything and no tool with a sample states a "
        "resultClass\n";
  } else if (report.findings.empty()) {
    text += "  every sample declares what its class promises\n";
  }
  text += fmt::format("{} {}, {}\n", report.ok() ? "ok" : "FAILED",
                      plural(report.errors(), "error"), plural(report.warnings(), "warning"));
  return text;
}

}  // namespace agentfootprint::semantics
