// The command `check-semantics`.
#include "agentfootprint/cli/check_semantics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/cli/inputs.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

constexpr std::string_view kDeclaredEvent = "agentfootprint.tools.semantics_declared";

struct CheckArguments {
  std::string catalog;
  std::vector<std::string> records;
  bool strict = false;
  bool as_json = false;
};

int refuse(const std::string& what) {
  fmt::print(stderr, "check-semantics: {}\n", utf8::printable(what));
  return kExitUsage;
}

// The hand-written catalogue; empty when only records were named.
std::vector<semantics::CatalogEntry> read_catalog(const std::string& path) {
  if (path.empty()) return {};
  const std::string text = path == "-" ? read_standard_input() : read_text_file(path);
  if (RecordReader::opens(std::string_view(text).substr(0, text.find('\n')))) {
    throw Error("invalid-catalog", "this is a record, not a catalogue; name it behind --from");
  }
  const auto parsed = json::parse(text);
  if (!parsed) throw Error("invalid-catalog", parsed.error().message());
  return semantics::read_semantics_catalog(*parsed);
}

// A record that is not whole may lack samples.
void tell_notes(const std::string& path, const Footprint& footprint) {
  for (const RecordNote& note : footprint.notes) {
    fmt::print(stderr, "check-semantics: {}: line {}: {} ({})\n", utf8::printable(path), note.line,
               utf8::printable(note.message), note.code);
  }
}

int run_check(const CheckArguments& arguments) {
  if (arguments.catalog.empty() && arguments.records.empty()) {
    return refuse("name a CATALOG, or a record with --from");
  }
  std::vector<semantics::CatalogEntry> catalog;
  std::string reading = arguments.catalog;
  try {
    catalog = read_catalog(arguments.catalog);
    for (const std::string& record : arguments.records) {
      reading = record;
      const Footprint footprint = read_footprint_file(record);
      tell_notes(record, footprint);
      add_recorded_samples(catalog, recorded_results(footprint));
    }
  } catch (const Error& error) {
    return refuse(error.code() == "cli-input" ? std::string(error.what())
                                              : fmt::format("{}: {}", reading, error.what()));
  }
  const semantics::SemanticsReport report = semantics::check_semantics(catalog);
  const std::string printed = arguments.as_json ? json::dump_pretty(to_json(report)) + "\n"
                                                : semantics::format_semantics_report(report);
  fmt::print("{}", printed);
  return report.exit_code(arguments.strict);
}

const json::Value* text_member(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr && value->is_string() ? value : nullptr;
}

// Envelopes that the record keeps whole, by tool and wire id of the call.
using DeclaredEnvelopes = std::map<std::pair<std::string, std::string>, std::vector<json::Value>>;

DeclaredEnvelopes declared_envelopes(const Footprint& footprint) {
  DeclaredEnvelopes envelopes;
  for (const RecordedLine& line : footprint.lines) {
    const json::Value* name = text_member(line.value, "name");
    if (name == nullptr) name = text_member(line.value, "type");
    if (line.kind != "event" || name == nullptr || *name->as_string() != kDeclaredEvent) continue;
    const json::Value* payload = line.value.find("payload");
    const json::Value& event = payload != nullptr ? *payload : line.value;
    const json::Value* tool = text_member(event, "toolName");
    const json::Value* envelope = event.find("semantics");
    if (tool == nullptr || envelope == nullptr) continue;
    const json::Value* id = text_member(event, "toolCallId");
    const std::string call = id == nullptr ? "" : std::string(*id->as_string());
    envelopes[{std::string(*tool->as_string()), call}].push_back(*envelope);
  }
  return envelopes;
}

// A wire id may repeat: the envelopes of one id stand in the order of its results.
std::optional<json::Value> take_envelope(DeclaredEnvelopes& envelopes, const std::string& tool,
                                         const std::string& id) {
  const auto declared = envelopes.find({tool, id});
  if (declared == envelopes.end() || declared->second.empty()) return std::nullopt;
  json::Value envelope = declared->second.front();
  declared->second.erase(declared->second.begin());
  return envelope;
}

}  // namespace

SampledResults recorded_results(const Footprint& footprint) {
  SampledResults results;
  DeclaredEnvelopes envelopes = declared_envelopes(footprint);
  for (const std::uint32_t index : footprint.conversation.results()) {
    const Message& message = footprint.conversation[index];
    const bool returned =
        message.status == ResultStatus::ok || message.status == ResultStatus::absent;
    if (!message.dispatched || !message.tool_name) continue;
    // Taken for a refused result too: it was declared before the result was found too large.
    std::optional<json::Value> sample =
        take_envelope(envelopes, *message.tool_name, message.tool_call_id.value_or(""));
    if (!returned) continue;
    if (!sample) {
      const std::string text = message.text();
      const auto parsed = json::parse(text);
      sample = parsed ? *parsed : json::Value(text);
    }
    results[*message.tool_name].push_back(std::move(*sample));
  }
  return results;
}

void add_recorded_samples(std::vector<semantics::CatalogEntry>& catalog,
                          const SampledResults& recorded) {
  for (const auto& [tool, results] : recorded) {
    auto entry = std::find_if(catalog.begin(), catalog.end(),
                              [&named = tool](const auto& known) { return known.name == named; });
    if (entry == catalog.end()) {
      catalog.push_back(semantics::CatalogEntry{tool});
      entry = std::prev(catalog.end());
    }
    entry->results.insert(entry->results.end(), results.begin(), results.end());
  }
}

void add_check_semantics_command(CommandLine& program) {
  auto arguments = std::make_shared<CheckArguments>();
  Command command = program.command(
      "check-semantics", "Judge whether tools' sample results declare what their class promises");
  command.option("CATALOG", arguments->catalog,
                 "JSON: [{name, resultClass?, results}]; - reads standard input");
  command
      .option("--from", arguments->records,
              "Take sample results from a record, *.footprint.jsonl (repeatable)")
      .repeatable();
  command.flag("--strict", arguments->strict, "Warnings count as findings too");
  command.flag("--json", arguments->as_json, "Print the report as JSON");
  command.footer(
      "Example catalogue:\n"
      "  [{\"name\": \"find_port\", \"resultClass\": \"triage\", \"results\": [{\"af_absent\": "
      "true, …}]}]\n\n"
      "A tool is never run. Exit codes: 0 ok, 1 findings, 2 usage or input error.");
  command.runs([arguments] { return run_check(*arguments); });
}

}  // namespace agentfootprint
