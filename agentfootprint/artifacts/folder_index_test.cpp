// What a process knows of a scope's folder, while others change it.
#include "agentfootprint/artifacts/internal/folder_index.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <thread>

#include "agentfootprint/artifacts/file_store.hpp"
#include "agentfootprint/artifacts/internal/change_log.hpp"
#include "agentfootprint/artifacts/internal/temporary_folder.hpp"
#include "agentfootprint/artifacts/scope.hpp"

namespace agentfootprint {
namespace {

namespace fs = std::filesystem;
using artifacts_internal::ChangeLog;
using artifacts_internal::FolderIndex;
using artifacts_internal::FolderLock;
using artifacts_internal::ref_of_file;
using artifacts_internal::ScopeFolder;
using artifacts_internal::TemporaryFolder;
using Refs = std::set<std::string>;

const ArtifactScope kScope("conv-a");

class FileScope : public testing::Test {
 protected:
  std::unique_ptr<FileArtifactStore> open(
      std::optional<std::uint64_t> max_count = std::nullopt,
      std::function<void(std::string_view)> on_step = nullptr) const {
    ArtifactStoreOptions options;
    options.retention.max_count_per_scope = max_count;
    options.on_step = std::move(on_step);
    FileStoreSettings settings;
    settings.sync = false;
    return std::make_unique<FileArtifactStore>(root_.path("store"), options, settings);
  }

  static std::string put(ArtifactStore& store) {
    return store.put(kScope, PutArtifactInput("k", "text/plain", ArtifactPayload::text("x")))
        .meta.ref;
  }

  // Page by page, each ticket once, newest first and ties by ref.
  static Refs listed(ArtifactStore& store, std::int64_t page = 1'000) {
    std::vector<std::pair<std::int64_t, std::string>> places;
    ArtifactListOptions options;
    options.limit = page;
    do {
      const ArtifactListResult got = store.list(kScope, options);
      for (const ArtifactMeta& meta : got.artifacts)
        places.emplace_back(-meta.created_at, meta.ref);
      options.cursor = got.cursor;
    } while (options.cursor);
    EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
    Refs out;
    for (auto& [when, ref] : places) EXPECT_TRUE(out.insert(ref).second) << ref;
    return out;
  }

  static Refs known(FolderIndex& index) {
    const std::lock_guard guard(index.mutex);
    Refs out;
    for (const auto& [ref, row] : index.rows) out.insert(ref);
    return out;
  }

  ScopeFolder folder() const {
    return ScopeFolder::open(root_.path("store"), kScope, true, false).value();
  }

  // The naive way: the tickets the folder has.
  Refs there() const {
    Refs out;
    for (const std::string& name : folder().names()) {
      if (std::string ref = ref_of_file(name, ".json"); !ref.empty()) out.insert(std::move(ref));
    }
    return out;
  }

  fs::path file(const std::string& name) const {
    for (const auto& entry : fs::recursive_directory_iterator(root_.path("store"))) {
      if (entry.path().filename() == name) return entry.path();
    }
    return {};
  }

  TemporaryFolder root_;
};

// Three processes' stores on one folder do anything in any order; after each step all of them list
// what the folder holds, and no budget is exceeded.
TEST_F(FileScope, ListsAreWhatTheFolderHolds) {
  std::mt19937 random(20261130);
  const auto any = [&](std::size_t below) { return random() % below; };
  for (int round = 0; round < 20; ++round) {
    fs::remove_all(root_.path("store"));
    const std::uint64_t budget = 2 + any(6);
    std::vector<std::unique_ptr<FileArtifactStore>> stores;
    for (int n = 0; n < 3; ++n) stores.push_back(open(budget));
    for (int step = 0; step < 60; ++step) {
      ArtifactStore& store = *stores[any(3)];
      const Refs live = there();
      const auto one = [&] { return *std::next(live.begin(), static_cast<int>(any(live.size()))); };
      switch (any(8)) {
        case 0:
          if (!live.empty()) store.remove(kScope, one());
          break;
        case 1:
          if (budget > 2) {
            const PutArtifactInput input("k", "text/plain", ArtifactPayload::text("batch"));
            (void)store.put_batch(kScope, {ArtifactBatchEntry{input, {}}, {input, {0}}});
          }
          break;
        case 2:  // by hand
          if (!live.empty()) {
            usleep(5'000);
            fs::remove(file(one() + ".json"));
          }
          break;
        case 3:
          stores[any(3)] = open(budget);
          break;
        default:
          put(store);
      }
      const Refs now = there();
      EXPECT_LE(now.size(), budget);
      for (const auto& reader : stores) ASSERT_EQ(listed(*reader), now) << "step " << step;
      ASSERT_EQ(listed(*stores[any(3)], 1 + static_cast<std::int64_t>(any(3))), now)
          << "step " << step;
    }
  }
}

TEST_F(FileScope, AReaderSeesNothingOfAPutUnderWay) {
  const auto reader = open();
  Refs before;
  std::vector<std::string> steps;
  const auto writer = open(std::nullopt, [&](std::string_view step) {
    if (before.empty()) return;
    steps.emplace_back(step);
    if (step != "after commit") {
      EXPECT_EQ(listed(*reader), before) << step;
    }
    // A process that looks for the first time has nothing but the names.
    if (step == "payload written" || step == "ticket written") {
      EXPECT_EQ(listed(*open()), before) << step;
    }
  });
  put(*writer);
  put(*writer);
  before = listed(*reader);
  put(*writer);
  EXPECT_EQ(steps.size(), 4U);
  EXPECT_EQ(listed(*reader).size(), 3U);
}

TEST_F(FileScope, ALookAtEveryNameNeedsNoLockAndMissesNothingBehindIt) {
  const auto writer = open();
  const std::string first = put(*writer);
  const ScopeFolder scope = folder();
  FolderIndex index;
  {
    const FolderLock held(scope, 1'000);
    index.look_at_every_name(scope);
  }
  EXPECT_EQ(known(index), Refs{first});
  const std::string second = put(*writer);
  writer->remove(kScope, first);
  const FolderLock held(scope, 1'000);
  ChangeLog log(scope);
  EXPECT_TRUE(index.follow(scope, log));
  EXPECT_EQ(known(index), Refs{second});
}

TEST_F(FileScope, ALogThatStartsAgainCostsTheOthersOneLook) {
  const auto writer = open();
  const std::string first = put(*writer);
  const ScopeFolder scope = folder();
  FolderIndex one, other;
  one.look_at_every_name(scope);
  other.look_at_every_name(scope);
  const std::string second = put(*writer);
  const FolderLock held(scope, 1'000);
  ChangeLog log(scope);
  // Whoever starts it again goes on.
  ASSERT_TRUE(one.follow(scope, log));
  log.announce({{first}, {}});
  log.settle();
  for (int n = 0; n < 40'000; ++n) log.announce({{first}, {}});
  log.settle();
  ASSERT_TRUE(one.follow(scope, log));
  log.trim(2, one.log);
  EXPECT_LT(fs::file_size(file(".changes")), 100U);
  EXPECT_TRUE(one.follow(scope, log));
  EXPECT_FALSE(other.follow(scope, log));
  other.look_at_every_name(scope);
  EXPECT_TRUE(other.follow(scope, log));
  EXPECT_EQ(known(other), (Refs{first, second}));
}

TEST_F(FileScope, AWriterThatDiedAtWorkIsSeenByALook) {
  const auto writer = open();
  const std::string first = put(*writer);
  const ScopeFolder scope = folder();
  FolderIndex index;
  index.look_at_every_name(scope);
  {
    const FolderLock held(scope, 1'000);
    ChangeLog log(scope);
    log.announce({{first}, {}});
    fs::remove(file(first + ".json"));
  }
  const FolderLock held(scope, 1'000);
  ChangeLog log(scope);
  EXPECT_FALSE(index.follow(scope, log));
  index.look_at_every_name(scope);
  EXPECT_TRUE(known(index).empty());
}

TEST_F(FileScope, ABrokenLogIsStartedAgain) {
  const auto writer = open();
  Refs all{put(*writer)};
  for (const std::string_view lines :
       {"x\n", "t art_short\n", "= 12", "\n", "= 99999999999999999999\n"}) {
    const int log = ::open(file(".changes").c_str(), O_WRONLY | O_APPEND);
    ASSERT_EQ(::write(log, lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
    ::close(log);
    EXPECT_EQ(listed(*writer), all) << lines;
    all.insert(put(*writer));
    EXPECT_EQ(listed(*writer), all) << lines;
  }
  ASSERT_EQ(::truncate(file(".changes").c_str(), 10), 0);
  all.insert(put(*writer));
  EXPECT_EQ(listed(*writer), all);
}

TEST_F(FileScope, AnOrderNothingCanFollowIsPutAside) {
  const auto writer = open(2);
  const std::string first = put(*writer), bad = put(*writer);
  std::ifstream in(file(bad + ".json"));
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t at = text.find("\"order\":") + 8;
  text.replace(at, text.find(',', at) - at, "9223372036854775807");
  std::ofstream(file(bad + ".json")) << text;
  const auto other = open(2);
  EXPECT_EQ(listed(*other), Refs{first});
  const std::string third = put(*other);
  EXPECT_EQ(listed(*other), (Refs{first, third}));
  EXPECT_THROW((void)other->head(kScope, bad), UnreadableArtifactFileError);
  EXPECT_EQ(other->head(kScope, third)->ref, third);
}

TEST_F(FileScope, ATicketWhoseRecordWasChangedCanOnlyBeRemoved) {
  const auto store = open();
  const std::string changed = put(*store), other = put(*store);
  std::ifstream in(file(changed + ".json"));
  std::string text((std::istreambuf_iterator<char>(in)), {});
  text.replace(text.find("text/plain"), 10, "text/html!");
  std::ofstream(file(changed + ".json")) << text;
  EXPECT_THROW((void)store->head(kScope, changed), ArtifactIntegrityError);
  EXPECT_THROW((void)store->get(kScope, changed), ArtifactIntegrityError);
  store->remove(kScope, changed);
  EXPECT_FALSE(store->head(kScope, changed));
  EXPECT_EQ(there(), Refs{other});
}

// Folders of somebody else may lie as deep as those of scopes.
TEST_F(FileScope, FsckLeavesFoldersWithoutALockAlone) {
  const auto store = open();
  put(*store);
  const fs::path foreign = fs::path(root_.path("store")) / "src" / "part" / "one";
  fs::create_directories(foreign);
  std::ofstream(foreign / "build.tmp") << "x";
  std::ofstream(foreign / "art_0000000000000000000000.bin") << "x";
  EXPECT_TRUE(store->inspection()->fsck(true, nullptr).empty());
  EXPECT_EQ(std::distance(fs::directory_iterator(foreign), {}), 2);
  EXPECT_EQ(store->inspection()->usage().size(), 1U);
}

// Whoever collects leftovers may meet a file between its making and its locking.
TEST_F(FileScope, AFileInTheMakingIsNobodysLeftover) {
  (void)open();
  const ScopeFolder scope = folder();
  std::atomic<bool> done{false};
  std::thread collector([&] {
    while (!done) {
      for (const std::string& name : scope.names()) (void)scope.remove_abandoned(name);
    }
  });
  int lost = 0;
  for (int n = 0; n < 5'000; ++n) {
    const std::string name = fmt::format("{}.tmp", n);
    const auto made = scope.create(name);
    lost += scope.exists(name) ? 0 : 1;
  }
  done = true;
  collector.join();
  EXPECT_EQ(lost, 0);
}

TEST_F(FileScope, APayloadThatIsTakenAwayMeanwhileIsNoPut) {
  const auto writer = open(std::nullopt, [&](std::string_view step) {
    if (step != "chunk written") return;
    for (const std::string& name : folder().names()) {
      if (name.ends_with(".tmp")) fs::remove(file(name));
    }
  });
  ArtifactStreamPutInput input("blob", "x/y", 3);
  StringSource body("abc");
  EXPECT_THROW((void)writer->put_stream(kScope, input, body), ArtifactStoreError);
  EXPECT_TRUE(there().empty());
}

TEST_F(FileScope, AnExpiredTicketIsAbsentAlsoWhileAWriterIsAtWork) {
  ManualClock clock(1'000'000);
  ArtifactStoreOptions options;
  options.retention.ttl_ms = 1'000;
  options.clock = &clock;
  FileArtifactStore store(root_.path("store"), options);
  const std::string ref = put(store);
  clock.advance_ms(2'000);
  {
    const FolderLock held(folder(), 1'000);
    EXPECT_FALSE(store.head(kScope, ref));
    EXPECT_EQ(there(), Refs{ref});
  }
  EXPECT_FALSE(store.head(kScope, ref));
  EXPECT_TRUE(there().empty());
  clock.advance_ms(10);
  const auto done =
      store.put(kScope, PutArtifactInput("k", "text/plain", ArtifactPayload::text("x")));
  ASSERT_EQ(done.swept.size(), 1U);
  EXPECT_EQ(done.swept.front().ref, ref);
}

}  // namespace
}  // namespace agentfootprint
