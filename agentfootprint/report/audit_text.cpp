// The audit report for people.
//
// Everything that came out of a transcript is printed through utf8::printable, so that no text can
// draw a line of the report or move the cursor.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/report/audit_report.hpp"
#include "agentfootprint/report/verdict_json.hpp"

namespace agentfootprint {
namespace {

constexpr std::size_t kMaxRaw = 48;
constexpr std::string_view kNotAssociated = "not-associated: ";
constexpr std::size_t kMaxCarriers = 2;
constexpr std::size_t kContext = 44;  // code points shown on either side of a value
constexpr std::size_t kMaxFindings = 100;

std::string safe(std::string_view text, std::size_t max_code_points = 80) {
  const std::string_view head = utf8::clip(text, max_code_points);
  std::string shown = utf8::printable(head);
  if (head.size() < text.size()) shown += "…";
  return shown;
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t length = utf8::count(text);
  if (length < width) text.append(width - length, ' ');
  return text;
}

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// The known shapes, which follow on further lines, are told on standard error.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// The text around a span, on one line, the value in « ».
std::string context_of(std::string_view text, json::Span span) {
  std::size_t begin = span.begin;
  for (std::size_t i = 0; i < kContext && begin > 0; ++i) {
    if (text[begin - 1] == '\n') break;
    begin -= utf8::decode_before(text, begin).length;
  }
  std::size_t end = span.end;
  for (std::size_t i = 0; i < kContext && end < text.size(); ++i) {
    if (text[end] == '\n') break;
    end += utf8::decode(text, end).length;
  }
  const bool cut_front = begin > 0 && text[begin - 1] != '\n';
  const bool cut_back = end < text.size() && text[end] != '\n';
  return fmt::format("{}{}«{}»{}{}", cut_front ? "…" : "",
                     utf8::printable(text.substr(begin, span.begin - begin)),
                     utf8::printable(text.substr(span.begin, span.size())),
                     utf8::printable(text.substr(span.end, end - span.end)), cut_back ? "…" : "");
}

std::string call_name(const CallKey& call) {
  return call.orphan ? fmt::format("[{},{} orphan]", call.message, call.ordinal)
                     : fmt::format("[{},{}]", call.message, call.ordinal);
}

std::string carrier_text(const evidence::Carrier& carrier, const evidence::ConversationIndex& index,
                         bool with_level) {
  const evidence::ResultEntry& entry = index.results()[carrier.result];
  std::string text = call_name(entry.call);
  if (!entry.tool.empty()) text += " " + safe(entry.tool, 40);
  if (!carrier.places.empty()) {
    const std::string pointer = entry.index->pointer(carrier.places.front().item);
    if (!pointer.empty()) text += " " + safe(pointer, 60);
  }
  std::string flags;
  const auto flag = [&flags](bool set, std::string_view name) {
    if (set) flags += (flags.empty() ? "" : ", ") + std::string(name);
  };
  flag(with_level, evidence::name_of(carrier.level));
  flag(carrier.failed, "failed call");
  flag(carrier.echo, "echo of its arguments");
  flag(carrier.partial, "cut result");
  flag(carrier.superseded, "superseded");
  return flags.empty() ? text : text + " (" + flags + ")";
}

std::string carriers_text(const std::vector<evidence::Carrier>& carriers,
                          const evidence::ConversationIndex& index, evidence::Level level) {
  std::string text;
  const std::size_t count = std::min(carriers.size(), kMaxCarriers);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    text += carrier_text(carriers[i], index, carriers[i].level != level);
  }
  if (carriers.size() > count) text += fmt::format(", and {} more", carriers.size() - count);
  return text;
}

class TextReport final : public AuditReport {
 public:
  TextReport(AuditReportOptions options, ReportWriter writer)
      : AuditReport(std::move(options)), write_(std::move(writer)) {}

  void begin_input(const std::string& name) override {
    input_ = name;
    ++totals_.inputs;
  }

  void conversation(const AuditedConversation& conversation) override {
    count(conversation);
    std::string body;
    if (conversation.audit != nullptr) {
      for (const AnswerAudit& answer : conversation.audit->answers) {
        add_answer(body, conversation, answer);
      }
    }
    if (conversation.audit != nullptr) add_standings(body, *conversation.audit);
    const bool quiet = !options_.only.empty() && body.empty();
    if (!quiet) write_(header(conversation) + gap_lines(conversation.gaps) + body + "\n");
  }

  void input_gaps(const std::vector<ReportGap>& gaps) override {
    if (!gaps.empty()) write_(safe(input_, 200) + "\n" + gap_lines(gaps) + "\n");
  }

  void input_error(std::string_view, const std::string& message) override {
    ++totals_.errors;
    errors_.push_back(fmt::format("{}: {}", safe(input_, 200), message));
  }

  void input_skipped(const std::string& reason) override {
    ++totals_.skipped;
    skipped_.push_back(fmt::format("{}: {}", safe(input_, 200), reason));
  }

  void end_input() override {}

  void finish() override {
    write_findings();
    write_summary();
    for (const std::string& line : errors_)
      write_(paint(kRed, "Not read to the end: ") + first_line(line) + "\n");
    if (!skipped_.empty()) {
      write_(fmt::format("Skipped {} without a transcript, the first: {}\n",
                         plural(skipped_.size(), "file", "files"), first_line(skipped_.front())));
    }
    write_(not_checked(options_.audit) + "\n");
  }

 private:
  static constexpr std::string_view kRed = "31";
  static constexpr std::string_view kGreen = "32";
  static constexpr std::string_view kYellow = "33";
  static constexpr std::string_view kDim = "2";
  static constexpr std::string_view kBold = "1";

  [[nodiscard]] std::string paint(std::string_view code, std::string text) const {
    return options_.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }

  [[nodiscard]] std::string header(const AuditedConversation& conversation) const {
    std::string title = safe(input_, 200);
    if (!conversation.label.empty()) title += " " + safe(conversation.label);
    std::string facts = fmt::format("  {}, {}, {}", conversation.format,
                                    plural(conversation.messages, "message", "messages"),
                                    plural(conversation.results, "tool result", "tool results"));
    std::string text = paint(kBold, std::move(title)) + paint(kDim, std::move(facts));
    if (conversation.incomplete) text += paint(kYellow, "  incomplete transcript");
    return text + "\n";
  }

  [[nodiscard]] std::string gap_lines(const std::vector<ReportGap>& gaps) const {
    std::string text;
    for (const ReportGap& gap : gaps) {
      std::string line =
          fmt::format("  {} {}", gap.damage ? "damage:" : "note:", safe(gap.message, 300));
      if (gap.count > 1) line += fmt::format(" ({} times)", gap.count);
      if (!gap.where.empty())
        line += fmt::format(", {}{}", gap.count > 1 ? "first at " : "", gap.where);
      text += paint(gap.damage ? kYellow : kDim, std::move(line)) + "\n";
    }
    return text;
  }

  // How much was declared, and the results that stand on set-aside ground.
  void add_standings(std::string& body, const ConversationAudit& audit) const {
    if (audit.headline.declared() == 0 || !options_.only.empty()) return;
    body +=
        paint(kDim, "  standings: " + safe(findings::headline_text(audit.headline), 300)) + "\n";
    for (const std::string& staircase : audit.towers) {
      body += "  stands on set-aside ground:\n";
      std::string_view left = staircase;
      while (!left.empty()) {
        const std::string_view line = left.substr(0, left.find('\n'));
        body.append("    ").append(safe(line, 300)).append("\n");
        left.remove_prefix(std::min(line.size() + 1, left.size()));
      }
    }
  }

  void add_answer(std::string& body, const AuditedConversation& conversation,
                  const AnswerAudit& answer) {
    std::string rows;
    for (std::size_t i = 0; i < answer.standings.size(); ++i) {
      const bool fresh = is_new(conversation.label, answer, i);
      if (fresh) remember(conversation, answer, i);
      if (shown(answer, i)) rows += row(conversation, answer, i, fresh);
    }
    if (rows.empty()) return;
    body += fmt::format("  message {}", answer.message);
    body += paint(kDim, fmt::format("  \"{}\"", safe(answer.text, 76))) + "\n";
    if (answer.verdict.truncated) {
      body +=
          paint(kYellow, "    the index of the results is incomplete: nothing is accused") + "\n";
    }
    body += rows;
  }

  [[nodiscard]] std::string row(const AuditedConversation& conversation, const AnswerAudit& answer,
                                std::size_t at, bool fresh) const {
    const evidence::JudgedValue& value = answer.verdict.values[at];
    const ValueStanding standing = answer.standings[at];
    std::string word(standing == ValueStanding::grounded || standing == ValueStanding::unsupported
                         ? evidence::name_of(value.level)
                         : name_of(standing));
    if (standing == ValueStanding::weak) word = "derived (weak)";
    if (value.grounding.cut) word += " (cut)";
    const std::string_view color = fresh                                 ? kRed
                                   : standing == ValueStanding::grounded ? kGreen
                                                                         : kYellow;
    std::string text = "    " + paint(color, padded(std::move(word), 15)) + " " +
                       padded(safe(value.value.raw, kMaxRaw), 22) + " " +
                       reason(conversation.audit->index, answer, value);
    if (standing == ValueStanding::contingent) text += "; " + contingent_text(answer, value);
    text += "\n";
    if (fresh && !value.spans.empty()) {
      text +=
          paint(kDim, "                      in: " + context_of(answer.text, value.spans.front())) +
          "\n";
    }
    return text;
  }

  [[nodiscard]] std::string reason(const evidence::ConversationIndex& index,
                                   const AnswerAudit& answer,
                                   const evidence::JudgedValue& value) const {
    const evidence::Grounding& grounding = value.grounding;
    if (value.level == evidence::Level::unsupported) {
      return answer.results_before ? "in no result so far, and nobody said it"
                                   : "no tool result stands before this answer, and nobody said it";
    }
    if (value.level == evidence::Level::derived && grounding.derivation) {
      return derivation_text(*grounding.derivation, index);
    }
    std::string text;
    if (grounding.supplied_by) text = supplier_text(*grounding.supplied_by);
    if (!grounding.carriers.empty()) {
      text +=
          (text.empty() ? "" : "; also ") + carriers_text(grounding.carriers, index, value.level);
    }
    for (const std::string& note : grounding.notes) {
      if (note == "grouped") continue;  // digit groups surprise nobody
      text += note.starts_with(kNotAssociated)
                  ? "; note: no record carries it with " + safe(note.substr(kNotAssociated.size()))
                  : ", read as " + safe(note);
    }
    return text;
  }

  static std::string supplier_text(evidence::SuppliedBy by) {
    switch (by) {
      case evidence::SuppliedBy::person:
        return "said by the person";
      case evidence::SuppliedBy::app:
        return "said by the app";
      case evidence::SuppliedBy::declared:
        break;
    }
    return "declared exempt";
  }

  static std::string derivation_text(const evidence::Derivation& derivation,
                                     const evidence::ConversationIndex& index) {
    std::string text = safe(derivation.formula, 120);
    std::string operands;
    for (const evidence::Operand& operand : derivation.operands) {
      if (!operands.empty()) operands += "; ";
      operands += safe(operand.raw, 40);
      if (!operand.carriers.empty()) {
        operands += " from " + carrier_text(operand.carriers.front(), index, false);
      }
    }
    if (!operands.empty()) text += " of " + operands;
    return text + fmt::format("; chance {:.2g} %", derivation.chance * 100);
  }

  // Which standings the results that carry a contingent value have.
  static std::string contingent_text(const AnswerAudit& answer,
                                     const evidence::JudgedValue& value) {
    for (const findings::ContingentRow& found : answer.contingent) {
      if (found.value != value.value.value && found.value != value.value.raw) continue;
      if (found.carriers.empty()) return "every formula needs a result that was set aside";
      return fmt::format("set aside as {}", findings::name_of(found.carriers.front().standing));
    }
    return "set aside";
  }

  void remember(const AuditedConversation& conversation, const AnswerAudit& answer,
                std::size_t at) {
    ++new_findings_;
    ++new_by_standing_[answer.standings[at]];
    if (findings_.size() >= kMaxFindings) return;
    std::string place = safe(input_, 200);
    if (!conversation.label.empty()) place += " " + safe(conversation.label);
    findings_.push_back(fmt::format("{} message {}: {} ({})", place, answer.message,
                                    safe(answer.verdict.values[at].value.raw, kMaxRaw),
                                    name_of(answer.standings[at])));
  }

  void write_findings() {
    if (findings_.empty() || totals_.conversations < 2) return;
    write_(paint(kBold, "Findings") + "\n");
    for (const std::string& line : findings_) write_("  " + line + "\n");
    if (new_findings_ > findings_.size()) {
      write_(fmt::format("  and {} more\n", new_findings_ - findings_.size()));
    }
    write_("\n");
  }

  void write_summary() {
    const AuditCounts& counts = totals_.counts;
    write_(fmt::format(
        "Checked {} of {} ({}, {}): {} with {}.\n",
        plural(totals_.conversations - totals_.unstructured, "conversation", "conversations"),
        totals_.conversations, plural(totals_.messages, "message", "messages"),
        plural(totals_.results, "tool result", "tool results"),
        plural(counts.answers, "answer", "answers"), plural(counts.values, "value", "values")));
    std::string levels;
    for (std::size_t i = 0; i < counts.by_level.size(); ++i) {
      if (counts.by_level[i] == 0) continue;
      levels += fmt::format("{}{} {}", levels.empty() ? "  " : ", ", counts.by_level[i],
                            evidence::name_of(static_cast<evidence::Level>(i)));
    }
    if (!levels.empty()) write_(levels + "\n");
    write_aside(counts);
    const std::string verdict = verdict_text();
    write_(paint(new_findings_ > 0           ? kRed
                 : totals_.nothing_checked() ? kYellow
                                             : kGreen,
                 verdict) +
           "\n");
  }

  void write_aside(const AuditCounts& counts) {
    const auto aside = [this](std::uint64_t count, std::string_view what) {
      if (count > 0) write_(fmt::format("  {} {}\n", count, what));
    };
    const std::string_view strict = options_.audit.strict ? "" : " (--strict makes them findings)";
    aside(counts.contingent, "contingent: only results that were set aside carry them");
    aside(counts.failed_only, fmt::format("read only in failed calls{}", strict));
    aside(counts.echo_only, fmt::format("only echoes of the call's own arguments{}", strict));
    aside(counts.not_associated, "notes: no record carries the value with what it is said of");
    aside(counts.weak, "derived, but by formulas that fit too many numbers (weak)");
    aside(counts.truncated_answers, "answers judged with an incomplete index: nothing was accused");
    const auto aside_of = [&](std::uint64_t count, std::string_view one, std::string_view many,
                              std::string_view what) {
      aside(count, fmt::format("{}{}", count == 1 ? one : many, what));
    };
    aside_of(totals_.unstructured, "conversation", "conversations",
             " without structured evidence: could not be checked");
    aside_of(totals_.incomplete, "incomplete transcript", "incomplete transcripts",
             ": damage is named above");
    aside_of(totals_.known, "finding", "findings", " known from the baseline");
  }

  [[nodiscard]] std::string verdict_text() const {
    if (new_findings_ > 0) {
      std::string kinds;
      for (const auto& [standing, count] : new_by_standing_) {
        kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, name_of(standing));
      }
      return fmt::format("{}: {}.", plural(new_findings_, "finding", "findings"), kinds);
    }
    if (totals_.nothing_checked()) {
      return fmt::format("Nothing could be checked.{}", why_nothing_checked());
    }
    return totals_.known > 0 ? "No new findings." : "No findings.";
  }

  // What the report names elsewhere (unreadable inputs, no evidence) needs no second sentence.
  [[nodiscard]] std::string_view why_nothing_checked() const {
    if (totals_.conversations == totals_.unstructured) return "";
    return totals_.messages == 0 ? " The input holds no messages."
                                 : " The model wrote no text here: there is no answer to judge.";
  }

  ReportWriter write_;
  std::vector<std::string> findings_;
  std::uint64_t new_findings_ = 0;
  std::map<ValueStanding, std::uint64_t> new_by_standing_;
  std::vector<std::string> errors_;
  std::vector<std::string> skipped_;
};

}  // namespace

std::unique_ptr<AuditReport> text_report(AuditReportOptions options, ReportWriter writer) {
  return std::make_unique<TextReport>(std::move(options), std::move(writer));
}

}  // namespace agentfootprint
