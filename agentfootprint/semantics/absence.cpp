// Recognition of absences and coverage ledgers.
#include "agentfootprint/semantics/absence.hpp"

#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics {
namespace {

std::optional<DeclaredPeriod> period_in(const json::Value& object) {
  const json::Value* period = object.find("period");
  return period == nullptr ? std::nullopt : read_period(*period);
}

std::optional<std::string> text_in(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  if (value == nullptr) return std::nullopt;
  const auto text = value->as_string();
  if (!text || is_blank(*text)) return std::nullopt;
  return std::string(*text);
}

std::optional<json::Value> object_in(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  if (value == nullptr || !value->is_object()) return std::nullopt;
  return *value;
}

}  // namespace

bool is_absence(const json::Value& value) noexcept {
  if (!value.is_object()) return false;
  const json::Value* marker = value.find(kAbsenceMarker);
  if (marker == nullptr || !marker->as_bool().value_or(false)) return false;
  const json::Value* checked = value.find("checked");
  return checked != nullptr && checked->is_array() && !checked->empty();
}

bool is_coverage_ledger(const json::Value& value) noexcept {
  if (!value.is_object()) return false;
  const json::Value* marker = value.find(kCoverageMarker);
  return marker != nullptr && marker->is_object() && value.contains("result");
}

std::optional<Absence> read_absence(const json::Value& value) {
  if (!is_absence(value)) return std::nullopt;
  Absence absence;
  absence.looked_for = text_in(value, "looked_for");
  absence.coverage = read_declared_coverage(value);
  absence.provenance = object_in(value, "provenance");
  absence.period = period_in(value);
  absence.try_instead = text_in(value, "try_instead");
  absence.try_instead_tool = object_in(value, "try_instead_tool");
  return absence;
}

std::optional<CoverageLedger> read_coverage_ledger(const json::Value& value) {
  if (!is_coverage_ledger(value)) return std::nullopt;
  const json::Value& stated = value.at(kCoverageMarker);
  CoverageLedger ledger;
  ledger.coverage = read_declared_coverage(stated);
  ledger.period = period_in(stated);
  if (const json::Value* items = stated.find("in_progress")) {
    ledger.in_progress = read_in_progress(*items);
  }
  ledger.result = value.at("result");
  return ledger;
}

}  // namespace agentfootprint::semantics
