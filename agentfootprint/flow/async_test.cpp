// Coroutine stages: interleaving, order of rows, cancellation, deadline, fail-fast, pauses.
#include "agentfootprint/flow/async.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::flow {
namespace {

using testing::ElementsAre;

class WaitFor {
 public:
  WaitFor(std::int64_t ms, std::string value) : ms_(ms), value_(std::move(value)) {}
  Task<void> operator()(Scope& scope) const {
    scope.set("begun", true);
    co_await sleep_for(scope.clock(), ms_, scope.cancel_token());
    scope.set("v", value_);
  }

 private:
  std::int64_t ms_;
  std::string value_;
};

std::vector<std::string> steps_of(const Log& log) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < log.size(); ++i) out.push_back(log.row(i).id());
  return out;
}

RunResult run_on(DeterministicLoop& loop, const Chart& chart, RunOptions options = RunOptions()) {
  options.with_clock(loop.clock());
  return loop.run(run_async(chart, std::move(options)));
}

TEST(Async, BranchesOverlapAndRowsStandInOrderOfDeclaration) {
  const Chart chart =
      ChartBuilder("c")
          .stage("r", [](Scope& s) { s.set("base", 1); })
          .fork("f")
          .branch("c1", steps()
                            .stage("c1", WaitFor(30, "one"))
                            .stage("d1", [](Scope& s) { s.set("after", *s.get(Path("v"))); }))
          .branch("c2", WaitFor(10, "two"))
          .stage("j", [](Scope& s) { s.set("sum", *s.get(Path("runs") / "c1" / "after")); })
          .build();
  DeterministicLoop loop;
  const RunResult result = run_on(loop, chart);
  EXPECT_EQ(result.outcome, Outcome::completed);
  EXPECT_EQ(loop.clock().wall_ms(), 30);
  EXPECT_THAT(steps_of(result.log()), ElementsAre("r#0", "f#1", "c1#2", "d1#4", "c2#3", "j#5"));
  EXPECT_EQ(json::dump(result.state().to_json()),
            R"({"base":1,"runs":{"c1":{"begun":true,"v":"one","after":"one"},)"
            R"("c2":{"begun":true,"v":"two"}},"sum":"one"})");
  EXPECT_EQ(result.log().row(3).reads()[0].writer, 2u);
  EXPECT_EQ(result.log().row(5).reads()[0].writer, 3u);
}

TEST(Async, FailFastReallyCancels) {
  ForkOptions options;
  options.on_error = OnBranchError::fail_fast;
  const Chart chart = ChartBuilder("c")
                          .fork("f", options)
                          .branch("slow", WaitFor(1000, "never"))
                          .branch("bad",
                                  [](Scope& scope) -> Task<void> {
                                    co_await sleep_for(scope.clock(), 5);
                                    throw Error("flow-missing", "made up");
                                  })
                          .stage("j", [](Scope&) {})
                          .build();
  DeterministicLoop loop;
  const RunResult result = run_on(loop, chart);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.reason, "made up");
  EXPECT_EQ(loop.clock().wall_ms(), 5);
  ASSERT_EQ(result.log().size(), 3u);
  EXPECT_EQ(result.log().row(1).status(), RowStatus::cancelled);
  EXPECT_EQ(json::dump(result.log().row(1).writes()[0].value), "true");
}

TEST(Async, TheDeadlineEndsAStageThatWaits) {
  DeterministicLoop loop;
  CancelSource source;
  source.set_deadline(loop.clock(), 50'000'000);
  const Chart chart = ChartBuilder("c").stage("a", WaitFor(200, "late")).build();
  RunOptions options;
  options.with_cancel(source.token());
  const RunResult result = run_on(loop, chart, std::move(options));
  EXPECT_EQ(result.outcome, Outcome::cancelled);
  EXPECT_EQ(result.code, "deadline");
  EXPECT_EQ(loop.clock().wall_ms(), 50);
  EXPECT_EQ(result.log().row(0).write_count(), 1u);
}

TEST(Async, TheDeadlineEndsAnAwaitThatTakesNoToken) {
  DeterministicLoop loop;
  CancelSource source;
  source.set_deadline(loop.clock(), 50'000'000);
  const Chart chart = ChartBuilder("c")
                          .stage("a",
                                 [](Scope& scope) -> Task<void> {
                                   co_await sleep_for(scope.clock(), 10'000);
                                   scope.set("late", true);
                                 })
                          .build();
  RunOptions options;
  options.with_cancel(source.token());
  const RunResult result = run_on(loop, chart, std::move(options));
  EXPECT_EQ(result.outcome, Outcome::cancelled);
  EXPECT_EQ(loop.clock().wall_ms(), 50);
  EXPECT_EQ(json::dump(result.state().to_json()), "{}");
}

TEST(Async, ARetryWaitsThroughTheClock) {
  RetryPolicy policy;
  policy.attempts = 3;
  policy.backoff_ms = [](int) { return std::int64_t{100}; };
  const Chart chart = ChartBuilder("c")
                          .stage("a",
                                 [](Scope& scope) -> Task<void> {
                                   co_await sleep_for(scope.clock(), 1);
                                   if (scope.attempt() < 3) throw Error("flow-missing", "again");
                                   scope.set("attempt", scope.attempt());
                                 })
                          .retry(policy)
                          .build();
  DeterministicLoop loop;
  const RunResult result = run_on(loop, chart);
  EXPECT_EQ(result.outcome, Outcome::completed);
  EXPECT_EQ(loop.clock().wall_ms(), 203);
  EXPECT_EQ(json::dump(result.state().to_json()), R"({"attempt":3})");
}

TEST(Async, APauseInABranchResumesInPlace) {
  const Chart chart = ChartBuilder("c")
                          .fork("f")
                          .branch("p",
                                  [](Scope& scope) -> Task<void> {
                                    co_await sleep_for(scope.clock(), 1);
                                    scope.set("answer", scope.interrupt("?"));
                                  })
                          .branch("q", WaitFor(5, "done"))
                          .stage("j", [](Scope& s) { s.set("end", true); })
                          .build();
  DeterministicLoop loop;
  RunResult paused = run_on(loop, chart);
  ASSERT_EQ(paused.outcome, Outcome::paused);
  ASSERT_EQ(paused.pauses.size(), 1u);
  std::vector<PauseAnswer> answers{{paused.pauses[0].id, json::Value(7)}};
  const json::Value checkpoint = paused.checkpoint();
  const RunResult inside = loop.run(resume_async(std::move(paused), answers));
  RunOptions options;
  options.with_clock(loop.clock());
  const RunResult outside = loop.run(resume_async(chart, checkpoint, answers, std::move(options)));
  const std::string want =
      R"({"runs":{"p":{"answer":7},"q":{"begun":true,"v":"done"}},"end":true})";
  EXPECT_EQ(json::dump(inside.state().to_json()), want);
  EXPECT_EQ(outside.outcome, Outcome::completed);
  EXPECT_EQ(json::dump(outside.state().to_json()), want);
  EXPECT_THAT(steps_of(inside.log()), ElementsAre("f#0", "p#1", "p#3", "q#2", "j#4"));
}

TEST(Async, ASynchronousRunRefusesCoroutines) {
  const Chart chart = ChartBuilder("c").stage("a", WaitFor(1, "x")).build();
  EXPECT_TRUE(chart.is_async());
  EXPECT_THROW((void)run(chart), Error);
}

}  // namespace
}  // namespace agentfootprint::flow
