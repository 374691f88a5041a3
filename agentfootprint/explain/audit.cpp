// Judging the answers of a conversation in order.
#include "agentfootprint/explain/audit.hpp"

#include <fmt/format.h>

#include <array>

#include "agentfootprint/evidence/association.hpp"
#include "agentfootprint/findings/answer_scanner.hpp"
#include "agentfootprint/findings/towers.hpp"

namespace agentfootprint {
namespace {

constexpr double kWeakChance = 0.05;
constexpr std::array<std::string_view, 6> kStandings{"grounded",  "weak",        "contingent",
                                                     "echo-only", "failed-only", "unsupported"};

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool is_answer(const Message& message) {
  return message.role == Role::assistant && message.origin == Origin::model;
}

ValueStanding standing_of(const evidence::JudgedValue& value) noexcept {
  if (value.level == evidence::Level::unsupported) return ValueStanding::unsupported;
  if (value.level == evidence::Level::derived) {
    const auto& derivation = value.grounding.derivation;
    return derivation && derivation->chance > kWeakChance ? ValueStanding::weak
                                                          : ValueStanding::grounded;
  }
  if (value.level == evidence::Level::supplied) return ValueStanding::grounded;
  if (value.grounding.failed_only()) return ValueStanding::failed_only;
  if (value.grounding.echo_only()) return ValueStanding::echo_only;
  return ValueStanding::grounded;
}

bool is_contingent(const evidence::JudgedValue& value, const AnswerAudit& answer) {
  for (const findings::ContingentRow& row : answer.contingent) {
    if (row.value == value.value.value || row.value == value.value.raw) return true;
  }
  return false;
}

void count_answer(AuditCounts& counts, const AnswerAudit& answer, const AuditOptions& options) {
  ++counts.answers;
  if (answer.verdict.truncated) ++counts.truncated_answers;
  for (std::size_t i = 0; i < answer.verdict.values.size(); ++i) {
    const ValueStanding standing = answer.standings[i];
    ++counts.values;
    ++counts.by_level[static_cast<std::size_t>(answer.verdict.values[i].level)];
    counts.weak += standing == ValueStanding::weak ? 1 : 0;
    counts.contingent += standing == ValueStanding::contingent ? 1 : 0;
    counts.echo_only += standing == ValueStanding::echo_only ? 1 : 0;
    counts.failed_only += standing == ValueStanding::failed_only ? 1 : 0;
    counts.findings += is_finding(standing, answer.verdict.truncated, options) ? 1 : 0;
  }
}

// Follows one conversation. The index must know exactly what stood before an answer, so it follows
// a conversation that grows message by message; the messages themselves are shared.
class Walk {
 public:
  Walk(const Conversation& conversation, const AuditOptions& options, ConversationAudit& audit)
      : conversation_(conversation),
        options_(options),
        audit_(audit),
        judge_(audit.index, options.judge) {
    if (options.recorded != nullptr) {
      audit_.replay.follow(options.recorded->rows);
      options.recorded->supply(audit_.index);
    }
    audit_.replay.add(options.standings);
  }

  void message(std::uint32_t index) {
    const Message& message = conversation_[index];
    audit_.replay.declare(conversation_, index);
    const bool set_aside = audit_.replay.ledger().fold().has_set_aside();
    if (is_answer(message)) {
      answer(index, set_aside);
      if (set_aside && !message.calls.empty()) {
        audit_.index.extend(before_);
        (void)audit_.replay.use_in_calls(conversation_, index, judge_);
      }
    }
    before_.append(message);
  }

  void finish() {
    audit_.headline =
        findings::headline_of(audit_.replay.served(conversation_), audit_.replay.ledger().fold());
    const findings::Towers towers(audit_.replay.ledger().fold());
    for (const findings::ResultRef& result : towers.standing_on_set_aside()) {
      audit_.towers.push_back(towers.staircase(result, name_of_result));
    }
  }

 private:
  static std::string name_of_result(const findings::ResultRef& result) {
    if (!result.call) return result.tool_call_id;
    return fmt::format("[{},{}]", result.call->message, result.call->ordinal);
  }

  void answer(std::uint32_t index, bool set_aside) {
    const Message& message = conversation_[index];
    AnswerAudit answer;
    answer.text = message.text();
    if (message.calls.empty() && findings::LedgerReplay::declares(message)) {
      answer.text = findings::peel_answer(answer.text).text;
    }
    if (is_blank(answer.text)) return;
    audit_.index.extend(before_);
    answer.message = index;
    answer.verdict = judge_.check(answer.text);
    const auto notes = evidence::associations(judge_, answer.text, answer.verdict);
    evidence::note_associations(answer.verdict, notes);
    audit_.counts.not_associated += notes.size();
    answer.results_before = !audit_.index.results().empty();
    if (set_aside && message.calls.empty()) {
      answer.contingent = audit_.replay.use_in_answer(conversation_, index, judge_, answer.verdict);
    }
    for (const evidence::JudgedValue& value : answer.verdict.values) {
      const ValueStanding standing = standing_of(value);
      answer.standings.push_back(is_contingent(value, answer) ? ValueStanding::contingent
                                                              : standing);
    }
    count_answer(audit_.counts, answer, options_);
    audit_.answers.push_back(std::move(answer));
  }

  const Conversation& conversation_;
  const AuditOptions& options_;
  ConversationAudit& audit_;
  evidence::Judge judge_;
  Conversation before_;
};

}  // namespace

std::string_view name_of(ValueStanding standing) noexcept {
  return kStandings[static_cast<std::size_t>(standing)];
}

bool is_finding(ValueStanding standing, bool truncated, const AuditOptions& options) noexcept {
  if (truncated) return false;
  if (standing == ValueStanding::unsupported || standing == ValueStanding::contingent) return true;
  return options.strict &&
         (standing == ValueStanding::failed_only || standing == ValueStanding::echo_only);
}

AuditCounts& AuditCounts::operator+=(const AuditCounts& other) noexcept {
  answers += other.answers;
  values += other.values;
  for (std::size_t i = 0; i < by_level.size(); ++i) by_level[i] += other.by_level[i];
  weak += other.weak;
  contingent += other.contingent;
  echo_only += other.echo_only;
  failed_only += other.failed_only;
  not_associated += other.not_associated;
  findings += other.findings;
  truncated_answers += other.truncated_answers;
  return *this;
}

ConversationAudit audit_conversation(const Conversation& conversation,
                                     const AuditOptions& options) {
  ConversationAudit audit;
  Walk walk(conversation, options, audit);
  for (std::uint32_t i = 0; i < conversation.size(); ++i) walk.message(i);
  walk.finish();
  return audit;
}

std::string not_checked(const AuditOptions& options) {
  std::string text = "Not checked: whether a grounded value is used for the right thing, ";
  if (options.judge.thorough) {
    text += "names without a digit";
  } else {
    text += fmt::format("numbers and dates of fewer than {} digits, names without a digit",
                        options.judge.min_digits);
  }
  text += ", statements without a value, and what the transcript left out.";
  return text;
}

}  // namespace agentfootprint
