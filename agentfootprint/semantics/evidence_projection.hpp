// What of a declared result may ground an answer.
//
// What: an absence grounds what its tool wrote, not what it repeats of the request: every key
// except `looked_for`. Around an absence, a coverage ledger keeps its marker and the absence. The
// record-only keys `short` and `kind` and the computed `period.verdict` are never evidence, in any
// envelope.
//
// When to use: before reading a result for values: either read the projection, or read the result
// itself and leave out the subtrees that `evidence_omissions` names, so that byte spans stay those
// of the text.
//
// Not guaranteed: anything about an absence deeper inside of a domain object: it is plain data.
//
// Example:
//   json::Value value = json::object({
//       {"af_absent", true},
//       {"looked_for", "order 1429"},
//       {"checked", json::array({json::object({{"what", "orders of 2026"}})})},
//   });
//   std::vector<std::string> left_out = semantics::evidence_omissions(value);   // {"/looked_for"}
//   json::Value evidence = semantics::evidence_projection(value);
#pragma once

#include <string>
#include <vector>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::semantics {

// JSON pointers of the subtrees that are not evidence, in document order; empty for other values. A
// pointer names every member of that key.
[[nodiscard]] std::vector<std::string> evidence_omissions(const json::Value& value);

// The value without those subtrees; the value itself (shared) when nothing is left out.
[[nodiscard]] json::Value evidence_projection(const json::Value& value);

}  // namespace agentfootprint::semantics
