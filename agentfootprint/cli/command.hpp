// The commands of the program: each adds itself, with its options and what it does.
//
// When to use: one file per command in cli/; main.cpp lists them in the order of `--help`.
//
// Not guaranteed: the wording of help and of errors.
//
// Example:
//   CommandLine program("reads transcripts", "agentfootprint", "agentfootprint 0");
//   add_audit_command(program);
#pragma once

#include "agentfootprint/cli/command_line.hpp"

namespace agentfootprint {

void add_audit_command(CommandLine& program);
void add_eval_command(CommandLine& program);
void add_show_command(CommandLine& program);
void add_verify_command(CommandLine& program);
void add_why_command(CommandLine& program);

}  // namespace agentfootprint
