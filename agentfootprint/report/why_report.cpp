// Rendering an explanation. Text of the conversation is escaped.
#include "agentfootprint/report/why_report.hpp"

#include <fmt/format.h>

#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint {
namespace {

std::string safe(std::string_view text, std::size_t max_code_points = 100) {
  const std::string_view head = utf8::clip(text, max_code_points);
  return utf8::printable(head) + (head.size() < text.size() ? "…" : "");
}

std::string call_name(const CallKey& key) {
  return fmt::format("[{},{}]{}", key.message, key.ordinal, key.orphan ? " (no call)" : "");
}

std::string carrier_line(const WhyCarrier& carrier) {
  std::string text = fmt::format("{} {}", call_name(carrier.call), safe(carrier.tool, 60));
  if (!carrier.pointer.empty()) text += " at " + safe(carrier.pointer, 100);
  text += fmt::format(", {}", evidence::name_of(carrier.level));
  if (carrier.failed) text += ", the call failed";
  if (carrier.echo) text += ", it only repeats the call's own argument";
  if (carrier.partial) text += ", the result was cut";
  if (carrier.superseded) text += ", a later call replaced it";
  return text;
}

std::string origin_line(const WhyValue& value) {
  if (value.supplied_by == evidence::SuppliedBy::person) return "said by the person";
  if (value.supplied_by == evidence::SuppliedBy::app) return "said by the app";
  if (value.supplied_by == evidence::SuppliedBy::declared) return "declared exempt";
  if (value.level == evidence::Level::unsupported) {
    return "nobody said it and no result carried it: it is the model's own";
  }
  return std::string(evidence::name_of(value.level));
}

void add_value(std::string& text, const WhyValue& value, const std::string& name,
               const std::string& indent) {
  text += fmt::format("{}{}: {}\n", indent, name, origin_line(value));
  if (!value.formula.empty()) {
    text += fmt::format("{}  derived: {} (chance {:.2g} %)\n", indent, safe(value.formula, 200),
                        value.chance * 100);
    for (const WhyOperand& operand : value.operands) {
      text += fmt::format("{}    {} {}\n", indent, safe(operand.raw), safe(operand.pointer));
      for (const WhyCarrier& carrier : operand.carriers) {
        text += fmt::format("{}      from {}\n", indent, carrier_line(carrier));
      }
    }
  }
  for (const WhyCarrier& carrier : value.carriers) {
    text += fmt::format("{}  from {}\n", indent, carrier_line(carrier));
  }
  for (const std::string& note : value.notes)
    text += fmt::format("{}  note: {}\n", indent, safe(note));
}

void add_call(std::string& text, const WhyCall& call) {
  text += fmt::format("  {} {} {}\n", call_name(call.key), safe(call.tool, 60),
                      safe(call.arguments, 200));
  text += fmt::format("    result: message {}, {}\n", call.result, name_of(call.status));
  if (!call.measured_at.empty()) text += fmt::format("    measured: {}\n", safe(call.measured_at));
  for (const std::string& what : call.not_covered) {
    text += fmt::format("    not covered: {}\n", safe(what, 200));
  }
  for (const WhyArgument& argument : call.values) {
    add_value(text, argument.value,
              fmt::format("{} = {}", safe(argument.path), safe(argument.value.raw)), "    ");
  }
}

json::Value carriers_value(const std::vector<WhyCarrier>& carriers) {
  json::ArrayBuilder built;
  for (const WhyCarrier& carrier : carriers) {
    json::ObjectBuilder one;
    one.add("call", to_json(carrier.call));
    if (carrier.call.orphan) one.add("orphan", true);
    one.add("result", carrier.message).add("tool", carrier.tool);
    if (!carrier.pointer.empty()) one.add("pointer", carrier.pointer);
    one.add("level", evidence::name_of(carrier.level));
    if (carrier.failed) one.add("failed", true);
    if (carrier.echo) one.add("echo", true);
    if (carrier.partial) one.add("partial", true);
    if (carrier.superseded) one.add("superseded", true);
    built.add(one.build());
  }
  return built.build();
}

json::Value value_value(const WhyValue& value) {
  json::ObjectBuilder built;
  built.add("raw", value.raw).add("grounding", evidence::name_of(value.level));
  if (value.supplied_by) built.add("suppliedBy", evidence::name_of(*value.supplied_by));
  if (!value.formula.empty()) {
    built.add("formula", value.formula).add("chance", value.chance);
    json::ArrayBuilder operands;
    for (const WhyOperand& operand : value.operands) {
      operands.add(json::object({{"raw", operand.raw},
                                 {"pointer", operand.pointer},
                                 {"carriers", carriers_value(operand.carriers)}}));
    }
    built.add("operands", operands.build());
  }
  built.add("carriers", carriers_value(value.carriers));
  if (value.level == evidence::Level::unsupported) built.add("origin", "model");
  return built.build();
}

json::Value call_value(const WhyCall& call) {
  json::ObjectBuilder built;
  built.add("call", to_json(call.key));
  if (call.key.orphan) built.add("orphan", true);
  built.add("tool", call.tool)
      .add("arguments", call.arguments)
      .add("result", call.result)
      .add("status", name_of(call.status));
  if (!call.measured_at.empty()) built.add("measuredAt", call.measured_at);
  json::ArrayBuilder not_covered;
  for (const std::string& what : call.not_covered) not_covered.add(what);
  if (!not_covered.empty()) built.add("notCovered", not_covered.build());
  json::ArrayBuilder values;
  for (const WhyArgument& argument : call.values) {
    values.add(json::with_member(value_value(argument.value), "path", argument.path));
  }
  built.add("values", values.build());
  return built.build();
}

}  // namespace

std::string why_text(const Explanation& explanation) {
  std::string text = fmt::format("The answer, message {}: \"{}\"\n\n", explanation.message,
                                 safe(explanation.answer, 120));
  if (explanation.values.empty()) {
    text += explanation.value_not_found ? "It holds no such value.\n"
                                        : "It holds no value to explain.\n";
    return text;
  }
  text += "Its values (derived from the record by comparing them with what stood before):\n";
  for (const WhyValue& value : explanation.values) add_value(text, value, safe(value.raw), "  ");
  if (explanation.calls.empty()) return text;
  text += "\nThe calls behind them (recorded), and where their arguments came from (derived):\n";
  for (const WhyCall& call : explanation.calls) add_call(text, call);
  if (explanation.calls_capped) text += "  further calls were left out\n";
  return text;
}

json::Value why_json(const Explanation& explanation) {
  json::ArrayBuilder values;
  for (const WhyValue& value : explanation.values) values.add(value_value(value));
  json::ArrayBuilder calls;
  for (const WhyCall& call : explanation.calls) calls.add(call_value(call));
  json::ObjectBuilder built;
  built.add("message", explanation.message)
      .add("answer", explanation.answer)
      .add("values", values.build())
      .add("calls", calls.build());
  if (explanation.calls_capped) built.add("callsCapped", true);
  return built.build();
}

}  // namespace agentfootprint
