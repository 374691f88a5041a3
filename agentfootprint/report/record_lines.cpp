// Sentences for the rows, verdicts and events of a record.
#include "agentfootprint/report/record_lines.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

using json::Value;

constexpr std::size_t kClip = 160;

std::string text_of(const Value& object, std::string_view pointer) {
  const Value* found = object.find_pointer(pointer);
  const auto text = found == nullptr ? std::nullopt : found->as_string();
  return text ? utf8::printable(utf8::clip(*text, kClip)) : std::string();
}

std::int64_t number_of(const Value& object, std::string_view member) {
  const Value* found = object.find(member);
  return found == nullptr ? 0 : found->as_int64().value_or(0);
}

// "[4,1]", or the wire id of a result without a call key.
std::string name_of_result(const Value& object) {
  const Value* call = object.find("call");
  return call != nullptr ? json::dump(*call) : text_of(object, "/toolCallId");
}

std::string named(const Value& row) {
  const std::string tool = text_of(row, "/toolName");
  return name_of_result(row) + (tool.empty() ? "" : " " + tool);
}

// " (on call [7,0])", " (in the answer)", or who said it when it was not the model.
std::string said_where(const Value& row) {
  const std::string by = text_of(row, "/by");
  const std::string who = text_of(row, "/who");
  if (!by.empty()) return fmt::format(" (by the {}{})", by, who.empty() ? "" : " " + who);
  const Value* where = row.find("declaredOn");
  if (where == nullptr) return "";
  if (where->is_string()) return " (in the answer)";
  return fmt::format(" (on call {})", name_of_result(*where));
}

std::string carriers_of(const Value& row) {
  std::string text;
  const Value* carriers = row.find("carriers");
  if (carriers == nullptr) return text;
  for (const Value& carrier : carriers->elements()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of_result(carrier),
                        text_of(carrier, "/standing"));
  }
  return text;
}

std::string standing_text(const Value& row) {
  std::string text =
      fmt::format("standing: {} is {}{}", named(row), text_of(row, "/standing"), said_where(row));
  const std::string line = text_of(row, "/line");
  const std::string settles = text_of(row, "/settles");
  if (!line.empty()) text += ": " + line;
  if (!settles.empty()) text += "; to settle it: " + settles;
  if (row.contains("unknownId")) text += "; no such result was known";
  return text;
}

std::string contingent_text(const Value& row) {
  std::string text = fmt::format(
      "contingent: {}{} stands only on {}", text_of(row, "/value"),
      row.contains("draft") ? " (in a draft that was not let through)" : said_where(row),
      carriers_of(row));
  const std::string formula = text_of(row, "/formula");
  if (!formula.empty()) text += " through " + formula;
  return text;
}

std::optional<std::string> findings_text(const Value& row) {
  const std::string kind = text_of(row, "/kind");
  if (kind == "standing") return standing_text(row);
  if (kind == "contingent") return contingent_text(row);
  if (kind == "basis") {
    return fmt::format("basis: {} is {}", named(row), text_of(row, "/basis"));
  }
  if (kind == "judgment") {
    return fmt::format("judgment: {} is {} in the eyes of {}", named(row),
                       text_of(row, "/standing"), text_of(row, "/judge/name"));
  }
  if (kind == "judgment-error") {
    return fmt::format("judgment: {} gave none about {}: {}", text_of(row, "/judge/name"),
                       named(row), text_of(row, "/message"));
  }
  if (kind == "malformed") {
    return fmt::format("malformed: {} parts of a declaration could not be read{}",
                       number_of(row, "malformed"), said_where(row));
  }
  return std::nullopt;
}

// What a tool declared of its coverage: a list of texts or of {what, why?}.
std::string grounds(const Value& row, std::string_view member) {
  std::string text;
  const Value* list = row.find(member);
  if (list == nullptr) return text;
  for (const Value& item : list->elements()) {
    const std::string what =
        item.is_string() ? utf8::printable(*item.as_string()) : text_of(item, "/what");
    text += (text.empty() ? "" : "; ") + what;
  }
  return text;
}

std::string coverage_text(const Value& row) {
  std::string text =
      fmt::format("coverage: {} {}", text_of(row, "/toolCallId"), text_of(row, "/toolName"));
  const std::string checked = grounds(row, "checked");
  std::string open = grounds(row, "notChecked");
  const std::string cannot = grounds(row, "cannotCover");
  if (!cannot.empty()) open += (open.empty() ? "" : "; ") + cannot;
  if (!checked.empty()) text += " checked " + checked;
  if (!open.empty()) text += fmt::format("{} not covered: {}", checked.empty() ? "" : ",", open);
  return text;
}

std::string check_text(const Value& row) {
  std::string text =
      fmt::format("check {}: {} ({} fired, {} passed)", text_of(row, "/check"),
                  text_of(row, "/outcome"), number_of(row, "fired"), number_of(row, "passed"));
  const std::string note = text_of(row, "/note");
  return note.empty() ? text : text + ", " + note;
}

std::string verdict_text(const Value& verdict) {
  std::string text = fmt::format("verdict: {} of {} values were looked up",
                                 number_of(verdict, "lookedUp"), number_of(verdict, "candidates"));
  std::string nowhere;
  if (const Value* unsupported = verdict.find("unsupported")) {
    for (const Value& one : unsupported->elements()) {
      nowhere += (nowhere.empty() ? "" : ", ") + text_of(one, "/value");
    }
  }
  text += nowhere.empty() ? ", all stand" : ", from nowhere: " + nowhere;
  text += fmt::format(" ({}", text_of(verdict, "/action"));
  const Value* revised = verdict.find("afterRevision");
  if (revised != nullptr && revised->as_bool() == true) text += ", after a revision";
  return text + ")";
}

std::optional<std::string> described_text(const Value& event) {
  if (event.find("semantics") == nullptr) return std::nullopt;
  std::string text = "described: " + named(event);
  const std::string at = text_of(event, "/semantics/provenance/measured_at");
  const std::string source = text_of(event, "/semantics/provenance/source");
  if (!at.empty()) text += ", measured " + at;
  if (!source.empty()) text += " by " + source;
  const std::string interval = text_of(event, "/semantics/grain/interval");
  const std::string aggregation = text_of(event, "/semantics/grain/aggregation");
  if (!interval.empty() || !aggregation.empty()) {
    text += fmt::format(", grain {}{}{}", aggregation,
                        aggregation.empty() || interval.empty() ? "" : " over ", interval);
  }
  return text;
}

// What a call did on the store.
std::string artifact_text(const Value& event, std::string_view name) {
  const Value& fact = event.at("artifact");
  std::string text = fmt::format("artifact: {} {} {}", name_of_result(event),
                                 text_of(fact, "/tool"), name.substr(name.rfind('.') + 1));
  const std::string ref = text_of(fact, "/ref");
  if (!ref.empty()) text += " " + ref;
  std::string more;
  for (const char* key : {"/op", "/kind", "/reason", "/via", "/as", "/label", "/detail"}) {
    const std::string member = text_of(fact, key);
    if (!member.empty()) more += (more.empty() ? "" : ", ") + member;
  }
  if (fact.contains("bytes")) {
    more += fmt::format("{}{} bytes", more.empty() ? "" : ", ", number_of(fact, "bytes"));
  }
  return more.empty() ? text : fmt::format("{} ({})", text, more);
}

std::optional<std::string> event_text(const Value& event) {
  const std::string name = text_of(event, "/name");
  const Value* fact = event.find("artifact");
  if (name.starts_with("agentfootprint.artifacts.") && fact != nullptr && fact->is_object()) {
    return artifact_text(event, name);
  }
  return described_text(event);
}

// A step of the loop: what it decided, or what it wrote.
std::string step_text(const Value& commit) {
  const std::string stage = text_of(commit, "/stage");
  std::string keys;
  const Value* writes = commit.find("writes");
  if (writes == nullptr) return fmt::format("step {}: wrote nothing", stage);
  for (const Value& write : writes->elements()) {
    const std::string key = text_of(write, "/key");
    const std::string reason = key == "/routeReason" ? text_of(write, "/value") : "";
    if (!reason.empty()) return fmt::format("step {} decided: {}", stage, reason);
    keys += (keys.empty() ? "" : ", ") + key;
  }
  return fmt::format("step {}: wrote {}", stage, keys);
}

std::optional<std::string> known_text(const RecordedLine& line) {
  const Value& value = line.value;
  if (line.kind == "commit" && value.contains("stage")) return step_text(value);
  if (line.kind == "verdict") return verdict_text(value);
  if (line.kind == "event") return event_text(value);
  if (line.kind != "row") return std::nullopt;
  const std::string row = text_of(value, "/row");
  if (row == "check") return check_text(value);
  if (row == "supplied") {
    return fmt::format("supplied by the {}, in its requests: {}", text_of(value, "/by"),
                       line.item ? utf8::printable(utf8::clip(*line.item, kClip)) : "(redacted)");
  }
  const Value* inner = value.find("value");
  if (inner == nullptr) return std::nullopt;
  if (row == "findings") return findings_text(*inner);
  if (row == "coverage") return coverage_text(*inner);
  return std::nullopt;
}

// A kind without a sentence of its own, as it was written but for what every line has.
std::string written(const RecordedLine& line, bool full) {
  json::ObjectBuilder rest;
  for (const json::Member& member : line.value.members()) {
    if (member.key() != "seq" && member.key() != "kind") rest.add(member.key(), member.value);
  }
  const std::string text = json::dump(rest.build());
  const std::string_view head = full ? std::string_view(text) : utf8::clip(text, kClip);
  return fmt::format("{}: {}{}", utf8::printable(utf8::clip(line.kind, 40)), utf8::printable(head),
                     head.size() < text.size() ? "…" : "");
}

}  // namespace

std::string record_line_text(const RecordedLine& line, bool full) {
  if (full) return written(line, true);
  const std::optional<std::string> known = known_text(line);
  return known ? *known : written(line, false);
}

}  // namespace agentfootprint
