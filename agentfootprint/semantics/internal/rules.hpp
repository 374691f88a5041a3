// The one rule set of the `af_semantics` envelope, for the mint, recognition and the gate.
#pragma once

#include "agentfootprint/json/value.hpp"
#include "agentfootprint/semantics/internal/faults.hpp"

namespace agentfootprint::semantics::internal {

struct RuleScope {
  Spelling spelling = Spelling::wire;
  // The mint has judged keys, coverage and period already, in its own order.
  bool minting = false;
};

// Adds every fault of a value that should be an envelope, in the order of the rules.
void judge_semantics(const json::Value& value, const RuleScope& scope, Faults& faults);

// The provenance rules, also for absences. `provenance` is there.
void judge_provenance(const json::Value& provenance, const RuleScope& scope, Faults& faults);

// The faults of a list of items on the wire under `field`; the number of valid items.
std::size_t judge_wire_items(const json::Value& list, std::string_view field, bool why_required,
                             Faults& faults);

// Known keys, in wire spelling.
inline constexpr std::string_view kEnvelopeKeys[] = {
    "af_semantics", "series",   "facts",       "edges",   "grain",  "provenance",
    "period",       "coverage", "not_covered", "clarify", "render", "note"};
inline constexpr std::string_view kDeclarationKeys[] = {
    "series", "facts", "edges", "grain", "provenance", "period", "coverage", "clarify", "render"};
inline constexpr std::string_view kGrainKeys[] = {"interval", "aggregation", "is_counter",
                                                  "collapsed"};
inline constexpr std::string_view kProvenanceKeys[] = {"measured_at", "age_seconds", "source",
                                                       "source_export_date"};
inline constexpr std::string_view kCoverageKeys[] = {"checked", "not_checked", "cannot_cover"};
inline constexpr std::string_view kClarifyKeys[] = {"question", "candidates"};
inline constexpr std::string_view kRenderKeys[] = {"default", "columns", "sort", "filter_note",
                                                   "chart_hint"};

}  // namespace agentfootprint::semantics::internal
