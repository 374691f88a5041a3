// Tasks, sleeps and the deterministic loop; and the coroutine patterns docs/coroutines.md calls
// safe.
#include "agentfootprint/base/task.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <string>
#include <vector>

#include "agentfootprint/base/error.hpp"

namespace agentfootprint {
namespace {

Task<int> add_later(const Clock& clock, int a, int b) {
  co_await sleep_for(clock, 20);
  co_return a + b;
}

TEST(Task, RunBlockingGivesTheValueAndTheException) {
  EXPECT_EQ(run_blocking(add_later(SystemClock::instance(), 1, 2)), 3);
  const auto fail = []() -> Task<void> {
    throw Error("task-stuck", "made up");
    co_return;
  };
  EXPECT_THROW(run_blocking(fail()), Error);
}

TEST(Task, DeterministicLoopJumpsToTheNextSleeper) {
  DeterministicLoop loop;
  std::vector<std::string> order;
  const auto sleeper = [&](std::string name, std::int64_t ms) -> Task<void> {
    co_await sleep_for(loop.clock(), ms);
    order.push_back(name);
  };
  loop.spawn(sleeper("late", 3'600'000));
  loop.spawn(sleeper("early", 10));
  loop.spawn(sleeper("middle", 500));
  loop.drain();
  EXPECT_EQ(order, (std::vector<std::string>{"early", "middle", "late"}));
  EXPECT_EQ(loop.clock().wall_ms(), 3'600'000);
}

TEST(Task, DeterministicLoopSaysWhenATaskIsStuck) {
  ManualClock foreign;
  DeterministicLoop loop;
  EXPECT_EQ(loop.run(add_later(loop.clock(), 2, 2)), 4);
  try {
    loop.run(sleep_for(foreign, 1));
    FAIL() << "nobody moves the foreign clock";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "task-stuck");
  }
  EXPECT_EQ(loop.clock().wall_ms(), 20);
}

TEST(Task, ASleepEndsWhenItsTokenIsCancelled) {
  DeterministicLoop loop;
  CancelSource source;
  std::string code;
  const auto waiter = [&]() -> Task<void> {
    try {
      co_await sleep_for(loop.clock(), 1000, source.token());
    } catch (const Error& error) {
      code = error.code();
    }
  };
  const auto canceller = [&]() -> Task<void> {
    co_await sleep_for(loop.clock(), 10);
    source.cancel("enough");
  };
  loop.spawn(waiter());
  loop.spawn(canceller());
  loop.run(sleep_for(loop.clock(), 20));
  EXPECT_EQ(code, "cancelled");
  EXPECT_EQ(loop.clock().wall_ms(), 20);
}

TEST(Task, ASleepEndsAtTheDeadline) {
  DeterministicLoop loop;
  CancelSource source;
  source.set_deadline(loop.clock(), 5'000'000);
  try {
    loop.run(sleep_for(loop.clock(), 1000, source.token()));
    FAIL() << "the deadline did not end the sleep";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "deadline");
  }
  EXPECT_EQ(loop.clock().wall_ms(), 5);
}

TEST(Task, ASleepOnAForeignManualClockAsksItAgain) {
  ManualClock clock;
  const auto mover = [&]() -> Task<void> {
    co_await yield_now();
    clock.advance_ms(50);
  };
  const auto both = [&]() -> Task<void> {
    boost::asio::any_io_executor executor = co_await boost::asio::this_coro::executor;
    boost::asio::co_spawn(executor, mover(), boost::asio::detached);
    co_await sleep_for(clock, 50);
  };
  run_blocking(both());
  EXPECT_EQ(clock.wall_ms(), 50);
}

TEST(Cancel, TheFirstReasonStaysAndReachesChildren) {
  CancelSource parent;
  CancelSource child(parent.token());
  CancelSource other(parent.token());
  int calls = 0;
  const CancelSubscription link = child.token().on_cancel([&] { ++calls; });
  EXPECT_TRUE(other.cancel("only me"));
  EXPECT_FALSE(parent.token().cancelled());
  EXPECT_TRUE(parent.cancel("first"));
  EXPECT_FALSE(parent.cancel("second"));
  EXPECT_EQ(child.token().reason(), "first");
  EXPECT_EQ(other.token().reason(), "only me");
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(CancelToken().cancelled());
}

TEST(Cancel, ADeadlineCountsOnceTheClockReachesIt) {
  ManualClock clock;
  CancelSource parent;
  parent.set_deadline(clock, 2'000'000);
  CancelSource child(parent.token());
  child.set_deadline(clock, 9'000'000);
  EXPECT_EQ(child.token().deadline_ns(), 2'000'000);
  EXPECT_EQ(child.token().kind(), CancelKind::none);
  clock.advance_ms(2);
  EXPECT_EQ(child.token().kind(), CancelKind::deadline);
  EXPECT_THROW(child.token().throw_if_cancelled(), Error);
}

TEST(Cancel, AReleasedSubscriptionIsNotCalled) {
  CancelSource source;
  int calls = 0;
  {
    const CancelSubscription link = source.token().on_cancel([&] { ++calls; });
  }
  source.cancel("late");
  EXPECT_EQ(calls, 0);
  const CancelSubscription at_once = source.token().on_cancel([&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

// The patterns of docs/coroutines.md. Each owns heap memory, so that a double destruction is seen
// by the allocator (and by the address sanitizer).
class Options {
 public:
  Options() {}  // user-provided: not an aggregate
  Options& with_name(std::string value) {
    name = std::move(value);
    return *this;
  }
  std::string name;
  std::vector<std::string> parts;
};
static_assert(check_await_safe<Options, std::string, std::vector<int>>());
struct Plain {
  std::string name;
};
static_assert(!kAwaitSafe<Plain>);
static_assert(!kAwaitSafe<std::initializer_list<int>>);

const std::string kLong(100, 'x');

Task<std::size_t> length_of(Options options) {
  co_return options.name.size() + options.parts.size();
}
Task<std::size_t> length_of_parts(std::vector<std::string> parts) {
  co_return parts.size();
}

Task<std::size_t> named_first() {
  Options options;
  options.with_name(kLong);
  options.parts.push_back(kLong);
  co_return co_await length_of(std::move(options));
}

Task<std::size_t> by_builder() {
  co_return co_await length_of(Options().with_name(kLong));
}

Task<std::size_t> list_first() {
  std::vector<std::string> parts{kLong, kLong};
  co_return co_await length_of_parts(std::move(parts));
}

Task<std::size_t> task_first() {
  Options options;
  options.with_name(kLong);
  Task<std::size_t> task = length_of(std::move(options));
  co_return co_await std::move(task);
}

TEST(CoroutinePatterns, TheSafeOnesRunAndFreeOnce) {
  EXPECT_EQ(run_blocking(named_first()), 101u);
  EXPECT_EQ(run_blocking(by_builder()), 100u);
  EXPECT_EQ(run_blocking(list_first()), 2u);
  EXPECT_EQ(run_blocking(task_first()), 100u);
}

}  // namespace
}  // namespace agentfootprint
