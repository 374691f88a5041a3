// The audit of one conversation: every value of every answer, and what it stands on.
//
// What: walks a conversation in order and judges each text the model wrote against what stood
// before it: results and what the person or the app said up to then, never later. The findings of
// an audit are the values that stand on nothing; on demand also those that stand only on failed
// calls or on echoes of the model's own arguments.
//
// When to use: `agentfootprint audit`; any program that wants the same judgement of a finished
// conversation. A running agent uses the gate of evidence/ instead.
//
// Not guaranteed: truth. See `not_checked`.
//
// Units and limits: those of evidence/judge.hpp. Nothing is accused once an index is truncated.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::user("how many IOPS?"));
//   conversation.append(Message::assistant("", {ToolCall("c1", "iops", "{}")}));
//   conversation.append(Message::tool_result("c1", "iops", R"({"iops": 41200})"));
//   conversation.append(Message::assistant("41,200 IOPS on array-7731"));
//   ConversationAudit audit = audit_conversation(conversation, AuditOptions());
//   (void)audit.counts.findings;   // 1: array-7731
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/evidence/judge.hpp"
#include "agentfootprint/explain/recorded.hpp"
#include "agentfootprint/findings/imported.hpp"

namespace agentfootprint {

struct AuditOptions {
  evidence::JudgeOptions judge;
  // Standings a person gave results (findings::read_standings).
  std::vector<findings::Row> standings;
  // What the conversation's record says beside it (explain/recorded.hpp); null for a transcript.
  // Must outlive the audit.
  const Recorded* recorded = nullptr;
  bool strict = false;  // values read only in failed calls or echoes are findings too
};

// What an audited value comes to, beside its level.
enum class ValueStanding : std::uint8_t {
  grounded,
  weak,         // derived, with a chance above 0.05
  contingent,   // every result of the turn that carries it was set aside
  echo_only,    // every carrier repeats the call's own arguments
  failed_only,  // every carrier is a failed call
  unsupported
};
[[nodiscard]] std::string_view name_of(ValueStanding standing) noexcept;  // "echo-only", …

struct AuditCounts {
  std::uint64_t answers = 0;
  std::uint64_t values = 0;
  std::array<std::uint64_t, 8> by_level{};  // by evidence::Level
  std::uint64_t weak = 0;
  std::uint64_t contingent = 0;
  std::uint64_t echo_only = 0;
  std::uint64_t failed_only = 0;
  std::uint64_t not_associated = 0;  // notes that no record carries value and entity; no findings
  std::uint64_t findings = 0;        // by the options: what makes the exit code 1
  std::uint64_t truncated_answers = 0;  // judged with an incomplete index: nothing was accused
  AuditCounts& operator+=(const AuditCounts& other) noexcept;
};

struct AnswerAudit {
  std::uint32_t message = 0;  // index of the assistant message
  std::string text;
  evidence::Verdict verdict;
  std::vector<ValueStanding> standings;  // beside verdict.values
  std::vector<findings::ContingentRow> contingent;
  bool results_before = false;  // some tool result stands before this answer
};

struct ConversationAudit {
  evidence::ConversationIndex index;  // Carrier::result is a position in its results()
  std::vector<AnswerAudit> answers;   // those with text, in order
  AuditCounts counts;
  findings::LedgerReplay replay;    // the ledger of the conversation
  findings::Headline headline;      // how much was declared
  std::vector<std::string> towers;  // one staircase for each result on set-aside ground
};

[[nodiscard]] ConversationAudit audit_conversation(const Conversation& conversation,
                                                   const AuditOptions& options);

// Is such a value a finding under these options?
[[nodiscard]] bool is_finding(ValueStanding standing, bool truncated,
                              const AuditOptions& options) noexcept;

// The one line every summary carries: what was not checked under these options.
[[nodiscard]] std::string not_checked(const AuditOptions& options);

}  // namespace agentfootprint
