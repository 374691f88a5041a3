// Waiting for work that may be left behind.
//
// `Race` runs a coroutine beside the caller and waits until it is done, a moment has come, or a
// token fires. Work that loses goes on alone (its late result is dropped): whatever it uses must be
// owned by it.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "agentfootprint/agent/tool_result.hpp"
#include "agentfootprint/base/cancel.hpp"
#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/base/task.hpp"

namespace agentfootprint::internal {

enum class RaceEnd : std::uint8_t { done, deadline, cancelled };

struct RaceSlot {
  std::optional<ToolResult> result;
  std::exception_ptr error;
  bool done = false;
  CancelSource wake;
};

// Starts `work` on the caller's executor; the slot is filled when it ends.
[[nodiscard]] Task<void> start_in_slot(Task<ToolResult> work, std::shared_ptr<RaceSlot> slot);

// Waits for the slot until `deadline_ns` (steady; empty: no end) or until the token fires.
[[nodiscard]] Task<RaceEnd> wait_for_slot(const Clock& clock, std::shared_ptr<RaceSlot> slot,
                                          std::optional<std::int64_t> deadline_ns,
                                          CancelToken cancel);

}  // namespace agentfootprint::internal
