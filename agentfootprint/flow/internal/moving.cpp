// Going from step to step: loops, and which decision governs where a line stands.
#include "agentfootprint/flow/internal/machine.hpp"

namespace agentfootprint::flow::internal {

std::uint32_t Machine::governor_of(const Place& place) noexcept {
  std::uint32_t best = place.governor_floor;
  const auto take = [&best](std::uint32_t row) {
    if (row != kNone && (best == kNone || row > best)) best = row;
  };
  if (!place.governors.empty()) take(place.governors.back());
  if (!place.loop_governors.empty()) take(place.loop_governors.back().row);
  return best;
}

namespace {

bool covers(const ChartData& chart, const LoopGovernor& loop, const Node& node) {
  std::uint32_t sequence = node.sequence;
  std::uint32_t position = node.position;
  while (sequence != loop.sequence) {
    const Sequence& at = chart.sequences[sequence];
    if (at.parent == kNone) return false;
    position = at.position;
    sequence = at.parent;
  }
  return position <= loop.last_position;
}

}  // namespace

void Machine::arrive(Place& place, std::uint32_t to) {
  place.node = to;
  if (to == kNone) return;
  const Node& node = place.chart->nodes[to];
  if (place.governors.size() > node.level) place.governors.resize(node.level);
  while (!place.loop_governors.empty() &&
         !covers(*place.chart, place.loop_governors.back(), node)) {
    place.loop_governors.pop_back();
  }
}

void Machine::go(Line& line, Jump jump) {
  Place& place = line.place;
  line.step_open = false;
  if (jump.loop == kNone) {
    arrive(place, jump.node);
    return;
  }
  const Node& target = place.chart->nodes[jump.node];
  std::uint32_t& turns = place.loop_counts[jump.loop];
  if (turns >= options_.budgets.loop_turns) {
    line.ended_at = step_id(line);
    fail(line, LineStatus::exhausted, "flow-exhausted", "loop_turns");
    return;
  }
  ++turns;
  if (observed(EventKind::looped)) {
    Event event;
    event.kind = EventKind::looped;
    event.name = target.id;
    event.number = turns;
    notify(event, &line);
  }
  const std::uint32_t governor = governor_of(place);
  // Where the loop ends, seen from the target's sequence.
  std::uint32_t sequence = place.chart->nodes[place.node].sequence;
  std::uint32_t position = place.chart->nodes[place.node].position;
  while (sequence != target.sequence) {
    position = place.chart->sequences[sequence].position;
    sequence = place.chart->sequences[sequence].parent;
  }
  arrive(place, jump.node);
  if (governor == kNone || governor == governor_of(place)) return;
  if (!place.loop_governors.empty() && place.loop_governors.back().sequence == sequence &&
      place.loop_governors.back().last_position == position) {
    place.loop_governors.back().row = governor;
  } else {
    place.loop_governors.push_back(LoopGovernor{sequence, position, governor});
  }
}

}  // namespace agentfootprint::flow::internal
