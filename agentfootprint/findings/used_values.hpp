// From the evidence engine to the contingent rule: the values a moment used, with their carriers.
//
// What: takes the values a verdict found grounded (or those of a call's arguments) and lists, for
// each, every result of the current turn that carries it at exact, same-value, part-of, rounded or
// converted, and for a derived value the admissible formulas with the carriers of their operands.
//
// When to use: at both moments, right before `contingent_rows_of`.
//
// Not guaranteed: anything about supplied and unsupported values; they are left out, as the rule
// says.
//
// This turn only: results of earlier turns carry nothing here.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::user("which port?"));
//   conversation.append(Message::tool_result("c1", "ports", "fc1/7 down"));
//   auto index = evidence::ConversationIndex::of(conversation);
//   evidence::Judge judge(index, evidence::JudgeOptions());
//   auto values = findings::grounded_argument_values(
//       json::object({{"port", "fc1/7"}}), judge, findings::ArgumentUse());
//   (void)values.front().value;   // fc1/7
#pragma once

#include <vector>

#include "agentfootprint/evidence/arguments.hpp"
#include "agentfootprint/evidence/judge.hpp"
#include "agentfootprint/findings/contingent.hpp"

namespace agentfootprint::findings {

struct ArgumentUse {
  evidence::ArgumentOptions arguments;  // `numbers`: numeric arguments are values too
};

// Grounded values of an answer. Give `cut` (the verdict's `truncated`) to the rule's options.
[[nodiscard]] std::vector<CarriedValue> carried_answer_values(const evidence::Verdict& verdict,
                                                              const evidence::Judge& judge);

// The data values of a call's arguments that results hold, each with the spellings it was looked up
// under, distinct by value, in the order of the leaves; supplied ones left out. The arguments must
// be peeled.
[[nodiscard]] std::vector<GroundedValue> grounded_argument_values(const json::Value& arguments,
                                                                  const evidence::Judge& judge,
                                                                  const ArgumentUse& use);
// The same for the rule, derived values included.
[[nodiscard]] std::vector<CarriedValue> carried_argument_values(const json::Value& arguments,
                                                                const evidence::Judge& judge,
                                                                const ArgumentUse& use);

// A result entry of the index as the ledger names it.
[[nodiscard]] ResultRef result_ref(const evidence::ResultEntry& entry);

}  // namespace agentfootprint::findings
