// The mint of absences and coverage ledgers.
#include "agentfootprint/semantics/absent.hpp"

#include <fmt/format.h>

#include "agentfootprint/semantics/absence.hpp"
#include "agentfootprint/semantics/internal/mint.hpp"
#include "agentfootprint/semantics/internal/rules.hpp"
#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics {
namespace {

using internal::Faults;
using internal::Spelling;

constexpr std::string_view kAbsentKeys[] = {"what",         "checked",     "not_checked",
                                            "cannot_cover", "try_instead", "try_instead_tool",
                                            "provenance",   "period"};
constexpr std::string_view kLedgerKeys[] = {"checked", "not_checked", "cannot_cover", "period",
                                            "in_progress"};

struct AbsentMint {
  const json::Value& declaration;
  Spelling spelling;
  Faults faults = {};

  [[nodiscard]] std::string key(std::string_view wire) const {
    return internal::spelled(wire, spelling);
  }
  // A part that is there and not null.
  [[nodiscard]] const json::Value* part(std::string_view wire) const {
    const json::Value* value = declaration.find(key(wire));
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  [[nodiscard]] std::optional<json::Value> list(std::string_view wire) {
    return internal::mint_list(declaration, "", wire, spelling, faults);
  }

  std::optional<json::Value> mint_checked();
  std::optional<json::Value> mint_try_instead();
  std::optional<json::Value> mint_try_tool();
  std::optional<json::Value> mint_provenance();
  json::Value run();
};

std::optional<json::Value> AbsentMint::mint_checked() {
  const std::size_t before = faults.size();
  auto checked = list("checked");
  if (!checked && faults.size() == before) {
    faults.malformed("checked",
                     "checked names no ground: an absence with no coverage is a null; name what "
                     "was looked at, or raise an error when the tool could not look");
  }
  return checked;
}

std::optional<json::Value> AbsentMint::mint_try_instead() {
  const json::Value* value = part("try_instead");
  if (value == nullptr) return std::nullopt;
  if (value->is_object()) {
    faults.malformed(key("try_instead"),
                     fmt::format("{} is a text for the model; a tool is named in {}",
                                 key("try_instead"), key("try_instead_tool")));
    return std::nullopt;
  }
  if (!internal::is_text(value)) return std::nullopt;
  return json::Value(trimmed(*value->as_string()));
}

std::optional<json::Value> AbsentMint::mint_try_tool() {
  static constexpr std::string_view kKeys[] = {"tool", "why"};
  const json::Value* value = part("try_instead_tool");
  if (value == nullptr) return std::nullopt;
  const std::string field = key("try_instead_tool");
  if (!value->is_object()) {
    faults.malformed(field, fmt::format("{} must be an object {{tool, why?}}", field));
    return std::nullopt;
  }
  internal::check_keys(*value, field, kKeys, Spelling::wire, faults);
  json::ObjectBuilder made;
  const json::Value* tool = value->find("tool");
  if (internal::is_text(tool)) {
    made.add("tool", trimmed(*tool->as_string()));
  } else {
    faults.malformed(field + ".tool", fmt::format("{}.tool names no tool", field));
  }
  const json::Value* why = value->find("why");
  if (internal::is_text(why)) {
    made.add("why", trimmed(*why->as_string()));
  } else if (why != nullptr && !why->is_null()) {
    faults.malformed(field + ".why",
                     fmt::format("{}.why says nothing; give it or leave it out", field));
  }
  return made.build();
}

std::optional<json::Value> AbsentMint::mint_provenance() {
  const json::Value* value = part("provenance");
  if (value == nullptr) return std::nullopt;
  internal::check_keys(*value, "provenance", internal::kProvenanceKeys, spelling, faults);
  const json::Value known = internal::known_part(*value, internal::kProvenanceKeys, spelling);
  internal::judge_provenance(known, internal::RuleScope{spelling, true}, faults);
  return internal::respelled(known, internal::kProvenanceKeys, spelling);
}

json::Value AbsentMint::run() {
  internal::check_keys(declaration, "", kAbsentKeys, spelling, faults);
  const json::Value* what = declaration.find("what");
  if (!internal::is_text(what)) {
    faults.malformed("what", "what does not say what was looked for; name it");
  }
  const auto checked = mint_checked();
  const auto not_checked = list("not_checked");
  const auto cannot_cover = list("cannot_cover");
  const auto try_instead = mint_try_instead();
  const auto try_tool = mint_try_tool();
  const auto provenance = mint_provenance();
  const auto period = internal::mint_period(declaration, spelling, faults);
  std::move(faults).throw_if_any();
  json::ObjectBuilder envelope;
  envelope.add(kAbsenceMarker, true);
  envelope.add("outcome", "nothing_found");
  envelope.add("looked_for", trimmed(*what->as_string()));
  envelope.add_if("checked", checked);
  envelope.add_if("not_checked", not_checked);
  envelope.add_if("cannot_cover", cannot_cover);
  envelope.add_if("provenance", provenance);
  envelope.add_if("period", period);
  envelope.add("retry_returns_the_same", true);
  envelope.add_if("try_instead", try_instead);
  envelope.add_if("try_instead_tool", try_tool);
  envelope.add("note", kAbsenceNote);
  return envelope.build();
}

void refuse_wrapping(const json::Value& result, Faults& faults) {
  const json::Value* semantics = result.find(kSemanticsMarker);
  if (semantics != nullptr && semantics->as_bool().value_or(false)) {
    faults.malformed("result",
                     "coverage() was given a described result, which carries its own coverage; "
                     "state these lists in its declaration and return it as it is");
  } else if (is_coverage_ledger(result)) {
    faults.malformed("result",
                     "coverage() was given a value that coverage() has already limited; state all "
                     "lists in one call");
  } else if (internal::is_effects_envelope(result)) {
    faults.malformed(
        "result",
        "coverage() was given an effects envelope, which goes outside: put the covered "
        "value into its content");
  }
}

json::Value mint_ledger(const json::Value& result, const json::Value& declaration,
                        Spelling spelling) {
  Faults faults;
  refuse_wrapping(result, faults);
  internal::check_keys(declaration, "", kLedgerKeys, spelling, faults);
  const json::Value lists =
      internal::mint_coverage_lists(declaration, "", kCoverageMarker, spelling, faults);
  const auto period = internal::mint_period(declaration, spelling, faults);
  const auto in_progress = internal::mint_in_progress(declaration, spelling, faults);
  std::move(faults).throw_if_any();
  json::ObjectBuilder marker;
  for (const json::Member& list : lists.members()) marker.add(list.key(), list.value);
  marker.add_if("period", period);
  marker.add_if("in_progress", in_progress);
  marker.add("note", kCoverageNote);
  json::ObjectBuilder envelope;
  envelope.add(kCoverageMarker, marker.build()).add("result", result);
  return envelope.build();
}

}  // namespace

json::Value absent(AbsentDeclaration&& declaration) {
  json::ObjectBuilder built;
  built.add("what", declaration.what.view());
  internal::add_lists(built, declaration.checked.items(), declaration.not_checked,
                      declaration.cannot_cover);
  if (declaration.try_instead) built.add("try_instead", declaration.try_instead->view());
  if (declaration.try_instead_tool) {
    json::ObjectBuilder tool;
    tool.add("tool", declaration.try_instead_tool->tool.view());
    if (declaration.try_instead_tool->why)
      tool.add("why", declaration.try_instead_tool->why->view());
    built.add("try_instead_tool", tool.build());
  }
  if (declaration.provenance) built.add("provenance", internal::to_json(*declaration.provenance));
  if (declaration.period != nullptr) built.add("period", to_json(*declaration.period));
  const json::Value declared = built.build();
  return AbsentMint{declared, Spelling::wire}.run();
}

json::Value absent(const json::Value& declaration) {
  internal::require_declaration(declaration, "absent", kAbsentKeys, Spelling::camel);
  return AbsentMint{declaration, Spelling::camel}.run();
}

json::Value coverage(const json::Value& result, CoverageDeclaration&& declaration) {
  json::ObjectBuilder built;
  internal::add_lists(built, declaration.checked, declaration.not_checked,
                      declaration.cannot_cover);
  if (declaration.period != nullptr) built.add("period", to_json(*declaration.period));
  if (declaration.in_progress != nullptr) {
    json::ArrayBuilder items;
    for (const InProgressItem& item : *declaration.in_progress) items.add(to_json(item));
    built.add("in_progress", items.build());
  }
  return mint_ledger(result, built.build(), Spelling::wire);
}

json::Value coverage(const json::Value& result, const json::Value& declaration) {
  internal::require_declaration(declaration, "coverage", kLedgerKeys, Spelling::camel);
  return mint_ledger(result, declaration, Spelling::camel);
}

}  // namespace agentfootprint::semantics
