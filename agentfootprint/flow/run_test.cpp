// Charts end to end: order, state, decisions, forks, mounts, loops, retries, budgets, observers.
#include "agentfootprint/flow/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::flow {
namespace {

using testing::ElementsAre;

const Key<std::int64_t> kX("x");
const Key<std::int64_t> kY("y");
const Key<std::int64_t> kN("n");
const Key<std::vector<std::string>> kList("list");

std::vector<std::string> steps_of(const Log& log) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < log.size(); ++i) out.push_back(log.row(i).id());
  return out;
}

std::string state_of(const RunResult& result) {
  return json::dump(result.state().to_json());
}

void count_up(Scope& scope) {
  scope.set(kN, scope.get_or(kN, std::int64_t{0}) + 1);
}

TEST(Run, StagesFollowOneAnother) {
  const Chart chart = ChartBuilder("c")
                          .stage("a", [](Scope& s) { s.set(kX, 1); })
                          .stage("b", [](Scope& s) { s.set(kY, s.require(kX) + 1); })
                          .build();
  const RunResult result = run(chart);
  EXPECT_EQ(result.outcome, Outcome::completed);
  EXPECT_THAT(steps_of(result.log()), ElementsAre("a#0", "b#1"));
  EXPECT_EQ(state_of(result), R"({"x":1,"y":2})");
  EXPECT_EQ(json::dump(result.log().state_at(0).to_json()), R"({"x":1})");
  const auto reads = result.log().row(1).reads();
  ASSERT_EQ(reads.size(), 1u);
  EXPECT_EQ(reads[0].pointer, "/x");
  EXPECT_EQ(reads[0].writer, 0u);
}

TEST(Run, NoChangeLeavesAnEmptyRow) {
  const Chart chart = ChartBuilder("c")
                          .stage("a", [](Scope& s) { s.set(kX, 1); })
                          .stage("b", [](Scope& s) { s.set(kX, 1); })
                          .stage("c",
                                 [](Scope& s) {
                                   s.set(kX, 2);
                                   s.set(kX, 1);
                                 })
                          .build();
  const RunResult result = run(chart);
  EXPECT_EQ(result.log().row(0).write_count(), 1u);
  EXPECT_EQ(result.log().row(1).write_count(), 0u);
  EXPECT_EQ(result.log().row(2).write_count(), 0u);
}

TEST(Run, ALoopEndsByADecision) {
  const Chart chart = ChartBuilder("c")
                          .stage("l", count_up)
                          .decide("more", Rules().when(lt(kN, 3), "again").otherwise("end"))
                          .branch("again", steps().loop_to("l"))
                          .branch("end", [](Scope& s) { s.set(kX, 7); })
                          .stage("after", [](Scope&) {})
                          .build();
  const RunResult result = run(chart);
  EXPECT_THAT(steps_of(result.log()),
              ElementsAre("l#0", "more#1", "l#2", "more#3", "l#4", "more#5", "end#6", "after#7"));
  EXPECT_EQ(result.log().row(2).governor(), 1u);
  EXPECT_EQ(result.log().row(6).governor(), 5u);
  EXPECT_EQ(result.log().row(7).governor(), std::nullopt);
  const auto decision = result.log().row(5).decision();
  ASSERT_TRUE(decision);
  EXPECT_TRUE(decision->by_default);
  ASSERT_EQ(decision->rules.size(), 1u);
  EXPECT_EQ(json::dump(*decision->rules[0].conditions[0].actual), "3");
}

TEST(Run, AForkIsIsolatedAndItsReadsCrossTheJoin) {
  const Chart chart =
      ChartBuilder("c")
          .stage("r", [](Scope& s) { s.set("base", 1); })
          .fork("f")
          .branch("c1",
                  [](Scope& s) {
                    s.set("v", "one");
                    s.set("b", *s.get(Path("base")));
                  })
          .branch("c2", [](Scope& s) { s.set("v", "two"); })
          .stage("j", [](Scope& s) { s.set("sum", *s.get(Path("runs") / "c2" / "v")); })
          .build();
  const RunResult result = run(chart);
  EXPECT_EQ(state_of(result),
            R"({"base":1,"runs":{"c1":{"v":"one","b":1},"c2":{"v":"two"}},"sum":"two"})");
  EXPECT_THAT(steps_of(result.log()), ElementsAre("r#0", "f#1", "c1#2", "c2#3", "j#4"));
  ASSERT_EQ(result.log().row(4).reads().size(), 1u);
  EXPECT_EQ(result.log().row(4).reads()[0].writer, 3u);
  EXPECT_EQ(json::dump(result.log().state_at(2).to_json()),
            R"({"base":1,"runs":{"c1":{"v":"one","b":1}}})");
  EXPECT_EQ(result.log().row(3).writes()[0].pointer, "/runs/c2/v");
}

TEST(Run, AMergingForkRefusesAConflict) {
  ForkOptions merge;
  merge.join = Join::merge_disjoint;
  const auto build = [&](const char* second) {
    return ChartBuilder("c")
        .fork("f", merge)
        .branch("p", [](Scope& s) { s.set("a", 1); })
        .branch("q", [second](Scope& s) { s.set(second, 2); })
        .stage("j", [](Scope& s) { s.set("done", true); })
        .build();
  };
  EXPECT_EQ(state_of(run(build("b"))), R"({"a":1,"b":2,"done":true})");
  const RunResult conflict = run(build("a"));
  EXPECT_EQ(conflict.outcome, Outcome::failed);
  EXPECT_EQ(conflict.code, "flow-fork-conflict");
}

// The fork's own step ran before the pause; what ends it afterwards is told by that step.
TEST(Run, AMergingForkRefusesAConflictThatComesAfterAPause) {
  ForkOptions merge;
  merge.join = Join::merge_disjoint;
  const Chart chart = ChartBuilder("c")
                          .stage("first", [](Scope&) {})
                          .fork("f", merge)
                          .branch("p", [](Scope& s) { s.set("a", 1); })
                          .branch("q", [](Scope& s) { s.set("a", s.interrupt("which?")); })
                          .build();
  const RunResult paused = run(chart);
  ASSERT_EQ(paused.outcome, Outcome::paused);
  const std::vector<PauseAnswer> answers{{paused.pauses.front().id, json::Value(2)}};
  const RunResult conflict = resume(chart, paused.checkpoint(), answers);
  EXPECT_EQ(conflict.outcome, Outcome::failed);
  EXPECT_EQ(conflict.code, "flow-fork-conflict");
  EXPECT_EQ(conflict.step, "f#1");
}

TEST(Run, ALoopThatRunsOutAfterAPauseInItsForkSaysWhere) {
  const Chart chart = ChartBuilder("c")
                          .stage("top", [](Scope&) {})
                          .fork("f")
                          .branch("p", [](Scope& s) { (void)s.interrupt("again?"); })
                          .loop_to("top")
                          .build();
  Budgets budgets;
  budgets.loop_turns = 1;
  RunResult at = run(chart, RunOptions().with_budgets(budgets));
  for (int turn = 0; turn < 2; ++turn) {
    ASSERT_EQ(at.outcome, Outcome::paused);
    const std::vector<PauseAnswer> answers{{at.pauses.front().id, json::Value(1)}};
    at = resume(chart, at.checkpoint(), answers, RunOptions().with_budgets(budgets));
  }
  EXPECT_EQ(at.outcome, Outcome::exhausted);
  EXPECT_EQ(at.reason, "loop_turns");
  EXPECT_EQ(at.step, "f#5");
}

TEST(Run, AMountMapsInAndOut) {
  const Chart inner =
      ChartBuilder("inner").stage("in1", [](Scope& s) { s.set(kY, s.require(kX) * 2); }).build();
  MountOptions options;
  options.input = [](Scope& s) { s.set(kX, s.require(kX)); };
  options.output = [](Scope& s) { s.set("out", s.require(kY)); };
  const Chart chart = ChartBuilder("c")
                          .stage("a", [](Scope& s) { s.set(kX, 5); })
                          .mount("sub", inner, options)
                          .stage("b", [](Scope& s) { (void)s.get(Path("out")); })
                          .build();
  const RunResult result = run(chart);
  EXPECT_THAT(steps_of(result.log()), ElementsAre("a#0", "sub#1", "sub/in1#2", "sub#3", "b#4"));
  EXPECT_EQ(state_of(result), R"({"x":5,"out":10})");
  EXPECT_EQ(json::dump(result.log().state_at(2).to_json()), R"({"x":5,"y":10})");
  EXPECT_EQ(result.log().row(1).reads()[0].writer, 0u);
  EXPECT_EQ(result.log().row(2).reads()[0].writer, 1u);
  EXPECT_EQ(result.log().row(3).reads()[0].writer, 2u);
  EXPECT_EQ(result.log().row(4).reads()[0].writer, 3u);
}

TEST(Run, AFailureKeepsWhatWasWritten) {
  const Chart chart = ChartBuilder("c")
                          .stage("a", [](Scope& s) { s.set(kX, 1); })
                          .stage("b",
                                 [](Scope& s) {
                                   s.set(kY, 2);
                                   throw std::runtime_error("broken");
                                 })
                          .stage("c", [](Scope&) {})
                          .build();
  const RunResult result = run(chart);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.reason, "broken");
  EXPECT_EQ(result.step, "b#1");
  EXPECT_THROW(result.rethrow(), std::runtime_error);
  EXPECT_EQ(state_of(result), R"({"x":1,"y":2})");
  EXPECT_EQ(result.log().row(1).status(), RowStatus::failed);
}

TEST(Run, RetryThrowsFailedAttemptsAway) {
  int calls = 0;
  std::vector<std::int64_t> waits;
  RetryPolicy policy;
  policy.attempts = 3;
  policy.backoff_ms = [](int attempt) { return std::int64_t{attempt} * 10; };
  const Chart chart = ChartBuilder("c")
                          .stage("b",
                                 [&](Scope& s) {
                                   s.append("tries", s.attempt());
                                   if (++calls < 3) throw std::runtime_error("not yet");
                                 })
                          .retry(policy)
                          .build();
  RunOptions options;
  options.with_sleep([&](std::int64_t ms) { waits.push_back(ms); });
  const RunResult result = run(chart, std::move(options));
  EXPECT_EQ(result.outcome, Outcome::completed);
  EXPECT_EQ(state_of(result), R"({"tries":[3]})");
  EXPECT_THAT(waits, ElementsAre(20, 30));
  EXPECT_THAT(steps_of(result.log()), ElementsAre("b#0"));
}

TEST(Run, PauseInsideALoopInAForkInAMountGoesOn) {
  const Chart inner =
      ChartBuilder("inner")
          .stage("w", count_up)
          .fork("f")
          .branch("left", steps().pausable(
                              "ask", [](Scope& s) { return std::optional(*s.get(kN.path())); },
                              [](Scope& s, const json::Value& answer) { s.set("got", answer); }))
          .branch("right", [](Scope& s) { s.set("r", s.interrupt("which?")); })
          .decide("d", Rules().when(lt(kN, 2), "again").otherwise("end"))
          .branch("again", steps().loop_to("w"))
          .branch("end", [](Scope&) {})
          .build();
  MountOptions options;
  options.output = [](Scope& s) { s.set("runs_inside", *s.get(Path("runs"))); };
  const Chart chart = ChartBuilder("c").mount("m", inner, options).build();
  RunResult result = run(chart);
  for (int turn = 1; turn <= 2; ++turn) {
    ASSERT_EQ(result.outcome, Outcome::paused);
    ASSERT_EQ(result.pauses.size(), 2u);
    EXPECT_EQ(json::dump(result.pauses[0].data), std::to_string(turn));
    const json::Value checkpoint = json::parse_or_throw(json::dump(result.checkpoint()));
    // One answer at a time, alternating between the living run and its checkpoint.
    std::vector<PauseAnswer> first{{result.pauses[1].id, json::Value("r" + std::to_string(turn))}};
    const std::string other = result.pauses[0].id;
    RunResult half =
        turn == 1 ? resume(std::move(result), first) : resume(chart, checkpoint, first);
    ASSERT_EQ(half.outcome, Outcome::paused);
    ASSERT_EQ(half.pauses.size(), 1u);
    EXPECT_EQ(half.pauses[0].id, other);
    std::vector<PauseAnswer> second{{other, json::Value(turn)}};
    result = resume(chart, json::parse_or_throw(json::dump(half.checkpoint())), second);
  }
  EXPECT_EQ(result.outcome, Outcome::completed);
  EXPECT_EQ(state_of(result), R"({"runs_inside":{"left":{"got":2},"right":{"r":"r2"}}})");
}

TEST(Run, AppendsAreKnownAsAppends) {
  const Chart chart = ChartBuilder("c")
                          .stage("a", [](Scope& s) { s.append(kList, "one"); })
                          .stage("b",
                                 [](Scope& s) {
                                   s.append(kList, "two");
                                   s.append(kList, "three");
                                 })
                          .stage("c", [](Scope& s) { (void)s.element("list", 1); })
                          .build();
  const RunResult result = run(chart);
  EXPECT_EQ(result.log().row(0).writes()[0].verb, Verb::set);
  EXPECT_EQ(result.log().row(1).writes()[0].verb, Verb::append);
  EXPECT_EQ(json::dump(result.log().row(1).writes()[0].value), R"(["two","three"])");
  EXPECT_EQ(state_of(result), R"({"list":["one","two","three"]})");
  EXPECT_EQ(result.log().row(2).reads()[0].pointer, "/list/1");
  EXPECT_EQ(result.log().row(2).reads()[0].writer, 1u);
  EXPECT_EQ(json::dump(result.log().state_at(0).to_json()), R"({"list":["one"]})");
}

TEST(Run, PathsBelowOneAnotherHaveTheirOwnWriters) {
  const Chart chart =
      ChartBuilder("c")
          .stage("a", [](Scope& s) { s.set("o", json::parse_or_throw(R"({"a":1,"b":2})")); })
          .stage("b", [](Scope& s) { s.set(Path("o") / "a", 2); })
          .stage("c", [](Scope& s) { s.set("c", *s.get(Path("o") / "b")); })
          .stage("d", [](Scope& s) { s.set("d", *s.get(Path("o"))); })
          .stage("e", [](Scope& s) { s.erase(Path("o") / "b"); })
          .build();
  const RunResult result = run(chart);
  EXPECT_EQ(result.log().row(2).reads()[0].writer, 0u);
  ASSERT_EQ(result.log().row(3).reads().size(), 2u);
  EXPECT_EQ(result.log().row(3).reads()[1].writer, 1u);
  EXPECT_EQ(state_of(result), R"({"o":{"a":2},"c":2,"d":{"a":2,"b":2}})");
}

}  // namespace
}  // namespace agentfootprint::flow
