// The command `verify`.
#include <fmt/format.h>

#include <memory>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/cli/command.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/record/reader.hpp"

namespace agentfootprint {
namespace {

struct VerifyArguments {
  std::vector<std::string> files;
  bool json = false;
};

std::string_view state_of(const Footprint& footprint) {
  if (!footprint.intact()) return "damaged";
  return footprint.complete() ? "intact" : "intact, without an end";
}

json::Value footprint_value(const std::string& file, const Footprint& footprint) {
  json::ArrayBuilder notes;
  for (const RecordNote& note : footprint.notes) {
    json::ObjectBuilder one;
    one.add("line", note.line).add("code", note.code).add("message", note.message);
    if (note.damage) one.add("damage", true);
    notes.add(one.build());
  }
  json::ObjectBuilder built;
  built.add("file", file)
      .add("intact", footprint.intact())
      .add("complete", footprint.complete())
      .add("run", footprint.run)
      .add("segments", footprint.segments)
      .add("lines", footprint.line_count)
      .add("coveredLines", footprint.covered_lines)
      .add("messages", footprint.conversation.size())
      .add("requests", footprint.requests.size())
      .add("redacted", footprint.redacted.size())
      .add("chain", to_hex(footprint.chain))
      .add("notes", notes.build());
  if (!footprint.end_status.empty()) built.add("end", footprint.end_status);
  return built.build();
}

void print_footprint(const std::string& file, const Footprint& footprint) {
  fmt::print("{}: {}\n", utf8::printable(file), state_of(footprint));
  fmt::print("  run {}, {} lines in {} {}, {} messages, {} requests\n",
             utf8::printable(footprint.run), footprint.line_count, footprint.segments,
             footprint.segments == 1 ? "segment" : "segments", footprint.conversation.size(),
             footprint.requests.size());
  fmt::print("  chain {}\n", to_hex(footprint.chain));
  for (const RecordNote& note : footprint.notes) {
    fmt::print("  {} line {}: {} ({})\n", note.damage ? "damage:" : "note:", note.line,
               utf8::printable(note.message), note.code);
  }
  if (!footprint.redacted.empty()) {
    fmt::print("  note: {} items were redacted; their hashes were not checked\n",
               footprint.redacted.size());
  }
}

int run_verify(const VerifyArguments& arguments) {
  int code = kExitClean;
  for (const std::string& file : arguments.files) {
    try {
      const Footprint footprint = read_footprint_file(file);
      if (!footprint.intact()) code = std::max(code, kExitFindings);
      if (arguments.json) {
        fmt::print("{}\n", json::dump(footprint_value(file, footprint)));
      } else {
        print_footprint(file, footprint);
      }
    } catch (const Error& error) {
      fmt::print(stderr, "agentfootprint: {}: {}\n", utf8::printable(file), error.what());
      code = kExitUsage;
    }
  }
  return code;
}

}  // namespace

void add_verify_command(CommandLine& program) {
  auto arguments = std::make_shared<VerifyArguments>();
  Command command = program.command(
      "verify", "Check that a record (.footprint.jsonl) hangs together, line by line");
  command.option("FILE", arguments->files, "Records").required();
  command.flag("--json", arguments->json, "Print one JSON line a file");
  command.footer(
      "The sequence, the hash of every item and view, and the chain over all lines are checked. A "
      "chain\n"
      "proves that nothing was changed within the record, not who wrote it.\n\n"
      "Exit codes: 0 intact, 1 damaged, 2 no record or not readable.");
  command.runs([arguments] { return run_verify(*arguments); });
}

}  // namespace agentfootprint
