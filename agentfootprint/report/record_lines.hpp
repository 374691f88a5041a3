// The lines of a record that are no messages, one sentence each.
//
// What: `record_line_text` says in words what a row, verdict, event or step of a record says: who
// gave a result which standing, which value stands only on set-aside results, what a check came to,
// what a tool declared about its result, what a step of the loop decided. Kinds it does not know
// are printed as they were written.
//
// When to use: `show`, and wherever a person reads a record. Programs read the lines themselves.
//
// Not guaranteed: the wording. What is printed is made safe for a terminal and clipped.
//
// Example:
//   RecordedLine line;
//   line.kind = "row";
//   line.value = json::object({{"row", "check"}, {"check", "evidence"}, {"outcome", "passed"},
//                              {"fired", 0}, {"passed", 1}});
//   std::string said = record_line_text(line);   // "check evidence: passed (0 fired, 1 passed)"
#pragma once

#include <string>

#include "agentfootprint/record/reader.hpp"

namespace agentfootprint {

// Without indent and line feed; `full` prints whole values.
[[nodiscard]] std::string record_line_text(const RecordedLine& line, bool full = false);

}  // namespace agentfootprint
