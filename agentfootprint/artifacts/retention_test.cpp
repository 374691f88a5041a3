// Retention: the plan, the dials, and every store against a naive model.
#include "agentfootprint/artifacts/retention.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "agentfootprint/artifacts/internal/temporary_folder.hpp"
#include "agentfootprint/artifacts/memory_store.hpp"
#include "agentfootprint/artifacts/store.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint {
namespace {

std::vector<std::string> summary(const std::vector<SweptArtifact>& swept) {
  std::vector<std::string> out;
  for (const SweptArtifact& one : swept)
    out.push_back(fmt::format("{} {}", one.ref, name_of(one.reason)));
  return out;
}

TEST(Retention, ExpiredFirstThenCountThenBytes) {
  ArtifactRetention retention;
  retention.max_bytes_per_scope = 25;
  retention.max_count_per_scope = 10;
  const std::vector<RetentionRow> rows{
      {"a", "k", 10, 50, 1}, {"b", "k", 10, std::nullopt, 2}, {"c", "k", 10, std::nullopt, 3}};
  EXPECT_EQ(summary(plan_retention(rows, 10, retention, 100).swept),
            (std::vector<std::string>{"a ttl", "b max-bytes"}));
  retention.max_count_per_scope = 1;
  EXPECT_EQ(summary(plan_retention(rows, 10, retention, 10).swept),
            (std::vector<std::string>{"a max-count", "b max-count", "c max-count"}));
  EXPECT_EQ(summary(plan_retention(rows, 10, ArtifactRetention(), 50).swept),
            std::vector<std::string>{"a ttl"});
}

TEST(Retention, RefusesWhatNoScopeCouldHold) {
  ArtifactRetention retention;
  retention.max_bytes_per_scope = 100;
  const RetentionPlan plan = plan_retention({{"a", "k", 10, 5, 1}}, 1'000, retention, 10);
  ASSERT_TRUE(plan.refusal);
  EXPECT_NE(plan.refusal->find("byte budget"), std::string::npos);
  EXPECT_TRUE(plan.swept.empty());
}

TEST(Retention, PinnedRowsAreNoVictims) {
  ArtifactRetention retention;
  retention.max_count_per_scope = 2;
  std::vector<RetentionRow> rows{{"a", "k", 1, std::nullopt, 1, true},
                                 {"b", "k", 1, std::nullopt, 2}};
  EXPECT_EQ(summary(plan_retention(rows, 1, retention, 0).swept),
            std::vector<std::string>{"b max-count"});
  rows[1].pinned = true;
  EXPECT_TRUE(plan_retention(rows, 1, retention, 0).refusal);
}

TEST(Retention, ExpiryIsTheEarlier) {
  EXPECT_EQ(resolve_expiry(500, 1'000, 0), 500);
  EXPECT_EQ(resolve_expiry(5'000, 1'000, 0), 1'000);
  EXPECT_EQ(resolve_expiry(std::nullopt, 1'000, 0), 1'000);
  EXPECT_EQ(resolve_expiry(std::nullopt, std::nullopt, 0), std::nullopt);
  EXPECT_EQ(resolve_expiry(std::nullopt, INT64_MAX, 5), kLastArtifactTime);
  EXPECT_EQ(resolve_expiry(std::nullopt, INT64_MAX, -5), kLastArtifactTime);
  EXPECT_EQ(resolve_expiry(std::nullopt, 100, -5), 95);  // a clock before 1970
  EXPECT_EQ(resolve_expiry(std::nullopt, 100, INT64_MIN), INT64_MIN + 100);
}

TEST(Retention, DialsAreAboveZero) {
  for (const char* bad : {R"({"ttlMs":0})", R"({"ttlMs":-5})", R"({"maxCountPerScope":0})",
                          R"({"maxBytesPerScope":"many"})", R"([])"}) {
    EXPECT_THROW((void)retention_from_json(json::parse_or_throw(bad)), Refusal) << bad;
  }
  EXPECT_EQ(
      retention_from_json(json::parse_or_throw(R"({"maxCountPerScope":2.9})")).max_count_per_scope,
      2U);
  ArtifactStoreOptions options;
  options.retention.ttl_ms = -1;
  EXPECT_THROW(MemoryArtifactStore{options}, Refusal);
}

TEST(Retention, MemoryIsAlwaysBounded) {
  MemoryArtifactStore store{ArtifactStoreOptions()};
  EXPECT_EQ(store.retention().max_bytes_per_scope, 33'554'432U);
  EXPECT_EQ(store.retention().max_count_per_scope, 256U);
}

// The whole store is full: another scope's oldest row goes, and only its own scope is told.
TEST(Retention, TheTotalBudgetTellsNobodyElse) {
  MemoryArtifactStore store(ArtifactStoreOptions(), 100);
  const ArtifactScope a("a"), b("b");
  const auto input = [](std::size_t size) {
    return PutArtifactInput("k", "text/plain", ArtifactPayload::text(std::string(size, 'x')));
  };
  const std::string old = store.put(a, input(60)).meta.ref;
  EXPECT_TRUE(store.put(b, input(60)).swept.empty());
  EXPECT_FALSE(store.head(a, old));
  EXPECT_EQ(store.dropped(), 1U);
  const auto next = store.put(a, input(10));
  EXPECT_EQ(summary(next.swept), std::vector<std::string>{old + " max-bytes"});
  EXPECT_THROW(store.put(b, input(101)), InvalidArtifactError);
}

// A list of rows and the pure plan: what a store must do, with exact recency or oldest first.
class Model {
 public:
  Model(ArtifactRetention retention, bool recency) : retention_(retention), recency_(recency) {}
  std::vector<std::string> put(const std::string& name, std::uint64_t bytes, std::int64_t now,
                               std::optional<std::int64_t> expires) {
    const RetentionPlan plan = plan_retention(rows_, bytes, retention_, now);
    if (plan.refusal) return {"refused"};
    for (const SweptArtifact& swept : plan.swept) {
      std::erase_if(rows_, [&](const RetentionRow& row) { return row.ref == swept.ref; });
    }
    rows_.push_back({name, name, bytes, resolve_expiry(expires, retention_.ttl_ms, now), ++clock_});
    auto out = summary(plan.swept);
    std::sort(out.begin(), out.end());
    return out;
  }
  bool head(const std::string& name, std::int64_t now) {
    for (RetentionRow& row : rows_) {
      if (row.ref != name || (row.expires_at && *row.expires_at <= now)) continue;
      if (recency_) row.last_accessed_at = ++clock_;
      return true;
    }
    return false;
  }
  // What has expired is swept and told all the same.
  void remove(const std::string& name, std::int64_t now) {
    std::erase_if(rows_, [&](const RetentionRow& row) {
      return row.ref == name && !(row.expires_at && *row.expires_at <= now);
    });
  }

 private:
  ArtifactRetention retention_;
  bool recency_;
  std::vector<RetentionRow> rows_;
  std::int64_t clock_ = 0;
};

class AgainstModel : public testing::TestWithParam<std::string> {
 protected:
  // Two over one folder, for the store whose writers learn of each other by its files alone.
  std::vector<std::shared_ptr<ArtifactStore>> open(const std::string& place,
                                                   const ArtifactStoreOptions& options) {
    if (GetParam() == "memory") return {open_artifact_store("memory:", options)};
    const std::string url = GetParam() + ":" + place + "?sync=off";
    if (GetParam() == "sqlite") return {open_artifact_store(url, options)};
    return {open_artifact_store(url, options), open_artifact_store(url, options)};
  }
};

TEST_P(AgainstModel, RandomPutsHeadsAndRemovals) {
  const artifacts_internal::TemporaryFolder folder;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SeededRandom random(seed);
    ManualClock clock(1'000'000);
    ArtifactStoreOptions options;
    options.clock = &clock;
    options.retention.max_count_per_scope = 1 + random.below(6);
    options.retention.max_bytes_per_scope = 20 + random.below(60);
    if (seed % 3 == 0) options.retention.ttl_ms = 40;
    const auto stores = open(folder.path(fmt::format("{}", seed)), options);
    Model model(options.retention, GetParam() != "file");
    const ArtifactScope scope("conv-a");
    std::map<std::string, std::string> ref_of;  // name to ticket
    for (int n = 0; n < 150; ++n) {
      clock.advance_ms(static_cast<std::int64_t>(random.below(8)));
      const std::int64_t now = clock.wall_ms();
      const auto& store = stores[random.below(stores.size())];
      if (random.below(2) == 0 && !ref_of.empty()) {
        const std::string name =
            fmt::format("n{}", random.below(static_cast<std::uint64_t>(n) + 1));
        if (!ref_of.contains(name)) continue;
        if (random.below(5) == 0) {
          store->remove(scope, ref_of[name]);
          model.remove(name, now);
          continue;
        }
        ASSERT_EQ(store->head(scope, ref_of[name]).has_value(), model.head(name, now))
            << seed << " " << n;
        continue;
      }
      const std::string name = fmt::format("n{}", n);
      PutArtifactInput input(name, "text/plain",
                             ArtifactPayload::text(std::string(random.below(90), 'x')));
      if (random.below(4) == 0)
        input.expires_at = now + 1 + static_cast<std::int64_t>(random.below(30));
      std::vector<std::string> got;
      try {
        const auto done = store->put(scope, input);
        ref_of[name] = done.meta.ref;
        for (const SweptArtifact& one : done.swept)
          got.push_back(fmt::format("{} {}", one.kind, name_of(one.reason)));
        std::sort(got.begin(), got.end());
      } catch (const InvalidArtifactError&) {
        got = {"refused"};
      }
      ASSERT_EQ(got, model.put(name, input.payload->bytes().size(), now, input.expires_at))
          << seed << " " << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, AgainstModel, testing::Values("memory", "sqlite", "file"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace agentfootprint
