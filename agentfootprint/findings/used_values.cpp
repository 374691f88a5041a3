// Carriers of used values, off the evidence index.
#include "agentfootprint/findings/used_values.hpp"

#include <unordered_set>

namespace agentfootprint::findings {
namespace {

using evidence::ConversationIndex;
using evidence::Grounding;
using evidence::JudgedValue;
using evidence::Level;

bool is_carried(Level level) {
  return level == Level::exact || level == Level::same_value || level == Level::part_of ||
         level == Level::rounded || level == Level::converted;
}

// Results of this turn, each once: the parts of one message are one result, an echo when each part
// is.
std::vector<Carrier> carriers_of(const std::vector<evidence::Carrier>& found,
                                 const ConversationIndex& index) {
  std::vector<Carrier> carriers;
  for (const evidence::Carrier& one : found) {
    const evidence::ResultEntry& entry = index.results()[one.result];
    if (entry.turn != index.turn()) continue;
    const bool again = !carriers.empty() && carriers.back().result.call == entry.call;
    if (again) {
      carriers.back().echo = carriers.back().echo && one.echo;
    } else {
      carriers.emplace_back(result_ref(entry), one.echo);
    }
  }
  return carriers;
}

CarriedFormula formula_of(const evidence::Derivation& derivation, const ConversationIndex& index) {
  CarriedFormula formula;
  formula.formula = derivation.formula;
  for (const evidence::Operand& operand : derivation.operands) {
    CarriedOperand carried;
    carried.raw = operand.raw;
    carried.carriers = carriers_of(operand.carriers, index);
    formula.operands.push_back(std::move(carried));
  }
  return formula;
}

// Empty for a value the rule does not look at.
std::optional<CarriedValue> carried(const JudgedValue& judged, const evidence::Judge& judge) {
  const Grounding& grounding = judged.grounding;
  CarriedValue value;
  value.value = judged.value.value;
  if (is_carried(judged.level)) {
    value.carriers = carriers_of(judge.carriers_at_any_level(judged.value), judge.index());
    return value;
  }
  if (judged.level != Level::derived || !grounding.derivation) return std::nullopt;
  value.value = judged.value.raw;
  value.formulas.push_back(formula_of(*grounding.derivation, judge.index()));
  for (const evidence::Derivation& other : grounding.other_derivations) {
    value.formulas.push_back(formula_of(other, judge.index()));
  }
  return value;
}

}  // namespace

ResultRef result_ref(const evidence::ResultEntry& entry) {
  return ResultRef(entry.tool_call_id.value_or(""), entry.call);
}

std::vector<CarriedValue> carried_answer_values(const evidence::Verdict& verdict,
                                                const evidence::Judge& judge) {
  std::vector<CarriedValue> values;
  for (const JudgedValue& judged : verdict.values) {
    if (auto value = carried(judged, judge)) values.push_back(std::move(*value));
  }
  return values;
}

std::vector<GroundedValue> grounded_argument_values(const json::Value& arguments,
                                                    const evidence::Judge& judge,
                                                    const ArgumentUse& use) {
  std::vector<GroundedValue> values;
  std::unordered_set<std::string> seen;
  const auto verdict = evidence::check_arguments(judge, arguments, use.arguments);
  for (const evidence::ArgumentValue& one : verdict.values) {
    if (!is_carried(one.judged.level)) continue;
    if (!seen.insert(one.judged.value.value).second) continue;
    values.push_back({one.judged.value.value, evidence::forms_of(one.judged.value)});
  }
  return values;
}

std::vector<CarriedValue> carried_argument_values(const json::Value& arguments,
                                                  const evidence::Judge& judge,
                                                  const ArgumentUse& use) {
  std::vector<CarriedValue> values;
  const auto verdict = evidence::check_arguments(judge, arguments, use.arguments);
  for (const evidence::ArgumentValue& one : verdict.values) {
    if (auto value = carried(one.judged, judge)) values.push_back(std::move(*value));
  }
  return values;
}

}  // namespace agentfootprint::findings
