// `evidence.check`.
#include "agentfootprint/cli/eval_evidence.hpp"

#include <algorithm>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/cli/eval_messages.hpp"
#include "agentfootprint/evidence/association.hpp"

namespace agentfootprint {
namespace {

json::Value carrier_json(const evidence::Carrier& carrier,
                         const evidence::ConversationIndex& index) {
  const evidence::ResultEntry& entry = index.results()[carrier.result];
  json::ObjectBuilder out;
  out.add("call", to_json(entry.call));
  if (entry.call.orphan) out.add("orphan", true);
  out.add("result", entry.message);
  if (entry.tool_call_id) out.add("toolCallId", *entry.tool_call_id);
  out.add("level", evidence::name_of(carrier.level));
  if (carrier.failed) out.add("failed", true);
  if (carrier.echo) out.add("echo", true);
  if (carrier.partial) out.add("partial", true);
  if (carrier.superseded) out.add("superseded", true);
  return out.build();
}

// A result whose content is several blocks is one carrier.
std::vector<evidence::Carrier> by_message(const std::vector<evidence::Carrier>& carriers,
                                          const evidence::ConversationIndex& index) {
  std::vector<evidence::Carrier> out;
  for (const evidence::Carrier& carrier : carriers) {
    const auto& results = index.results();
    if (out.empty() || results[out.back().result].message != results[carrier.result].message) {
      out.push_back(carrier);
      continue;
    }
    evidence::Carrier& known = out.back();
    known.level = std::min(known.level, carrier.level);
    known.echo = known.echo && carrier.echo;
    known.partial = known.partial || carrier.partial;
  }
  return out;
}

json::Value carriers_json(const std::vector<evidence::Carrier>& carriers,
                          const evidence::ConversationIndex& index) {
  json::ArrayBuilder out;
  for (const evidence::Carrier& carrier : by_message(carriers, index))
    out.add(carrier_json(carrier, index));
  return out.build();
}

json::Value check(const json::Value& in) {
  const evidence::ConversationIndex index = evidence_index_of(in);
  const std::string answer = eval_required_text(in, "answer");
  const evidence::Judge judge(index, evidence_options_of(in));
  evidence::Verdict verdict = judge.check(answer);
  evidence::note_associations(verdict, evidence::associations(judge, answer, verdict));
  json::ArrayBuilder values;
  for (const evidence::JudgedValue& judged : verdict.values) {
    values.add(evidence_value_json(judged, index));
  }
  json::ArrayBuilder unsupported;
  for (const std::size_t at : verdict.unsupported) unsupported.add(verdict.values[at].value.raw);
  return json::object({{"values", values.build()},
                       {"unsupported", unsupported.build()},
                       {"candidates", verdict.candidates},
                       {"truncated", verdict.truncated}});
}

evidence::Exemption exemption_of(const json::Value& value) {
  if (const auto text = value.as_string()) return {std::string(*text), false};
  const json::Value* pattern = value.find("regex");
  if (pattern == nullptr || !pattern->as_string()) {
    eval_refuse("options.exempt", "an exempt entry is a text or {\"regex\": …}");
  }
  return {std::string(*pattern->as_string()), true};
}

}  // namespace

json::Value evidence_value_json(const evidence::JudgedValue& judged,
                                const evidence::ConversationIndex& index) {
  const evidence::Grounding& grounding = judged.grounding;
  json::ObjectBuilder out;
  out.add("raw", judged.value.raw);
  out.add("value", judged.value.value);
  std::string kind(evidence::name_of(judged.value.kind));
  if (judged.value.kind == evidence::ValueKind::shape) kind += ":" + judged.value.shape;
  out.add("kind", kind);
  out.add("grounding", evidence::name_of(judged.level));
  if (grounding.cut) out.add("mode", "cut");
  if (grounding.supplied_by && judged.level == evidence::Level::supplied) {
    out.add("suppliedBy", evidence::name_of(*grounding.supplied_by));
  }
  if (!grounding.notes.empty()) {
    json::ArrayBuilder notes;
    for (const std::string& note : grounding.notes) notes.add(note);
    out.add("notes", notes.build());
  }
  out.add("carriers", carriers_json(grounding.carriers, index));
  if (grounding.derivation) {
    out.add("formula", grounding.derivation->formula);
    json::ArrayBuilder operands;
    for (const evidence::Operand& operand : grounding.derivation->operands) {
      operands.add(json::object(
          {{"raw", operand.raw}, {"carriers", carriers_json(operand.carriers, index)}}));
    }
    out.add("operands", operands.build());
    out.add("chance", grounding.derivation->chance);
  }
  return out.build();
}

evidence::ConversationIndex evidence_index_of(const json::Value& in) {
  evidence::ConversationIndex index = evidence::ConversationIndex::of(eval_conversation(in));
  for (std::string& text : eval_texts(in, "supplied"))
    index.supply(std::move(text), evidence::SuppliedBy::app);
  return index;
}

evidence::JudgeOptions evidence_options_of(const json::Value& in) {
  evidence::JudgeOptions options;
  const json::Value* given = eval_optional(in, "options", json::Kind::object);
  if (given == nullptr) return options;
  if (const json::Value* digits = given->find("minDigits")) {
    const auto number = digits->as_int64();
    if (!number || *number > 1000) eval_refuse("options.minDigits", "minDigits is a whole number");
    options.min_digits = static_cast<int>(*number);
  }
  if (const json::Value* thorough = given->find("thorough")) {
    if (!thorough->as_bool()) eval_refuse("options.thorough", "thorough is true or false");
    options.thorough = *thorough->as_bool();
  }
  if (const json::Value* shapes = eval_optional(*given, "shapes", json::Kind::array)) {
    for (const json::Value& shape : shapes->elements()) {
      options.shapes.push_back(
          {eval_required_text(shape, "name"), eval_required_text(shape, "match")});
    }
  }
  if (const json::Value* exempt = eval_optional(*given, "exempt", json::Kind::array)) {
    for (const json::Value& entry : exempt->elements())
      options.exempt.push_back(exemption_of(entry));
  }
  return options;
}

std::vector<EvalFunction> evidence_eval_functions() {
  return {{"evidence.check", check}};
}

}  // namespace agentfootprint
