// Expected: a value or a reason.
#include "agentfootprint/base/expected.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace agentfootprint {
namespace {

TEST(Expected, HoldsAValue) {
  Expected<int, std::string> good = 4;
  EXPECT_TRUE(good);
  EXPECT_TRUE(good.has_value());
  EXPECT_EQ(*good, 4);
  *good = 5;
  EXPECT_EQ(good.value(), 5);
  EXPECT_THROW((void)good.error(), std::bad_variant_access);
}

TEST(Expected, HoldsAReason) {
  const Expected<int, std::string> bad = Unexpected<std::string>("no digits");
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error(), "no digits");
  EXPECT_THROW((void)bad.value(), std::bad_variant_access);
  EXPECT_THROW((void)*bad, std::bad_variant_access);
}

TEST(Expected, ConvertsReasonsAndMovesValues) {
  const Expected<int, std::string> bad = Unexpected<const char*>("short");
  EXPECT_EQ(bad.error(), "short");
  Expected<std::unique_ptr<int>, std::string> owner = std::make_unique<int>(7);
  EXPECT_EQ(**owner, 7);
  const std::unique_ptr<int> taken = *std::move(owner);
  EXPECT_EQ(*taken, 7);
  // Value and reason may have one type.
  const Expected<std::string, std::string> same = std::string("value");
  EXPECT_TRUE(same);
  EXPECT_EQ(same->size(), 5U);
}

}  // namespace
}  // namespace agentfootprint
