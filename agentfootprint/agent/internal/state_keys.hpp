// The tracked state of the loop: typed keys, grouped by how long they live. Messages and results
// stand in the conversation; the state holds what decisions were made on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agentfootprint/flow/key.hpp"

namespace agentfootprint::internal::keys {

// The turn.
inline const flow::Key<std::string> kInput("input");
inline const flow::Key<std::string> kRunId("runId");
inline const flow::Key<std::uint32_t> kMaxIterations("maxIterations");
inline const flow::Key<std::uint32_t> kIteration("iteration");
inline const flow::Key<std::uint32_t> kCorrections("corrections");
inline const flow::Key<std::int64_t> kInputTokens("inputTokens");
inline const flow::Key<std::int64_t> kOutputTokens("outputTokens");
inline const flow::Key<std::string> kEarlyStop("earlyStop");
inline const flow::Key<std::string> kAnswer("answer");
// Results of the turn, in the order they landed: {call, tool, status, chars}.
inline const flow::Key<std::vector<json::Value>> kResults("results");

// One iteration.
inline const flow::Key<std::uint32_t> kLeftOut("messagesLeftOut");
inline const flow::Key<std::uint32_t> kServedMessages("servedMessages");
inline const flow::Key<std::uint32_t> kServedTools("servedTools");
inline const flow::Key<std::string> kCorrection("correction");
inline const flow::Key<std::string> kDraft("draft");
// Calls the model asked for: {call, tool}.
inline const flow::Key<json::Value> kCalls("calls");
inline const flow::Key<std::string> kRoute("route");
inline const flow::Key<std::string> kRouteReason("routeReason");

}  // namespace agentfootprint::internal::keys
