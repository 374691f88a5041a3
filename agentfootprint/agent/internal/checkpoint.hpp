// Checkpoints: a run at rest as one JSON document, and back.
//
// What a document holds: format and version, the agent's name and fingerprint, the run's id, the
// conversation, the turn's counters and ledgers, and for a pause the batch with its pending
// questions. Never a credential or an authorization URL.
#pragma once

#include "agentfootprint/agent/internal/run_state.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::internal {

inline constexpr int kCheckpointVersion = 1;

[[nodiscard]] json::Value write_checkpoint(const RunState& run, std::string_view kind);

// Fills a fresh run from a document. Throws Error "resume-checkpoint" naming what does not fit.
void read_checkpoint(RunState& run, const json::Value& document, std::string_view wanted_kind);

[[nodiscard]] json::Value conversation_to_json(const Conversation& conversation);
[[nodiscard]] Conversation conversation_from_json(const json::Value& messages);

}  // namespace agentfootprint::internal
