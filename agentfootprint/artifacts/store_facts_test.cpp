// Facts of single stores: tickets, addresses, damage, files that are not ours, closing.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "agentfootprint/artifacts/file_store.hpp"
#include "agentfootprint/artifacts/internal/temporary_folder.hpp"
#include "agentfootprint/artifacts/scope.hpp"
#include "agentfootprint/artifacts/sqlite_store.hpp"
#include "agentfootprint/artifacts/ticket.hpp"

namespace agentfootprint {
namespace {

namespace fs = std::filesystem;
using artifacts_internal::TemporaryFolder;

PutArtifactInput text_input(std::string text) {
  PutArtifactInput input("k", "text/plain", ArtifactPayload::text(std::move(text)));
  input.digest = "sha-256";
  return input;
}

std::string problem_of(const std::string& file) {
  try {
    SqliteArtifactStore store(file, ArtifactStoreOptions());
  } catch (const UnreadableArtifactStoreError& error) {
    EXPECT_EQ(error.code(), "ERR_UNREADABLE_ARTIFACT_STORE");
    return error.problem();
  }
  return "opened";
}

void run_sql(const std::string& file, const char* sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

TEST(Ticket, IsPrefixAndTwentyTwoLetters) {
  SystemRandom random;
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    const std::string ref = mint_artifact_ref(random);
    EXPECT_EQ(ref.size(), 26U);
    EXPECT_TRUE(is_artifact_ref(ref));
    seen.insert(ref);
  }
  EXPECT_EQ(seen.size(), 200U);
  const std::string long_ref = "art_" + std::string(23, 'a');
  for (const std::string_view bad :
       {std::string_view(""), std::string_view("art_short"), std::string_view(long_ref),
        std::string_view("../etc/passwd"), std::string_view("art_AAAAAAAAAAAAAAAAAAAAA_"),
        std::string_view("ART_AAAAAAAAAAAAAAAAAAAAAA")}) {
    EXPECT_FALSE(is_artifact_ref(bad)) << bad;
  }
}

TEST(Scope, EncodesEachFieldInItsOwnWay) {
  EXPECT_EQ(identity_namespace(ArtifactScope("acme/hr", "", "_")), "acme%2Fhr/_/%5F");
  EXPECT_EQ(identity_namespace(ArtifactScope("50%", "p", "c")), "50%25/p/c");
  EXPECT_EQ(scope_segment("../../escape"), "%2E%2E%2F%2E%2E%2Fescape");
  EXPECT_EQ(scope_segment(".."), "%2E%2E");
  EXPECT_EQ(scope_segment(""), "_");
  EXPECT_EQ(scope_segment("_"), "%5F");
  EXPECT_EQ(scope_segment("Acme~é"), "~acme~~%C3%A9");
  EXPECT_EQ(scope_segment(std::string("a\0b", 3)), "a%00b");
  EXPECT_EQ(scope_key_prefix(ArtifactScope("c"), "root"), "root/_/_/c/");
  EXPECT_LE(scope_segment(std::string(5'000, 'Z')).size(), 255U);
  for (const ArtifactScope& scope :
       {ArtifactScope("a/b", "%", "_"), ArtifactScope("", "%5F", "x%2Fy"), ArtifactScope("c")}) {
    EXPECT_EQ(scope_of_namespace(identity_namespace(scope)), scope);
  }
}

TEST(Scope, KeyRootsStayInTheirPlace) {
  EXPECT_EQ(normalize_key_root("s3", "/artifacts/x/"), "artifacts/x");
  EXPECT_EQ(normalize_key_root("s3", "a..b"), "a..b");
  for (const char* bad : {"../elsewhere", "a/../b", "", " ", "///"}) {
    EXPECT_THROW((void)normalize_key_root("s3", bad), Refusal) << bad;
  }
}

TEST(FileStore, ScopesAreFoldersAndNothingLeavesTheRoot) {
  const TemporaryFolder folder;
  FileArtifactStore store(folder.path("root"), ArtifactStoreOptions());
  const ArtifactScope scope("../../escape", "", "c");
  const std::string ref = store.put(scope, text_input("1")).meta.ref;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path("root"))) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_EQ(names, std::vector<std::string>{"%2E%2E%2F%2E%2E%2Fescape"});
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
  struct stat status{};
  const std::string payload = folder.path("root/") + scope_key_prefix(scope) + ref + ".bin";
  ASSERT_EQ(stat(payload.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  ASSERT_EQ(stat(folder.path("root").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
  EXPECT_THROW(FileArtifactStore("  ", ArtifactStoreOptions()), Refusal);
}

class FileDamage : public testing::Test {
 protected:
  std::string path(const std::string& ref, std::string_view ending) {
    return folder_.path("s/") + scope_key_prefix(scope_) + ref + std::string(ending);
  }
  static void overwrite(const std::string& file, std::string_view text) {
    std::ofstream(file, std::ios::binary) << text;
  }
  TemporaryFolder folder_;
  ArtifactScope scope_{"conv-a"};
  FileArtifactStore store_{folder_.path("s"), ArtifactStoreOptions()};
};

TEST_F(FileDamage, ABadFileIsNamedAndHarmsNothingElse) {
  const std::string bad = store_.put(scope_, text_input("bad")).meta.ref;
  const std::string good = store_.put(scope_, text_input("good")).meta.ref;
  overwrite(path(bad, ".json"), "not json");
  for (int look = 0; look < 2; ++look) {
    try {
      (void)store_.get(scope_, bad);
      ADD_FAILURE();
    } catch (const UnreadableArtifactFileError& error) {
      EXPECT_EQ(error.file(), bad + ".json");
    }
  }
  EXPECT_TRUE(fs::exists(path(bad, ".json.quarantine")));
  EXPECT_TRUE(store_.get(scope_, good));
  EXPECT_EQ(store_.list(scope_, ArtifactListOptions()).artifacts.size(), 1U);
  EXPECT_TRUE(store_.put(scope_, text_input("more")).swept.empty());
  const auto found = store_.inspection()->fsck(false, nullptr);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kind, "quarantined");
}

// A journal is found after a crash; one that is not ours moves nothing and stays to be looked at.
TEST_F(FileDamage, AForgedJournalMovesNothing) {
  const std::string good = store_.put(scope_, text_input("good")).meta.ref;
  overwrite(folder_.path("outside"), "mine");
  const std::string names[] = {
      R"({"rename":[{"a":"x","b":"y"}],"evict":[]})",
      R"({"rename":[["../../../outside","taken"]],"evict":[]})",
      R"({"rename":[["x","a/b"]],"evict":[]})",
      R"({"rename":[["..","y"]],"evict":[]})",
      R"({"rename":[["x\u0000","y"]],"evict":[]})",
      R"({"rename":[["","y"]],"evict":[]})",
      R"({"rename":[["x"]],"evict":[]})",
      R"({"rename":[],"evict":[{"ref":"../../../outside"}]})",
      R"({"rename":[)",
  };
  for (const std::string& text : names) {
    overwrite(path("", ".journal"), text);
    FileArtifactStore again(folder_.path("s"), ArtifactStoreOptions());
    EXPECT_TRUE(again.put(scope_, text_input("more")).swept.empty()) << text;
    EXPECT_TRUE(again.get(scope_, good)) << text;
    EXPECT_TRUE(fs::exists(path("", ".journal.quarantine"))) << text;
    EXPECT_FALSE(fs::exists(path("", ".journal"))) << text;
    EXPECT_TRUE(fs::exists(folder_.path("outside"))) << text;
    fs::remove(path("", ".journal.quarantine"));
  }
}

TEST_F(FileDamage, AnEditedTicketIsNoticed) {
  const std::string ref = store_.put(scope_, text_input("x")).meta.ref;
  std::ifstream in(path(ref, ".json"));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  text.replace(text.find("\"kind\":\"k\""), 10, "\"kind\":\"j\"");
  overwrite(path(ref, ".json"), text);
  EXPECT_THROW((void)store_.head(scope_, ref), ArtifactIntegrityError);
  EXPECT_TRUE(store_.list(scope_, ArtifactListOptions()).artifacts.empty());
}

TEST_F(FileDamage, ATicketMovedToAnotherScopeIsNoTicketThere) {
  const std::string ref = store_.put(scope_, text_input("x")).meta.ref;
  const ArtifactScope other("conv-b");
  store_.put(other, text_input("y"));
  const std::string there = folder_.path("s/") + scope_key_prefix(other) + ref;
  fs::copy_file(path(ref, ".json"), there + ".json");
  fs::copy_file(path(ref, ".bin"), there + ".bin");
  EXPECT_THROW((void)store_.get(other, ref), ArtifactIntegrityError);
  EXPECT_EQ(store_.list(other, ArtifactListOptions()).artifacts.size(), 1U);
}

TEST_F(FileDamage, ALostPayloadIsAbsence) {
  const std::string ref = store_.put(scope_, text_input("x")).meta.ref;
  fs::remove(path(ref, ".bin"));
  EXPECT_FALSE(store_.get(scope_, ref));
  EXPECT_FALSE(store_.head(scope_, ref));
  EXPECT_FALSE(store_.get_stream(scope_, ref));
}

TEST_F(FileDamage, ALinkOutOfTheRootIsNotFollowed) {
  store_.put(scope_, text_input("x"));
  const std::string outside = folder_.path("outside");
  fs::create_directory(outside);
  const std::string ref = store_.put(scope_, text_input("y")).meta.ref;
  fs::rename(path(ref, ".bin"), outside + "/bin");
  fs::create_symlink(outside + "/bin", path(ref, ".bin"));
  EXPECT_FALSE(store_.get(scope_, ref));
  fs::create_directory_symlink(outside, folder_.path("s/linked"));
  EXPECT_THROW(store_.put(ArtifactScope("linked", "p", "c"), text_input("z")), ArtifactStoreError);
  EXPECT_EQ(std::distance(fs::directory_iterator(outside), fs::directory_iterator()), 1);
}

TEST(FileStore, ExpiryTakesBothFilesAndIsReportedLater) {
  const TemporaryFolder folder;
  ManualClock clock(1'000'000);
  ArtifactStoreOptions options;
  options.clock = &clock;
  FileArtifactStore store(folder.path("s"), options);
  const ArtifactScope scope("c");
  ArtifactStreamPutInput input("k", "x/y", 4);
  input.expires_at = 1'000'050;
  StringSource body("four");
  const std::string ref = store.put_stream(scope, input, body).meta.ref;
  clock.advance_ms(51);
  EXPECT_FALSE(store.head(scope, ref));
  const std::string stem = folder.path("s/") + scope_key_prefix(scope) + ref;
  EXPECT_FALSE(fs::exists(stem + ".json"));
  EXPECT_FALSE(fs::exists(stem + ".bin"));
  const auto next = store.put(scope, text_input("x"));
  ASSERT_EQ(next.swept.size(), 1U);
  EXPECT_EQ(next.swept.front(), (SweptArtifact{ref, SweepReason::ttl, "k", 4}));
  EXPECT_TRUE(store.put(scope, text_input("x")).swept.empty());
}

TEST(FileStore, ARefusedStreamLeavesNoFiles) {
  const TemporaryFolder folder;
  FileArtifactStore store(folder.path("s"), ArtifactStoreOptions());
  const ArtifactScope scope("c");
  StringSource body(std::string(20, 'x'));
  EXPECT_THROW(store.put_stream(scope, ArtifactStreamPutInput("k", "x/y", 999), body),
               InvalidArtifactError);
  for (const auto& entry : fs::directory_iterator(folder.path("s/") + scope_key_prefix(scope))) {
    const auto name = entry.path().filename();
    EXPECT_TRUE(name == ".lock" || name == ".gate") << name;
  }
}

TEST(SqliteStore, FilesThatAreNotOursAreNamed) {
  const TemporaryFolder folder;
  std::ofstream(folder.path("text.db")) << std::string(4'096, 'x');
  EXPECT_EQ(problem_of(folder.path("text.db")), "cannot-open");
  run_sql(folder.path("foreign.db"), "CREATE TABLE af_artifacts(a, b)");
  EXPECT_EQ(problem_of(folder.path("foreign.db")), "not-our-schema");
  EXPECT_EQ(problem_of(folder.path("newer.db")), "opened");
  run_sql(folder.path("newer.db"), "UPDATE af_artifacts_meta SET value = '999'");
  EXPECT_EQ(problem_of(folder.path("newer.db")), "newer-schema");
  for (const char* bad : {":memory:", "", "  "}) {
    EXPECT_THROW(SqliteArtifactStore(bad, ArtifactStoreOptions()), Refusal) << bad;
  }
}

TEST(SqliteStore, IsPrivateWalAndFinalWhenClosed) {
  const TemporaryFolder folder;
  SqliteArtifactStore store(folder.path("a/b/s.db"), ArtifactStoreOptions());
  EXPECT_EQ(store.journal_mode(), "wal");
  struct stat status{};
  ASSERT_EQ(stat(folder.path("a/b/s.db").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  store.close();
  store.close();
  try {
    (void)store.list(ArtifactScope("c"), ArtifactListOptions());
    ADD_FAILURE();
  } catch (const ArtifactStoreError& error) {
    EXPECT_EQ(error.code(), "artifact-store-closed");
  }
}

TEST(SqliteStore, AnEditedTicketIsNoticed) {
  const TemporaryFolder folder;
  SqliteArtifactStore store(folder.path("s.db"), ArtifactStoreOptions());
  const ArtifactScope scope("c");
  const std::string ref = store.put(scope, text_input("x")).meta.ref;
  run_sql(folder.path("s.db"), "UPDATE af_artifacts SET meta = replace(meta, '\"k\"', '\"j\"')");
  EXPECT_THROW((void)store.head(scope, ref), ArtifactIntegrityError);
  EXPECT_TRUE(store.list(scope, ArtifactListOptions()).artifacts.empty());
  EXPECT_EQ(store.inspection()->fsck(false, nullptr).front().kind, "record-mismatch");
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
  for (const char* bad : {"", "redis:x", "sqlite:x?sync=maybe", "sqlite:", "file:", "memory:x"}) {
    EXPECT_THROW((void)open_artifact_store(bad, ArtifactStoreOptions()), Refusal) << bad;
  }
  EXPECT_EQ(open_artifact_store("memory:", ArtifactStoreOptions())->name(), "memory");
}

}  // namespace
}  // namespace agentfootprint
