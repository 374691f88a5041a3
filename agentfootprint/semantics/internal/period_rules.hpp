// The rules of a declared period, for the mint (either spelling) and for recognition.
#pragma once

#include <optional>
#include <string_view>

#include "agentfootprint/json/value.hpp"
#include "agentfootprint/semantics/internal/faults.hpp"

namespace agentfootprint::semantics::internal {

// Adds the faults of `period` (not null) under `field`; the wire form when there are none.
std::optional<json::Value> judge_period(const json::Value& period, std::string_view field,
                                        Spelling spelling, Faults& faults);

}  // namespace agentfootprint::semantics::internal
