// Facts of single stores that no text case can state: waiting, streams over a removal, URLs. The
// others are in tests/cases/artifacts.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "agentfootprint/artifacts/internal/temporary_folder.hpp"
#include "agentfootprint/artifacts/scope.hpp"
#include "agentfootprint/artifacts/sqlite_store.hpp"

namespace agentfootprint {
namespace {

using artifacts_internal::TemporaryFolder;

PutArtifactInput text_input(std::string text) {
  PutArtifactInput input("k", "text/plain", ArtifactPayload::text(std::move(text)));
  input.digest = "sha-256";
  return input;
}

TEST(Scope, LongNamesFitAFolderAndNamespacesReadBack) {
  EXPECT_LE(scope_segment(std::string(5'000, 'Z')).size(), 255U);
  EXPECT_EQ(scope_segment(std::string("a\0b", 3)), "a%00b");
  for (const ArtifactScope& scope :
       {ArtifactScope("a/b", "%", "_"), ArtifactScope("", "%5F", "x%2Fy"), ArtifactScope("c")}) {
    EXPECT_EQ(scope_of_namespace(identity_namespace(scope)), scope);
  }
}

TEST(SqliteStore, AWriterThatWaitsTooLongIsTold) {
  const TemporaryFolder folder;
  SqliteStoreSettings settings;
  settings.busy_ms = 30;
  SqliteArtifactStore store(folder.path("s.db"), ArtifactStoreOptions(), settings);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(folder.path("s.db").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  try {
    store.put(ArtifactScope("c"), text_input("x"));
    ADD_FAILURE();
  } catch (const ArtifactStoreError& error) {
    EXPECT_EQ(error.code(), "artifact-store-busy");
  }
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  EXPECT_EQ(store.put(ArtifactScope("c"), text_input("x")).meta.bytes, 1U);
}

TEST(SqliteStore, AStreamSurvivesTheRemovalOfItsArtifact) {
  const TemporaryFolder folder;
  SqliteArtifactStore store(folder.path("s.db"), ArtifactStoreOptions());
  const ArtifactScope scope("c");
  const std::string bytes(3'500'000, 'y');
  const std::string ref = store.put(scope, text_input(bytes)).meta.ref;
  auto stream = store.get_stream(scope, ref);
  ASSERT_TRUE(stream);
  store.remove(scope, ref);
  EXPECT_EQ(collect_stream(*stream->body, bytes.size()).bytes, bytes);
  EXPECT_FALSE(store.get_stream(scope, ref));
}

TEST(StoreUrl, NamesTheStoresThereAre) {
  for (const char* bad :
       {"", "redis:x", "sqlite:x?sync=maybe", "sqlite:", "file:", "memory:x", "file:x?sync=normal",
        "file:x?busy_ms=-1", "sqlite:x?busy_ms=", "file:x?y"}) {
    EXPECT_THROW((void)open_artifact_store(bad, ArtifactStoreOptions()), Refusal) << bad;
  }
  // The longest wait there is passes no clock's end.
  const TemporaryFolder folder;
  for (const char* kind : {"sqlite:", "file:"}) {
    const auto store =
        open_artifact_store(kind + folder.path(kind) + "?busy_ms=9223372036854775807&sync=full",
                            ArtifactStoreOptions());
    EXPECT_EQ(store->put(ArtifactScope("c"), text_input("x")).meta.bytes, 1U);
  }
  EXPECT_EQ(open_artifact_store("memory:", ArtifactStoreOptions())->name(), "memory");
}

}  // namespace
}  // namespace agentfootprint
