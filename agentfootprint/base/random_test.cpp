// Random words and ids.
#include "agentfootprint/base/random.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace agentfootprint {
namespace {

TEST(SeededRandom, RepeatsFromItsSeed) {
  SeededRandom a(7);
  SeededRandom b(7);
  SeededRandom c(8);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1'000; ++i) {
    const std::uint64_t word = a.next();
    EXPECT_EQ(word, b.next());
    EXPECT_NE(word, c.next());
    EXPECT_TRUE(seen.insert(word).second);
  }
  // The published SplitMix64 sequence for seed 0.
  SeededRandom zero(0);
  EXPECT_EQ(zero.next(), 0xE220A8397B1DCDAFULL);
  EXPECT_EQ(zero.next(), 0x6E789E6AA1B965F4ULL);
}

TEST(Random, BelowIsUniformAndInRange) {
  SeededRandom random(1);
  EXPECT_EQ(random.below(0), 0U);
  EXPECT_EQ(random.below(1), 0U);
  std::vector<int> counts(10);
  for (int i = 0; i < 10'000; ++i) ++counts[random.below(10)];
  for (const int count : counts) EXPECT_NEAR(count, 1'000, 150);
  for (int i = 0; i < 100; ++i) EXPECT_LT(random.below((1ULL << 63) + 1), (1ULL << 63) + 1);
}

TEST(SystemRandom, GivesDifferentWords) {
  SystemRandom random;
  EXPECT_NE(random.next(), random.next());
}

TEST(IdSource, MakesIdsThatSortByTime) {
  SeededRandom random(7);
  ManualClock clock(1'700'000'000'000);
  IdSource ids(clock, random);
  const std::string first = ids.next("run");
  EXPECT_EQ(first.substr(0, 15), "run-01hf7yat00-");
  EXPECT_EQ(first.size(), 27U);
  EXPECT_EQ(first.substr(15).find_first_not_of("0123456789abcdef"), std::string::npos);
  const std::string second = ids.next("run");
  EXPECT_NE(first, second);
  EXPECT_EQ(first.substr(0, 15), second.substr(0, 15));
  clock.advance_ms(1);
  EXPECT_GT(ids.next("run"), std::max(first, second));
}

}  // namespace
}  // namespace agentfootprint
