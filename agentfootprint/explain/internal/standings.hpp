// What was declared in a conversation, then and now, for an explanation.
//
// What: `Standings` replays the ledger of a whole conversation (its record's rows, or the
// declarations in its messages, and a person's standings) and remembers the fold as it was at one
// answer. When to use: explain/why.cpp. Not guaranteed: more than the ledger says.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::user("how many?"));
//   explain::internal::Standings standings(conversation, WhyQuestion(), 0);
//   (void)standings.now().has_standing();   // false
#pragma once

#include <vector>

#include "agentfootprint/explain/why.hpp"

namespace agentfootprint::explain::internal {

class Standings {
 public:
  // `answer` is the index of the answer's message; the question must outlive this.
  Standings(const Conversation& conversation, const WhyQuestion& question, std::uint32_t answer);

  [[nodiscard]] const findings::LedgerFold& then() const noexcept { return then_; }
  [[nodiscard]] const findings::LedgerFold& now() const noexcept { return replay_.ledger().fold(); }
  // Contingent values of the answer.
  [[nodiscard]] const std::vector<findings::ContingentRow>& contingent() const noexcept {
    return contingent_;
  }
  [[nodiscard]] const findings::Headline& headline() const noexcept { return headline_; }

  [[nodiscard]] WhyStanding of(const findings::ResultRef& result) const;
  [[nodiscard]] std::vector<WhyContradiction> contradictions(
      const findings::ResultRef& result) const;
  [[nodiscard]] std::optional<WhyJudgment> judgment(const findings::ResultRef& result) const;
  // The towers of the calls an explanation names, each edge told once.
  [[nodiscard]] std::vector<WhyTower> towers(const std::vector<WhyCall>& calls) const;

 private:
  findings::LedgerReplay replay_;
  findings::LedgerFold then_;
  std::vector<findings::ContingentRow> contingent_;
  findings::Headline headline_;
};

// A result by the key of its call.
[[nodiscard]] findings::ResultRef ref_of(const CallKey& key);

}  // namespace agentfootprint::explain::internal
