// Turns with facts at a window boundary.
#include "agentfootprint/findings/fact_hold.hpp"

#include <algorithm>

#include "agentfootprint/findings/offer.hpp"

namespace agentfootprint::findings {
namespace {

constexpr int kBoundariesHeld = 2;

ResultRef ref_of(const Conversation& conversation, std::uint32_t index) {
  return ResultRef(conversation[index].tool_call_id.value_or(""),
                   conversation.key_of_result(index));
}

}  // namespace

std::vector<std::uint32_t> FactHold::at_boundary(const Conversation& conversation,
                                                 const LedgerFold& fold,
                                                 const std::vector<std::uint32_t>& turns) {
  std::vector<std::uint32_t> with_facts;
  for (const std::uint32_t index : conversation.results()) {
    if (!is_result_message(conversation[index])) continue;
    const StandingRow* standing = fold.standing_of(ref_of(conversation, index));
    if (standing == nullptr || standing->standing != Standing::fact) continue;
    const std::uint32_t turn = conversation.turn_of(index);
    if (std::find(turns.begin(), turns.end(), turn) != turns.end()) with_facts.push_back(turn);
  }
  std::sort(with_facts.begin(), with_facts.end(), std::greater<>());
  with_facts.erase(std::unique(with_facts.begin(), with_facts.end()), with_facts.end());

  std::map<std::uint32_t, int> blocked;
  std::vector<std::uint32_t> held;
  for (const std::uint32_t turn : with_facts) {
    const auto before = blocked_.find(turn);
    const int times = before == blocked_.end() ? 0 : before->second;
    if (held.size() == keep_ || times >= kBoundariesHeld) continue;
    blocked[turn] = times + 1;
    held.push_back(turn);
  }
  blocked_ = std::move(blocked);
  std::sort(held.begin(), held.end());
  return held;
}

std::vector<DroppedStanding> dropped_standings(const Conversation& conversation,
                                               const LedgerFold& fold, std::uint32_t turn) {
  std::vector<DroppedStanding> list;
  for (const std::uint32_t index : conversation.results()) {
    if (conversation.turn_of(index) != turn || !is_result_message(conversation[index])) continue;
    DroppedStanding one;
    one.result = ref_of(conversation, index);
    if (const StandingRow* standing = fold.standing_of(one.result))
      one.standing = standing->standing;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace agentfootprint::findings
