// What a model reads of a declared result.
#include <string>

#include "agentfootprint/semantics/absence.hpp"
#include "agentfootprint/semantics/recognise.hpp"
#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics {
namespace {

bool not_fully_held(const std::optional<DeclaredPeriod>& period) {
  return period && verdict_of(*period) != PeriodVerdict::covered;
}

json::Value with_verdict(const json::Value& period, const DeclaredPeriod& read) {
  return json::with_member(period, "verdict", name_of(verdict_of(read)));
}

// The list without the record-only keys of its items; the list itself when there are none.
json::Value served_items(const json::Value& list) {
  bool clean = true;
  for (const json::Value& item : list.elements()) {
    clean = clean && !item.contains("short") && !item.contains("kind");
  }
  if (clean) return list;
  json::ArrayBuilder items;
  for (const json::Value& item : list.elements()) {
    if (!item.is_object()) {
      items.add(item);
      continue;
    }
    json::ObjectBuilder kept;
    for (const json::Member& part : item.members()) {
      if (part.key() != "short" && part.key() != "kind") kept.add(part.key(), part.value);
    }
    items.add(kept.build());
  }
  return items.build();
}

std::string served_note(std::string_view note, const std::optional<DeclaredPeriod>& period,
                        bool in_progress) {
  std::string text(note);
  if (period) {
    const PeriodVerdict verdict = verdict_of(*period);
    const bool outside =
        verdict == PeriodVerdict::not_held || verdict == PeriodVerdict::partly_held;
    if (outside && note == kAbsenceNote) {
      text = kAbsenceOutsidePeriodNote;
    } else if (verdict != PeriodVerdict::covered) {
      text += kPeriodClause;
    }
  }
  if (in_progress) text += kInProgressClause;
  return text;
}

// The lists, the period and the note of an absence or of a ledger's marker.
json::Value served_declaration(const json::Value& stated,
                               const std::optional<DeclaredPeriod>& period, bool in_progress) {
  json::ObjectBuilder served;
  bool changed = false;
  for (const json::Member& member : stated.members()) {
    const std::string_view key = member.key();
    json::Value value = member.value;
    if (key == "checked" || key == "not_checked" || key == "cannot_cover" || key == "in_progress") {
      value = served_items(member.value);
    } else if (key == "period" && period) {
      value = with_verdict(member.value, *period);
    } else if (key == "note" && member.value.is_string() &&
               (not_fully_held(period) || in_progress)) {
      value = served_note(*member.value.as_string(), period, in_progress);
    }
    changed = changed || !value.same_storage(member.value);
    served.add(key, std::move(value));
  }
  return changed ? served.build() : stated;
}

}  // namespace

json::Value model_view(const ToolSemantics& semantics) {
  const json::Value& envelope = semantics.envelope();
  const std::optional<DeclaredPeriod> period = semantics.period();
  json::ObjectBuilder view;
  view.reserve(9);
  const auto keep = [&](std::string_view key) {
    if (const json::Value* part = envelope.find(key)) view.add(key, *part);
  };
  for (const std::string_view key : {"series", "facts", "edges", "grain", "provenance"}) keep(key);
  if (period) view.add("period", with_verdict(envelope.at("period"), *period));
  std::vector<json::Value> lines;
  for (const std::string& line : compose_not_covered(semantics.coverage()))
    lines.emplace_back(line);
  if (!lines.empty()) view.add("not_covered", json::array(std::move(lines)));
  const json::Value* clarify = envelope.find("clarify");
  if (clarify != nullptr && !clarify->is_null()) view.add("clarify", *clarify);
  const json::Value* note = envelope.find("note");
  const std::string_view own = note == nullptr ? kSemanticsNote : *note->as_string();
  view.add("note", not_fully_held(period) ? json::Value(served_note(own, period, false))
                                          : json::Value(own));
  return view.build();
}

json::Value served_view(const json::Value& value) {
  if (const auto absence = read_absence(value)) {
    return served_declaration(value, absence->period, false);
  }
  if (const auto ledger = read_coverage_ledger(value)) {
    const json::Value& stated = value.at(kCoverageMarker);
    json::Value marker = served_declaration(stated, ledger->period, !ledger->in_progress.empty());
    json::Value result = is_absence(ledger->result) ? served_view(ledger->result) : ledger->result;
    if (marker.same_storage(stated) && result.same_storage(ledger->result)) return value;
    return json::with_member(json::with_member(value, kCoverageMarker, std::move(marker)), "result",
                             std::move(result));
  }
  if (const auto semantics = read_semantics(value)) return model_view(*semantics);
  return value;
}

}  // namespace agentfootprint::semantics
