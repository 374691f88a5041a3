// The node table a chart is compiled to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agentfootprint/flow/chart.hpp"

namespace agentfootprint::flow::internal {

inline constexpr std::uint32_t kNone = 0xffffffff;

enum class NodeKind : std::uint8_t { stage, pausable, decide, fork, mount };

// Where to go: a node and, when the way there is a loop, the loop's number.
struct Jump {
  std::uint32_t node = kNone;  // kNone: the end
  std::uint32_t loop = kNone;
};

struct Branch {
  std::string id;
  Jump first;
};

struct Node {
  NodeKind kind = NodeKind::stage;
  bool has_async = false;   // a coroutine stage in it or below it
  std::uint16_t level = 0;  // decisions around it
  std::uint32_t sequence = 0;
  std::uint32_t position = 0;  // in its sequence
  Jump next;
  std::string id;
  std::string description;

  Stage function;
  std::shared_ptr<AsyncBody> coroutine;
  PauseFn pause;
  ResumeFn resume;
  std::shared_ptr<const RetryPolicy> retry;
  std::shared_ptr<const Rules> rules;
  DecideFn decide;
  SelectFn select;
  std::vector<Branch> branches;
  std::vector<std::uint32_t> rule_branch;  // the branch each rule names
  std::uint32_t default_branch = kNone;
  ForkOptions fork;
  std::shared_ptr<const ForEach> each;  // of a fork whose branches are made from a list
  bool each_body = false;               // the mount that such a fork repeats
  std::shared_ptr<const ChartData> mounted;
  MountOptions mount;

  [[nodiscard]] std::uint32_t branch_named(std::string_view name) const noexcept {
    for (std::uint32_t i = 0; i < branches.size(); ++i) {
      if (branches[i].id == name) return i;
    }
    return kNone;
  }
};

struct Sequence {
  std::uint32_t parent = kNone;  // the sequence around it
  std::uint32_t position = 0;    // of the decision or fork it is a branch of
  bool fork_branch = false;
};

struct ChartData {
  std::string name;
  std::string hash;
  json::Value structure;
  bool has_async = false;
  std::vector<Node> nodes;
  std::vector<Sequence> sequences;
  std::uint32_t loops = 0;
  Jump entry;

  [[nodiscard]] std::uint32_t node_named(std::string_view id) const noexcept {
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].id == id) return i;
    }
    return kNone;
  }
};

}  // namespace agentfootprint::flow::internal
