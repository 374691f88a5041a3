// The program: parses the command line and runs one command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

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
    "Exit codes: 0 clean, 1 findings, 2 usage or input error.\n"
    "`agentfootprint COMMAND --help` tells more about a command.";

int run_program(int argc, char** argv) {
  CLI::App app(kDescription, "agentfootprint");
  app.set_version_flag("--version", "agentfootprint " AGENTFOOTPRINT_VERSION);
  app.footer(kFooter);
  app.require_subcommand(1);
  agentfootprint::CommandChoice choice;
  agentfootprint::add_audit_command(app, choice);
  agentfootprint::add_why_command(app, choice);
  agentfootprint::add_show_command(app, choice);
  agentfootprint::add_verify_command(app, choice);
  agentfootprint::add_check_semantics_command(app, choice);
  agentfootprint::add_artifacts_command(app, choice);
  agentfootprint::add_eval_command(app, choice);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {  // --help and --version
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "agentfootprint: {}\nTry `agentfootprint --help`.\n",
               agentfootprint::utf8::printable(error.what()));
    return agentfootprint::kExitUsage;
  }
  return choice();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "agentfootprint: {}\n", agentfootprint::utf8::printable(error.what()));
    return agentfootprint::kExitUsage;
  }
}
