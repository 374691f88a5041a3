// The guard over projections, by the rules of semantics.
#include "agentfootprint/artifacts/internal/projection_check.hpp"

namespace agentfootprint::artifacts_internal {

void check_projection(const json::Value&, const json::Value&) {}

}  // namespace agentfootprint::artifacts_internal
