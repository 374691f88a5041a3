// The program: parses the command line and runs one command.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/cli/artifacts.hpp"
#include "agentfootprint/cli/check_semantics.hpp"
#include "agentfootprint/cli/command.hpp"

namespace {

constexpr const char* kDescription =
    "agentfootprint: leads an agent's wrong answer back to the context that caused it.\n\n"
    "Start with a transcript of any framework; no model and no network are needed:\n\n"
    "  agentfootprint audit transcript.json";

constexpr const char* kFooter =
    "Exit codes: 0 clean, 1 findings, 2 usage or input error, or nothing to check.\n"
    "`agentfootprint COMMAND --help` tells more about a command.";

int run_program(int argc, char** argv) {
  agentfootprint::CommandLine program(kDescription, "agentfootprint",
                                      "agentfootprint " AGENTFOOTPRINT_VERSION);
  program.footer(kFooter);
  agentfootprint::add_audit_command(program);
  agentfootprint::add_why_command(program);
  agentfootprint::add_show_command(program);
  agentfootprint::add_verify_command(program);
  agentfootprint::add_check_semantics_command(program);
  agentfootprint::add_artifacts_command(program);
  agentfootprint::add_eval_command(program);
  return program.run(argc, argv);
}

// A full disk under a redirected output shows only once everything is handed over.
bool output_is_written() {
  std::cout.flush();
  return std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int code = run_program(argc, argv);
    if (output_is_written()) return code;
    fmt::print(stderr, "agentfootprint: standard output cannot be written\n");
    return agentfootprint::kExitUsage;
  } catch (const agentfootprint::Error& error) {
    // The known shapes are a list; the reader has made foreign text visible already.
    const bool list = error.code() == "transcript-shape" || error.code() == "transcript-format";
    fmt::print(stderr, "agentfootprint: {}\n", agentfootprint::utf8::printable(error.what(), list));
    return agentfootprint::kExitUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "agentfootprint: {}\n", agentfootprint::utf8::printable(error.what()));
    return agentfootprint::kExitUsage;
  }
}
