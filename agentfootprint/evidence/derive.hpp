// Derivations inside a verdict.
//
// What: `derive_values` tries the formulas of derivation.hpp on every value a verdict leaves
// unsupported and marks those it explains: level `derived`, the formula, its operands with their
// carriers, and the chance. A derived value becomes an operand for the others of its block, and the
// chance carries over.
//
// When to use: the judge calls it once a check; call it yourself only when you build a verdict by
// hand.
//
// Not guaranteed: order among formulas of one source. Results that failed, absences and settled
// calls offer no records and no columns.
//
// Limits: those of derivation.hpp; a limit that was reached is a note of the value
// (`not-tried: members`).
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::tool_result("c1", "t", R"({"total": 52900, "used": 41200})"));
//   auto index = evidence::ConversationIndex::of(conversation);
//   evidence::Verdict verdict = evidence::check_answer("11,700 left", index);
//   (void)verdict.values[0].grounding.derivation->formula;   // 52900 - 41200
#pragma once

#include "agentfootprint/evidence/derivation.hpp"
#include "agentfootprint/evidence/judge.hpp"

namespace agentfootprint::evidence {

// `answer` is the text the verdict is about, read by the same judge. Fills `unsupported` anew.
void derive_values(const Judge& judge, const AnswerText& answer, Verdict& verdict);

// A reading as the formulas see it; empty for identifiers, lone years and other parts of dates.
[[nodiscard]] std::optional<Amount> amount_of(const Reading& reading, const UnitTable& units);

}  // namespace agentfootprint::evidence
