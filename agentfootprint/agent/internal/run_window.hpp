// The window of one run: what of the conversation its requests show.
#pragma once

#include <string>
#include <vector>

#include "agentfootprint/base/task.hpp"
#include "agentfootprint/context/window.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::internal {

class RunState;

struct RunWindow {
  context::WindowState state;
  bool moved = false;          // the request must be made anew
  bool called = false;         // a model call of this run has ended
  bool measured_once = false;  // the provider has reported usage
  bool stood_down = false;     // and stopped: told once
  std::string blocked_before;  // reasons of the last visit that was blocked
  std::vector<json::Value> rows;
};

// The window moves before a request: the plain strategies, and those with a model's summary. Both
// do nothing without one. Throws Error "window-unmeasurable".
void move_window(RunState& run);
[[nodiscard]] Task<void> summarise_window(RunState& run);
// A response has come: what the provider measured.
void note_measured(RunState& run);
[[nodiscard]] std::uint32_t messages_left_out(const RunState& run);
// A state from a checkpoint or from the turn before. Throws Error "window-state".
void restore_window(RunState& run, const json::Value& state);

}  // namespace agentfootprint::internal
