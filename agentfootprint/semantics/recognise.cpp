// Recognition of declared results, and the funnel a returned value goes through.
#include "agentfootprint/semantics/recognise.hpp"

#include <fmt/format.h>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/semantics/absence.hpp"
#include "agentfootprint/semantics/internal/access.hpp"
#include "agentfootprint/semantics/internal/period_rules.hpp"
#include "agentfootprint/semantics/internal/rules.hpp"
#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics {
namespace {

bool is_marked(const json::Value& value) {
  const json::Value* marker = value.find(kSemanticsMarker);
  return marker != nullptr && marker->as_bool().value_or(false);
}

}  // namespace

std::vector<Issue> semantic_issues(const json::Value& value) {
  internal::Faults faults;
  internal::judge_semantics(value, internal::RuleScope{}, faults);
  return std::move(faults).take();
}

std::optional<ToolSemantics> read_semantics(const json::Value& value) {
  if (!is_marked(value) || !semantic_issues(value).empty()) return std::nullopt;
  return SemanticsAccess::make(value);
}

std::vector<Issue> explain_semantics(const json::Value& value) {
  return value.contains(kSemanticsMarker) ? semantic_issues(value) : std::vector<Issue>{};
}

void ResultReader::say(std::string_view code, std::string_view tool, std::string_view field,
                       const std::string& message) const {
  if (!port_) return;
  port_(Diagnostic{std::string(code), std::string(tool), std::string(field), message});
}

void ResultReader::say_once(std::string_view code, std::string_view tool, std::string_view field,
                            const std::string& message) {
  if (!warned_.insert(fmt::format("{}\n{}", code, tool)).second) return;
  say(code, tool, field, message);
}

// A period that breaks a rule is left out of the record; the envelope stays recognised.
void ResultReader::check_period(const json::Value& stated, std::string_view tool) {
  const json::Value* period = stated.find("period");
  if (period == nullptr || period->is_null() || read_period(*period)) return;
  internal::Faults faults;
  internal::judge_period(*period, "period", internal::Spelling::wire, faults);
  const std::vector<Issue> issues = std::move(faults).take();
  const std::string field = issues.empty() ? "period" : issues.front().field;
  say_once("period-ignored", tool, field,
           fmt::format("{}: the declared period is left out: {}", utf8::printable(tool),
                       issues.empty() ? "it is malformed" : issues.front().message));
}

void ResultReader::read_absence_into(const json::Value& value, CoverageDeclared row,
                                     ReadResult& out) {
  std::optional<Absence> absence = read_absence(value);
  check_period(value, row.tool_name);
  row.kind = CoverageDeclared::Kind::absence;
  row.looked_for = std::move(absence->looked_for);
  row.coverage = std::move(absence->coverage);
  row.period = std::move(absence->period);
  row.try_instead = std::move(absence->try_instead);
  row.try_instead_tool = std::move(absence->try_instead_tool);
  row.provenance = std::move(absence->provenance);
  out.declared.push_back(std::move(row));
  out.absent = true;
}

void ResultReader::read_ledger_into(const json::Value& value, const CoverageDeclared& row,
                                    ReadResult& out) {
  std::optional<CoverageLedger> ledger = read_coverage_ledger(value);
  check_period(value.at(kCoverageMarker), row.tool_name);
  CoverageDeclared stated = row;
  stated.coverage = std::move(ledger->coverage);
  stated.period = std::move(ledger->period);
  stated.in_progress = std::move(ledger->in_progress);
  out.declared.push_back(std::move(stated));
  if (is_absence(ledger->result)) {
    read_absence_into(ledger->result, row, out);
  } else if (is_marked(ledger->result) || is_coverage_ledger(ledger->result)) {
    say_once(
        "wrapped-declaration", row.tool_name, "result",
        fmt::format("{}: one helper's result stands inside of coverage(); the inner one is not "
                    "applied: return one of them",
                    utf8::printable(row.tool_name)));
  }
}

ReadResult ResultReader::read(const json::Value& value, std::string_view tool_name,
                              const std::optional<std::string>& tool_call_id,
                              std::int64_t iteration) {
  ReadResult out;
  CoverageDeclared row;
  row.tool_name = std::string(tool_name);
  row.tool_call_id = tool_call_id;
  row.iteration = iteration;
  if (is_absence(value)) {
    read_absence_into(value, row, out);
  } else if (is_coverage_ledger(value)) {
    read_ledger_into(value, row, out);
  } else if (value.contains(kSemanticsMarker)) {
    const std::vector<Issue> issues = semantic_issues(value);
    if (issues.empty()) {
      out.semantics = SemanticsAccess::make(value);
      out.served = model_view(*out.semantics);
      const std::optional<DeclaredPeriod> period = out.semantics->period();
      if (out.semantics->declares_coverage() || period) {
        row.coverage = out.semantics->coverage();
        row.period = period;
        out.declared.push_back(std::move(row));
      }
      return out;
    }
    say("semantics-ignored", tool_name, issues.front().field,
        fmt::format("{}: a marked result stays ordinary data: {}{}", utf8::printable(tool_name),
                    issues.front().message,
                    issues.size() > 1 ? fmt::format(", and {} more", issues.size() - 1) : ""));
  }
  out.served = served_view(value);
  return out;
}

json::Value to_json(const CoverageDeclared& row) {
  json::ObjectBuilder object;
  object.add("kind", row.kind == CoverageDeclared::Kind::absence ? "absence" : "ledger");
  object.add("toolName", row.tool_name);
  object.add_if("toolCallId", row.tool_call_id);
  object.add("iteration", row.iteration);
  object.add_if("lookedFor", row.looked_for);
  const json::Value lists = to_json(row.coverage);
  for (const json::Member& list : lists.members()) object.add(list.key(), list.value);
  object.add_if("tryInstead", row.try_instead);
  object.add_if("tryInsteadTool", row.try_instead_tool);
  object.add_if("provenance", row.provenance);
  if (row.period) {
    json::ObjectBuilder period;
    const json::Value wire = to_json(*row.period);
    for (const json::Member& part : wire.members()) {
      period.add(part.key() == "read_at" ? "readAt" : part.key(), part.value);
    }
    object.add("period", period.build());
  }
  if (!row.in_progress.empty()) {
    json::ArrayBuilder items;
    for (const InProgressItem& item : row.in_progress) items.add(to_json(item));
    object.add("inProgress", items.build());
  }
  return object.build();
}

}  // namespace agentfootprint::semantics
