// One store object used from several threads at once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "agentfootprint/artifacts/async_store.hpp"
#include "agentfootprint/artifacts/internal/temporary_folder.hpp"
#include "agentfootprint/artifacts/store.hpp"

namespace agentfootprint {
namespace {

class Threads : public testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<ArtifactStore> open() {
    ArtifactStoreOptions options;
    options.retention.max_count_per_scope = 8;
    if (GetParam() == "memory") return open_artifact_store("memory:", options);
    return open_artifact_store(GetParam() + ":" + folder_.path("store") + "?sync=off", options);
  }
  artifacts_internal::TemporaryFolder folder_;
};

TEST_P(Threads, ShareAStore) {
  const auto store = open();
  std::atomic<int> faults{0};
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([&, id] {
      try {
        const ArtifactScope own(fmt::format("conv-{}", id % 2));
        for (int n = 0; n < 25; ++n) {
          PutArtifactInput input("k", "text/plain", ArtifactPayload::text(fmt::format("{}", n)));
          input.digest = "sha-256";
          const std::string ref = store->put(own, input).meta.ref;
          (void)store->get(own, ref);
          if (store->list(own, ArtifactListOptions()).artifacts.size() > 8) ++faults;
          if (n % 5 == 0) store->remove(own, ref);
        }
      } catch (const std::exception& error) {
        ++faults;
        fmt::print(stderr, "{}\n", error.what());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(faults, 0);
}

Task<int> put_many(AsyncArtifactStore& store, int count) {
  int stored = 0;
  ArtifactScope scope("conv-a");
  for (int n = 0; n < count; ++n) {
    PutArtifactInput input("k", "text/plain", ArtifactPayload::text("x"));
    const ArtifactPutResult done = co_await store.put(scope, input);
    stored += done.meta.bytes == 1 ? 1 : 0;
  }
  co_return stored;
}

TEST_P(Threads, TasksOfSeveralLoopsShareAWorker) {
  AsyncArtifactStore store(open());
  std::atomic<int> stored{0};
  std::vector<std::thread> loops;
  for (int id = 0; id < 3; ++id) {
    loops.emplace_back([&] { stored += run_blocking(put_many(store, 10)); });
  }
  for (std::thread& loop : loops) loop.join();
  EXPECT_EQ(stored, 30);
}

INSTANTIATE_TEST_SUITE_P(Stores, Threads, testing::Values("memory", "sqlite", "file"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace agentfootprint
