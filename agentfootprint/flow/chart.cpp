// The chart builder: collects drafts and the faults it can see while they are added.
#include "agentfootprint/flow/chart.hpp"

#include <fmt/format.h>

#include "agentfootprint/base/hash.hpp"
#include "agentfootprint/flow/internal/draft.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::flow {

using internal::Draft;
using internal::DraftBranch;
using internal::NodeKind;

const std::string& Chart::name() const noexcept {
  return data_->name;
}
const std::string& Chart::hash() const noexcept {
  return data_->hash;
}
const json::Value& Chart::structure() const noexcept {
  return data_->structure;
}
bool Chart::is_async() const noexcept {
  return data_->has_async;
}

ChartBuilder::ChartBuilder(std::string name) : name_(std::move(name)) {}
ChartBuilder::ChartBuilder(const ChartBuilder&) = default;
ChartBuilder::ChartBuilder(ChartBuilder&&) noexcept = default;
ChartBuilder& ChartBuilder::operator=(const ChartBuilder&) = default;
ChartBuilder& ChartBuilder::operator=(ChartBuilder&&) noexcept = default;
ChartBuilder::~ChartBuilder() = default;

Draft& ChartBuilder::add(std::string id) {
  if (loop_) {
    issues_.push_back(
        {"flow-unreachable", id,
         fmt::format("'{}' stands behind loop_to('{}') and would never run: put it before "
                     "the loop or into a branch",
                     id, *loop_)});
  }
  drafts_.emplace_back();
  drafts_.back().id = std::move(id);
  return drafts_.back();
}

ChartBuilder& ChartBuilder::add_stage(std::string id, Stage function,
                                      std::shared_ptr<internal::AsyncBody> coroutine) {
  Draft& draft = add(std::move(id));
  draft.function = std::move(function);
  draft.coroutine = std::move(coroutine);
  return *this;
}

ChartBuilder& ChartBuilder::pausable(std::string id, PauseFn execute, ResumeFn resume) {
  Draft& draft = add(std::move(id));
  draft.kind = NodeKind::pausable;
  draft.pause = std::move(execute);
  draft.resume = std::move(resume);
  return *this;
}

ChartBuilder& ChartBuilder::mount(std::string id, Chart chart, MountOptions options) {
  Draft& draft = add(std::move(id));
  draft.kind = NodeKind::mount;
  draft.mounted = chart.data();
  draft.mount = std::move(options);
  return *this;
}

ChartBuilder& ChartBuilder::for_each(std::string id, ForEach over, Chart body) {
  Draft& draft = add(std::move(id));
  draft.kind = NodeKind::fork;
  draft.fork.join = Join::merge_disjoint;
  draft.fork.on_error = over.on_error;
  draft.each = std::make_shared<const ForEach>(std::move(over));
  Draft repeated;
  repeated.kind = NodeKind::mount;
  repeated.id = draft.id + "~";
  repeated.each_body = true;
  repeated.mounted = body.data();
  DraftBranch branch;
  branch.id = repeated.id;
  branch.steps.push_back(std::move(repeated));
  draft.branches.push_back(std::move(branch));
  return *this;
}

ChartBuilder& ChartBuilder::decide(std::string id, Rules rules) {
  Draft& draft = add(std::move(id));
  draft.kind = NodeKind::decide;
  draft.otherwise = rules.otherwise_branch();
  draft.rules = std::make_shared<const Rules>(std::move(rules));
  return *this;
}

ChartBuilder& ChartBuilder::decide(std::string id, DecideFn function) {
  Draft& draft = add(std::move(id));
  draft.kind = NodeKind::decide;
  draft.decide = std::move(function);
  return *this;
}

ChartBuilder& ChartBuilder::fork(std::string id, ForkOptions options) {
  Draft& draft = add(std::move(id));
  draft.kind = NodeKind::fork;
  draft.fork = options;
  return *this;
}

ChartBuilder& ChartBuilder::select(std::string id, Rules rules, ForkOptions options) {
  fork(std::move(id), options);
  drafts_.back().selects = true;
  drafts_.back().rules = std::make_shared<const Rules>(std::move(rules));
  return *this;
}

ChartBuilder& ChartBuilder::select(std::string id, SelectFn function, ForkOptions options) {
  fork(std::move(id), options);
  drafts_.back().selects = true;
  drafts_.back().select = std::move(function);
  return *this;
}

Draft* ChartBuilder::last_owner(std::string_view verb) {
  if (!drafts_.empty() && !loop_) {
    Draft& last = drafts_.back();
    const bool owns = last.kind == NodeKind::decide || last.kind == NodeKind::fork;
    if (owns && !last.each) return &last;
  }
  issues_.push_back({"flow-misplaced", std::string(verb),
                     fmt::format("{} belongs right behind a decide, fork or select", verb)});
  return nullptr;
}

Draft* ChartBuilder::last_stage(std::string_view verb) {
  std::vector<Draft>* steps = &drafts_;
  while (!steps->empty() && !loop_) {
    Draft& last = steps->back();
    if (last.branches.empty() || last.each) return &last;
    if (last.branches.back().loop) break;
    steps = &last.branches.back().steps;
  }
  issues_.push_back(
      {"flow-misplaced", std::string(verb), fmt::format("{} belongs right behind a stage", verb)});
  return nullptr;
}

ChartBuilder& ChartBuilder::branch(std::string id, ChartBuilder steps) {
  issues_.insert(issues_.end(), steps.issues_.begin(), steps.issues_.end());
  if (Draft* owner = last_owner("branch")) {
    owner->branches.push_back({std::move(id), std::move(steps.drafts_), std::move(steps.loop_)});
  }
  return *this;
}

ChartBuilder& ChartBuilder::branch(std::string id, Chart chart, MountOptions options) {
  ChartBuilder one;
  one.mount(id, std::move(chart), std::move(options));
  return branch(std::move(id), std::move(one));
}

ChartBuilder& ChartBuilder::otherwise(std::string branch_id) {
  Draft* owner = last_owner("otherwise");
  if (owner != nullptr) owner->otherwise = std::move(branch_id);
  return *this;
}

ChartBuilder& ChartBuilder::loop_to(std::string id) {
  if (loop_) {
    issues_.push_back(
        {"flow-loop", id,
         fmt::format("the sequence loops to '{}' already: it cannot also loop to '{}'", *loop_,
                     id)});
  } else {
    loop_ = std::move(id);
  }
  return *this;
}

ChartBuilder& ChartBuilder::retry(RetryPolicy policy) {
  Draft* draft = last_stage("retry");
  if (draft == nullptr) return *this;
  if (draft->kind != NodeKind::stage || policy.attempts < 1 || draft->retry) {
    issues_.push_back({"flow-retry", draft->id,
                       fmt::format("retry of '{}': it must be a stage, get one policy, and have at "
                                   "least 1 attempt",
                                   draft->id)});
    return *this;
  }
  draft->retry = std::make_shared<const RetryPolicy>(std::move(policy));
  return *this;
}

ChartBuilder& ChartBuilder::describe(std::string text) {
  if (Draft* draft = last_stage("describe")) draft->description = std::move(text);
  return *this;
}

Chart ChartBuilder::build() const {
  auto data = std::make_shared<internal::ChartData>();
  std::vector<Issue> issues = issues_;
  const internal::Outline outline{name_, drafts_, loop_};
  internal::compile(outline, *data, issues);
  if (!issues.empty()) throw Refusal(std::move(issues));
  data->structure = internal::structure_of(outline);
  data->hash = sha256_hex(json::dump_canonical(data->structure));
  return Chart(std::move(data));
}

}  // namespace agentfootprint::flow
