// What was read that comes nearest to a value that nothing carries.
//
// What: for a number or quantity the number with the smallest difference, for a date or an instant
// the nearest moment, for an identifier one that differs in a single character; with where it was
// read. It helps whoever has to correct the value to see a slip of the pen.
//
// When to use: in a request for a revision, in a report on an unsupported value.
//
// Not guaranteed: that the two have to do with each other. Failed results and absences are left
// out; so is a number in another unit.
//
// Limits: 64 neighbours in each direction and table, 200,000 identifiers.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::tool_result("c1", "count", R"({"n": 41200})"));
//   auto index = evidence::ConversationIndex::of(conversation);
//   auto said = evidence::read_text("41,300 rows");
//   auto nearest = evidence::nearest_read(index, said[0]);
//   (void)nearest->raw;       // "41200"
//   (void)nearest->pointer;   // "/n"
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "agentfootprint/evidence/conversation_index.hpp"
#include "agentfootprint/evidence/value.hpp"

namespace agentfootprint::evidence {

struct NearestValue {
  std::string raw;
  std::size_t result = 0;  // position in ConversationIndex::results()
  std::string pointer;     // "" in text
};

[[nodiscard]] std::optional<NearestValue> nearest_read(const ConversationIndex& index,
                                                       const Value& value);

}  // namespace agentfootprint::evidence
