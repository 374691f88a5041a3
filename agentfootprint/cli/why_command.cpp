// The command `why`.
#include <fmt/format.h>

#include <memory>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/cli/command.hpp"
#include "agentfootprint/cli/inputs.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/report/why_report.hpp"
#include "agentfootprint/transcript/transcript.hpp"

namespace agentfootprint {
namespace {

struct WhyArguments {
  std::string file;
  std::optional<std::string> value;
  std::string format;
  std::string standings;
  std::uint64_t conversation = 1;
  std::optional<std::uint32_t> message;
  bool json = false;
};

// The wanted conversation of a file, counted from 1.
Transcript find_conversation(const WhyArguments& arguments) {
  TranscriptOptions options;
  options.format = arguments.format;
  TranscriptReader reader = arguments.file == "-" ? TranscriptReader::standard_input(options)
                                                  : TranscriptReader::open(arguments.file, options);
  std::uint64_t number = 0;
  while (auto transcript = reader.next()) {
    if (++number != arguments.conversation) continue;
    // What was left out between conversations may have been part of this one.
    for (const Gap& gap : reader.gaps()) {
      transcript->gaps.push_back(gap);
      transcript->incomplete |= gap.damage;
    }
    return std::move(*transcript);
  }
  throw Error(
      "cli-input",
      fmt::format("the input holds {} conversation{}, counted from 1: there is no number {}",
                  number, number == 1 ? "" : "s", arguments.conversation));
}

// Without an answer there is nothing to explain; a file that was cut says why there is none.
Explanation explain(const Transcript& transcript, const WhyQuestion& question) {
  try {
    return explain_answer(transcript.conversation, question);
  } catch (const Error& error) {
    if (transcript.gaps.empty()) throw;
    const Gap& gap = transcript.gaps.front();
    throw Error(error.code(), fmt::format("{} ({})", error.what(), gap_text(gap)));
  }
}

int run_why(const WhyArguments& arguments) {
  if (arguments.value && arguments.value->empty()) {
    throw Error("cli-option",
                "VALUE is empty: name a value of the answer, or leave it out for all");
  }
  const Transcript transcript = find_conversation(arguments);
  const Recorded recorded = read_recorded(transcript.lines);
  WhyQuestion question;
  question.message = arguments.message;
  question.value = arguments.value.value_or("");
  question.standings = read_standings_file(arguments.standings, transcript.conversation);
  if (transcript.format == "footprint") question.recorded = &recorded;
  const Explanation explanation = explain(transcript, question);
  if (arguments.json) {
    fmt::print("{}\n", json::dump(why_json(explanation)));
  } else {
    fmt::print("{}", why_text(explanation));
    if (!transcript.structured) {
      fmt::print("\nThis log has no tool results as such: nothing could be traced.\n");
    }
    for (const Gap& gap : transcript.gaps) {
      if (gap.damage) fmt::print("{}\n", gap_text(gap));
    }
  }
  return explanation.value_not_found || transcript.incomplete ? kExitUsage : kExitClean;
}

}  // namespace

void add_why_command(CommandLine& program) {
  auto arguments = std::make_shared<WhyArguments>();
  Command command = program.command(
      "why", "Trace a value of an answer back to results, calls, and whoever said it first");
  command.option("FILE", arguments->file, "A record or transcript, or -").required();
  command.option("VALUE", arguments->value, "The value as the answer spells it; all when left out");
  command
      .option("--conversation", arguments->conversation, "Which conversation of the file, from 1")
      .shows_default();
  command.option("--message", arguments->message, "Which answer, by message index; the last one");
  command.option("--format", arguments->format, "Take the input for this shape");
  command.option("--standings", arguments->standings,
                 "A person's standings, one JSON object a line: result, standing, who");
  command.flag("--json", arguments->json, "Print one JSON object");
  command.footer(
      "Example:\n"
      "  agentfootprint why examples/storage-incident.json 12,450\n\n"
      "Exit codes: 0 explained, 2 usage error, damaged or unreadable input, or no such value.");
  command.runs([arguments] { return run_why(*arguments); });
}

}  // namespace agentfootprint
