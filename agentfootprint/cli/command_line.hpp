// The command line of the program: commands with named options, positional arguments and help.
//
// What: `CommandLine` is the program with its commands; `Command` declares one command's options,
// each bound to a variable, and the function to run; `Option` narrows an option just declared.
//
// When to use: in a command's `add_<command>_command`. A thin face over CLI11: a source that
// includes that library takes seconds longer to compile, so only `command_line.cpp` does.
//
// Not guaranteed: that bound variables are set when parsing failed. A bound variable must live
// until the command has run.
//
// Units and limits: exit codes are those of docs/audit.md: 0 clean, 1 findings, 2 usage or input
// error.
//
// Example:
//   CommandLine program("greets", "hello", "hello 1.0");
//   std::string name = "world";
//   Command greet = program.command("greet", "Greet somebody");
//   greet.option("NAME", name, "Whom");
//   greet.runs([&name] { return name.empty() ? kExitUsage : kExitClean; });
//   const char* arguments[] = {"hello", "greet", "ann"};
//   (void)program.run(3, arguments);   // 0, and name is "ann"
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace agentfootprint {

inline constexpr int kExitClean = 0;
inline constexpr int kExitFindings = 1;
inline constexpr int kExitUsage = 2;

// An option just declared; each call narrows it further.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option& required();       // leaving it out is a usage error
  Option& repeatable();     // one value each time it is named
  Option& comma_list();     // values separated by commas, and repeatable
  Option& above_zero();     // a number that is not is a usage error
  Option& shows_default();  // `--help` prints what the variable holds now

 private:
  CLI::Option* option_;
};

// One command (or a command of a command). A name that starts with `-` is an option
// (`--limit`, `-o,--output`); any other is positional.
class Command {
 public:
  explicit Command(CLI::App* app, std::function<int()>* choice) : app_(app), choice_(choice) {}

  Option option(const char* name, std::string& into, const char* help);
  Option option(const char* name, std::optional<std::string>& into, const char* help);
  Option option(const char* name, std::vector<std::string>& into, const char* help);
  Option option(const char* name, int& into, const char* help);
  Option option(const char* name, std::int64_t& into, const char* help);
  Option option(const char* name, std::uint64_t& into, const char* help);
  Option option(const char* name, std::optional<std::uint32_t>& into, const char* help);
  void flag(const char* name, bool& into, const char* help);

  Command command(const char* name, const char* help);  // one of them has to be named then
  void footer(const char* text);                        // printed below the options
  void runs(std::function<int()> run);                  // what the command does, once parsed

 private:
  CLI::App* app_;
  std::function<int()>* choice_;
};

// The whole program.
class CommandLine {
 public:
  CommandLine(const char* description, const char* name, const char* version);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  ~CommandLine();

  Command command(const char* name, const char* help);
  void footer(const char* text);

  // Parses and runs what was named. `--help` and `--version` print and give 0; a usage error prints
  // one line on standard error and gives `kExitUsage`.
  [[nodiscard]] int run(int count, const char* const* arguments);

 private:
  std::unique_ptr<CLI::App> app_;
  std::function<int()> choice_;
};

}  // namespace agentfootprint
