// The guard over projections, by the rules of semantics.
#pragma once

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::artifacts_internal {

// Throws Refusal when `projected` lost or changed a declaration of `result`.
void check_projection(const json::Value& result, const json::Value& projected);

}  // namespace agentfootprint::artifacts_internal
