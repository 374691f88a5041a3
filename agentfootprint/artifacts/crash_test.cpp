// Stores under kill -9, a full disk, and several processes at once.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "agentfootprint/artifacts/internal/temporary_folder.hpp"
#include "agentfootprint/artifacts/store.hpp"

namespace agentfootprint {
namespace {

using artifacts_internal::TemporaryFolder;

const ArtifactScope kScope("conv-crash");

// Runs `work` in a child process; true when it ended by itself with 0.
bool in_child(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      work();
    } catch (const std::exception& error) {
      fmt::print(stderr, "child: {}\n", error.what());
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

PutArtifactInput input_of(std::string label, std::size_t bytes) {
  PutArtifactInput input("blob", "application/octet-stream",
                         ArtifactPayload::binary(std::string(bytes, label.front())));
  input.label = std::move(label);
  input.digest = "sha-256";
  return input;
}

// Labels of the live artifacts; fails when one does not read back with its digest.
std::multiset<std::string> live_labels(ArtifactStore& store) {
  std::multiset<std::string> labels;
  ArtifactListOptions options;
  options.limit = 1'000;
  for (const ArtifactMeta& meta : store.list(kScope, options).artifacts) {
    const auto record = store.get(kScope, meta.ref);
    EXPECT_TRUE(record) << *meta.label << " is listed and cannot be read";
    labels.insert(*meta.label);
  }
  return labels;
}

class Crash : public testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<ArtifactStore> open(std::function<void(std::string_view)> on_step = nullptr,
                                      std::optional<std::uint64_t> max_count = 3) {
    ArtifactStoreOptions options;
    options.retention.max_count_per_scope = max_count;
    options.on_step = std::move(on_step);
    // A killed process loses nothing the system has taken over: flushing would only slow the test.
    return open_artifact_store(GetParam() + ":" + folder_.path("store") + "?sync=off", options);
  }

  void put_three() {
    const auto store = open();
    for (const char* label : {"a", "b", "c"}) {
      store->put(kScope, input_of(label, 40'000));
      usleep(2'000);  // oldest first by the clock
    }
  }

  // Leftovers of a writer that died are found and mended; nothing else is wrong.
  void expect_mendable() {
    const auto store = open();
    for (const StoreProblem& problem : store->inspection()->fsck(true, nullptr)) {
      // A parent that retention removed later is no damage.
      EXPECT_TRUE(problem.mended || problem.kind == "dangling-parent")
          << problem.kind << ": " << problem.detail;
    }
    for (const StoreProblem& problem : store->inspection()->fsck(false, nullptr)) {
      EXPECT_EQ(problem.kind, "dangling-parent") << "after mending: " << problem.detail;
    }
  }

  // Kills a child at each step of `write` in turn and looks at what is left. `fresh` are the labels
  // the write adds, `victims` those it evicts.
  void kill_at_every_step(const std::function<void(ArtifactStore&)>& write,
                          const std::multiset<std::string>& fresh, std::size_t victims) {
    for (int at = 0;; ++at) {
      std::filesystem::remove_all(folder_.path("store"));
      for (const char* companion : {"store-wal", "store-shm"}) {
        std::filesystem::remove(folder_.path(companion));
      }
      put_three();
      int step = 0;
      const bool finished = in_child([&] {
        const auto store = open([&](std::string_view) {
          if (step++ == at) kill(getpid(), SIGKILL);
        });
        write(*store);
      });
      const auto store = open();
      const auto labels = live_labels(*store);
      const bool visible = labels.contains(*fresh.begin());
      SCOPED_TRACE(fmt::format("killed at step {}, {}", at, visible ? "visible" : "not visible"));
      for (const std::string& label : fresh) EXPECT_EQ(labels.contains(label), visible);
      if (visible) {
        EXPECT_EQ(labels.size(), 3 - victims + fresh.size());
      } else {
        EXPECT_EQ(labels, (std::multiset<std::string>{"a", "b", "c"}));
      }
      if (finished) {
        EXPECT_TRUE(visible);
      }
      // The store goes on, and its budget holds.
      store->put(kScope, input_of("z", 100));
      EXPECT_LE(live_labels(*store).size(), 3U);
      store->close();
      expect_mendable();
      if (finished) {
        EXPECT_GT(at, 2);  // there were steps to die in
        return;
      }
      ASSERT_LT(at, 100);
    }
  }

  TemporaryFolder folder_;
};

TEST_P(Crash, KilledInAPut) {
  kill_at_every_step([](ArtifactStore& store) { store.put(kScope, input_of("n", 3'000'000)); },
                     {"n"}, 1);
}

TEST_P(Crash, KilledInASmallPut) {
  kill_at_every_step([](ArtifactStore& store) { store.put(kScope, input_of("n", 100)); }, {"n"}, 1);
}

TEST_P(Crash, KilledInABatch) {
  kill_at_every_step(
      [](ArtifactStore& store) {
        store.put_batch(kScope, {ArtifactBatchEntry{input_of("m", 20'000), {}},
                                 ArtifactBatchEntry{input_of("n", 50), {0}}});
      },
      {"m", "n"}, 2);
}

TEST_P(Crash, KilledInAStream) {
  kill_at_every_step(
      [](ArtifactStore& store) {
        ArtifactStreamPutInput input("blob", "application/octet-stream", 3'000'000);
        input.label = "n";
        input.digest = "sha-256";
        StringSource body(std::string(3'000'000, 'n'));
        store.put_stream(kScope, input, body);
      },
      {"n"}, 1);
}

// The short transactions of a stream hold nothing but bytes nobody can see: its ticket comes with
// the last one.
TEST(CrashSqlite, WhatADeadStreamLeavesIsNeverSeenAndIsTakenAway) {
  const TemporaryFolder folder;
  const auto open = [&](const Clock& clock, std::function<void(std::string_view)> on_step) {
    ArtifactStoreOptions options;
    options.retention.max_bytes_per_scope = 30'000'000;
    options.clock = &clock;
    options.on_step = std::move(on_step);
    return open_artifact_store("sqlite:" + folder.path("store") + "?sync=off", options);
  };
  const auto stream = [](ArtifactStore& store, std::uint64_t bytes) {
    ArtifactStreamPutInput input("blob", "application/octet-stream", bytes);
    StringSource body(std::string(bytes, 's'));
    return store.put_stream(kScope, input, body);
  };
  ManualClock clock(1'000'000);
  EXPECT_FALSE(in_child([&] {
    int chunks = 0;
    const auto store = open(clock, [&](std::string_view step) {
      if (step == "chunk written" && ++chunks == 2) kill(getpid(), SIGKILL);
    });
    (void)stream(*store, 25'000'000);
  }));
  const auto chunks_of_nobody = [&](ArtifactStore& store) {
    const auto found = store.inspection()->fsck(false, nullptr);
    return std::count_if(found.begin(), found.end(),
                         [](const StoreProblem& one) { return one.kind != "expired"; });
  };
  {
    const auto store = open(clock, nullptr);
    EXPECT_TRUE(store->list(kScope, ArtifactListOptions()).artifacts.empty());
    EXPECT_TRUE(store->inspection()->usage().empty() ||
                store->inspection()->usage().front().bytes == 0);
    // The leftovers leave room for all of the budget and evict nothing.
    EXPECT_TRUE(stream(*store, 29'000'000).swept.empty());
    EXPECT_EQ(store->list(kScope, ArtifactListOptions()).artifacts.size(), 1U);
    // A quarter of an hour later nobody can be writing them any more.
    clock.advance_ms(16 * 60 * 1'000);
    (void)stream(*store, 10);
    EXPECT_EQ(chunks_of_nobody(*store), 0);
    EXPECT_EQ(store->list(kScope, ArtifactListOptions()).artifacts.size(), 2U);
  }
}

// A stream that another connection is still writing is nobody's leftover.
TEST(CrashSqlite, OpeningAStoreLeavesAStreamUnderWayAlone) {
  const TemporaryFolder folder;
  const std::string url = "sqlite:" + folder.path("store") + "?sync=off";
  ArtifactStoreOptions options;
  int opened = 0;
  options.on_step = [&](std::string_view step) {
    if (step != "chunk written" || opened++ > 0) return;
    const auto other = open_artifact_store(url, ArtifactStoreOptions());
    EXPECT_TRUE(other->list(kScope, ArtifactListOptions()).artifacts.empty());
    (void)other->put(kScope, input_of("o", 100));
  };
  const auto store = open_artifact_store(url, options);
  ArtifactStreamPutInput input("blob", "application/octet-stream", 20'000'000);
  input.digest = "sha-256";
  StringSource body(std::string(20'000'000, 's'));
  const std::string ref = store->put_stream(kScope, input, body).meta.ref;
  EXPECT_GT(opened, 1);
  EXPECT_EQ(store->get(kScope, ref)->payload.bytes().size(), 20'000'000U);
  EXPECT_EQ(store->list(kScope, ArtifactListOptions()).artifacts.size(), 2U);
}

// A limit on the size of files stands for the full disk: writes fail in the middle.
TEST_P(Crash, AFullDiskRefusesAndHarmsNothing) {
  put_three();
  EXPECT_TRUE(in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const auto store = open();
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = 600'000;
    setrlimit(RLIMIT_FSIZE, &limit);
    bool refused = false;
    try {
      store->put(kScope, input_of("n", 5'000'000));
    } catch (const ArtifactStoreError& error) {
      refused = error.code() == "artifact-store-io";
    }
    if (!refused) _exit(2);
    StringSource body(std::string(5'000'000, 's'));
    ArtifactStreamPutInput streamed("blob", "x/y", 5'000'000);
    try {
      store->put_stream(kScope, streamed, body);
      _exit(3);
    } catch (const ArtifactStoreError&) {
    }
    limit.rlim_cur = before;
    setrlimit(RLIMIT_FSIZE, &limit);
    if (live_labels(*store) != std::multiset<std::string>{"a", "b", "c"}) _exit(4);
    store->put(kScope, input_of("n", 5'000'000));
    if (!live_labels(*store).contains("n")) _exit(5);
  }));
  expect_mendable();
}

double soak_seconds() {
  const char* text = std::getenv("AGENTFOOTPRINT_SOAK_SECONDS");
  return text == nullptr ? 1.0 : std::atof(text);
}

void append_line(const std::string& file, const std::string& line) {
  std::ofstream(file, std::ios::app) << line << "\n";
}

// Ten writers and a reader in processes of their own. What a writer was told is stored must be
// there.
TEST_P(Crash, TenWritersAndAReader) {
  {
    (void)open(nullptr, std::nullopt);
  }
  const std::int64_t end =
      SystemClock::instance().steady_ns() + static_cast<std::int64_t>(soak_seconds() * 1e9);
  std::vector<pid_t> children;
  for (int child = 0; child < 11; ++child) {
    const pid_t pid = fork();
    if (pid != 0) {
      children.push_back(pid);
      continue;
    }
    try {
      const auto store = open(nullptr, std::nullopt);
      const std::string log = folder_.path(fmt::format("log-{}", child));
      for (int n = 0; SystemClock::instance().steady_ns() < end; ++n) {
        if (child == 10) {
          (void)live_labels(*store);
          if (testing::Test::HasFailure()) _exit(2);
        } else {
          const auto input = input_of(fmt::format("{}", child), n % 7 == 0 ? 70'000 : 300);
          append_line(log, store->put(kScope, input).meta.ref);
        }
      }
    } catch (const std::exception& error) {
      fmt::print(stderr, "child {}: {}\n", child, error.what());
      _exit(1);
    }
    _exit(0);
  }
  for (const pid_t pid : children) {
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const auto store = open(nullptr, std::nullopt);
  std::size_t acknowledged = 0;
  std::vector<std::size_t> by_writer;
  for (int child = 0; child < 10; ++child) {
    std::ifstream log(folder_.path(fmt::format("log-{}", child)));
    const std::size_t before = acknowledged;
    for (std::string ref; std::getline(log, ref); ++acknowledged) {
      EXPECT_TRUE(store->get(kScope, ref)) << ref << " was acknowledged and is lost";
    }
    by_writer.push_back(acknowledged - before);
  }
  EXPECT_GE(acknowledged, 10U);
  if (soak_seconds() > 1) {
    const auto [fewest, most] = std::minmax_element(by_writer.begin(), by_writer.end());
    fmt::print("{}: {} puts acknowledged, {} to {} of one writer\n", GetParam(), acknowledged,
               *fewest, *most);
  }
  const auto usage = store->inspection()->usage();
  ASSERT_EQ(usage.size(), 1U);
  EXPECT_EQ(usage.front().count, acknowledged);
}

TEST_P(Crash, TwoProcessesKeepOneBudget) {
  {
    (void)open();
  }
  std::vector<pid_t> children;
  for (int child = 0; child < 2; ++child) {
    const pid_t pid = fork();
    if (pid != 0) {
      children.push_back(pid);
      continue;
    }
    try {
      const auto store = open();
      for (int n = 0; n < 40; ++n) {
        store->put(kScope, input_of(fmt::format("{}", child), 500));
        ArtifactListOptions options;
        if (store->list(kScope, options).artifacts.size() > 3) _exit(2);
      }
    } catch (const std::exception& error) {
      fmt::print(stderr, "child {}: {}\n", child, error.what());
      _exit(1);
    }
    _exit(0);
  }
  for (const pid_t pid : children) {
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  EXPECT_EQ(live_labels(*open()).size(), 3U);
  expect_mendable();
}

INSTANTIATE_TEST_SUITE_P(Stores, Crash, testing::Values("sqlite", "file"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace agentfootprint
