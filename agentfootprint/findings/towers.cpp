// Edges read with the standing then and now.
#include "agentfootprint/findings/towers.hpp"

#include <fmt/format.h>

#include <utility>

namespace agentfootprint::findings {
namespace {

constexpr std::size_t kStaircaseLines = 64;

// A result's identity as a text: its call when there is one.
std::string spelled(const ResultRef& result) {
  if (!result.call) return "id:" + result.tool_call_id;
  return fmt::format("{},{}{}", result.call->message, result.call->ordinal,
                     result.call->orphan ? "o" : "");
}

}  // namespace

Towers::Towers(const LedgerFold& fold) : fold_(fold) {
  for (const TowerEdge& edge : fold.edges()) {
    const std::size_t from = node_for(edge.result);
    const std::size_t to = node_for(edge.base);
    edges_[from].emplace_back(to, &edge);
  }
  // A base that is set aside now lifts the mark to everything built on it.
  std::vector<std::vector<std::size_t>> built_on(results_.size());
  std::vector<std::size_t> open;
  set_aside_ground_.assign(results_.size(), false);
  for (std::size_t node = 0; node < results_.size(); ++node) {
    for (const auto& [base, edge] : edges_[node]) {
      built_on[base].push_back(node);
      const auto now = now_of(edge->base);
      if (now && is_set_aside(*now) && !set_aside_ground_[node]) {
        set_aside_ground_[node] = true;
        open.push_back(node);
      }
    }
  }
  while (!open.empty()) {
    const std::size_t base = open.back();
    open.pop_back();
    for (const std::size_t above : built_on[base]) {
      if (set_aside_ground_[above]) continue;
      set_aside_ground_[above] = true;
      open.push_back(above);
    }
  }
}

std::size_t Towers::node_for(const ResultRef& result) {
  const auto [at, added] = nodes_.try_emplace(spelled(result), results_.size());
  if (added) {
    results_.push_back(result);
    edges_.emplace_back();
  }
  return at->second;
}

std::optional<std::size_t> Towers::node_of(const ResultRef& result) const {
  const auto found = nodes_.find(spelled(result));
  if (found == nodes_.end()) return std::nullopt;
  return found->second;
}

std::optional<Standing> Towers::now_of(const ResultRef& result) const {
  const StandingRow* row = fold_.standing_of(result);
  if (row == nullptr) return std::nullopt;
  return row->standing;
}

bool Towers::on_set_aside_ground(const ResultRef& result) const {
  const auto node = node_of(result);
  return node && set_aside_ground_[*node];
}

std::vector<ResultRef> Towers::standing_on_set_aside() const {
  std::vector<ResultRef> list;
  for (std::size_t node = 0; node < results_.size(); ++node) {
    if (set_aside_ground_[node]) list.push_back(results_[node]);
  }
  return list;
}

std::vector<TowerStep> Towers::steps_under(const ResultRef& result) const {
  std::vector<TowerStep> steps;
  const auto start = node_of(result);
  if (!start) return steps;
  std::vector<bool> opened(results_.size(), false);
  struct Open {
    std::size_t node;
    std::size_t next = 0;
  };
  std::vector<Open> path{{*start}};
  opened[*start] = true;
  while (!path.empty()) {
    Open& here = path.back();
    if (here.next == edges_[here.node].size()) {
      path.pop_back();
      continue;
    }
    const auto [base, edge] = edges_[here.node][here.next++];
    steps.push_back({path.size() - 1, edge, now_of(edge->base)});
    if (opened[base]) continue;
    opened[base] = true;
    path.push_back({base});
  }
  return steps;
}

std::string Towers::staircase(const ResultRef& result, const ResultNames& names) const {
  const auto name = [&names](const ResultRef& ref) {
    return clip(fold_lines(names ? names(ref) : ref.tool_call_id), kIdChars);
  };
  std::string text;
  std::size_t lines = 0;
  const std::vector<TowerStep> steps = steps_under(result);
  for (const TowerStep& step : steps) {
    if (lines++ == kStaircaseLines) {
      text +=
          fmt::format("+{} more (cap {} lines)\n", steps.size() - kStaircaseLines, kStaircaseLines);
      break;
    }
    text += fmt::format("{}{} used \"{}\" from {} ({} then, {} now)\n",
                        std::string(step.depth * 2, ' '), name(step.edge->result),
                        fold_lines(step.edge->value), name(step.edge->base),
                        name_of(step.edge->then), step.now ? name_of(*step.now) : "undeclared");
  }
  return text;
}

json::Value towers_to_json(const LedgerFold& fold) {
  const Towers towers(fold);
  json::ArrayBuilder list;
  for (const TowerEdge& edge : fold.edges()) {
    json::ObjectBuilder from;
    add_result(from, edge.result);
    json::ObjectBuilder to;
    add_result(to, edge.base);
    json::ObjectBuilder one;
    one.add("from", from.build());
    one.add("to", to.build());
    one.add("value", edge.value);
    one.add("then", name_of(edge.then));
    if (const StandingRow* row = fold.standing_of(edge.base))
      one.add("now", name_of(row->standing));
    one.add("onSetAsideGround", towers.on_set_aside_ground(edge.result));
    one.add("iteration", edge.iteration);
    list.add(one.build());
  }
  return list.build();
}

}  // namespace agentfootprint::findings
