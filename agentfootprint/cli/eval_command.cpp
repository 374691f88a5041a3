// The command `eval`.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/cli/command.hpp"
#include "agentfootprint/cli/eval.hpp"

namespace agentfootprint {
namespace {

struct EvalArguments {
  std::string name;
  bool list = false;
};

int list_functions() {
  for (const EvalFunction& function : eval_functions()) fmt::print("{}\n", function.name);
  return kExitClean;
}

int run_eval(const EvalArguments& arguments) {
  if (arguments.list) return list_functions();
  if (arguments.name.empty()) {
    fmt::print(stderr, "eval: name a function; `agentfootprint eval --list` prints them\n");
    return kExitUsage;
  }
  const EvalFunction* function = find_eval_function(arguments.name);
  if (function == nullptr) {
    fmt::print(
        stderr,
        "eval: there is no function \"{}\"; `agentfootprint eval --list` prints those there are\n",
        utf8::printable(arguments.name));
    return kExitUsage;
  }
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  const EvalStreamResult result = eval_stream(*function, std::cin, std::cout);
  if (result.bad_line == 0) return kExitClean;
  fmt::print(stderr, "eval: line {} cannot be read: {}\n", result.bad_line,
             utf8::printable(result.reason));
  return kExitUsage;
}

}  // namespace

void add_eval_command(CommandLine& program) {
  auto arguments = std::make_shared<EvalArguments>();
  Command command = program.command(
      "eval", "Run one pure function as a filter: JSON Lines in, one answer line each");
  command.option("NAME", arguments->name, "Name of the function, as --list prints it");
  command.flag("--list", arguments->list, "Print the names of the functions");
  command.footer(
      "Example:\n"
      "  echo '{\"messages\":[],\"answer\":\"it is 72.5\"}' | agentfootprint eval "
      "evidence.check\n\n"
      "Exit codes: 0 every line was answered, 2 unknown function or a line that cannot be read.");
  command.runs([arguments] { return run_eval(*arguments); });
}

}  // namespace agentfootprint
