// Does a value belong to what it is said of? A note, never an accusation.
//
// What: when an answer says a value of an identifier, both were read from records, and no record
// carries both, `associations` says so and names the records that do carry the value. A record that
// carries the one and stands inside a record that carries the other counts as carrying both; so
// does a record whose call named the other in its arguments.
//
// A clause (a sentence, an item of a list, a row of a table) says its values of the one identifier
// it names. An item that names none says them of the item it stands under. A sentence or item that
// names several says of each what follows it (`A 1, 2 and B 3`), or where they alternate what
// precedes it (`1 on A and 3 on B`); in any other order nothing is taken to be said.
//
// When to use: beside a verdict, in reports. It changes no level and makes nothing unsupported.
//
// Not guaranteed: that a pair without a note belongs together: a value may stand in both records by
// chance. Values read in plain text and values a person gave are not looked at.
//
// Limits: 64 places a value, as the judge gives them; a value with more is left out.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::tool_result("c1", "ports",
//       R"([{"port": "fc1/3", "errors": 4417}, {"port": "fc1/4", "errors": 9120}])"));
//   auto index = evidence::ConversationIndex::of(conversation);
//   evidence::Judge judge(index, evidence::JudgeOptions());
//   evidence::Verdict verdict = judge.check("fc1/3 has 9,120 errors.");
//   auto notes = evidence::associations(judge, "fc1/3 has 9,120 errors.", verdict);
//   (void)notes[0].records[0].pointer;   // "/1"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/evidence/judge.hpp"

namespace agentfootprint::evidence {

// The value at `span` of the answer is said of the entity; positions in Verdict::values.
struct SaidOf {
  std::size_t entity = 0;
  std::size_t value = 0;
  Span span;
};
[[nodiscard]] std::vector<SaidOf> said_of(std::string_view answer, const Verdict& verdict);

// Did the call that gave the result name the value in its arguments?
[[nodiscard]] bool named_in_call(const ResultEntry& result, const Value& value);

struct AssociatedRecord {
  std::size_t result = 0;  // position in ConversationIndex::results()
  std::string pointer;     // JSON pointer of the record in it
};

struct AssociationNote {
  std::size_t entity = 0;  // positions in Verdict::values
  std::size_t value = 0;
  std::vector<AssociatedRecord> records;  // that carry the value; at most 8
};

[[nodiscard]] std::vector<AssociationNote> associations(const Judge& judge, std::string_view answer,
                                                        const Verdict& verdict);

// Adds the note `not-associated: <entity>` to the values concerned.
void note_associations(Verdict& verdict, const std::vector<AssociationNote>& notes);

}  // namespace agentfootprint::evidence
