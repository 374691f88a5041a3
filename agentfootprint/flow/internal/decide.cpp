// Decisions: rules with their evidence, functions, and the branches they open.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/flow/internal/machine.hpp"

namespace agentfootprint::flow::internal {

bool Machine::rule_matches(Line& line, const Rule& rule, std::uint16_t number) {
  const auto row = static_cast<std::uint32_t>(log_->rows.size());
  Scope scope(line.frame);
  if (rule.function) {
    Evaluation evaluation;
    evaluation.row = row;
    evaluation.rule = number;
    line.frame.read_only = true;
    try {
      evaluation.result = rule.function(scope);
    } catch (const std::exception& error) {
      evaluation.present = true;  // a function that threw: the message is what it "saw"
      evaluation.actual = json::Value(error.what());
    }
    line.frame.read_only = false;
    log_->evaluations.push_back(std::move(evaluation));
    return log_->evaluations.back().result;
  }
  bool matched = true;
  for (std::size_t i = 0; i < rule.conditions.size(); ++i) {
    const Condition& condition = rule.conditions[i];
    const auto actual = scope.get(condition.path);
    Evaluation evaluation;
    evaluation.row = row;
    evaluation.rule = number;
    evaluation.condition = static_cast<std::uint16_t>(i);
    evaluation.result = holds(condition, actual);
    evaluation.present = actual.has_value();
    evaluation.redacted = log_->paths.is_redacted(log_->paths.resolve(condition.path));
    if (actual && !evaluation.redacted) evaluation.actual = *actual;
    matched = matched && evaluation.result;
    log_->evaluations.push_back(std::move(evaluation));
  }
  return matched;
}

std::vector<std::uint32_t> Machine::matching(Line& line, const Node& node, bool all,
                                             Decision& decision) {
  std::vector<std::uint32_t> out;
  const std::vector<Rule>& rules = node.rules->rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (!rule_matches(line, rules[i], static_cast<std::uint16_t>(i))) continue;
    if (decision.rule == kNone) decision.rule = static_cast<std::uint32_t>(i);
    const std::uint32_t branch = node.rule_branch[i];
    if (std::find(out.begin(), out.end(), branch) == out.end()) out.push_back(branch);
    if (!all) break;
  }
  return out;
}

void Machine::run_decide(Line& line, const Node& node) {
  Decision decision;
  std::uint32_t branch = kNone;
  std::string named;
  const bool done = guarded(line, node, [&] {
    if (node.rules) {
      const auto chosen = matching(line, node, false, decision);
      if (!chosen.empty()) branch = chosen.front();
    } else {
      Scope scope(line.frame);
      named = node.decide(scope);
      branch = node.branch_named(named);
    }
  });
  if (!done) return;
  if (branch == kNone) {
    branch = node.default_branch;
    decision.by_default = branch != kNone;
  }
  const bool broke = line.frame.broke;
  const std::uint32_t row = commit_here(line, RowKind::decide, RowStatus::done);
  decision.row = row;
  if (!broke) decision.branch = branch;
  log_->decisions.push_back(std::move(decision));
  if (broke) {
    end_broken(line, line.frame.break_reason);
    return;
  }
  if (branch == kNone) {
    log_->notes[row] = fmt::format("no branch '{}' and no default", named);
    line.ended_at = step_id(line);
    fail(line, LineStatus::failed, "flow-no-branch",
         node.rules ? fmt::format("no rule of '{}' matched and it has no otherwise()", node.id)
                    : fmt::format("'{}' chose '{}', which is none of its branches, and it has no "
                                  "otherwise()",
                                  node.id, named));
    return;
  }
  if (observed(EventKind::decided)) {
    Event event;
    event.kind = EventKind::decided;
    event.text = node.branches[branch].id;
    notify(event, &line);
  }
  line.place.governors.resize(node.level, kNone);
  line.place.governors.push_back(row);
  go(line, node.branches[branch].first);
}

// Reads the list of a for_each and makes room for its results. Gives the number of branches.
std::size_t Machine::stage_results(Line& line, const Node& node) {
  Scope scope(line.frame);
  const auto items = scope.get(node.each->items);
  if (items && !items->is_array() && !items->is_null()) {
    throw Error("flow-for-each",
                fmt::format("'{}' runs for each element of {}, which holds {}: make it an array",
                            node.id, node.each->items.pointer(), json::name_of(items->kind())));
  }
  const std::size_t count = items ? items->size() : 0;
  if (count > options_.budgets.width) return count;  // opening the branches will say so
  scope.set(node.each->into, json::array(std::vector<json::Value>(count)));
  // In an isolated branch the array must be the branch's own, or each result would write it whole.
  line.frame.staged.items.back().keep = line.prefix != kRootPath && line.mounts.empty();
  return count;
}

// The input of a for_each's mount.
void Machine::map_item(Line& line) {
  Scope scope(line.frame);
  const ForEach& each = *line.parent->fork->node->each;
  scope.set("item", scope.element(each.items, line.item).value_or(json::Value()));
  scope.set("index", line.item);
}

// Its output: the result goes to the place of its element.
void Machine::map_result(Line& line) {
  Scope scope(line.frame);
  const ForEach& each = *line.parent->fork->node->each;
  json::Value result;
  if (each.result) {
    result = scope.get(*each.result).value_or(json::Value());
  } else {
    json::ObjectBuilder all;
    const json::Value state = View{*log_, line.frame.read_root, nullptr}.whole();
    for (const json::Member& member : state.members()) {
      all.add_if(member.key(), scope.get(Path(member.key())));
    }
    result = all.build();
  }
  scope.set(each.into / line.item, std::move(result));
}

void Machine::run_fork(Line& line, const Node& node) {
  Decision decision;
  std::vector<std::uint32_t> chosen;
  const bool selects = node.rules || node.select;
  const bool done = guarded(line, node, [&] {
    if (node.rules) {
      chosen = matching(line, node, true, decision);
    } else if (node.select) {
      Scope scope(line.frame);
      for (const std::string& name : node.select(scope)) {
        const std::uint32_t branch = node.branch_named(name);
        if (branch == kNone) {
          throw Error("flow-no-branch",
                      fmt::format("'{}' chose '{}', which is none of its branches", node.id, name));
        }
        if (std::find(chosen.begin(), chosen.end(), branch) == chosen.end())
          chosen.push_back(branch);
      }
    } else {
      const std::size_t count = node.each ? stage_results(line, node) : node.branches.size();
      chosen.resize(count);
      std::iota(chosen.begin(), chosen.end(), 0U);
    }
  });
  if (!done) return;
  std::sort(chosen.begin(), chosen.end());
  const std::uint32_t row =
      commit_here(line, selects ? RowKind::select : RowKind::fork, RowStatus::done);
  if (selects) {
    decision.row = row;
    decision.selected = chosen;
    log_->decisions.push_back(std::move(decision));
  }
  if (line.frame.broke) {
    end_broken(line, line.frame.break_reason);
    return;
  }
  open_branches(line, node, chosen, selects ? row : kNone);
}

}  // namespace agentfootprint::flow::internal
