// What a record says beside its conversation, as explanations and audits use it.
//
// What: `read_recorded` takes the lines of a record that are no messages and keeps the rows of the
// findings ledger, each with its place among the messages, the described results whole (a model is
// served a compact view of those, and only the record has the rest), and the instructions the
// application gave, which stand in the requests and in no message.
//
// When to use: hand the result to `AuditOptions` or `WhyQuestion` together with the conversation of
// the same record.
//
// Not guaranteed: that a row can be read. Those that cannot are counted, and skipped.
//
// Example:
//   std::string line = R"({"seq":0,"kind":"header","format":"agentfootprint","version":1})";
//   Recorded recorded = read_recorded(read_footprint(line).lines);
//   (void)recorded.rows.size();   // 0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "agentfootprint/conversation/message.hpp"
#include "agentfootprint/evidence/conversation_index.hpp"
#include "agentfootprint/findings/imported.hpp"
#include "agentfootprint/record/reader.hpp"

namespace agentfootprint {

struct Recorded {
  std::vector<findings::RecordedRow> rows;   // of the findings ledger, in order
  std::map<CallKey, json::Value> described;  // whole described results, by call
  std::vector<SharedText> supplied;          // by the application, beside the messages
  std::uint64_t unreadable = 0;              // ledger rows of a shape that is not known

  // Gives the index of this record's conversation what stands beside the messages.
  void supply(evidence::ConversationIndex& index) const;
};

[[nodiscard]] Recorded read_recorded(const std::vector<RecordedLine>& lines);

}  // namespace agentfootprint
