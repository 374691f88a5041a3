// How the mint and recognition make a ToolSemantics.
#pragma once

#include <utility>

#include "agentfootprint/semantics/described_result.hpp"

namespace agentfootprint::semantics {

struct SemanticsAccess {
  static ToolSemantics make(json::Value envelope) { return ToolSemantics(std::move(envelope)); }
};

}  // namespace agentfootprint::semantics
