// The checks of a run that need no model, and one disposition row for each.
#pragma once

#include <set>
#include <string>

#include "agentfootprint/evidence/claims.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::internal {

class RunState;
struct CallState;

// Names of checks, in the order of their rows.
inline constexpr std::string_view kEvidenceCheck = "evidence";
inline constexpr std::string_view kContingentCheck = "contingent";
inline constexpr std::string_view kPriorTurnCheck = "prior-turn-evidence";
inline constexpr std::string_view kArgumentCheck = "unsupported-argument";
inline constexpr std::string_view kGroundsCheck = "dangling-reference";
inline constexpr std::string_view kLookupCheck = "empty-lookup";
inline constexpr std::string_view kClaimCheck = "unsupported-claim";
inline constexpr std::string_view kFactsCheck = "conflicting-facts";

struct RunChecks {
  evidence::ClaimLedger claims;
  std::set<std::string> filed;  // identities of findings: one defect is told once a run
};

// Every check gets its row when any is armed; one that is not armed says so.
void register_checks(RunState& run);
// At dispatch: the arguments of a tool that declares where they come from.
void check_call_arguments(RunState& run, const CallState& call);
// Before a request: tools whose grounds went out of view.
void check_grounds_in_view(RunState& run);
// A result is there, as it was returned: does a lookup that found nothing contradict its ground?
void check_lookup(RunState& run, const CallState& call);
// A described result has landed.
void read_claims(RunState& run, const CallState& call, const json::Value& envelope);
// At the answer: claims, and facts that contradict each other.
void check_final_answer(RunState& run);
// At the end: a check that was not reached says why.
void settle_checks(RunState& run);

}  // namespace agentfootprint::internal
