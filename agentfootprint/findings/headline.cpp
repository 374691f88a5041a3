// Counting what was declared, and the application's default.
#include "agentfootprint/findings/headline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "agentfootprint/findings/towers.hpp"

namespace agentfootprint::findings {
namespace {

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void count_contingent(Headline& headline, const LedgerFold& fold) {
  headline.in_drafts = fold.contingent_in_drafts();
  headline.contingent = fold.contingent().size() - headline.in_drafts;
}

}  // namespace

Headline headline_naive(const ServedResults& served, const LedgerFold& fold) {
  Headline headline;
  for (const ServedResult& one : served.results()) {
    const StandingRow* standing = fold.standing_of(one.result);
    if (standing == nullptr) {
      ++headline.undeclared;
      continue;
    }
    if (standing->by == DeclaredBy::model) ++headline.by_model;
    if (standing->by == DeclaredBy::app) ++headline.by_app;
    if (standing->by == DeclaredBy::person) ++headline.by_person;
    if (is_set_aside(standing->standing)) ++headline.set_aside;
  }
  headline.results = served.results().size();
  count_contingent(headline, fold);
  headline.towers = Towers(fold).standing_on_set_aside().size();
  headline.conflicts = fold.conflicts().size();
  headline.malformed = fold.malformed();
  return headline;
}

Headline headline_of(const ServedResults& served, const LedgerFold& fold) {
  if (!served.in_step_with(fold)) return headline_naive(served, fold);
  Headline headline;
  headline.results = served.results().size();
  headline.by_model = served.declared_count(DeclaredBy::model);
  headline.by_app = served.declared_count(DeclaredBy::app);
  headline.by_person = served.declared_count(DeclaredBy::person);
  headline.undeclared = headline.results - headline.declared();
  headline.set_aside = served.set_aside_count();
  count_contingent(headline, fold);
  // Without an edge, or with nothing set aside, nothing stands on such ground.
  if (!fold.edges().empty() && fold.has_set_aside()) {
    headline.towers = Towers(fold).standing_on_set_aside().size();
  }
  headline.conflicts = fold.conflict_count();
  headline.malformed = fold.malformed();
  return headline;
}

std::string headline_text(const Headline& headline) {
  if (headline.results == 0) return "no results, nothing to declare";
  std::string text = counted(headline.contingent, "contingent value");
  if (headline.in_drafts > 0) {
    text += fmt::format(" and {} in drafts that were not let through", headline.in_drafts);
  }
  text += fmt::format("; {} of {} declared ({} %)", headline.declared(),
                      counted(headline.results, "result"),
                      headline.declared() * 100 / headline.results);
  if (headline.by_app > 0) text += fmt::format(", {} by the application", headline.by_app);
  if (headline.by_person > 0) text += fmt::format(", {} by a person", headline.by_person);
  if (headline.towers > 0) {
    text += fmt::format("; {} on set-aside ground", counted(headline.towers, "result"));
  }
  if (headline.conflicts > 0) text += "; " + counted(headline.conflicts, "open conflict");
  if (headline.malformed > 0) {
    text += fmt::format("; {} could not be read", counted(headline.malformed, "declared part"));
  }
  if (headline.undeclared > 0) {
    text += fmt::format(
        "; {} undeclared: nothing was said about {}, and no value of {} can be contingent",
        headline.undeclared, headline.undeclared == 1 ? "it" : "them",
        headline.undeclared == 1 ? "it" : "theirs");
  }
  return text;
}

json::Value to_json(const Headline& headline) {
  json::ObjectBuilder out;
  out.add("results", headline.results);
  out.add("declared", headline.declared());
  out.add("byModel", headline.by_model);
  out.add("byApp", headline.by_app);
  out.add("byPerson", headline.by_person);
  out.add("undeclared", headline.undeclared);
  out.add("setAside", headline.set_aside);
  out.add("contingent", headline.contingent);
  if (headline.in_drafts > 0) out.add("inDrafts", headline.in_drafts);
  out.add("onSetAsideGround", headline.towers);
  out.add("conflicts", headline.conflicts);
  out.add("malformed", headline.malformed);
  return out.build();
}

std::vector<StandingRow> default_standing_rows(const ServedResults& served,
                                               const DefaultStanding& policy,
                                               std::uint32_t iteration) {
  std::vector<StandingRow> rows;
  for (const ServedResult* one : served.undeclared()) {
    const bool covered = policy.tools.empty() ||
                         (one->tool_name && std::find(policy.tools.begin(), policy.tools.end(),
                                                      *one->tool_name) != policy.tools.end());
    if (!covered) continue;
    StandingRow row;
    row.result = one->result;
    row.tool_name = one->tool_name;
    row.standing = policy.standing;
    row.iteration = iteration;
    row.by = DeclaredBy::app;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace agentfootprint::findings
