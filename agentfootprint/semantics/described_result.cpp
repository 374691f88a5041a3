// The mint of described results behind its two doors.
#include "agentfootprint/semantics/described_result.hpp"

#include <fmt/format.h>

#include "agentfootprint/semantics/internal/access.hpp"
#include "agentfootprint/semantics/internal/mint.hpp"
#include "agentfootprint/semantics/internal/period_rules.hpp"
#include "agentfootprint/semantics/internal/rules.hpp"
#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics {
namespace {

using internal::Faults;
using internal::Spelling;

// `{"entity": [...], "size_tb": [...]}` as rows; anything that is no object of equally long lists
// stays as it is and is judged.
json::Value rows_of_columns(const json::Value& columns, std::string_view key, Faults& faults) {
  if (!columns.is_object() || columns.empty()) return columns;
  const std::span<const json::Member> members = columns.members();
  const std::size_t count = members.front().value.size();
  for (const json::Member& column : members) {
    if (!column.value.is_array()) return columns;
  }
  for (const json::Member& column : members) {
    if (column.value.size() == count) continue;
    const std::string field = internal::join_field(key, column.key());
    faults.malformed(
        field, fmt::format("the columns of {} differ in length ({} has {} entries, {} has {}), so "
                           "rows cannot be told apart",
                           key, members.front().key(), count, column.key(), column.value.size()));
    return json::Value();
  }
  std::vector<json::Value> rows;
  rows.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<json::Member> row;
    row.reserve(members.size());
    for (const json::Member& column : members) {
      row.emplace_back(column.key_value, column.value.elements()[i]);
    }
    rows.push_back(json::object(std::move(row)));
  }
  return json::array(std::move(rows));
}

struct Mint {
  const json::Value& declaration;
  Spelling spelling;
  Faults faults = {};

  [[nodiscard]] const json::Value* part(std::string_view key) const {
    return declaration.find(key);
  }

  // The hand-written lines, then unknown keys: of the whole, then of the parts.
  void judge_keys() {
    json::Value known = declaration;
    for (const std::string_view key : {"notCovered", "not_covered"}) {
      if (!declaration.contains(key)) continue;
      faults.malformed(
          key, fmt::format("{} is derived from coverage and is not written by hand; leave it "
                           "out",
                           key));
      known = json::without_member(known, key);
    }
    internal::check_keys(known, "", internal::kDeclarationKeys, spelling, faults);
    judge_part("grain", internal::kGrainKeys);
    judge_part("provenance", internal::kProvenanceKeys);
    judge_part("coverage", internal::kCoverageKeys);
    judge_part("clarify", internal::kClarifyKeys);
    judge_part("render", internal::kRenderKeys);
  }

  void judge_part(std::string_view key, std::span<const std::string_view> known) {
    const json::Value* object = part(key);
    if (object != nullptr) internal::check_keys(*object, key, known, spelling, faults);
  }

  std::optional<json::Value> mint_coverage() {
    const json::Value* coverage = part("coverage");
    if (coverage == nullptr) return std::nullopt;
    if (!coverage->is_object()) {
      faults.malformed("coverage", "coverage must be an object");
      return std::nullopt;
    }
    return internal::mint_coverage_lists(*coverage, "coverage", "coverage", spelling, faults);
  }

  std::optional<json::Value> data(std::string_view key) {
    const json::Value* rows = part(key);
    if (rows == nullptr) return std::nullopt;
    if (key == "edges") return *rows;
    const std::size_t before = faults.size();
    json::Value made = rows_of_columns(*rows, key, faults);
    if (faults.size() == before) return made;
    faults.explain(std::string(kSemanticsMarker));  // something is declared, only not rows
    return std::nullopt;
  }

  std::optional<json::Value> clarify() const {
    const json::Value* clarify = part("clarify");
    if (clarify == nullptr) return std::nullopt;
    if (!clarify->is_object() || clarify->contains("candidates")) {
      return internal::known_part(*clarify, internal::kClarifyKeys, spelling);
    }
    return json::with_member(internal::known_part(*clarify, internal::kClarifyKeys, spelling),
                             "candidates", json::array(std::vector<json::Value>{}));
  }

  [[nodiscard]] std::optional<json::Value> known(std::string_view key,
                                                 std::span<const std::string_view> keys) const {
    const json::Value* object = part(key);
    if (object == nullptr) return std::nullopt;
    return internal::known_part(*object, keys, spelling);
  }

  ToolSemantics run();
};

ToolSemantics Mint::run() {
  judge_keys();
  const std::optional<json::Value> coverage = mint_coverage();
  const std::optional<json::Value> period = internal::mint_period(declaration, spelling, faults);
  const auto series = data("series");
  const auto facts = data("facts");
  const auto edges = data("edges");
  const auto grain = known("grain", internal::kGrainKeys);
  const auto provenance = known("provenance", internal::kProvenanceKeys);
  const auto asked = clarify();
  const auto render = known("render", internal::kRenderKeys);

  const auto assemble = [&](Spelling as) {
    const auto respell = [&](const std::optional<json::Value>& object,
                             std::span<const std::string_view> keys) {
      return object && as == Spelling::wire ? internal::respelled(*object, keys, spelling) : object;
    };
    json::ObjectBuilder envelope;
    envelope.reserve(12);
    envelope.add(kSemanticsMarker, true);
    envelope.add_if("series", series);
    envelope.add_if("facts", facts);
    envelope.add_if("edges", edges);
    envelope.add_if("grain", respell(grain, internal::kGrainKeys));
    envelope.add_if("provenance", respell(provenance, internal::kProvenanceKeys));
    envelope.add_if("period", period);
    envelope.add_if("coverage", coverage);
    if (coverage) {
      std::vector<json::Value> lines;
      for (std::string& line : compose_not_covered(read_declared_coverage(*coverage))) {
        lines.emplace_back(line);
      }
      if (!lines.empty()) envelope.add("not_covered", json::array(std::move(lines)));
    }
    envelope.add_if("clarify", asked);
    envelope.add_if("render", respell(render, internal::kRenderKeys));
    envelope.add("note", kSemanticsNote);
    return envelope.build();
  };
  // Judged as the author spelled it, so that each fault is named as it was written.
  const internal::RuleScope scope{spelling, true};
  internal::judge_semantics(assemble(spelling), scope, faults);
  std::move(faults).throw_if_any();
  return SemanticsAccess::make(assemble(Spelling::wire));
}

// What the structs share.
void add_common(json::ObjectBuilder& declaration, const DeclaredPeriod* period,
                const Coverage& coverage, const std::optional<Clarification>& clarify,
                const std::optional<Render>& render) {
  if (period != nullptr) declaration.add("period", to_json(*period));
  if (coverage.checked.stated() || coverage.not_checked.stated() ||
      coverage.cannot_cover.stated()) {
    json::ObjectBuilder lists;
    internal::add_lists(lists, coverage.checked, coverage.not_checked, coverage.cannot_cover);
    declaration.add("coverage", lists.build());
  }
  if (clarify) declaration.add("clarify", internal::to_json(*clarify));
  if (render) declaration.add("render", internal::to_json(*render));
}

ToolSemantics mint(json::ObjectBuilder& declaration) {
  const json::Value built = declaration.build();
  return Mint{built, Spelling::wire}.run();
}

}  // namespace

DeclaredCoverage ToolSemantics::coverage() const {
  const json::Value* coverage = envelope_.find("coverage");
  return coverage == nullptr ? DeclaredCoverage{} : read_declared_coverage(*coverage);
}

std::optional<DeclaredPeriod> ToolSemantics::period() const {
  const json::Value* period = envelope_.find("period");
  return period == nullptr ? std::nullopt : read_period(*period);
}

ToolSemantics described_result(DescribedFacts&& declaration) {
  json::ObjectBuilder built;
  built.add("facts", declaration.facts.rows());
  if (declaration.edges) built.add("edges", declaration.edges->rows());
  if (declaration.grain) built.add("grain", internal::to_json(*declaration.grain));
  built.add("provenance", internal::to_json(declaration.provenance));
  add_common(built, declaration.period, declaration.coverage, declaration.clarify,
             declaration.render);
  return mint(built);
}

ToolSemantics described_result(DescribedSeries&& declaration) {
  json::ObjectBuilder built;
  built.add("series", declaration.series.rows());
  if (declaration.facts) built.add("facts", declaration.facts->rows());
  if (declaration.edges) built.add("edges", declaration.edges->rows());
  built.add("grain", internal::to_json(declaration.grain.value()));
  built.add("provenance", internal::to_json(declaration.provenance));
  add_common(built, declaration.period, declaration.coverage, declaration.clarify,
             declaration.render);
  return mint(built);
}

ToolSemantics described_result(DescribedEdges&& declaration) {
  json::ObjectBuilder built;
  built.add("edges", declaration.edges.rows());
  if (declaration.provenance) built.add("provenance", internal::to_json(*declaration.provenance));
  add_common(built, declaration.period, declaration.coverage, declaration.clarify,
             declaration.render);
  return mint(built);
}

ToolSemantics described_question(Text question, Texts candidates) {
  json::ObjectBuilder built;
  built.add("clarify", internal::to_json(Clarification{question, candidates}));
  return mint(built);
}

ToolSemantics described_result(const json::Value& declaration) {
  internal::require_declaration(declaration, "described_result", internal::kDeclarationKeys,
                                Spelling::camel);
  return Mint{declaration, Spelling::camel}.run();
}

}  // namespace agentfootprint::semantics
