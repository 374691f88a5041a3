// What a command of the program is: a subcommand of the parser and a function that runs it.
//
// What: `add_<command>_command(app, choice)` adds the subcommand with its options; when it was
// named on the command line its parser callback puts the function to run into `choice`.
//
// When to use: one file per command in cli/; main.cpp lists them in the order of `--help`.
//
// Not guaranteed: that `choice` is set when parsing failed.
//
// Units and limits: exit codes are those of docs/audit.md: 0 clean, 1 findings, 2 usage or input
// error.
//
// Example:
//   CommandChoice choice = [] { return kExitClean; };
//   (void)choice();
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace agentfootprint {

inline constexpr int kExitClean = 0;
inline constexpr int kExitFindings = 1;
inline constexpr int kExitUsage = 2;

using CommandChoice = std::function<int()>;

void add_audit_command(CLI::App& app, CommandChoice& choice);
void add_eval_command(CLI::App& app, CommandChoice& choice);
void add_show_command(CLI::App& app, CommandChoice& choice);
void add_verify_command(CLI::App& app, CommandChoice& choice);
void add_why_command(CLI::App& app, CommandChoice& choice);

}  // namespace agentfootprint
