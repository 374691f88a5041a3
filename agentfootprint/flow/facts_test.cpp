// Facts of the reference that a text case cannot show: observers that break, masks, ids in parts.
// The others are in tests/cases/flow/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/flow/run.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::flow {
namespace {

using testing::ElementsAre;

class Recorder : public Observer {
 public:
  explicit Recorder(bool breaks = false) : breaks_(breaks) {}
  void on_event(const Event& event) override {
    lines.emplace_back(name_of(event.kind));
    if (breaks_) throw std::runtime_error("an observer broke");
  }
  std::vector<std::string> lines;

 private:
  bool breaks_;
};

TEST(Facts, F12AnObserverThatThrowsChangesNothing) {
  const Chart chart = ChartBuilder("f")
                          .stage("a", [](Scope& s) { s.set("x", 1); })
                          .stage("b", [](Scope&) {})
                          .build();
  Recorder broken(true);
  Recorder whole;
  const RunResult result = run(chart, RunOptions().observe(broken).observe(whole));
  EXPECT_EQ(result.outcome, Outcome::completed);
  EXPECT_EQ(result.observer_errors, broken.lines.size());
  EXPECT_EQ(whole.lines, broken.lines);
  Recorder commits;
  (void)run(chart, RunOptions().observe(commits, mask_of(EventKind::committed)));
  EXPECT_THAT(commits.lines, ElementsAre("committed", "committed"));
}

TEST(Facts, F44EventsNameTheBranchOfAForEach) {
  class Steps : public Observer {
   public:
    void on_event(const Event& event) override { steps.push_back(event.step_id()); }
    std::vector<std::string> steps;
  };
  const Chart body = ChartBuilder("body").stage("b", [](Scope&) {}).build();
  ForEach over{Path("list"), Path("out"), std::nullopt, OnBranchError::wait_all};
  Steps seen;
  RunOptions options;
  options.with_state("list", json::array({7}));
  options.observe(seen, mask_of(EventKind::committed));
  const RunResult result =
      run(ChartBuilder("f").for_each("each", over, body).build(), std::move(options));
  EXPECT_THAT(seen.steps, ElementsAre("each#0", "each~0#1", "each~0/b#2", "each~0#3"));
  EXPECT_EQ(result.log().find("each~0#3"), 3U);
  EXPECT_EQ(result.log().row(3).stage(), "each~");
}

TEST(Facts, F44ACheckpointWithoutItsElementIsRefused) {
  const Chart body =
      ChartBuilder("body").stage("ask", [](Scope& s) { s.set("got", s.interrupt("?")); }).build();
  ForEach over{Path("list"), Path("out"), Path("got"), OnBranchError::wait_all};
  const Chart chart = ChartBuilder("f").for_each("each", over, body).build();
  const RunResult paused = run(chart, RunOptions().with_state("list", json::array({7, 8})));
  ASSERT_EQ(paused.pauses.size(), 2U);
  const std::string whole = json::dump(paused.checkpoint());
  const std::vector<PauseAnswer> answers{{"each~0/ask#2", json::Value("a")},
                                         {"each~1/ask#4", json::Value("b")}};
  const auto code_of = [&](std::string text) {
    try {
      return std::string(name_of(resume(chart, json::parse_or_throw(text), answers).outcome));
    } catch (const Error& error) {
      return error.code();
    }
  };
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string text = whole;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from << " in " << whole;
    return text.replace(at, from.size(), to);
  };
  EXPECT_EQ(code_of(whole), "completed");
  EXPECT_EQ(code_of(changed(R"("item":1)", R"("itam":1)")), "flow-checkpoint");
  EXPECT_EQ(code_of(changed(R"("item":1)", R"("item":"1")")), "flow-checkpoint");
  EXPECT_EQ(code_of(changed(R"("at":"each")", R"("at":"each~")")), "flow-checkpoint");
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
  EXPECT_EQ(json::dump(elsewhere.state().to_json()), R"({"asked":2})");
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

}  // namespace
}  // namespace agentfootprint::flow
