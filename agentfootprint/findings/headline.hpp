// How much was declared, beside what was found.
//
// What: models declare between none and half of their results, so a count of contingent values
// means little without the share of results that were declared at all. `headline_of` counts both,
// `headline_text` says them in one line, and says when silence only means "undeclared".
//
// When to use: wherever a number of contingent values is shown. `default_standing_rows` lets an
// application give undeclared results a standing of its choice; the rows say that it was the
// application's.
//
// Not guaranteed: that a declared standing is right.
//
// Example:
//   findings::LedgerFold fold;
//   findings::Headline headline = findings::headline_of(findings::ServedResults(), fold);
//   (void)findings::headline_text(headline);   // "no results, nothing to declare"
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "agentfootprint/findings/offer.hpp"
#include "agentfootprint/findings/options.hpp"

namespace agentfootprint::findings {

struct Headline {
  std::size_t results = 0;
  std::size_t by_model = 0;  // results whose current standing the model gave
  std::size_t by_app = 0;
  std::size_t by_person = 0;
  std::size_t undeclared = 0;
  std::size_t set_aside = 0;   // results that are open, noise or ruled-out now
  std::size_t contingent = 0;  // rows of calls and answers
  std::size_t in_drafts = 0;   // and those of drafts that did not become the answer
  std::size_t towers = 0;      // results that stand on set-aside ground now
  std::size_t conflicts = 0;   // open now
  std::size_t malformed = 0;   // parts of declarations that could not be read
  [[nodiscard]] std::size_t declared() const noexcept { return by_model + by_app + by_person; }
};

// The cost depends on the edges of towers, not on the number of results, when `served` was synced
// with the conversation and with this fold; else it is that of `headline_naive`.
[[nodiscard]] Headline headline_of(const ServedResults& served, const LedgerFold& fold);
// The same by definition: every result is asked about.
[[nodiscard]] Headline headline_naive(const ServedResults& served, const LedgerFold& fold);
// One line, e.g. "2 contingent values; 3 of 8 results declared (37 %); 5 undeclared: nothing was
// said …".
[[nodiscard]] std::string headline_text(const Headline& headline);
[[nodiscard]] json::Value to_json(const Headline& headline);

// One row for each result the policy covers that has no standing, in the order of the results.
[[nodiscard]] std::vector<StandingRow> default_standing_rows(const ServedResults& served,
                                                             const DefaultStanding& policy,
                                                             std::uint32_t iteration);

}  // namespace agentfootprint::findings
