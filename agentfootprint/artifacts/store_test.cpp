// Every shipped store against the conformance suite.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>

#include "agentfootprint/artifacts/conformance.hpp"
#include "agentfootprint/artifacts/file_store.hpp"
#include "agentfootprint/artifacts/internal/temporary_folder.hpp"
#include "agentfootprint/artifacts/memory_store.hpp"
#include "agentfootprint/artifacts/scope.hpp"
#include "agentfootprint/artifacts/sqlite_store.hpp"

namespace agentfootprint {
namespace {

using artifacts_internal::TemporaryFolder;

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

// Overwrites stored bytes behind the store's back.
void corrupt_sqlite(const std::string& file, const std::string& ref) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  const std::string sql =
      "UPDATE af_artifacts SET payload = zeroblob(length(payload)) WHERE ref = '" + ref + "'";
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
}

TEST(Conformance, Sqlite) {
  const TemporaryFolder folder;
  auto clock = std::make_shared<ManualClock>(1'000'000);
  auto count = std::make_shared<int>(0);
  ArtifactStoreOptions options;
  options.clock = clock.get();
  const auto file = [&folder, count] { return folder.path(fmt::format("s{}.db", *count)); };
  ConformanceHarness harness;
  harness.name = "sqlite";
  harness.create_store = [=] {
    ++*count;
    return std::make_shared<SqliteArtifactStore>(file(), options);
  };
  harness.advance_time = [=](std::int64_t ms) { clock->advance_ms(ms); };
  harness.bounded_store = [=](std::uint64_t max_bytes) {
    ArtifactStoreOptions bounded = options;
    bounded.retention.max_bytes_per_scope = max_bytes;
    return std::make_shared<SqliteArtifactStore>(file() + "b", bounded);
  };
  harness.corrupt = [=](ArtifactStore&, const ArtifactScope&, const std::string& ref) {
    corrupt_sqlite(file(), ref);
  };
  expect_conforming(harness, 20);
}

TEST(Conformance, File) {
  const TemporaryFolder folder;
  auto clock = std::make_shared<ManualClock>(1'000'000);
  auto count = std::make_shared<int>(0);
  ArtifactStoreOptions options;
  options.clock = clock.get();
  FileStoreSettings settings;
  settings.sync = false;
  const auto root = [&folder, count] { return folder.path(fmt::format("s{}", *count)); };
  ConformanceHarness harness;
  harness.name = "file";
  harness.create_store = [=] {
    ++*count;
    return std::make_shared<FileArtifactStore>(root(), options, settings);
  };
  harness.advance_time = [=](std::int64_t ms) { clock->advance_ms(ms); };
  harness.bounded_store = [=](std::uint64_t max_bytes) {
    ArtifactStoreOptions bounded = options;
    bounded.retention.max_bytes_per_scope = max_bytes;
    return std::make_shared<FileArtifactStore>(root() + "b", bounded, settings);
  };
  harness.corrupt = [=](ArtifactStore&, const ArtifactScope& scope, const std::string& ref) {
    const std::string payload = root() + "/" + scope_key_prefix(scope) + ref + ".bin";
    std::fstream file(payload, std::ios::in | std::ios::out | std::ios::binary);
    ASSERT_TRUE(file.is_open()) << payload;
    file.put('#');
  };
  expect_conforming(harness, 20);
}

}  // namespace
}  // namespace agentfootprint
