// The steps of a recorded run: what each read, from which step, and what it changed.
//
// Example:
//   (void)show_steps;   // int show_steps(file, json)
#pragma once

#include <string>

namespace agentfootprint {

// Prints the commits of a record; returns the exit code. Throws Error "record-format" and
// "record-io".
[[nodiscard]] int show_steps(const std::string& file, bool as_json);

}  // namespace agentfootprint
