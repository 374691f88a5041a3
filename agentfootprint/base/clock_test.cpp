// Clocks and the spelling of instants.
#include "agentfootprint/base/clock.hpp"

#include <gtest/gtest.h>

namespace agentfootprint {
namespace {

TEST(ManualClock, MovesOnlyWhenTold) {
  ManualClock clock(1'700'000'000'000);
  EXPECT_EQ(clock.wall_ms(), 1'700'000'000'000);
  const std::int64_t before = clock.steady_ns();
  clock.advance_ms(250);
  EXPECT_EQ(clock.wall_ms(), 1'700'000'000'250);
  EXPECT_EQ(clock.steady_ns() - before, 250'000'000);
  clock.advance_ns(999'999);
  EXPECT_EQ(clock.wall_ms(), 1'700'000'000'250);
  clock.advance_ns(1);
  EXPECT_EQ(clock.wall_ms(), 1'700'000'000'251);
}

TEST(SystemClock, SteadyTimeNeverGoesBack) {
  const SystemClock& clock = SystemClock::instance();
  EXPECT_GT(clock.wall_ms(), 1'600'000'000'000);
  std::int64_t last = clock.steady_ns();
  for (int i = 0; i < 1'000; ++i) {
    const std::int64_t now = clock.steady_ns();
    EXPECT_GE(now, last);
    last = now;
  }
}

TEST(Instant, IsWrittenWithMilliseconds) {
  const std::pair<std::int64_t, const char*> cases[] = {
      {0, "1970-01-01T00:00:00.000Z"},
      {1'700'000'000'250, "2023-11-14T22:13:20.250Z"},
      {951'782'399'999, "2000-02-28T23:59:59.999Z"},
      {951'782'400'000, "2000-02-29T00:00:00.000Z"},
      {-1, "1969-12-31T23:59:59.999Z"},
      {253'402'300'799'999, "9999-12-31T23:59:59.999Z"},
  };
  for (const auto& [ms, text] : cases) EXPECT_EQ(format_instant_utc(ms), text);
}

}  // namespace
}  // namespace agentfootprint
