// The words of the findings ledger: standings, bases, limits.
//
// What: the closed vocabularies a model declares with, their wire spellings, and every cap of the
// ledger in one place. A *standing* is what the model says about a result it was served: `fact`
// (stood on), `open` (not settled yet), `noise` (of no use), `ruled-out` (a way that leads
// nowhere).
//
// When to use: whenever a standing or one of the limits is needed. A result without a standing is
// *undeclared*, which is none of the four and never read as `open`.
//
// Not guaranteed: that a standing is right. It is the model's word (or the application's, or a
// person's), recorded as such.
//
// Units: lengths are code points.
//
// Example:
//   std::optional<findings::Standing> standing = findings::parse_standing("ruled-out");
//   bool gone = findings::is_retiring(*standing);       // true
//   std::string line = findings::clip("abcdef", 4);      // "abcd …[clipped 2 chars]"
//   (void)gone; (void)line;
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agentfootprint::findings {

// The reserved argument of every served tool, and the reserved key of an answer.
inline constexpr std::string_view kReservedKey = "_findings";
// The first words of the planted schema's description; they recognise a copy of it.
inline constexpr std::string_view kSchemaMarker = "Findings v1";

enum class Standing : std::uint8_t { fact, open, noise, ruled_out };
enum class Basis : std::uint8_t { direct, exploratory };
enum class Expectation : std::uint8_t { low, medium, high };

inline constexpr Standing kStandings[] = {Standing::fact, Standing::open, Standing::noise,
                                          Standing::ruled_out};

[[nodiscard]] std::string_view name_of(Standing standing) noexcept;
[[nodiscard]] std::string_view name_of(Basis basis) noexcept;
[[nodiscard]] std::string_view name_of(Expectation expectation) noexcept;
// Exact and case-sensitive.
[[nodiscard]] std::optional<Standing> parse_standing(std::string_view name) noexcept;
[[nodiscard]] std::optional<Basis> parse_basis(std::string_view name) noexcept;
[[nodiscard]] std::optional<Expectation> parse_expectation(std::string_view name) noexcept;

// `noise` and `ruled-out`: the result leaves the offer and is collapsed on the wire.
[[nodiscard]] constexpr bool is_retiring(Standing standing) noexcept {
  return standing == Standing::noise || standing == Standing::ruled_out;
}
// `open`, `noise` and `ruled-out`: what the contingent rule reads.
[[nodiscard]] constexpr bool is_set_aside(Standing standing) noexcept {
  return standing != Standing::fact;
}

inline constexpr std::size_t kPropositionChars = 240;
inline constexpr std::size_t kJudgeResultChars = 4'000;
inline constexpr std::size_t kContingentValueChars = 120;
inline constexpr std::size_t kOfferCap = 32;
inline constexpr std::size_t kInstructionChars = 4'000;
// The served piece.
inline constexpr std::size_t kBucketLines = 64;
inline constexpr std::size_t kListedIds = 32;
inline constexpr std::size_t kLineChars = 240;
inline constexpr std::size_t kIdChars = 64;
// Collapse is applied to requests when it saves at least this many bytes.
inline constexpr std::size_t kCollapseStepBytes = 4'096;

// At most `max_chars` code points; a longer text becomes its head and a statement of how many were
// cut, so that a clipped text is longer than the cap.
[[nodiscard]] std::string clip(std::string_view text, std::size_t max_chars);
// Line breaks with the blanks around them become one space.
[[nodiscard]] std::string fold_lines(std::string_view text);

}  // namespace agentfootprint::findings
