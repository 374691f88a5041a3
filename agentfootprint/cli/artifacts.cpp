// The command `artifacts` and its subcommands' options.
#include "agentfootprint/cli/artifacts.hpp"

#include <fmt/format.h>

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
  explicit Subcommands(Command& parent) : parent_(parent) {}

  Command add(const char* name, const char* what, Run run) {
    Command command = parent_.command(name, what);
    command.option("--store", arguments->store, "memory:, sqlite:FILE or file:DIR").required();
    command.flag("--json", arguments->as_json, "Print one JSON document");
    command.runs([run, arguments = arguments] { return guarded(run, *arguments); });
    return command;
  }
  Command scoped(const char* name, const char* what, Run run, bool required) {
    Command command = add(name, what, run);
    Option scope = command.option("--scope", arguments->scope, "Whose artifacts");
    if (required) scope.required();
    return command;
  }
  Command on_ticket(const char* name, const char* what, Run run) {
    Command command = scoped(name, what, run, true);
    command.option("REF", arguments->ref, "A ticket, art_…").required();
    return command;
  }

  std::shared_ptr<ArtifactsArguments> arguments = std::make_shared<ArtifactsArguments>();

 private:
  Command& parent_;
};

void add_reading(Subcommands& sub) {
  ArtifactsArguments& a = *sub.arguments;
  Command ls = sub.scoped("ls", "List tickets, newest first", artifacts_ls, false);
  ls.option("--limit", a.limit, "Tickets a page, 1,000 at most").above_zero().shows_default();
  ls.option("--cursor", a.cursor, "Where an earlier page ended");
  sub.on_ticket("head", "Show a ticket and the preview of its rows", artifacts_head);
  Command get =
      sub.on_ticket("get", "Write the payload to standard output or a file", artifacts_get);
  get.option("-o,--output", a.output, "File to write");
  Command rm = sub.scoped("rm", "Remove artifacts", artifacts_rm, true);
  rm.option("REF", a.refs, "Tickets").required();
  Command rows = sub.on_ticket("rows", "Show some rows of a payload", artifacts_rows);
  rows.option("--offset", a.offset, "Rows to skip").shows_default();
  rows.option("--limit", a.limit, "Rows to show, 10,000 at most").above_zero().shows_default();
  rows.option("--columns", a.columns, "Only these columns").comma_list();
  rows.option("--at", a.at, "JSON pointer to the array of rows in an object");
  Command query = sub.on_ticket("query", "Run one SELECT over the table `rows`", artifacts_query);
  query.option("SQL", a.sql, "The statement").required();
  query.flag("--mint", a.mint, "Store the result as a child of the ticket");
  query.option("--kind", a.kind, "Kind of the child");
  query.option("--at", a.at, "JSON pointer to the array of rows in an object");
  Command lineage = sub.on_ticket("lineage", "Show parents and children", artifacts_lineage);
  lineage.flag("--dot", a.dot, "Print a graph for graphviz");
}

void add_upkeep(Subcommands& sub) {
  ArtifactsArguments& a = *sub.arguments;
  Command verify =
      sub.scoped("verify", "Read payloads and compare their digests", artifacts_verify, false);
  verify.option("REF", a.refs, "Only these tickets");
  Command fsck = sub.add("fsck", "Look for damage, leftovers and dangling parents", artifacts_fsck);
  fsck.flag("--mend", a.mend, "Remove what belongs to no ticket");
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

void add_artifacts_command(CommandLine& program) {
  Command command = program.command("artifacts", "Look into a store of artifacts and keep it");
  command.footer(kFooter);
  Subcommands sub(command);
  add_reading(sub);
  add_upkeep(sub);
}

}  // namespace agentfootprint
