// The words of described results, absence and coverage.
//
// What: the markers and static notes of the three envelopes, the closed sets (counter words, result
// classes, item kinds) and the two small judgements on text that every rule shares.
//
// When to use: when minting or recognising an envelope outside of this library (`canonical_notes`
// is what a foreign tool copies) and wherever a text must count as blank the same way everywhere.
//
// Not guaranteed: the wording of the notes. Recognition never looks at it.
//
// Example:
//   bool counter = semantics::is_counter_looking_aggregation("cumulative-total");   // true
//   bool summary = semantics::is_counter_looking_aggregation("summary");            // false
//   (void)counter; (void)summary;
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::semantics {

inline constexpr std::string_view kSemanticsMarker = "af_semantics";
inline constexpr std::string_view kAbsenceMarker = "af_absent";
inline constexpr std::string_view kCoverageMarker = "af_coverage";

// Static library sentences, never interpolated.
inline constexpr std::string_view kSemanticsNote =
    "Typed data with the caveats that make it honest. grain and provenance are caveats of every "
    "value: "
    "look at grain.is_counter before summing, and read measured_at (or age_seconds) as the age of "
    "the "
    "data. not_covered lists ground this data does not cover.";
inline constexpr std::string_view kAbsenceNote =
    "The tool ran and matched nothing. This is an answer: nothing failed and nothing was "
    "substituted, "
    "and the same call returns the same. checked is the ground it covered; not_checked and "
    "cannot_cover "
    "are ground it did not. To learn more, ask a different question.";
inline constexpr std::string_view kCoverageNote =
    "This result covers only what checked lists. not_checked was not looked at by the call this "
    "answers; "
    "cannot_cover is never visible to this tool and no retry changes it. A clean result is no "
    "evidence "
    "about either. Carry these limits into the answer.";
// Takes the place of kAbsenceNote in what a model reads when the period asked for was not fully
// held.
inline constexpr std::string_view kAbsenceOutsidePeriodNote =
    "The tool ran and matched nothing in what it holds, and it does not hold the whole period that "
    "was "
    "asked for (see period). Nothing failed and the same call returns the same; nothing found is "
    "no "
    "evidence about the part it does not hold.";
// Appended to a note a model reads.
inline constexpr std::string_view kPeriodClause =
    " The period asked for is not known to be fully held: see period.verdict.";
inline constexpr std::string_view kInProgressClause =
    " in_progress lists work whose outcome is not known yet.";
inline constexpr std::string_view kCoverageBlockHeading = "Coverage of this answer";

inline constexpr std::array<std::string_view, 6> kCounterAggregationWords = {
    "sum", "count", "total", "cumulative", "counter", "delta"};

// What a tool says its results are for; the gate asks more of a classed tool.
enum class ResultClass : std::uint8_t { triage, inventory };
inline constexpr std::array<std::string_view, 2> kResultClasses = {"triage", "inventory"};
[[nodiscard]] std::string_view name_of(ResultClass result_class) noexcept;
[[nodiscard]] std::optional<ResultClass> parse_result_class(std::string_view name) noexcept;
// For definitions: empty when nothing was said. Throws Refusal "unknown-result-class", naming the
// tool, the value and the set.
[[nodiscard]] std::optional<ResultClass> checked_result_class(
    std::string_view tool, const std::optional<std::string_view>& name);

// Does an aggregation name speak of an ever-growing counter or a sum? Whole words only, in the
// singular or with an s; letters other than a to z part words.
[[nodiscard]] bool is_counter_looking_aggregation(std::string_view aggregation) noexcept;

// Unicode white space only, or nothing.
[[nodiscard]] bool is_blank(std::string_view text) noexcept;
// Without Unicode white space at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

// Markers, notes and closed sets as data, for tools in other languages; published as
// docs/schemas/canonical-notes.json.
[[nodiscard]] json::Value canonical_notes();

}  // namespace agentfootprint::semantics
