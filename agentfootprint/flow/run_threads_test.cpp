// One chart, many runs at the same time; cancellation from another thread; a log read by several
// threads.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "agentfootprint/flow/async.hpp"
#include "agentfootprint/flow/provenance.hpp"
#include "agentfootprint/flow/slice.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::flow {
namespace {

const Key<std::int64_t> kN("n");
const Key<std::int64_t> kTotal("total");

Chart counting_chart() {
  return ChartBuilder("count")
      .stage("add",
             [](Scope& s) {
               const std::int64_t n = s.get_or(kN, std::int64_t{0}) + 1;
               s.set(kN, n);
               s.append("seen", n);
               s.set(Path("o") / "last", n);
             })
      .fork("f")
      .branch("left", [](Scope& s) { s.set("v", s.require(kN)); })
      .branch("right", [](Scope& s) { s.set("v", s.require(kN) * 2); })
      .decide("more", Rules().when(lt(kN, 50), "again").otherwise("end"))
      .branch("again", steps().loop_to("add"))
      .branch("end", [](Scope& s) { s.set(kTotal, static_cast<std::int64_t>(s.size("seen"))); })
      .build();
}

std::size_t rows_in_json(const Log& log) {
  const json::Value document = log.to_json();
  return document.at("rows").size();
}

template <class F>
void on_threads(int count, F body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

TEST(FlowThreads, OneChartRunsOnManyThreads) {
  const Chart chart = counting_chart();
  std::atomic<int> right{0};
  on_threads(4, [&](int) {
    for (int i = 0; i < 10; ++i) {
      const RunResult result = run(chart);
      if (result.state().get(kTotal) == 50) ++right;
    }
  });
  EXPECT_EQ(right.load(), 40);
}

TEST(FlowThreads, ALogIsReadByManyThreads) {
  const RunResult result = run(counting_chart());
  const std::string want = json::dump(result.state().to_json());
  std::atomic<int> right{0};
  on_threads(4, [&](int) {
    const Log log = result.log();
    const Slice slice = slice_of(log, kTotal.path(), std::nullopt, SliceOptions::unlimited());
    const ArrayProvenance births = element_births(log, "seen");
    if (json::dump(log.final_state().to_json()) == want && slice.nodes.size() > 50 &&
        births.births.size() == 50 && rows_in_json(log) == log.size()) {
      ++right;
    }
  });
  EXPECT_EQ(right.load(), 4);
}

TEST(FlowThreads, AnotherThreadCancels) {
  CancelSource source;
  std::atomic<bool> begun{false};
  const Chart forever = ChartBuilder("forever")
                            .stage("spin",
                                   [&](Scope& s) {
                                     begun = true;
                                     s.set(kN, s.get_or(kN, std::int64_t{0}) + 1);
                                   })
                            .loop_to("spin")
                            .build();
  std::thread canceller([&] {
    while (!begun) std::this_thread::yield();
    source.cancel("enough");
  });
  Budgets budgets;
  budgets.loop_turns = 0xfffffffe;
  budgets.steps = 0xfffffffe;
  RunOptions options;
  options.with_cancel(source.token()).with_budgets(budgets);
  const RunResult result = run(forever, std::move(options));
  canceller.join();
  EXPECT_EQ(result.outcome, Outcome::cancelled);
  EXPECT_EQ(result.reason, "enough");
}

TEST(FlowThreads, AnotherThreadCancelsAWait) {
  CancelSource source;
  std::atomic<bool> begun{false};
  const Chart waits = ChartBuilder("waits")
                          .stage("wait",
                                 [&](Scope& s) -> Task<void> {
                                   begun = true;
                                   co_await sleep_for(s.clock(), 60'000, s.cancel_token());
                                 })
                          .build();
  std::thread canceller([&] {
    while (!begun) std::this_thread::yield();
    source.cancel("enough");
  });
  RunOptions options;
  options.with_cancel(source.token());
  const RunResult result = run_blocking(run_async(waits, std::move(options)));
  canceller.join();
  EXPECT_EQ(result.outcome, Outcome::cancelled);
}

}  // namespace
}  // namespace agentfootprint::flow
