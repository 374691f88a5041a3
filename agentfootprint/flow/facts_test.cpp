// The facts F01 to F75 of the reference that are behaviour, as tests on this engine. Rows are
// checked in short form: `step | key:verb … | values`, an empty row as `step | -`. docs/flow.md
// lists the facts that are not here and says why.
#include "agentfootprint/flow/internal/facts.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/flow/provenance.hpp"
#include "agentfootprint/flow/run.hpp"
#include "agentfootprint/flow/slice.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::flow::facts {
namespace {

using testing::ElementsAre;

TEST(Facts, F10AFailureCommitsWhatWasWritten) {
  const RunResult result = run(ChartBuilder("f")
                                   .stage("a", sets("x", 1))
                                   .stage("b",
                                          [](Scope& s) {
                                            s.set("y", 2);
                                            throw std::runtime_error("bad");
                                          })
                                   .stage("c", nothing())
                                   .build());
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_THAT(rows_of(result.log()), ElementsAre("a#0 | x:set=1", "b#1 | y:set=2"));
}

TEST(Facts, F11TheInputIsNoStateAndItsUseIsMarked) {
  const RunResult result = run(ChartBuilder("f")
                                   .stage("a", [](Scope& s) { s.set("amt", s.input().at("amt")); })
                                   .stage("b", [](Scope& s) { s.set("p", *s.peek("amt")); })
                                   .build(),
                               RunOptions().with_input(J(R"({"amt":5})")));
  EXPECT_EQ(state_of(result), R"({"amt":5,"p":5})");
  EXPECT_THAT(result.log().row(0).untracked(), ElementsAre("input"));
  EXPECT_THAT(result.log().row(1).untracked(), ElementsAre("silent"));
  EXPECT_EQ(result.log().row(1).read_count(), 0u);
}

TEST(Facts, F13EachWriteKnowsTheReadsBeforeIt) {
  const RunResult result = run(ChartBuilder("f")
                                   .stage("a",
                                          [](Scope& s) {
                                            s.set("a", 1);
                                            s.set("b", 2);
                                          })
                                   .stage("b",
                                          [](Scope& s) {
                                            s.set("x", *s.get("a"));
                                            s.set("y", *s.get("b"));
                                          })
                                   .stage("c", [](Scope& s) { s.set("q", *s.get("x")); })
                                   .build());
  EXPECT_EQ(result.log().row(1).writes()[0].reads_before, 1u);
  EXPECT_EQ(result.log().row(1).writes()[1].reads_before, 2u);
  const Slice slice = slice_of(result.log(), "q");
  ASSERT_EQ(slice.edges.size(), 2u);
  EXPECT_EQ(slice.key_of(slice.edges[1]), "/a");
}

TEST(Facts, F17LoopTurnsAreABudget) {
  Budgets budgets;
  budgets.loop_turns = 3;
  const RunResult result = run(ChartBuilder("f")
                                   .stage("a", sets("n", 0))
                                   .stage("l", [](Scope& s) { s.set("n", int_at(s, "n") + 1); })
                                   .loop_to("l")
                                   .build(),
                               RunOptions().with_budgets(budgets));
  EXPECT_EQ(result.outcome, Outcome::exhausted);
  EXPECT_EQ(result.reason, "loop_turns");
  EXPECT_EQ(result.log().size(), 5u);
  EXPECT_EQ(state_of(result), R"({"n":4})");
}

TEST(Facts, F18F19ADecisionKeepsItsEvidence) {
  const Key<std::int64_t> score("score");
  const Key<std::string> missing("missing");
  Rules rules;
  rules.when(gte(score, 750), "lo", "excellent")
      .when(all(gt(score, 650), absent(missing)), "mid", "good")
      .when([](Scope&) -> bool { throw std::runtime_error("never evaluated"); }, "lo")
      .otherwise("hi", "why");
  const auto chart = ChartBuilder("f")
                         .stage("s", sets("score", 700))
                         .decide("d", rules)
                         .branch("lo", nothing())
                         .branch("mid", nothing())
                         .branch("hi", nothing())
                         .build();
  const RunResult result = run(chart);
  EXPECT_THAT(rows_of(result.log()), ElementsAre("s#0 | score:set=700", "d#1 | -", "mid#2 | -"));
  EXPECT_EQ(
      decision_json(result.log(), 1),
      R"({"chosen":["mid"],"rule":1,"label":"good","rules":[{"type":"filter","ruleIndex":0,)"
      R"("branch":"lo","matched":false,"label":"excellent","conditions":[{"key":"/score",)"
      R"("op":"gte","threshold":750,)"
      R"("actual":700,"result":false}]},{"type":"filter","ruleIndex":1,"branch":"mid",)"
      R"("matched":true,)"
      R"("label":"good","conditions":[{"key":"/score","op":"gt","threshold":650,"actual":700,)"
      R"("result":true},{"key":"/missing","op":"absent","result":true}]}]})");
  const RunResult none = run(
      ChartBuilder("f").decide("d", Rules().otherwise("z", "why")).branch("z", nothing()).build());
  EXPECT_EQ(decision_json(none.log(), 0), R"({"chosen":["z"],"label":"why","byDefault":true})");
}

TEST(Facts, F20ABreakInADecisionKeepsItsReason) {
  const RunResult result = run(ChartBuilder("f")
                                   .decide("d",
                                           [](Scope& s) {
                                             s.break_chart("stop here");
                                             return std::string("lo");
                                           })
                                   .branch("lo", nothing())
                                   .build());
  EXPECT_TRUE(result.broke);
  EXPECT_EQ(result.reason, "stop here");
  EXPECT_EQ(result.log().row(0).note(), "stop here");
}

TEST(Facts, F21F23AnUnknownBranchFails) {
  const RunResult decided = run(ChartBuilder("f")
                                    .decide("d", [](Scope&) { return std::string("zzz"); })
                                    .branch("hi", nothing())
                                    .build());
  EXPECT_EQ(decided.code, "flow-no-branch");
  const RunResult selected =
      run(ChartBuilder("f")
              .select("s", [](Scope&) { return std::vector<std::string>{"q"}; })
              .branch("x", nothing())
              .build());
  EXPECT_EQ(selected.code, "flow-no-branch");
}

TEST(Facts, F25AWideForkDoesNotSpendDepth) {
  ChartBuilder builder("f");
  builder.fork("f");
  for (int i = 0; i < 1000; ++i) builder.branch("c" + std::to_string(i), sets("v", i));
  const Chart chart = builder.build();
  EXPECT_EQ(run(chart).outcome, Outcome::completed);
  Budgets narrow;
  narrow.width = 999;
  const RunResult result = run(chart, RunOptions().with_budgets(narrow));
  EXPECT_EQ(result.outcome, Outcome::exhausted);
  EXPECT_EQ(result.reason, "width");
}

TEST(Facts, F27FailFastStartsNothingMore) {
  ForkOptions options;
  options.on_error = OnBranchError::fail_fast;
  const RunResult result = run(ChartBuilder("f")
                                   .fork("f", options)
                                   .branch("c1", [](Scope&) { throw std::runtime_error("first"); })
                                   .branch("c2", sets("v", 1))
                                   .stage("j", nothing())
                                   .build());
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.reason, "first");
  EXPECT_THAT(rows_of(result.log()), ElementsAre("f#0 | -", "c1#1 | -"));
}

TEST(Facts, F31RedactionIsByKey) {
  const RunResult result =
      run(ChartBuilder("f")
              .stage("a",
                     [](Scope& s) {
                       s.set("ssn", "123");
                       s.set("user", J(R"({"card":{"num":"4111","name":"A"}})"));
                     })
              .stage("b", [](Scope& s) { s.set("copy", *s.get("ssn")); })
              .stage("c", [](Scope& s) { s.set(Path("user") / "card" / "num", "4222"); })
              .decide("d", Rules().when(eq(Key<std::string>("ssn"), "123"), "x"))
              .branch("x", nothing())
              .build(),
          RunOptions().redact("ssn").redact(Path("user") / "card" / "num"));
  EXPECT_EQ(result.log().row(0).writes()[0].value, json::Value("REDACTED"));
  EXPECT_EQ(result.log().row(1).writes()[0].value, json::Value("123")) << "by key, not by flow";
  EXPECT_EQ(result.log().row(2).writes()[0].value, json::Value("REDACTED"));
  const std::string decision = decision_json(result.log(), 3);
  EXPECT_EQ(decision.find("\"actual\":\"123\""), std::string::npos);
  EXPECT_EQ(*result.state().find("ssn"), json::Value("123")) << "the state itself is not scrubbed";
}

TEST(Facts, F33F70APauseGoesOnInTheSameLog) {
  const Chart chart = ChartBuilder("f")
                          .stage("a", sets("n", 0))
                          .stage("w", [](Scope& s) { s.set("n", int_at(s, "n") + 1); })
                          .pausable(
                              "ask",
                              [](Scope& s) -> std::optional<json::Value> {
                                s.set("asked", true);
                                if (int_at(s, "n") == 1) return J(R"({"q":1})");
                                return std::nullopt;
                              },
                              [](Scope& s, const json::Value& answer) { s.set("answer", answer); })
                          .decide("d", Rules().when(lt(Key<int>("n"), 4), "l").otherwise("x"))
                          .branch("l", steps().loop_to("w"))
                          .branch("x", nothing())
                          .build();
  RunResult paused = run(chart);
  ASSERT_EQ(paused.outcome, Outcome::paused);
  EXPECT_EQ(paused.pauses[0].id, "ask#2");
  EXPECT_EQ(json::dump(paused.pauses[0].data), R"({"q":1})");
  EXPECT_EQ(paused.log().row(2).status(), RowStatus::paused);
  const json::Value checkpoint = paused.checkpoint();
  const std::vector<PauseAnswer> answers{{"ask#2", json::Value("yes")}};
  const RunResult fresh = resume(chart, checkpoint, answers);
  const RunResult same = resume(std::move(paused), answers);
  EXPECT_EQ(same.outcome, Outcome::completed);
  EXPECT_EQ(state_of(same), R"({"n":4,"asked":true,"answer":"yes"})");
  EXPECT_EQ(same.log().row(3).id(), "ask#3");
  EXPECT_EQ(same.log().row(same.log().size() - 1).stage(), "x") << "the loop goes on until n is 4";
  EXPECT_EQ(state_of(fresh), state_of(same));
  EXPECT_EQ(fresh.log().row(0).id(), "ask#3");
  EXPECT_EQ(json::dump(fresh.log().initial_state().to_json()), R"({"n":1,"asked":true})");
}

TEST(Facts, F34AnInterruptedStageRunsAgainWithoutItsWrites) {
  const Chart chart = ChartBuilder("f")
                          .stage("ask",
                                 [](Scope& s) {
                                   s.set("before", s.get_or(Key<int>("before"), 0) + 1);
                                   s.set("ans", s.interrupt("q"));
                                   s.set("second", s.interrupt("q2"));
                                 })
                          .build();
  RunResult first = run(chart);
  ASSERT_EQ(first.outcome, Outcome::paused);
  RunResult second = resume(std::move(first), {{"ask#0", json::Value(1)}});
  ASSERT_EQ(second.outcome, Outcome::paused);
  EXPECT_EQ(second.pauses[0].data, json::Value("q2"));
  const RunResult done = resume(std::move(second), {{"ask#1", json::Value(2)}});
  EXPECT_EQ(state_of(done), R"({"before":1,"ans":1,"second":2})");
}

TEST(Facts, APausedStageFindsWhatItAskedAndTheLastAnswer) {
  const Chart chart = ChartBuilder("f")
                          .stage("count",
                                 [](Scope& s) {
                                   const auto resumed = s.resumed();
                                   const auto asked =
                                       resumed ? resumed->asked.as_int64().value_or(0) : 0;
                                   s.set("thrown away", true);
                                   if (!resumed || resumed->answer.as_bool() != true)
                                     s.pause(json::Value(asked + 1));
                                   s.erase("thrown away");
                                   s.set("asked", asked);
                                 })
                          .build();
  RunResult paused = run(chart);
  EXPECT_EQ(paused.pauses.at(0).data, json::Value(1));
  paused = resume(std::move(paused), {{"count#0", json::Value(false)}});
  ASSERT_EQ(paused.outcome, Outcome::paused);
  EXPECT_EQ(paused.pauses.at(0).data, json::Value(2));
  const RunResult elsewhere = resume(chart, paused.checkpoint(), {{"count#1", json::Value(true)}});
  EXPECT_EQ(state_of(elsewhere), R"({"asked":2})");
}

TEST(Facts, F35F61ReadsAreByPath) {
  const RunResult result =
      run(ChartBuilder("f")
              .stage("a", sets("o", J(R"({"a":1,"b":2})")))
              .stage("b", sets(Path("o") / "a", 2))
              .stage("c", [](Scope& s) { s.set("c", *s.get(Path("o") / "b")); })
              .build());
  const Slice slice = slice_of(result.log(), "c");
  ASSERT_EQ(slice.nodes.size(), 2u);
  EXPECT_EQ(slice.step_of(1), "a#0") << "b#1 wrote beside what was read";
  EXPECT_EQ(slice_of(result.log(), Path("o") / "a").step_of(0), "b#1");
}

TEST(Facts, F41AnInnerFailureFailsTheRunAndStaysVisible) {
  const Chart inner = ChartBuilder("inner")
                          .stage("in",
                                 [](Scope& s) {
                                   s.set("part", 1);
                                   throw std::runtime_error("inner");
                                 })
                          .build();
  const RunResult result = run(ChartBuilder("f").stage("a", nothing()).mount("sub", inner).build());
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.reason, "inner");
  EXPECT_EQ(result.step, "sub/in#2");
  EXPECT_EQ(json::dump(result.log().state_at(2).to_json()), R"({"part":1})");
}

TEST(Facts, F45OneRowForAllAttempts) {
  int calls = 0;
  std::vector<std::int64_t> delays;
  RetryPolicy policy;
  policy.attempts = 3;
  policy.backoff_ms = [](int attempt) { return std::int64_t{attempt} - 1; };
  const RunResult result =
      run(ChartBuilder("f")
              .stage("b",
                     [&](Scope& s) {
                       s.set("t", ++calls);
                       if (calls < 3) throw std::runtime_error("no");
                     })
              .retry(policy)
              .build(),
          RunOptions().with_sleep([&](std::int64_t ms) { delays.push_back(ms); }));
  EXPECT_THAT(rows_of(result.log()), ElementsAre("b#0 | t:set=3"));
  EXPECT_THAT(delays, ElementsAre(1, 2));
}

TEST(Facts, F47WhatCountsAsARead) {
  const RunResult result = run(ChartBuilder("f")
                                   .stage("a",
                                          [](Scope& s) {
                                            s.set("h", J("[1]"));
                                            s.set("o", J(R"({"q":1})"));
                                          })
                                   .stage("has", [](Scope& s) { (void)s.has("h"); })
                                   .stage("push", [](Scope& s) { s.append("h", 2); })
                                   .stage("deep", [](Scope& s) { (void)s.get(Path("o") / "q"); })
                                   .build());
  EXPECT_EQ(result.log().row(1).reads()[0].pointer, "/h");
  EXPECT_EQ(result.log().row(2).read_count(), 0u);
  const Slice slice = backward_slice(result.log(), 2);
  ASSERT_EQ(slice.nodes.size(), 2u) << "an append depends on what the array held";
  EXPECT_EQ(result.log().row(3).reads()[0].pointer, "/o/q");
}

TEST(Facts, F52InitialStateIsTheBase) {
  const RunResult result = run(ChartBuilder("f").stage("a", sets("x", 1)).build(),
                               RunOptions().with_state("a", 1).with_state("c", J(R"({"d":1})")));
  EXPECT_EQ(json::dump(result.log().initial_state().to_json()), R"({"a":1,"c":{"d":1}})");
  EXPECT_EQ(state_of(result), R"({"a":1,"c":{"d":1},"x":1})");
}

TEST(Facts, F58SmartMerge) {
  const std::vector<std::array<const char*, 3>> pairs = {
      {"[1,2]", "[2,3]", "[1,2,3]"},
      {"[1]", "[]", "[]"},
      {R"({"a":{"b":1}})", R"({"a":{"c":[1]}})", R"({"a":{"b":1,"c":[1]}})"},
      {R"([{"a":1}])", R"([{"a":1}])", R"([{"a":1},{"a":1}])"},
      {R"({"a":1})", "[2]", "[2]"},
      {R"({"a":1})", "null", "null"}};
  for (const auto& [target, source, want] : pairs) {
    EXPECT_EQ(json::dump(smart_merge(J(target), J(source))), want) << target << " + " << source;
  }
}

TEST(Facts, F60StepIdsSplitAtTheLastMarks) {
  const StepId odd = parse_step_id("a#1#2");
  EXPECT_EQ(odd.stage, "a#1");
  EXPECT_EQ(odd.number, 2u);
  const StepId deep = parse_step_id("m/l/l0#4");
  EXPECT_EQ(deep.path, "m/l");
  EXPECT_EQ(deep.stage, "l0");
  EXPECT_EQ(parse_step_id("noHash").stage, "noHash");
  EXPECT_EQ(parse_step_id("noHash").number, 0u);
}

TEST(Facts, F62TheGovernorEndsWhereTheBranchDoes) {
  const RunResult result =
      run(ChartBuilder("f")
              .stage("a", sets("n", 0))
              .stage("l", [](Scope& s) { s.set("n", int_at(s, "n") + 1); })
              .decide("d", Rules().when(lt(Key<int>("n"), 2), "again").otherwise("go"))
              .branch("again", steps().loop_to("l"))
              .branch("go", nothing())
              .stage("end", nothing())
              .build());
  // a#0 l#1 d#2 l#3 d#4 go#5 end#6
  EXPECT_EQ(result.log().row(1).governor(), std::nullopt);
  EXPECT_EQ(result.log().row(3).governor(), 2u);
  EXPECT_EQ(result.log().row(4).governor(), 2u);
  EXPECT_EQ(result.log().row(5).governor(), 4u);
  EXPECT_EQ(result.log().row(6).governor(), std::nullopt) << "it runs whatever was decided";
}

TEST(Facts, F64F68SlicesCrossMountsAndJoins) {
  const Chart one = ChartBuilder("one").stage("w", sets("v", 1)).build();
  MountOptions first;
  first.output = [](Scope& s) { s.set("m1", *s.get("v")); };
  MountOptions second;
  second.output = [](Scope& s) { s.set("m2", *s.get("v")); };
  ForkOptions merge;
  merge.join = Join::merge_disjoint;
  const RunResult result =
      run(ChartBuilder("f")
              .fork("f", merge)
              .branch("s1", one, first)
              .branch("s2", one, second)
              .stage("e", [](Scope& s) { s.set("sum", int_at(s, "m1") + int_at(s, "m2")); })
              .build());
  EXPECT_EQ(state_of(result), R"({"m1":1,"m2":1,"sum":2})");
  const Slice slice = slice_of(result.log(), "sum");
  std::vector<std::string> steps;
  for (std::uint32_t i = 0; i < slice.nodes.size(); ++i) steps.push_back(slice.step_of(i));
  EXPECT_THAT(steps, ElementsAre("e#7", "s1#3", "s2#6", "s1/w#2", "s2/w#5"));
}

TEST(Facts, F69TheDeadlineEndsASynchronousChart) {
  ManualClock clock;
  CancelSource source;
  source.set_deadline(clock, 20'000'000);
  const RunResult result = run(ChartBuilder("f")
                                   .stage("a",
                                          [&](Scope& s) {
                                            s.set("x", 1);
                                            clock.advance_ms(80);
                                          })
                                   .stage("b", nothing())
                                   .build(),
                               RunOptions().with_cancel(source.token()).with_clock(clock));
  EXPECT_EQ(result.outcome, Outcome::cancelled);
  EXPECT_EQ(result.code, "deadline");
  EXPECT_EQ(result.step, "b");
  EXPECT_THAT(rows_of(result.log()), ElementsAre("a#0 | x:set=1"));
}

TEST(Facts, F71PausesInSeveralBranchesAreAllAsked) {
  const Chart chart = ChartBuilder("f")
                          .fork("f")
                          .branch("c1", [](Scope& s) { s.set("a", s.interrupt("one")); })
                          .branch("c2", [](Scope& s) { s.set("a", s.interrupt("two")); })
                          .stage("j", sets("joined", true))
                          .build();
  RunResult paused = run(chart);
  ASSERT_EQ(paused.pauses.size(), 2u);
  const RunResult done =
      resume(std::move(paused), {{"c2#2", json::Value("b")}, {"c1#1", json::Value("a")}});
  EXPECT_EQ(state_of(done), R"({"runs":{"c1":{"a":"a"},"c2":{"a":"b"}},"joined":true})");
}

// F12: the order of events.
class Recorder : public Observer {
 public:
  void on_event(const Event& event) override {
    std::string line(name_of(event.kind));
    if (!event.stage.empty()) line += fmt::format(" {}", event.stage);
    if (event.kind == EventKind::read || event.kind == EventKind::wrote) {
      line += fmt::format(" {}", event.name);
    }
    lines.push_back(line);
    if (fail) throw std::runtime_error("an observer broke");
  }
  std::vector<std::string> lines;
  bool fail = false;
};

TEST(Facts, F12EventsComeInOrder) {
  Recorder recorder;
  Recorder broken;
  broken.fail = true;
  const RunResult result = run(ChartBuilder("f")
                                   .stage("a", sets("x", 1))
                                   .stage("b",
                                          [](Scope& s) {
                                            s.set("y", *s.get("x"));
                                            s.emit("progress", json::Value(1));
                                          })
                                   .decide("d", Rules().when(eq(Key<int>("x"), 1), "p"))
                                   .branch("p", nothing())
                                   .build(),
                               RunOptions().observe(broken).observe(recorder));
  EXPECT_EQ(result.outcome, Outcome::completed);
  EXPECT_EQ(result.observer_errors, broken.lines.size());
  EXPECT_THAT(
      recorder.lines,
      ElementsAre("run-started", "stage-started a", "wrote a /x", "stage-ended a", "committed a",
                  "stage-started b", "read b /x", "wrote b /y", "emitted b", "stage-ended b",
                  "committed b", "stage-started d", "read d /x", "stage-ended d", "committed d",
                  "decided d", "stage-started p", "stage-ended p", "committed p", "run-ended"));
  Recorder only_commits;
  (void)run(ChartBuilder("f").stage("a", sets("x", 1)).build(),
            RunOptions().observe(only_commits, mask_of(EventKind::committed)));
  EXPECT_THAT(only_commits.lines, ElementsAre("committed a"));
}

}  // namespace
}  // namespace agentfootprint::flow::facts
