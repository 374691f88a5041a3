// Reading a coverage row of the record back.
#include "agentfootprint/semantics/recognise.hpp"

namespace agentfootprint::semantics {
namespace {

// The record spells members in camelCase, the wire in snake_case.
json::Value renamed(const json::Value& object, std::string_view from, std::string_view to) {
  json::ObjectBuilder built;
  for (const json::Member& member : object.members()) {
    built.add(member.key() == from ? to : member.key(), member.value);
  }
  return built.build();
}

std::optional<std::string> text_of(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  const auto text = value == nullptr ? std::nullopt : value->as_string();
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::optional<json::Value> value_of(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value == nullptr ? std::nullopt : std::optional<json::Value>(*value);
}

}  // namespace

std::optional<CoverageDeclared> coverage_declared_from_json(const json::Value& row) {
  const auto kind = text_of(row, "kind");
  const auto tool = text_of(row, "toolName");
  const json::Value* iteration = row.find("iteration");
  if (!tool || (kind != "absence" && kind != "ledger")) return std::nullopt;
  if (iteration == nullptr || !iteration->as_int64()) return std::nullopt;
  CoverageDeclared declared;
  declared.kind =
      kind == "absence" ? CoverageDeclared::Kind::absence : CoverageDeclared::Kind::ledger;
  declared.tool_name = *tool;
  declared.tool_call_id = text_of(row, "toolCallId");
  declared.iteration = *iteration->as_int64();
  declared.looked_for = text_of(row, "lookedFor");
  declared.coverage = read_declared_coverage(
      renamed(renamed(row, "notChecked", "not_checked"), "cannotCover", "cannot_cover"));
  if (const json::Value* period = row.find("period")) {
    declared.period = read_period(renamed(*period, "readAt", "read_at"));
  }
  if (const json::Value* items = row.find("inProgress")) {
    declared.in_progress = read_in_progress(*items);
  }
  declared.try_instead = text_of(row, "tryInstead");
  declared.try_instead_tool = value_of(row, "tryInsteadTool");
  declared.provenance = value_of(row, "provenance");
  return declared;
}

}  // namespace agentfootprint::semantics
