// What both forms of the audit report share.
#include "agentfootprint/report/audit_report.hpp"

#include <fmt/format.h>

namespace agentfootprint {

std::string finding_key(std::string_view input, std::string_view label, std::uint32_t message,
                        std::string_view raw) {
  return fmt::format("{}\n{}\n{}\n{}", input, label, message, raw);
}

bool AuditReport::is_new(std::string_view label, const AnswerAudit& answer, std::size_t at) const {
  if (!is_finding(answer.standings[at], answer.verdict.truncated, options_.audit)) return false;
  return !options_.baseline.contains(
      finding_key(input_, label, answer.message, answer.verdict.values[at].value.raw));
}

bool AuditReport::shown(const AnswerAudit& answer, std::size_t at) const {
  if (options_.only.empty()) return true;
  return options_.only.contains(std::string(evidence::name_of(answer.verdict.values[at].level))) ||
         options_.only.contains(std::string(name_of(answer.standings[at])));
}

void AuditReport::count(const AuditedConversation& conversation) {
  ++totals_.conversations;
  totals_.messages += conversation.messages;
  totals_.calls += conversation.calls;
  totals_.results += conversation.results;
  if (!conversation.structured) ++totals_.unstructured;
  if (conversation.incomplete) ++totals_.incomplete;
  if (conversation.audit == nullptr) return;
  totals_.counts += conversation.audit->counts;
  for (const AnswerAudit& answer : conversation.audit->answers) {
    for (std::size_t i = 0; i < answer.standings.size(); ++i) {
      if (!is_finding(answer.standings[i], answer.verdict.truncated, options_.audit)) continue;
      if (!is_new(conversation.label, answer, i)) ++totals_.known;
    }
  }
}

}  // namespace agentfootprint
