// What a builder collects before it is compiled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/flow/internal/chart_data.hpp"

namespace agentfootprint::flow::internal {

struct DraftBranch;

struct Draft {
  NodeKind kind = NodeKind::stage;
  bool selects = false;  // a fork that chooses among its branches
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
  ForkOptions fork;
  std::shared_ptr<const ForEach> each;
  bool each_body = false;  // the mount that a for_each repeats
  std::optional<std::string> otherwise;
  std::shared_ptr<const ChartData> mounted;
  MountOptions mount;
  std::vector<DraftBranch> branches;
};

struct DraftBranch {
  std::string id;
  std::vector<Draft> steps;
  std::optional<std::string> loop;
};

struct Outline {
  const std::string& name;
  const std::vector<Draft>& steps;
  const std::optional<std::string>& loop;
};

// Fills `out` and adds every fault found to `issues`.
void compile(const Outline& outline, ChartData& out, std::vector<Issue>& issues);
[[nodiscard]] json::Value structure_of(const Outline& outline);

}  // namespace agentfootprint::flow::internal
