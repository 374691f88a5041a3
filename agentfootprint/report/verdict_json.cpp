// Verdicts as JSON.
#include "agentfootprint/report/verdict_json.hpp"

#include <algorithm>

namespace agentfootprint {
namespace {

// One entry a result message: the parts of a result in blocks are merged.
std::vector<evidence::Carrier> merged(const std::vector<evidence::Carrier>& carriers,
                                      const evidence::ConversationIndex& index) {
  std::vector<evidence::Carrier> whole;
  for (const evidence::Carrier& carrier : carriers) {
    const std::uint32_t message = index.results()[carrier.result].message;
    if (whole.empty() || index.results()[whole.back().result].message != message) {
      whole.push_back(carrier);
      continue;
    }
    evidence::Carrier& first = whole.back();
    if (carrier.level < first.level) {
      first.level = carrier.level;
      first.result = carrier.result;
      first.places = carrier.places;
    }
    first.echo = first.echo && carrier.echo;
    first.partial = first.partial || carrier.partial;
  }
  return whole;
}

void add_place(json::ObjectBuilder& built, const evidence::Carrier& carrier,
               const evidence::ResultEntry& entry) {
  if (!entry.tool.empty()) built.add("tool", entry.tool);
  if (carrier.places.empty()) return;
  const evidence::ItemId item = carrier.places.front().item;
  const std::string pointer = entry.index->pointer(item);
  if (!pointer.empty()) built.add("pointer", pointer);
  const json::Span span = entry.index->span(item);
  built.add("span", json::array({span.begin, span.end}));
}

json::Value carrier_value(const evidence::Carrier& carrier,
                          const evidence::ConversationIndex& index, bool places) {
  const evidence::ResultEntry& entry = index.results()[carrier.result];
  json::ObjectBuilder built;
  built.add("call", to_json(entry.call));
  if (entry.call.orphan) built.add("orphan", true);
  built.add("result", entry.message);
  built.add_if("toolCallId", entry.tool_call_id);
  built.add("level", evidence::name_of(carrier.level));
  if (carrier.failed) built.add("failed", true);
  if (carrier.echo) built.add("echo", true);
  if (carrier.partial) built.add("partial", true);
  if (carrier.superseded) built.add("superseded", true);
  if (places) add_place(built, carrier, entry);
  return built.build();
}

json::Value operands_value(const evidence::Derivation& derivation,
                           const evidence::ConversationIndex& index, bool places) {
  json::ArrayBuilder operands;
  for (const evidence::Operand& operand : derivation.operands) {
    json::ObjectBuilder built;
    built.add("raw", operand.raw);
    if (!operand.pointer.empty()) built.add("pointer", operand.pointer);
    built.add("carriers", carriers_to_json(operand.carriers, index, places));
    operands.add(built.build());
  }
  return operands.build();
}

}  // namespace

std::string kind_name(const evidence::Value& value) {
  std::string name(evidence::name_of(value.kind));
  if (value.kind == evidence::ValueKind::shape) name += ":" + value.shape;
  return name;
}

json::Value carriers_to_json(const std::vector<evidence::Carrier>& carriers,
                             const evidence::ConversationIndex& index, bool places) {
  json::ArrayBuilder built;
  for (const evidence::Carrier& carrier : merged(carriers, index)) {
    built.add(carrier_value(carrier, index, places));
  }
  return built.build();
}

json::Value judged_value_to_json(const evidence::JudgedValue& value,
                                 const evidence::ConversationIndex& index, bool places) {
  const evidence::Grounding& grounding = value.grounding;
  json::ObjectBuilder built;
  built.add("raw", value.value.raw);
  built.add("value", value.value.value);
  built.add("kind", kind_name(value.value));
  built.add("grounding", evidence::name_of(value.level));
  if (grounding.cut) built.add("mode", "cut");
  if (grounding.supplied_by) built.add("suppliedBy", evidence::name_of(*grounding.supplied_by));
  if (!grounding.notes.empty()) {
    json::ArrayBuilder notes;
    for (const std::string& note : grounding.notes) notes.add(note);
    built.add("notes", notes.build());
  }
  built.add("carriers", carriers_to_json(grounding.carriers, index, places));
  if (grounding.derivation) {
    built.add("formula", grounding.derivation->formula);
    built.add("operands", operands_value(*grounding.derivation, index, places));
    built.add("chance", grounding.derivation->chance);
  }
  return built.build();
}

json::Value verdict_to_json(const evidence::Verdict& verdict,
                            const evidence::ConversationIndex& index, bool places) {
  json::ArrayBuilder values;
  for (const evidence::JudgedValue& value : verdict.values) {
    values.add(judged_value_to_json(value, index, places));
  }
  json::ArrayBuilder unsupported;
  for (const std::size_t at : verdict.unsupported) unsupported.add(verdict.values[at].value.raw);
  json::ObjectBuilder built;
  built.add("values", values.build());
  built.add("unsupported", unsupported.build());
  built.add("candidates", verdict.candidates);
  built.add("truncated", verdict.truncated);
  return built.build();
}

}  // namespace agentfootprint
