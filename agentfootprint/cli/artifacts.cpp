// The command `artifacts` and its subcommands' options.
#include "agentfootprint/cli/artifacts.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "agentfootprint/artifacts/scope.hpp"
#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/cli/artifacts_commands.hpp"

namespace agentfootprint {
namespace {

using Run = int (*)(const ArtifactsArguments&);

constexpr const char* kFooter =
    "Stores: memory:, sqlite:FILE, file:DIR.\n"
    "Scopes: TENANT/PRINCIPAL/CONVERSATION or CONVERSATION; `_` is a field that is not given.\n\n"
    "  agentfootprint artifacts ls --store sqlite:runs.db\n"
    "  agentfootprint artifacts rows REF --store sqlite:runs.db --scope _/_/conv-a --limit 5\n"
    "  agentfootprint artifacts query REF \"SELECT count(*) FROM rows\" --store sqlite:runs.db "
    "--scope conv-a\n\n"
    "Exit codes: 0 done, 1 a ticket that is not there or a fault found, 2 usage or a store that\n"
    "cannot be read.";

int guarded(Run run, const ArtifactsArguments& arguments) {
  try {
    return run(arguments);
  } catch (const Error& error) {
    fmt::print(stderr, "artifacts: {} ({})\n", utf8::printable(error.what()), error.code());
    return kExitUsage;
  }
}

class Subcommands {
 public:
  Subcommands(CLI::App& parent, CommandChoice& choice) : parent_(parent), choice_(choice) {}

  CLI::App* add(const char* name, const char* what, Run run) {
    CLI::App* command = parent_.add_subcommand(name, what);
    command->add_option("--store", arguments->store, "memory:, sqlite:FILE or file:DIR")
        ->required();
    command->add_flag("--json", arguments->as_json, "Print one JSON document");
    command->callback([run, arguments = arguments, &choice = choice_] {
      choice = [run, arguments] { return guarded(run, *arguments); };
    });
    return command;
  }
  CLI::App* scoped(const char* name, const char* what, Run run, bool required) {
    CLI::App* command = add(name, what, run);
    CLI::Option* scope = command->add_option("--scope", arguments->scope, "Whose artifacts");
    if (required) scope->required();
    return command;
  }
  CLI::App* on_ticket(const char* name, const char* what, Run run) {
    CLI::App* command = scoped(name, what, run, true);
    command->add_option("REF", arguments->ref, "A ticket, art_…")->required();
    return command;
  }

  std::shared_ptr<ArtifactsArguments> arguments = std::make_shared<ArtifactsArguments>();

 private:
  CLI::App& parent_;
  CommandChoice& choice_;
};

void add_reading(Subcommands& sub) {
  ArtifactsArguments& a = *sub.arguments;
  CLI::App* ls = sub.scoped("ls", "List tickets, newest first", artifacts_ls, false);
  ls->add_option("--limit", a.limit, "Tickets a page")->capture_default_str();
  ls->add_option("--cursor", a.cursor, "Where an earlier page ended");
  sub.on_ticket("head", "Show a ticket and the preview of its rows", artifacts_head);
  CLI::App* get =
      sub.on_ticket("get", "Write the payload to standard output or a file", artifacts_get);
  get->add_option("-o,--output", a.output, "File to write");
  CLI::App* rm = sub.scoped("rm", "Remove artifacts", artifacts_rm, true);
  rm->add_option("REF", a.refs, "Tickets")->required();
  CLI::App* rows = sub.on_ticket("rows", "Show some rows of a payload", artifacts_rows);
  rows->add_option("--offset", a.offset, "Rows to skip")->capture_default_str();
  rows->add_option("--limit", a.limit, "Rows to show")->capture_default_str();
  rows->add_option("--columns", a.columns, "Only these columns")
      ->delimiter(',')
      ->allow_extra_args(false);
  rows->add_option("--at", a.at, "JSON pointer to the array of rows in an object");
  CLI::App* query = sub.on_ticket("query", "Run one SELECT over the table `rows`", artifacts_query);
  query->add_option("SQL", a.sql, "The statement")->required();
  query->add_flag("--mint", a.mint, "Store the result as a child of the ticket");
  query->add_option("--kind", a.kind, "Kind of the child");
  query->add_option("--at", a.at, "JSON pointer to the array of rows in an object");
  CLI::App* lineage = sub.on_ticket("lineage", "Show parents and children", artifacts_lineage);
  lineage->add_flag("--dot", a.dot, "Print a graph for graphviz");
}

void add_upkeep(Subcommands& sub) {
  ArtifactsArguments& a = *sub.arguments;
  CLI::App* verify =
      sub.scoped("verify", "Read payloads and compare their digests", artifacts_verify, false);
  verify->add_option("REF", a.refs, "Only these tickets");
  CLI::App* fsck =
      sub.add("fsck", "Look for damage, leftovers and dangling parents", artifacts_fsck);
  fsck->add_flag("--mend", a.mend, "Remove what belongs to no ticket");
  sub.add("du", "Count tickets and bytes of each scope", artifacts_du);
  sub.add("conformance", "Run the store conformance suite on fresh stores beside this one",
          artifacts_conformance);
}

}  // namespace

ArtifactScope scope_argument(const std::string& text) {
  const auto slashes = std::count(text.begin(), text.end(), '/');
  if (slashes == 0) return scope_of_namespace("_/_/" + text);
  if (slashes != 2) {
    throw Refusal(
        "artifact-scope", "--scope",
        "--scope has three fields, TENANT/PRINCIPAL/CONVERSATION, or one; write a slash in a "
        "field as %2F");
  }
  return scope_of_namespace(text);
}

void add_artifacts_command(CLI::App& app, CommandChoice& choice) {
  CLI::App* command = app.add_subcommand("artifacts", "Look into a store of artifacts and keep it");
  command->require_subcommand(1);
  command->footer(kFooter);
  Subcommands sub(*command, choice);
  add_reading(sub);
  add_upkeep(sub);
}

}  // namespace agentfootprint
