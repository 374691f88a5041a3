// Holding turns with declared facts past a window.
//
// What: a window strategy drops old turns; a turn with a result that is a declared `fact` is held,
// the newest such turns first, up to a number. A turn that has held up two boundaries in a row is
// let go, so that a hold never stops a window from moving. What is dropped is told with the
// standings it had.
//
// When to use: at each window boundary, with the turns the strategy would drop.
//
// Not guaranteed: that a held turn fits. Settled calls never count.
//
// Example:
//   Conversation conversation;
//   findings::LedgerFold fold;
//   findings::FactHold hold(4);
//   std::vector<std::uint32_t> held = hold.at_boundary(conversation, fold, {1, 2});
//   (void)held.empty();   // true: no turn has a fact
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/findings/fold.hpp"

namespace agentfootprint::findings {

struct DroppedStanding {
  ResultRef result;
  std::optional<Standing> standing;  // empty: undeclared
};

class FactHold {
 public:
  explicit FactHold(std::size_t keep) : keep_(keep) {}

  // Of the turns about to be dropped, those to hold, in order. The reason to report is
  // "ledger-fact".
  [[nodiscard]] std::vector<std::uint32_t> at_boundary(const Conversation& conversation,
                                                       const LedgerFold& fold,
                                                       const std::vector<std::uint32_t>& turns);

 private:
  std::size_t keep_;
  std::map<std::uint32_t, int> blocked_;  // turn → boundaries in a row it was held at
};

// The results of a turn with their standings, for the record of what a window dropped.
[[nodiscard]] std::vector<DroppedStanding> dropped_standings(const Conversation& conversation,
                                                             const LedgerFold& fold,
                                                             std::uint32_t turn);

}  // namespace agentfootprint::findings
