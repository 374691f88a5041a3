// Rendering an explanation. Text of the conversation is escaped.
#include "agentfootprint/report/why_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

std::string safe(std::string_view text, std::size_t max_code_points = 100) {
  const std::string_view head = utf8::clip(text, max_code_points);
  return utf8::printable(head) + (head.size() < text.size() ? "…" : "");
}

std::string call_name(const CallKey& key) {
  return fmt::format("[{},{}]{}", key.message, key.ordinal, key.orphan ? " (no call)" : "");
}

// A call and its tool, when that is known.
std::string call_and_tool(const CallKey& key, std::string_view tool) {
  return tool.empty() ? call_name(key) : fmt::format("{} {}", call_name(key), safe(tool, 60));
}

std::string_view word_of(const std::optional<findings::Standing>& standing) {
  return standing ? findings::name_of(*standing) : "undeclared";
}

std::string result_name(const findings::ResultRef& result) {
  return result.call ? call_name(*result.call) : safe(result.tool_call_id, 60);
}

// Who gave a standing, and where.
std::string declared_by(const WhyStanding& standing) {
  if (standing.by == findings::DeclaredBy::app) return "by the application's default";
  if (standing.by == findings::DeclaredBy::person) {
    return standing.who.empty() ? "by a person" : "by " + safe(standing.who, 60) + " (a person)";
  }
  std::string text = "by the model";
  if (!standing.on) return text;
  return text + (standing.on->on_answer() ? " with an answer"
                                          : " on call " + result_name(*standing.on->call));
}

std::string standing_line(const WhyStanding& standing) {
  if (!standing.now) return "undeclared: nobody said anything about this result";
  std::string text = fmt::format("{}, declared {}", word_of(standing.now), declared_by(standing));
  if (standing.then != standing.now) {
    text += fmt::format("; {} when the answer was given", word_of(standing.then));
  }
  if (!standing.line.empty()) text += fmt::format(": \"{}\"", safe(standing.line, 200));
  if (!standing.settles.empty()) {
    text += fmt::format("; to settle it: \"{}\"", safe(standing.settles, 200));
  }
  return text;
}

std::string carrier_line(const WhyCarrier& carrier) {
  std::string text = call_and_tool(carrier.call, carrier.tool);
  if (!carrier.pointer.empty()) text += " at " + safe(carrier.pointer, 100);
  if (!carrier.raw.empty()) text += fmt::format(" as \"{}\"", safe(carrier.raw, 60));
  text += fmt::format(", {}, {}", evidence::name_of(carrier.level), word_of(carrier.then));
  if (carrier.then != carrier.now) text += fmt::format(" then, {} now", word_of(carrier.now));
  if (carrier.failed) text += ", the call failed";
  if (carrier.echo) text += ", it only repeats the call's own argument";
  if (carrier.partial) text += ", the result was cut";
  if (carrier.superseded) text += ", a later call replaced it";
  return text;
}

// A note of the evidence engine in words; "" for what surprises nobody.
std::string note_words(std::string_view note) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"grouped", ""},
      {"decimal-comma", "read with a decimal comma"},
      {"decimal-point", "read with a decimal point"},
      {"day-first", "the day was read first"},
      {"month-first", "the month was read first"},
      {"half-day", "read as a time of a twelve-hour clock"},
      {"leading-zero", "a number with leading zeros is an identifier; its number was compared"},
      {"sign-word", "a word carries the sign"},
      {"unit", "the result states another unit"},
      {"unit-by-name", "the result states no unit; the name of the member, or one beside it, does"},
      {"binary-unit", "with a unit of 1,024"},
      {"scale", "the result states another scale"},
      {"percent", "compared as a share and as a percentage"},
      {"ending", "the text asks for the last characters only"},
      {"spelled-apart", "spelled with a space in one place and without in the other"},
  };
  for (const auto& [code, words] : kWords) {
    if (note == code) return std::string(words);
  }
  if (note.starts_with("epoch-")) {
    return fmt::format("the result counts from 1970 ({})", note.substr(6));
  }
  return safe(note);
}

std::string origin_line(const WhyValue& value) {
  const std::string where =
      value.supplied_in ? fmt::format(", message {}", *value.supplied_in) : std::string();
  if (value.supplied_by == evidence::SuppliedBy::person) return "said by the person" + where;
  if (value.supplied_by == evidence::SuppliedBy::app) return "said by the app" + where;
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
  if (value.contingent) {
    text += fmt::format("{}  contingent: {}\n", indent,
                        value.contingent->formula
                            ? "every formula for it needs a result that was set aside"
                            : "every result of the turn that carries it was set aside");
  }
  for (const std::string& note : value.notes) {
    const std::string words = note_words(note);
    if (!words.empty()) text += fmt::format("{}  note: {}\n", indent, words);
  }
}

void add_objections(std::string& text, const WhyCall& call) {
  if (call.replaced_by) {
    text += fmt::format("    replaced by: {}, a later call with the same arguments\n",
                        call_name(*call.replaced_by));
  }
  for (const WhyContradiction& one : call.contradictions) {
    text += fmt::format("    contradicted by: {}: {} · {} is {} there, {} here\n",
                        result_name(one.other), safe(one.subject), safe(one.predicate),
                        safe(json::dump(one.there)), safe(json::dump(one.here)));
  }
  if (!call.judgment) return;
  text += fmt::format("    the judge {}: {}", safe(call.judgment->judge, 60),
                      findings::name_of(call.judgment->standing));
  if (call.judgment->confidence)
    text += fmt::format(" (confidence {})", *call.judgment->confidence);
  text += "\n";
}

void add_call(std::string& text, const WhyCall& call, bool several_turns) {
  text += fmt::format("  {}{}{}\n", call_and_tool(call.key, call.tool),
                      call.arguments.empty() ? "" : " ", safe(call.arguments, 200));
  text += fmt::format("    result: message {}, {}{}\n", call.result, name_of(call.status),
                      several_turns ? fmt::format(", turn {}", call.turn) : std::string());
  if (!call.measured_at.empty()) {
    text += fmt::format("    measured: {}{}\n", safe(call.measured_at),
                        call.measured_by.empty() ? "" : " by " + safe(call.measured_by));
  }
  for (const std::string& what : call.not_covered) {
    text += fmt::format("    not covered: {}\n", safe(what, 200));
  }
  text += fmt::format("    standing: {}\n", standing_line(call.standing));
  add_objections(text, call);
  for (const WhyArgument& argument : call.values) {
    add_value(text, argument.value,
              fmt::format("{} = {}", safe(argument.path), safe(argument.value.raw)), "    ");
  }
}

// One line a use, deeper uses under it; at most 64 lines a result.
void add_tower(std::string& text, const WhyTower& tower) {
  constexpr std::size_t kMaxLines = 64;
  text += fmt::format("  {} {}\n", result_name(tower.result),
                      tower.on_set_aside_ground
                          ? "stands on set-aside ground"
                          : "stood on set-aside ground; what it stands on is set aside no longer");
  std::size_t lines = 0;
  for (const WhyTowerStep& step : tower.steps) {
    if (lines++ == kMaxLines) {
      text += fmt::format("    and {} more\n", tower.steps.size() - kMaxLines);
      return;
    }
    text += fmt::format("    {}{} used \"{}\" from {} ({} then, {} now)\n",
                        std::string(step.depth * 2, ' '), result_name(step.edge.result),
                        safe(step.edge.value, 120), result_name(step.edge.base),
                        findings::name_of(step.edge.then), word_of(step.now));
  }
}

json::Value result_value(const findings::ResultRef& result) {
  json::ObjectBuilder built;
  findings::add_result(built, result);
  return built.build();
}

json::Value standing_value(const WhyStanding& standing) {
  json::ObjectBuilder built;
  built.add("now", word_of(standing.now)).add("then", word_of(standing.then));
  if (!standing.now) return built.build();
  built.add("by", findings::name_of(standing.by));
  if (!standing.who.empty()) built.add("who", standing.who);
  if (standing.on) built.add("declaredOn", findings::to_json(*standing.on));
  if (!standing.line.empty()) built.add("line", standing.line);
  if (!standing.settles.empty()) built.add("settles", standing.settles);
  return built.build();
}

json::Value tower_value(const WhyTower& tower) {
  json::ArrayBuilder steps;
  for (const WhyTowerStep& step : tower.steps) {
    json::ObjectBuilder one;
    one.add("depth", step.depth)
        .add("from", result_value(step.edge.result))
        .add("to", result_value(step.edge.base))
        .add("value", step.edge.value)
        .add("then", findings::name_of(step.edge.then))
        .add("now", word_of(step.now))
        .add("iteration", step.edge.iteration);
    steps.add(one.build());
  }
  return json::object({{"result", result_value(tower.result)},
                       {"onSetAsideGround", tower.on_set_aside_ground},
                       {"steps", steps.build()}});
}

void add_objections(json::ObjectBuilder& built, const WhyCall& call) {
  if (call.replaced_by) built.add("replacedBy", to_json(*call.replaced_by));
  json::ArrayBuilder contradictions;
  for (const WhyContradiction& one : call.contradictions) {
    contradictions.add(json::object({{"subject", one.subject},
                                     {"predicate", one.predicate},
                                     {"here", one.here},
                                     {"there", one.there},
                                     {"other", result_value(one.other)}}));
  }
  if (!contradictions.empty()) built.add("contradictedBy", contradictions.build());
  if (!call.judgment) return;
  json::ObjectBuilder judgment;
  judgment.add("judge", call.judgment->judge)
      .add("standing", findings::name_of(call.judgment->standing));
  judgment.add_if("confidence", call.judgment->confidence);
  built.add("judgment", judgment.build());
}

json::Value carriers_value(const std::vector<WhyCarrier>& carriers) {
  json::ArrayBuilder built;
  for (const WhyCarrier& carrier : carriers) {
    json::ObjectBuilder one;
    one.add("call", to_json(carrier.call));
    if (carrier.call.orphan) one.add("orphan", true);
    one.add("result", carrier.message).add("tool", carrier.tool);
    if (!carrier.pointer.empty()) one.add("pointer", carrier.pointer);
    if (!carrier.raw.empty()) one.add("raw", carrier.raw);
    one.add("level", evidence::name_of(carrier.level));
    if (carrier.failed) one.add("failed", true);
    if (carrier.echo) one.add("echo", true);
    if (carrier.partial) one.add("partial", true);
    if (carrier.superseded) one.add("superseded", true);
    one.add("standing", word_of(carrier.then));
    if (carrier.then != carrier.now) one.add("standingNow", word_of(carrier.now));
    built.add(one.build());
  }
  return built.build();
}

json::Value value_value(const WhyValue& value) {
  json::ObjectBuilder built;
  built.add("raw", value.raw).add("grounding", evidence::name_of(value.level));
  if (value.supplied_by) built.add("suppliedBy", evidence::name_of(*value.supplied_by));
  if (value.supplied_in) built.add("suppliedIn", *value.supplied_in);
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
  if (value.contingent)
    built.add("contingent", findings::to_json(findings::Row(*value.contingent)));
  return built.build();
}

json::Value texts_value(const std::vector<std::string>& texts) {
  json::ArrayBuilder built;
  for (const std::string& text : texts) built.add(text);
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
  built.add("turn", call.turn);
  if (!call.measured_at.empty()) built.add("measuredAt", call.measured_at);
  if (!call.measured_by.empty()) built.add("measuredBy", call.measured_by);
  if (!call.not_covered.empty()) built.add("notCovered", texts_value(call.not_covered));
  built.add("standing", standing_value(call.standing));
  add_objections(built, call);
  json::ArrayBuilder values;
  for (const WhyArgument& argument : call.values) {
    values.add(json::with_member(value_value(argument.value), "path", argument.path));
  }
  built.add("values", values.build());
  return built.build();
}

// The answer does not hold what was asked for.
std::string missing_text(const Explanation& explanation) {
  std::string text = fmt::format("It holds no value \"{}\".\n", safe(explanation.asked, 60));
  if (explanation.in_text) text += "  Its text has these characters, but no value is read there.\n";
  if (const auto& elsewhere = explanation.elsewhere) {
    add_value(text, *elsewhere, "Elsewhere, " + safe(elsewhere->raw), "  ");
  } else if (!explanation.in_text) {
    text += "  No result before it carries it, and nobody said it.\n";
  }
  constexpr std::size_t kMaxHeld = 12;
  const std::vector<std::string>& held = explanation.held;
  if (held.empty()) return text + "It holds no value at all.\n";
  text += "Its values: ";
  for (std::size_t at = 0; at < std::min(held.size(), kMaxHeld); ++at) {
    text += (at > 0 ? ", " : "") + safe(held[at], 60);
  }
  if (held.size() > kMaxHeld) text += fmt::format(", and {} more", held.size() - kMaxHeld);
  return text + "\n";
}

}  // namespace

std::string why_text(const Explanation& explanation) {
  std::string text = fmt::format("The answer, message {}: \"{}\"\n\n", explanation.message,
                                 safe(explanation.answer, 120));
  if (explanation.values.empty()) {
    return text + (explanation.value_not_found ? missing_text(explanation)
                                               : "It holds no value to explain.\n");
  }
  text +=
      fmt::format("Standings: {}.\n\n", safe(findings::headline_text(explanation.headline), 300));
  text += "Its values (derived from the record by comparing them with what stood before):\n";
  for (const WhyValue& value : explanation.values) add_value(text, value, safe(value.raw), "  ");
  if (explanation.calls.empty()) return text;
  text += "\nThe calls behind them (recorded), and where their arguments came from (derived):\n";
  for (const WhyCall& call : explanation.calls) add_call(text, call, explanation.several_turns);
  if (explanation.calls_capped) text += "  further calls were left out\n";
  if (explanation.towers.empty()) return text;
  text += "\nThe towers: results built on values of results that were set aside (recorded):\n";
  for (const WhyTower& tower : explanation.towers) add_tower(text, tower);
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
  json::ArrayBuilder towers;
  for (const WhyTower& tower : explanation.towers) towers.add(tower_value(tower));
  built.add("towers", towers.build()).add("declared", findings::to_json(explanation.headline));
  if (explanation.value_not_found) {
    built.add("notFound", true);
    built.add("held", texts_value(explanation.held));
    if (explanation.elsewhere) built.add("elsewhere", value_value(*explanation.elsewhere));
  }
  return built.build();
}

}  // namespace agentfootprint
