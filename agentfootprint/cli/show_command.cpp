// The command `show`.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/cli/command.hpp"
#include "agentfootprint/cli/inputs.hpp"
#include "agentfootprint/cli/show_steps.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/record/reader.hpp"
#include "agentfootprint/report/record_lines.hpp"
#include "agentfootprint/transcript/transcript.hpp"

namespace agentfootprint {
namespace {

constexpr std::size_t kClip = 160;

struct ShowArguments {
  std::string file = "-";
  std::string format;
  bool json = false;
  bool full = false;
  bool steps = false;
};

std::string shown(std::string_view text, bool full) {
  if (full) return utf8::printable(text, true);
  const std::string_view head = utf8::clip(text, kClip);
  return utf8::printable(head) + (head.size() < text.size() ? "…" : "");
}

std::string result_title(const Conversation& conversation, std::uint32_t index) {
  const CallKey key = *conversation.key_of_result(index);
  const ToolCall* call = conversation.call_of(key);
  const Message& message = conversation[index];
  std::string tool = call != nullptr ? call->name : message.tool_name.value_or("");
  std::string title = fmt::format("result of [{},{}]{}{}{}", key.message, key.ordinal,
                                  key.orphan ? " (no call)" : "", tool.empty() ? "" : " ",
                                  utf8::printable(utf8::clip(tool, 60)));
  if (message.status != ResultStatus::ok) title += fmt::format(" ({})", name_of(message.status));
  return title;
}

void print_message(const Conversation& conversation, std::uint32_t index, bool full) {
  const Message& message = conversation[index];
  std::string title =
      message.is_result() ? result_title(conversation, index) : std::string(name_of(message.role));
  if (message.origin != default_origin(message.role)) {
    title += fmt::format(" (from the {})", name_of(message.origin));
  }
  const std::string text = message.text();
  fmt::print("{:>5}  {}{}{}\n", index, title,
             text.empty() ? ""
             : full       ? ":\n"
                          : ": ",
             shown(text, full));
  for (std::size_t i = 0; i < message.calls.size(); ++i) {
    const ToolCall& call = message.calls[i];
    fmt::print("       call [{},{}] {} {}\n", index, i, utf8::printable(utf8::clip(call.name, 60)),
               shown(*call.arguments_text, full));
  }
}

json::Value message_value(const Conversation& conversation, std::uint32_t index) {
  const Message& message = conversation[index];
  json::ObjectBuilder built;
  built.add("message", index)
      .add("role", name_of(message.role))
      .add("origin", name_of(message.origin));
  built.add("content", message.content);
  json::ArrayBuilder calls;
  for (std::size_t i = 0; i < message.calls.size(); ++i) {
    const ToolCall& call = message.calls[i];
    json::ObjectBuilder one;
    one.add("call", json::array({index, i}));
    one.add_if("id", call.wire_id);
    one.add("name", call.name).add("arguments", *call.arguments_text);
    calls.add(one.build());
  }
  if (!calls.empty()) built.add("calls", calls.build());
  if (const auto key = conversation.key_of_result(index)) {
    built.add("call", to_json(*key));
    if (key->orphan) built.add("orphan", true);
    built.add_if("toolCallId", message.tool_call_id);
    built.add("status", name_of(message.status));
  }
  return built.build();
}

void show_transcript(const Transcript& transcript, const ShowArguments& arguments) {
  const Conversation& conversation = transcript.conversation;
  if (arguments.json) {
    json::ArrayBuilder messages;
    for (std::uint32_t i = 0; i < conversation.size(); ++i)
      messages.add(message_value(conversation, i));
    fmt::print("{}\n", json::dump(json::object({{"label", transcript.label},
                                                {"format", transcript.format},
                                                {"incomplete", transcript.incomplete},
                                                {"messages", messages.build()}})));
    return;
  }
  const std::size_t results = transcript.result_count();
  fmt::print("{}{}{}, {} message{}, {} tool result{}\n", transcript.label,
             transcript.label.empty() ? "" : "  ", transcript.format, conversation.size(),
             conversation.size() == 1 ? "" : "s", results, results == 1 ? "" : "s");
  for (const Gap& gap : transcript.gaps) fmt::print("  {}\n", gap_text(gap));
  for (std::uint32_t i = 0; i < conversation.size(); ++i)
    print_message(conversation, i, arguments.full);
  fmt::print("\n");
}

// What a record says beside its messages, in its order.
void show_lines(const std::vector<RecordedLine>& lines, const ShowArguments& arguments) {
  if (lines.empty()) return;
  if (arguments.json) {
    json::ArrayBuilder written;
    for (const RecordedLine& line : lines) written.add(line.value);
    fmt::print("{}\n", json::dump(json::object({{"lines", written.build()}})));
    return;
  }
  fmt::print("Beside the messages (recorded; a result is named by its call):\n");
  std::size_t steps = 0;
  for (const RecordedLine& line : lines) {
    const std::string text = record_line_text(line, arguments.full);
    // Of the steps of the loop only what they decided is news.
    steps += line.kind == "commit" ? 1 : 0;
    if (line.kind == "commit" && !arguments.full && text.find(" decided: ") == text.npos) continue;
    fmt::print("  {}\n", text);
  }
  if (steps > 0 && !arguments.full) fmt::print("  {} steps in all (--full prints them)\n", steps);
  fmt::print("\n");
}

int run_show(const ShowArguments& arguments) {
  if (arguments.steps) return show_steps(arguments.file, arguments.json);
  TranscriptOptions options;
  options.format = arguments.format;
  TranscriptReader reader = arguments.file == "-" ? TranscriptReader::standard_input(options)
                                                  : TranscriptReader::open(arguments.file, options);
  bool damage = false;
  while (const auto transcript = reader.next()) {
    damage = damage || transcript->incomplete;
    show_transcript(*transcript, arguments);
    if (transcript->format == "footprint" && arguments.file != "-") {
      show_lines(read_footprint_file(arguments.file).lines, arguments);
    }
  }
  // What belongs to no conversation goes beside the output, which may be JSON.
  for (const Gap& gap : reader.gaps()) {
    damage = damage || gap.damage;
    fmt::print(stderr, "{}\n", gap_text(gap));
  }
  return damage ? kExitUsage : kExitClean;
}

}  // namespace

void add_show_command(CommandLine& program) {
  auto arguments = std::make_shared<ShowArguments>();
  Command command = program.command(
      "show",
      "Print a record or a transcript message by message, with its calls and results paired");
  command.option("FILE", arguments->file, "A record or transcript, or - (default)");
  command.option("--format", arguments->format, "Take the input for this shape");
  command.flag("--full", arguments->full, "Print whole texts");
  command.flag("--steps", arguments->steps,
               "Print the steps of a recorded run instead: what each read, from where, and wrote");
  command.flag("--json", arguments->json, "Print one JSON line a conversation");
  command.footer("Exit codes: 0 printed, 2 usage error or damaged or unreadable input.");
  command.runs([arguments] { return run_show(*arguments); });
}

}  // namespace agentfootprint
