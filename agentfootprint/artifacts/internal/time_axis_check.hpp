// The time axis of a put, judged by the rules of semantics.
#pragma once

#include <string>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::artifacts_internal {

// Every issue of a declared time axis, joined; "" when it is well formed.
[[nodiscard]] std::string time_axis_problems(const json::Value& axis);

}  // namespace agentfootprint::artifacts_internal
