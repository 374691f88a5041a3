// The command `check-semantics`.
#include "agentfootprint/cli/check_semantics.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

struct CheckArguments {
  std::string catalog;
  bool strict = false;
  bool as_json = false;
};

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(in), {}};
}

int refuse(const std::string& what) {
  fmt::print(stderr, "check-semantics: {}\n", utf8::printable(what));
  return kExitUsage;
}

int run_check(const CheckArguments& arguments) {
  const std::optional<std::string> text = read_file(arguments.catalog);
  if (!text) return refuse(fmt::format("cannot read {}", arguments.catalog));
  const auto parsed = json::parse(*text);
  if (!parsed) return refuse(fmt::format("{}: {}", arguments.catalog, parsed.error().message()));
  std::vector<semantics::CatalogEntry> catalog;
  try {
    catalog = semantics::read_semantics_catalog(*parsed);
  } catch (const Refusal& refusal) {
    return refuse(fmt::format("{}: {}", arguments.catalog, refusal.what()));
  }
  const semantics::SemanticsReport report = semantics::check_semantics(catalog);
  const std::string printed = arguments.as_json ? json::dump_pretty(to_json(report)) + "\n"
                                                : semantics::format_semantics_report(report);
  fmt::print("{}", printed);
  return report.exit_code(arguments.strict);
}

}  // namespace

void add_recorded_samples(std::vector<semantics::CatalogEntry>& catalog,
                          const SampledResults& recorded) {
  for (const auto& [tool, results] : recorded) {
    auto entry = std::find_if(catalog.begin(), catalog.end(),
                              [&tool = tool](const auto& known) { return known.name == tool; });
    if (entry == catalog.end()) {
      catalog.push_back(semantics::CatalogEntry{tool});
      entry = std::prev(catalog.end());
    }
    entry->results.insert(entry->results.end(), results.begin(), results.end());
  }
}

void add_check_semantics_command(CLI::App& app, CommandChoice& choice) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = app.add_subcommand(
      "check-semantics", "Judge whether tools' sample results declare what their class promises");
  command->add_option("CATALOG", arguments->catalog, "JSON: [{name, resultClass?, results}]")
      ->required();
  command->add_flag("--strict", arguments->strict, "Warnings count as findings too");
  command->add_flag("--json", arguments->as_json, "Print the report as JSON");
  command->footer(
      "Example catalogue:\n"
      "  [{\"name\": \"find_port\", \"resultClass\": \"triage\", \"results\": [{\"af_absent\": "
      "true, …}]}]\n\n"
      "A tool is never run. Exit codes: 0 ok, 1 findings, 2 usage or input error.");
  command->callback(
      [arguments, &choice] { choice = [arguments] { return run_check(*arguments); }; });
}

}  // namespace agentfootprint
