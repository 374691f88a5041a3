// Compiles drafts to a node table and finds what could not run.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "agentfootprint/flow/internal/draft.hpp"

namespace agentfootprint::flow::internal {
namespace {

constexpr std::size_t kMaxIdBytes = 200;
constexpr std::size_t kMaxNodes = 100'000;
constexpr std::size_t kMaxLevel = 64;
constexpr std::size_t kMaxRules = 1000;

class Compiler {
 public:
  Compiler(ChartData& out, std::vector<Issue>& issues) : out_(out), issues_(issues) {}

  void run(const Outline& outline) {
    if (outline.steps.empty()) {
      fault("flow-empty", outline.name, "a chart needs at least one step");
      return;
    }
    out_.name = outline.name;
    const std::uint32_t top = place(outline.steps, Sequence(), 0);
    if (out_.nodes.size() > kMaxNodes)
      fault("flow-limit", outline.name, "a chart has at most 100,000 steps");
    out_.entry = link(outline.steps, outline.loop, top, Jump());
    for (Node& node : out_.nodes) out_.has_async = out_.has_async || node.has_async;
  }

 private:
  void fault(std::string_view code, std::string_view field, std::string message) {
    issues_.push_back({std::string(code), std::string(field), std::move(message)});
  }

  void check_id(std::string_view id, std::string_view what) {
    if (id.empty() || id.size() > kMaxIdBytes) {
      fault("flow-id", id, fmt::format("the {} id '{}' must have 1 to 200 bytes", what, id));
    } else if (id.find_first_of("/#~") != std::string_view::npos) {
      fault(
          "flow-id", id,
          fmt::format("the {} id '{}' must not contain / # ~, which separate the parts of step ids",
                      what, id));
    }
  }

  // Numbers every step and sequence, so that loops can name what comes later.
  std::uint32_t place(const std::vector<Draft>& steps, Sequence sequence, std::size_t level) {
    const auto number = static_cast<std::uint32_t>(out_.sequences.size());
    out_.sequences.push_back(sequence);
    sequence_of_[&steps] = number;
    if (level > kMaxLevel) {
      fault("flow-limit", "", "decisions and forks nest at most 64 deep");
      return number;
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto at = static_cast<std::uint32_t>(out_.nodes.size());
      node_of_[&steps[i]] = at;
      fill(steps[i], number, static_cast<std::uint32_t>(i), level);
      for (const DraftBranch& branch : steps[i].branches) {
        Sequence below;
        below.parent = number;
        below.position = static_cast<std::uint32_t>(i);
        below.fork_branch = steps[i].kind == NodeKind::fork;
        place(branch.steps, below, level + (below.fork_branch ? 0 : 1));
      }
      for (std::size_t n = at + 1; n < out_.nodes.size(); ++n) {
        if (out_.nodes[n].has_async) out_.nodes[at].has_async = true;
      }
    }
    return number;
  }

  void fill(const Draft& draft, std::uint32_t sequence, std::uint32_t position, std::size_t level) {
    if (!draft.each_body) check_id(draft.id, "step");
    if (!ids_.emplace(draft.id, static_cast<std::uint32_t>(out_.nodes.size())).second) {
      fault("flow-duplicate-id", draft.id,
            fmt::format("two steps have the id '{}': a step id names one step of the chart",
                        draft.id));
    }
    Node node;
    node.kind = draft.kind;
    node.level = static_cast<std::uint16_t>(level);
    node.sequence = sequence;
    node.position = position;
    node.id = draft.id;
    node.description = draft.description;
    node.function = draft.function;
    node.coroutine = draft.coroutine;
    node.pause = draft.pause;
    node.resume = draft.resume;
    node.retry = draft.retry;
    node.rules = draft.rules;
    node.decide = draft.decide;
    node.select = draft.select;
    node.fork = draft.fork;
    node.each = draft.each;
    node.each_body = draft.each_body;
    node.mounted = draft.mounted;
    node.mount = draft.mount;
    node.has_async = draft.coroutine != nullptr || (draft.mounted && draft.mounted->has_async);
    check_functions(draft);
    if (draft.each) check_each(draft);
    fill_branches(draft, node);
    out_.nodes.push_back(std::move(node));
  }

  void check_functions(const Draft& draft) {
    const bool missing = (draft.kind == NodeKind::stage && !draft.function && !draft.coroutine) ||
                         (draft.kind == NodeKind::pausable && (!draft.pause || !draft.resume)) ||
                         (draft.kind == NodeKind::decide && !draft.rules && !draft.decide) ||
                         (draft.selects && !draft.rules && !draft.select);
    if (missing) {
      fault("flow-function", draft.id, fmt::format("'{}' has no function to run", draft.id));
    }
  }

  void check_each(const Draft& draft) {
    const auto& items = draft.each->items.tokens();
    const auto& into = draft.each->into.tokens();
    if (std::equal(items.begin(),
                   items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), into.size())),
                   into.begin())) {
      fault("flow-for-each", draft.id,
            fmt::format("'{}' reads its list at {} and writes its results at {}: the one must not "
                        "lie in the other",
                        draft.id, draft.each->items.pointer(), draft.each->into.pointer()));
    }
  }

  void fill_branches(const Draft& draft, Node& node) {
    if (draft.kind != NodeKind::decide && draft.kind != NodeKind::fork) return;
    if (draft.branches.empty()) {
      fault("flow-branch", draft.id,
            fmt::format("'{}' has no branch: add one with branch()", draft.id));
    }
    std::set<std::string_view> seen;
    for (const DraftBranch& branch : draft.branches) {
      if (!draft.each) check_id(branch.id, "branch");
      if (!seen.insert(branch.id).second) {
        fault("flow-branch", branch.id,
              fmt::format("'{}' has two branches '{}'", draft.id, branch.id));
      }
      if (draft.kind == NodeKind::fork && branch.steps.empty()) {
        fault("flow-branch", branch.id,
              fmt::format("branch '{}' of fork '{}' has no step", branch.id, draft.id));
      }
      node.branches.push_back({branch.id, Jump()});
    }
    if (draft.otherwise) {
      node.default_branch = node.branch_named(*draft.otherwise);
      if (node.default_branch == kNone) {
        fault("flow-branch", *draft.otherwise,
              fmt::format("'{}' falls back to '{}', which is none of its branches", draft.id,
                          *draft.otherwise));
      }
    }
    if (draft.rules) check_rules(draft, node);
  }

  void check_rules(const Draft& draft, Node& node) {
    if (draft.selects && draft.rules->otherwise_branch()) {
      fault("flow-rule", draft.id,
            fmt::format("select '{}' has an otherwise(): when no rule matches nothing is chosen",
                        draft.id));
    }
    if (draft.rules->rules().size() > kMaxRules) {
      fault("flow-rule", draft.id, fmt::format("'{}' has more than 1,000 rules", draft.id));
    }
    for (const Rule& rule : draft.rules->rules()) {
      node.rule_branch.push_back(node.branch_named(rule.branch));
      if (node.rule_branch.back() == kNone) {
        fault("flow-rule", rule.branch,
              fmt::format("a rule of '{}' chooses '{}', which is none of its branches", draft.id,
                          rule.branch));
      }
      if (!rule.function && (rule.conditions.empty() || rule.conditions.size() > kMaxRules)) {
        fault(
            "flow-rule", draft.id,
            fmt::format("a rule of '{}' has no condition, or more than 1,000: it could never match",
                        draft.id));
      }
      for (const Condition& condition : rule.conditions) {
        if (condition.threshold.is_array() && condition.threshold.size() > 1000) {
          fault("flow-rule", condition.path.pointer(),
                fmt::format("a list of a rule of '{}' has more than 1,000 values", draft.id));
        }
      }
    }
  }

  Jump link(const std::vector<Draft>& steps, const std::optional<std::string>& loop,
            std::uint32_t sequence, Jump continuation) {
    Jump tail = continuation;
    if (loop) tail = resolve_loop(*loop, sequence, steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::uint32_t at = node_of_.at(&steps[i]);
      const Jump next = i + 1 < steps.size() ? Jump{node_of_.at(&steps[i + 1]), kNone} : tail;
      out_.nodes[at].next = next;
      bool goes_on = steps[i].branches.empty() || steps[i].kind == NodeKind::fork;
      for (std::size_t b = 0; b < steps[i].branches.size(); ++b) {
        const DraftBranch& branch = steps[i].branches[b];
        const Jump behind = steps[i].kind == NodeKind::fork ? Jump() : next;
        const auto below = sequence_of_.find(&branch.steps);
        if (below == sequence_of_.end()) continue;
        const Jump first = link(branch.steps, branch.loop, below->second, behind);
        if (b < out_.nodes[at].branches.size()) out_.nodes[at].branches[b].first = first;
        goes_on = goes_on || !branch.loop;
      }
      if (!goes_on && i + 1 < steps.size()) {
        fault("flow-unreachable", steps[i + 1].id,
              fmt::format("every branch of '{}' loops: '{}' behind it would never run", steps[i].id,
                          steps[i + 1].id));
      }
    }
    return steps.empty() ? tail : Jump{node_of_.at(&steps.front()), kNone};
  }

  Jump resolve_loop(const std::string& target, std::uint32_t sequence, std::size_t steps) {
    const auto found = ids_.find(target);
    if (found == ids_.end()) {
      fault("flow-loop", target,
            fmt::format("loop_to('{}'): the chart has no step with this id", target));
      return Jump();
    }
    const Node& node = out_.nodes[found->second];
    std::uint32_t at = sequence;
    std::size_t position = steps == 0 ? 0 : steps - 1;
    while (at != node.sequence && at != 0 && !out_.sequences[at].fork_branch) {
      position = out_.sequences[at].position;
      at = out_.sequences[at].parent;
    }
    if (at != node.sequence || node.position > position) {
      fault("flow-loop", target,
            fmt::format(
                "loop_to('{}'): a loop goes back to a step of its own sequence or of one around "
                "it, and not out of a fork",
                target));
      return Jump();
    }
    return Jump{found->second, out_.loops++};
  }

  ChartData& out_;
  std::vector<Issue>& issues_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::unordered_map<const Draft*, std::uint32_t> node_of_;
  std::unordered_map<const std::vector<Draft>*, std::uint32_t> sequence_of_;
};

std::string_view kind_name(const Draft& draft) {
  switch (draft.kind) {
    case NodeKind::stage:
      return "stage";
    case NodeKind::pausable:
      return "pausable";
    case NodeKind::decide:
      return "decide";
    case NodeKind::fork:
      return draft.each ? "for-each" : draft.selects ? "select" : "fork";
    case NodeKind::mount:
      return "mount";
  }
  return "";
}

json::Value rules_json(const Rules& rules) {
  json::ArrayBuilder out;
  for (const Rule& rule : rules.rules()) {
    json::ObjectBuilder one;
    json::ArrayBuilder conditions;
    for (const Condition& condition : rule.conditions) {
      json::ObjectBuilder c;
      c.add("key", condition.path.pointer()).add("op", name_of(condition.op));
      const bool unary = condition.op == Operator::absent || condition.op == Operator::present;
      if (!unary) c.add("threshold", condition.threshold);
      conditions.add(c.build());
    }
    if (rule.function) {
      one.add("function", true);
    } else {
      one.add("when", conditions.build());
    }
    one.add("then", rule.branch);
    if (!rule.label.empty()) one.add("label", rule.label);
    out.add(one.build());
  }
  return out.build();
}

json::Value sequence_json(const std::vector<Draft>& steps);

json::Value step_json(const Draft& draft) {
  json::ObjectBuilder out;
  out.add("id", draft.id).add("kind", kind_name(draft));
  if (!draft.description.empty()) out.add("description", draft.description);
  if (draft.coroutine) out.add("asynchronous", true);
  if (draft.retry) out.add("attempts", draft.retry->attempts);
  if (draft.rules) out.add("rules", rules_json(*draft.rules));
  if (draft.otherwise) out.add("otherwise", *draft.otherwise);
  if (draft.kind == NodeKind::fork) {
    if (draft.each) {
      out.add("items", draft.each->items.pointer()).add("into", draft.each->into.pointer());
      if (draft.each->result) out.add("result", draft.each->result->pointer());
    } else {
      out.add("join", draft.fork.join == Join::isolated ? "isolated" : "merge-disjoint");
    }
    static constexpr std::string_view kOnError[] = {"wait-all", "fail-fast", "tolerate"};
    out.add("onError", kOnError[static_cast<std::size_t>(draft.fork.on_error)]);
  }
  if (draft.mounted) {
    out.add("chart", draft.mounted->structure);
    if (draft.mount.propagate_break) out.add("propagateBreak", true);
  }
  if (!draft.branches.empty()) {
    json::ArrayBuilder branches;
    for (const DraftBranch& branch : draft.branches) {
      json::ObjectBuilder one;
      one.add("id", branch.id).add("steps", sequence_json(branch.steps));
      if (branch.loop) one.add("loopTo", *branch.loop);
      branches.add(one.build());
    }
    out.add("branches", branches.build());
  }
  return out.build();
}

json::Value sequence_json(const std::vector<Draft>& steps) {
  json::ArrayBuilder out;
  for (const Draft& draft : steps) out.add(step_json(draft));
  return out.build();
}

}  // namespace

void compile(const Outline& outline, ChartData& out, std::vector<Issue>& issues) {
  Compiler(out, issues).run(outline);
}

json::Value structure_of(const Outline& outline) {
  json::ObjectBuilder out;
  out.add("name", outline.name).add("steps", sequence_json(outline.steps));
  if (outline.loop) out.add("loopTo", *outline.loop);
  return out.build();
}

}  // namespace agentfootprint::flow::internal
