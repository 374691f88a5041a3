// The command `audit`.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/cli/audit_pipeline.hpp"
#include "agentfootprint/cli/command.hpp"
#include "agentfootprint/cli/inputs.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/report/audit_report.hpp"
#include "agentfootprint/transcript/transcript.hpp"

namespace agentfootprint {
namespace {

struct AuditArguments {
  std::vector<std::string> inputs;
  bool json = false;
  bool strict = false;
  bool thorough = false;
  std::string format;
  std::vector<std::string> only;
  int min_digits = 4;
  std::vector<std::string> exempt;
  std::vector<std::string> exempt_regex;
  std::vector<std::string> shapes;
  std::string baseline;
  std::string standings;
};

std::set<std::string> known_words() {
  std::set<std::string> words;
  for (std::size_t i = 0; i < 8; ++i) {
    words.emplace(evidence::name_of(static_cast<evidence::Level>(i)));
  }
  for (std::size_t i = 0; i < 6; ++i) words.emplace(name_of(static_cast<ValueStanding>(i)));
  return words;
}

std::set<std::string> read_only(const std::vector<std::string>& only) {
  const std::set<std::string> known = known_words();
  std::set<std::string> chosen;
  for (const std::string& word : only) {
    if (!known.contains(word)) {
      throw Error("cli-option", fmt::format("--only {}: there is no such level; name one of {}",
                                            utf8::printable(word), fmt::join(known, ", ")));
    }
    chosen.insert(word);
  }
  return chosen;
}

evidence::JudgeOptions judge_options(const AuditArguments& arguments) {
  evidence::JudgeOptions options;
  options.min_digits = arguments.min_digits;
  options.thorough = arguments.thorough;
  for (const std::string& text : arguments.exempt) options.exempt.push_back({text, false});
  for (const std::string& pattern : arguments.exempt_regex)
    options.exempt.push_back({pattern, true});
  for (const std::string& shape : arguments.shapes) {
    const std::size_t equals = shape.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error("cli-option",
                  fmt::format("--shape {}: write NAME=PATTERN", utf8::printable(shape)));
    }
    evidence::Shape declared;
    declared.name = shape.substr(0, equals);
    declared.match = shape.substr(equals + 1);
    options.shapes.push_back(std::move(declared));
  }
  return options;
}

std::set<std::string> findings_of_baseline(std::string_view text) {
  std::set<std::string> keys;
  const json::Value root = json::parse_or_throw(text);
  for (const json::Value& input : root.at("inputs").elements()) {
    for (const json::Value& conversation : input.at("conversations").elements()) {
      for (const json::Value& answer : conversation.at("answers").elements()) {
        const auto message =
            static_cast<std::uint32_t>(answer.at("message").as_int64().value_or(0));
        for (const json::Value& finding : answer.at("findings").elements()) {
          keys.insert(finding_key(input.at("input").as_string().value_or(""),
                                  conversation.at("label").as_string().value_or(""), message,
                                  finding.at("raw").as_string().value_or("")));
        }
      }
    }
  }
  return keys;
}

// A baseline is an earlier `audit --json`: its findings are known.
std::set<std::string> read_baseline(const std::string& path) {
  if (path.empty()) return {};
  const std::string text = read_text_file(path);
  try {
    return findings_of_baseline(text);
  } catch (const Error& error) {
    throw Error("cli-input",
                fmt::format("the baseline {} is not what `audit --json` prints ({}): nothing was "
                            "audited; make it with `agentfootprint audit --json FILE > {}`",
                            utf8::printable(path), error.what(), utf8::printable(path)));
  }
}

// An option is named as it was typed, not as the library calls its field.
std::string as_typed(std::string message) {
  struct Row {
    std::string_view field;
    std::string_view option;
  };
  static constexpr Row kRows[] = {{"minDigits", "--min-digits"},
                                  {"exempt.regex", "--exempt-regex"},
                                  {"shapes.match", "--shape"},
                                  {"shapes.name", "--shape"},
                                  {"use thorough", "use --thorough"}};
  for (const Row& row : kRows) {
    const std::size_t at = message.find(row.field);
    if (at != std::string::npos) message.replace(at, row.field.size(), row.option);
  }
  return message;
}

// Refuses bad options before anything is printed.
void check_options(const evidence::JudgeOptions& options) {
  try {
    const evidence::ConversationIndex none;
    const evidence::Judge refused_here(none, options);
  } catch (const Refusal& refusal) {
    throw Error("cli-option", as_typed(refusal.what()));
  }
}

// Says on a terminal's standard error how far a long audit is.
class Progress {
 public:
  Progress() : shown_(isatty(STDERR_FILENO) == 1) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void tell(const std::string& input, std::uint64_t bytes, std::uint64_t conversations) {
    const auto now = std::chrono::steady_clock::now();
    if (!shown_ || now - last_ < std::chrono::milliseconds(500)) return;
    last_ = now;
    fmt::print(stderr, "\r\x1b[K{}: {} MB, {} conversations",
               utf8::printable(utf8::clip(input, 60)), bytes >> 20, conversations);
    std::fflush(stderr);
    written_ = true;
  }
  void clear() {
    if (written_) fmt::print(stderr, "\r\x1b[K");
    written_ = false;
  }

 private:
  bool shown_;
  bool written_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

std::vector<ReportGap> report_gaps(const std::vector<Gap>& gaps) {
  std::vector<ReportGap> made;
  for (const Gap& gap : gaps) {
    made.push_back({gap.code, gap.message, gap.where, gap.count, gap.damage});
  }
  return made;
}

class AuditRun {
 public:
  AuditRun(const AuditArguments& arguments, AuditReport& report, AuditOptions options)
      : arguments_(arguments), report_(report), options_(std::move(options)) {}

  void input(const CommandInput& input) {
    report_.begin_input(input.path);
    try {
      read(input);
    } catch (const Error& error) {
      progress_.clear();
      const bool foreign = error.code() == "transcript-shape" || error.code() == "transcript-empty";
      if (input.from_folder && foreign && conversations_ == 0) {
        report_.input_skipped(error.what());
      } else {
        fmt::print(stderr, "agentfootprint: {}: {}\n", utf8::printable(input.path), error.what());
        report_.input_error(error.code(), error.what());
      }
    }
    report_.end_input();
  }

  [[nodiscard]] int exit_code() const {
    const AuditTotals& totals = report_.totals();
    if (totals.errors > 0 || damage_ > 0) return kExitUsage;
    if (totals.counts.findings > totals.known) return kExitFindings;
    return totals.nothing_checked() ? kExitUsage : kExitClean;
  }

 private:
  // Conversations are judged beside the reading; the report hears of them in order.
  void read(const CommandInput& input) {
    conversations_ = 0;
    TranscriptOptions wanted;
    wanted.format = arguments_.format;
    TranscriptReader reader = input.standard_input ? TranscriptReader::standard_input(wanted)
                                                   : TranscriptReader::open(input.path, wanted);
    AuditPipeline pipeline([this](AuditJob& job) { judged(job); });
    std::exception_ptr failure;
    try {
      read_all(input, reader, pipeline);
    } catch (...) {
      failure = std::current_exception();
    }
    pipeline.finish();
    if (failure) std::rethrow_exception(failure);
    report_.input_gaps(report_gaps(reader.gaps()));
    for (const Gap& gap : reader.gaps()) {
      if (!gap.damage) continue;
      ++damage_;
      progress_.clear();
      fmt::print(stderr, "agentfootprint: {}: {} ({})\n", utf8::printable(input.path),
                 utf8::printable(gap.message), gap.where);
    }
  }

  void read_all(const CommandInput& input, TranscriptReader& reader, AuditPipeline& pipeline) {
    std::uint64_t before = 0;
    while (auto transcript = reader.next()) {
      read_standings(*transcript);
      AuditJob job(std::move(*transcript), options_);
      job.bytes = reader.bytes_read() - before;
      before = reader.bytes_read();
      pipeline.submit(std::move(job));
      ++conversations_;
      progress_.tell(input.path, before, conversations_);
    }
  }

  void judged(AuditJob& job) {
    progress_.clear();
    const Transcript& transcript = job.transcript;
    AuditedConversation audited;
    audited.format = transcript.format;
    audited.label = transcript.label;
    audited.messages = transcript.conversation.size();
    audited.calls = transcript.call_count();
    audited.results = transcript.result_count();
    audited.structured = transcript.structured;
    audited.incomplete = transcript.incomplete;
    audited.gaps = report_gaps(transcript.gaps);
    damage_ += transcript.incomplete ? 1 : 0;
    if (job.recorded.unreadable > 0) {
      audited.gaps.push_back({"unreadable-row", "rows of the findings ledger could not be read", "",
                              job.recorded.unreadable, false});
    }
    if (transcript.structured) audited.audit = &job.audit;
    report_.conversation(audited);
  }

  // Results are named by their place in one conversation, so a file of standings fits one only.
  void read_standings(const Transcript& transcript) {
    if (arguments_.standings.empty()) return;
    if (standings_used_) {
      throw Error("cli-option", "--standings judges one conversation; this input holds several");
    }
    standings_used_ = true;
    options_.standings = read_standings_file(arguments_.standings, transcript.conversation);
  }

  const AuditArguments& arguments_;
  bool standings_used_ = false;
  AuditReport& report_;
  AuditOptions options_;
  Progress progress_;
  std::uint64_t conversations_ = 0;
  std::uint64_t damage_ = 0;
};

int run_audit(AuditArguments arguments) {
  if (arguments.inputs.empty()) {
    if (isatty(STDIN_FILENO) == 1) {
      fmt::print(stderr, "audit: name a transcript, a folder of them, or - for standard input\n");
      return kExitUsage;
    }
    arguments.inputs.emplace_back("-");
  }
  AuditReportOptions options;
  options.audit.judge = judge_options(arguments);
  options.audit.strict = arguments.strict;
  options.version = AGENTFOOTPRINT_VERSION;
  options.only = read_only(arguments.only);
  options.baseline = read_baseline(arguments.baseline);
  options.color = isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  const AuditOptions audit = options.audit;
  check_options(audit.judge);
  const std::vector<CommandInput> inputs = expand_inputs(arguments.inputs);
  const ReportWriter writer = [](std::string_view piece) {
    std::fwrite(piece.data(), 1, piece.size(), stdout);
  };
  const auto report = arguments.json ? json_report(options, writer) : text_report(options, writer);
  AuditRun run(arguments, *report, audit);
  for (const CommandInput& input : inputs) run.input(input);
  report->finish();
  return run.exit_code();
}

constexpr const char* kFooter =
    "Shapes read: OpenAI Chat messages, Anthropic Messages, tau-bench, Claude Code sessions, "
    "SWE-agent\n"
    "trajectories. A file may hold many conversations; they are read one at a time.\n\n"
    "Levels, the first that holds: supplied (said by the person or the app), exact, same-value, "
    "part-of,\n"
    "rounded, converted, derived (a formula over values in view), unsupported.\n\n"
    "Examples:\n"
    "  agentfootprint audit transcript.json\n"
    "  agentfootprint audit logs/ --only unsupported\n"
    "  agentfootprint audit run.jsonl --json > known.json\n"
    "  agentfootprint audit run.jsonl --baseline known.json\n\n"
    "Exit codes: 0 clean, 1 findings, 2 usage error, unreadable or damaged input, or nothing could "
    "be\n"
    "checked (no messages, no answer of the model, or a log without evidence).";

}  // namespace

void add_audit_command(CommandLine& program) {
  auto arguments = std::make_shared<AuditArguments>();
  Command command = program.command(
      "audit", "Say of every value in every answer of a transcript what it stands on");
  command.option("FILE", arguments->inputs, "Transcripts, folders of them, or - (default)");
  command.flag("--json", arguments->json, "Print one JSON document");
  command.option("--format", arguments->format, "Take the input for this shape");
  command.option("--only", arguments->only, "Print only values of these levels or standings")
      .comma_list();
  command.option("--min-digits", arguments->min_digits, "Judge numbers from so many digits on")
      .shows_default();
  command.flag("--thorough", arguments->thorough, "Judge every number, quantity, date and time");
  command.option("--exempt", arguments->exempt, "Never accuse this text (repeatable)").repeatable();
  command
      .option("--exempt-regex", arguments->exempt_regex,
              "Never accuse what this RE2 pattern matches (repeatable)")
      .repeatable();
  command
      .option("--shape", arguments->shapes,
              "NAME=PATTERN: also judge values of this shape (repeatable)")
      .repeatable();
  command.flag("--strict", arguments->strict,
               "Values read only in failed calls or echoes are findings too");
  command.option("--baseline", arguments->baseline,
                 "An earlier `audit --json`: its findings are known and do not count");
  command.option(
      "--standings", arguments->standings,
      "A person's standings: lines of {\"result\": 3, \"standing\": \"noise\", \"who\": \"ann\"}");
  command.footer(kFooter);
  command.runs([arguments] { return run_audit(*arguments); });
}

}  // namespace agentfootprint
