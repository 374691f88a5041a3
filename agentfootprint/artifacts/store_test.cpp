// Every shipped store against the conformance suite.
#include <gtest/gtest.h>

#include "agentfootprint/artifacts/conformance.hpp"
#include "agentfootprint/artifacts/memory_store.hpp"

namespace agentfootprint {
namespace {

void expect_conforming(const ConformanceHarness& harness, std::size_t passed) {
  const ConformanceReport report = run_artifact_store_conformance(harness);
  EXPECT_TRUE(report.ok()) << format_artifact_store_report(report);
  EXPECT_EQ(report.outcomes.size(), 20U);
  EXPECT_EQ(report.passed, passed) << format_artifact_store_report(report);
}

TEST(Conformance, Memory) {
  auto clock = std::make_shared<ManualClock>(1'000'000);
  ArtifactStoreOptions options;
  options.clock = clock.get();
  ConformanceHarness harness;
  harness.name = "memory";
  harness.create_store = [=] { return std::make_shared<MemoryArtifactStore>(options); };
  harness.advance_time = [=](std::int64_t ms) { clock->advance_ms(ms); };
  harness.bounded_store = [=](std::uint64_t max_bytes) {
    ArtifactStoreOptions bounded = options;
    bounded.retention.max_bytes_per_scope = max_bytes;
    return std::make_shared<MemoryArtifactStore>(bounded);
  };
  harness.declared["get-refuses-bytes-that-are-not-the-digests"] = "nothing outside can reach it";
  expect_conforming(harness, 17);
}

}  // namespace
}  // namespace agentfootprint
