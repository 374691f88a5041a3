// Charts: what runs, in which order. Built once, checked at build, immutable, shared by any number
// of runs.
//
// What: `ChartBuilder` adds steps one behind the other: stages, pausable stages, decisions with
// branches, forks, mounts of other charts (once, or for each element of a list), and at most one
// `loop_to` at the end of a sequence.
// `branch` belongs to the decision or fork added last. `build` refuses, with every fault at once,
// what could not run: ids with `/ # ~`, ids used twice, unknown branches or loop targets, steps
// behind a loop.
//
// When to use: for any flow that must be able to say why. A stage is a callable `void(Scope&)`;
// with flow/async.hpp included also `Task<void>(Scope&)`.
//
// Not guaranteed: anything about what stages do outside their scope. Stages of one chart run at the
// same time in different runs: keep what belongs to a run in the state or in
// `RunOptions::with_context`.
//
// Limits: ids and names 200 bytes, 100,000 steps a chart, decisions 64 deep.
//
// Example:
//   const flow::Key<std::int64_t> count("count");
//   flow::Chart chart = flow::ChartBuilder("counter")
//       .stage("start", [&](flow::Scope& s) { (void)s; })
//       .stage("work", [&](flow::Scope& s) { (void)s; })
//       .decide("more", flow::Rules().when(flow::lt(count, 3), "again").otherwise("end"))
//       .branch("again", flow::steps().loop_to("work"))
//       .branch("end", [](flow::Scope&) {})
//       .build();
//   std::string hash = chart.hash();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/flow/rules.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::flow {

class Scope;
class ChartBuilder;
namespace internal {
struct ChartData;
class AsyncBody;
template <class F>
struct AsyncBodyOf;  // flow/async.hpp
struct Draft;
}  // namespace internal

using Stage = std::function<void(Scope&)>;
using DecideFn = std::function<std::string(Scope&)>;               // the branch
using SelectFn = std::function<std::vector<std::string>(Scope&)>;  // the branches
// Returns what to ask; empty: go on without a pause.
using PauseFn = std::function<std::optional<json::Value>(Scope&)>;
using ResumeFn = std::function<void(Scope&, const json::Value& answer)>;

// How the writes of a fork's branches reach the state behind it.
enum class Join : std::uint8_t {
  isolated,        // under `runs/<branch>/…`
  merge_disjoint,  // in place; two branches that wrote one path, or one above it, fail the run
};
enum class OnBranchError : std::uint8_t {
  wait_all,  // every branch ends, then the run fails with the first failure in order of declaration
  fail_fast,  // the first failure cancels the branches that still run, then the run fails
  tolerate,   // the run goes on; the failure stays in the row
};

struct ForkOptions {
  Join join = Join::isolated;
  OnBranchError on_error = OnBranchError::wait_all;
};

struct MountOptions {
  // Copy between the two states: reads come from the one, writes go to the other, and both are
  // recorded.
  Stage input;   // from the chart that mounts to the mounted one; none: it starts empty
  Stage output;  // back; none: nothing comes back
  bool propagate_break = false;
};

// A fork whose branches are made while running: one for each element of a list.
struct ForEach {
  Path items;                  // the list; absent or null counts as empty
  Path into;                   // an array of the results, in the order of the list
  std::optional<Path> result;  // what of a branch's state is its result; none: all of it
  OnBranchError on_error = OnBranchError::wait_all;
};

struct RetryPolicy {
  int attempts = 2;  // in all, at least 1
  // Milliseconds before the attempt with this number (the first repetition has number 2).
  std::function<std::int64_t(int attempt)> backoff_ms;
  // Which failures are worth another attempt; none: all.
  std::function<bool(const std::exception&)> retry_on;
};

class Chart {
 public:
  [[nodiscard]] const std::string& name() const noexcept;
  // SHA-256 of the structure: ids, kinds, edges, policies, rules, mounted charts; functions do not
  // count.
  [[nodiscard]] const std::string& hash() const noexcept;
  [[nodiscard]] const json::Value& structure() const noexcept;
  // Has it a coroutine stage, in itself or in a mount?
  [[nodiscard]] bool is_async() const noexcept;
  [[nodiscard]] const std::shared_ptr<const internal::ChartData>& data() const noexcept {
    return data_;
  }

 private:
  friend class ChartBuilder;
  explicit Chart(std::shared_ptr<const internal::ChartData> data) : data_(std::move(data)) {}
  std::shared_ptr<const internal::ChartData> data_;
};

class ChartBuilder {
 public:
  explicit ChartBuilder(std::string name = "");
  ChartBuilder(const ChartBuilder&);
  ChartBuilder(ChartBuilder&&) noexcept;
  ChartBuilder& operator=(const ChartBuilder&);
  ChartBuilder& operator=(ChartBuilder&&) noexcept;
  ~ChartBuilder();

  template <class F>
  ChartBuilder& stage(std::string id, F function) {
    if constexpr (std::is_void_v<std::invoke_result_t<F&, Scope&>>) {
      return add_stage(std::move(id), Stage(std::move(function)), nullptr);
    } else {
      // A coroutine: include flow/async.hpp.
      return add_stage(std::move(id), nullptr, internal::AsyncBodyOf<F>::make(std::move(function)));
    }
  }
  // `execute` may ask; then `resume` runs instead of it with the answer.
  ChartBuilder& pausable(std::string id, PauseFn execute, ResumeFn resume);
  ChartBuilder& mount(std::string id, Chart chart, MountOptions options = {});

  // Exactly one branch runs, then what follows the decision.
  ChartBuilder& decide(std::string id, Rules rules);
  ChartBuilder& decide(std::string id, DecideFn function);
  // Runs `body` as a mount for each element of a list; its state starts with `item` and `index`.
  // The branch of element 2 is called `id~2`. A branch that failed leaves null in the results.
  ChartBuilder& for_each(std::string id, ForEach over, Chart body);
  // Every branch runs.
  ChartBuilder& fork(std::string id, ForkOptions options = {});
  // The chosen branches run, as those of a fork; choosing one twice runs it once.
  ChartBuilder& select(std::string id, Rules rules, ForkOptions options = {});
  ChartBuilder& select(std::string id, SelectFn function, ForkOptions options = {});

  // A branch of the decision or fork added last: one stage, several steps, or a mount.
  template <class F>
    requires(std::is_invocable_v<F&, Scope&>)
  ChartBuilder& branch(std::string id, F function) {
    ChartBuilder one;
    one.stage(id, std::move(function));
    return branch(std::move(id), std::move(one));
  }
  ChartBuilder& branch(std::string id, ChartBuilder steps);
  ChartBuilder& branch(std::string id, Chart chart, MountOptions options = {});
  // The branch of a decision made by a function when it names none that exists.
  ChartBuilder& otherwise(std::string branch_id);

  // The end of this sequence: go back to a step of it, or of one around it.
  ChartBuilder& loop_to(std::string id);
  // For the stage added last (the last stage of a branch added last).
  ChartBuilder& retry(RetryPolicy policy);
  ChartBuilder& describe(std::string text);

  // Throws Refusal with every fault found.
  [[nodiscard]] Chart build() const;

 private:
  ChartBuilder& add_stage(std::string id, Stage function,
                          std::shared_ptr<internal::AsyncBody> coroutine);
  internal::Draft& add(std::string id);
  internal::Draft* last_owner(std::string_view verb);
  internal::Draft* last_stage(std::string_view verb);

  std::string name_;
  std::vector<internal::Draft> drafts_;
  std::optional<std::string> loop_;
  std::vector<Issue> issues_;  // faults seen while adding
};

// A sequence of steps for a branch.
[[nodiscard]] inline ChartBuilder steps() {
  return ChartBuilder();
}

}  // namespace agentfootprint::flow
