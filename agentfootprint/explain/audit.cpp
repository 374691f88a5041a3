// Judging the answers of a conversation in order.
#include "agentfootprint/explain/audit.hpp"

#include <fmt/format.h>

#include <array>

namespace agentfootprint {
namespace {

constexpr double kWeakChance = 0.05;
constexpr std::array<std::string_view, 5> kStandings{"grounded", "weak", "echo-only", "failed-only",
                                                     "unsupported"};

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool is_answer(const Message& message) {
  return message.role == Role::assistant && message.origin == Origin::model;
}

void count_value(AuditCounts& counts, const evidence::JudgedValue& value) {
  ++counts.values;
  ++counts.by_level[static_cast<std::size_t>(value.level)];
  switch (standing_of(value)) {
    case ValueStanding::weak:
      ++counts.weak;
      break;
    case ValueStanding::echo_only:
      ++counts.echo_only;
      break;
    case ValueStanding::failed_only:
      ++counts.failed_only;
      break;
    case ValueStanding::grounded:
    case ValueStanding::unsupported:
      break;
  }
}

}  // namespace

std::string_view name_of(ValueStanding standing) noexcept {
  return kStandings[static_cast<std::size_t>(standing)];
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

bool is_finding(const evidence::JudgedValue& value, bool truncated,
                const AuditOptions& options) noexcept {
  if (truncated) return false;
  const ValueStanding standing = standing_of(value);
  if (standing == ValueStanding::unsupported) return true;
  return options.strict &&
         (standing == ValueStanding::failed_only || standing == ValueStanding::echo_only);
}

AuditCounts& AuditCounts::operator+=(const AuditCounts& other) noexcept {
  answers += other.answers;
  values += other.values;
  for (std::size_t i = 0; i < by_level.size(); ++i) by_level[i] += other.by_level[i];
  weak += other.weak;
  echo_only += other.echo_only;
  failed_only += other.failed_only;
  findings += other.findings;
  truncated_answers += other.truncated_answers;
  return *this;
}

// The index must know exactly what stood before an answer, so it follows a conversation that grows
// message by message; the messages themselves are shared.
ConversationAudit audit_conversation(const Conversation& conversation,
                                     const AuditOptions& options) {
  ConversationAudit audit;
  evidence::Judge judge(audit.index, options.judge);
  Conversation before;
  for (std::uint32_t i = 0; i < conversation.size(); ++i) {
    const Message& message = conversation[i];
    std::string text = is_answer(message) ? message.text() : std::string();
    if (!is_blank(text)) {
      audit.index.extend(before);
      AnswerAudit answer;
      answer.message = i;
      answer.text = std::move(text);
      answer.verdict = judge.check(answer.text);
      answer.results_before = !audit.index.results().empty();
      ++audit.counts.answers;
      if (answer.verdict.truncated) ++audit.counts.truncated_answers;
      for (const evidence::JudgedValue& value : answer.verdict.values) {
        count_value(audit.counts, value);
        if (is_finding(value, answer.verdict.truncated, options)) ++audit.counts.findings;
      }
      audit.answers.push_back(std::move(answer));
    }
    before.append(message);
  }
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
