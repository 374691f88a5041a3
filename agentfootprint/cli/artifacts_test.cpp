// The command `artifacts`, run as a program over a store on disk.
#include "agentfootprint/cli/artifacts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>

#include "agentfootprint/artifacts/internal/sqlite.hpp"
#include "agentfootprint/artifacts/store.hpp"
#include "agentfootprint/json/parse.hpp"
#include "tests/run_program.hpp"

namespace agentfootprint {
namespace {

namespace fs = std::filesystem;
using cli_test::Outcome;
using cli_test::run_program;

class ArtifactsCommand : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    url_ = GetParam() + ":" + (folder_.path() / "store").string();
    const auto store = open_artifact_store(url_, ArtifactStoreOptions());
    PutArtifactInput rows("dataset/rows", "text/csv",
                          ArtifactPayload::text("vm,iops\na,10\nb,20\nc,\x1b[31m\n"));
    rows.label = "all \x1b[31m VMs";
    rows.digest = "sha-256";
    ref_ = store->put(scope_, rows).meta.ref;
    PutArtifactInput child("report", "text/plain", ArtifactPayload::text("two"));
    child.parent_refs = {ref_};
    child_ = store->put(scope_, child).meta.ref;
    store->close();
  }
  Outcome run(const std::string& what) {
    return run_program(fmt::format("artifacts {} --store {}", what, cli_test::quoted(url_)));
  }
  Outcome scoped(const std::string& what) { return run(what + " --scope acme/alice/conv-a"); }
  static json::Value parsed(const Outcome& outcome) { return json::parse_or_throw(outcome.out); }

  cli_test::Folder folder_;
  std::string url_, ref_, child_;
  ArtifactScope scope_{"acme", "alice", "conv-a"};
};

TEST_P(ArtifactsCommand, ListsAndShows) {
  const Outcome all = run("ls");
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_NE(all.out.find(ref_), std::string::npos);
  EXPECT_NE(all.out.find("acme/alice/conv-a"), std::string::npos);
  EXPECT_EQ(all.out.find('\x1b'), std::string::npos);  // a label cannot paint the terminal
  const json::Value page = parsed(scoped("ls --limit 1 --json"));
  EXPECT_EQ(page.at("artifacts").size(), 1U);
  EXPECT_TRUE(page.contains("cursor"));
  EXPECT_EQ(run("ls --scope nobody").code, 0);
  const json::Value head = parsed(scoped("head " + ref_ + " --json"));
  EXPECT_EQ(head.find_pointer("/preview/measured/rows")->as_int64(), 3);
  const Outcome shown = scoped("head " + ref_);
  EXPECT_EQ(shown.code, 0);
  const std::string digest(*head.find_pointer("/meta/digest")->as_string());
  EXPECT_NE(shown.out.find(digest), std::string::npos) << "a digest is shown whole";
  EXPECT_EQ(scoped("head art_AAAAAAAAAAAAAAAAAAAAAA").code, 1);
  EXPECT_EQ(run("head " + ref_ + " --scope acme/bob/conv-a").code, 1);
  EXPECT_EQ(run("head " + ref_ + " --scope acme/alice").code, 2);
}

TEST_P(ArtifactsCommand, ReadsPayloadsAndParts) {
  EXPECT_EQ(scoped("get " + ref_).out, "vm,iops\na,10\nb,20\nc,\x1b[31m\n");
  const std::string file = (folder_.path() / "payload").string();
  EXPECT_EQ(scoped("get " + ref_ + " -o " + cli_test::quoted(file)).code, 0);
  EXPECT_EQ(cli_test::read_file(file).size(), 26U);
  EXPECT_EQ(scoped("get art_nope").code, 1);
  const json::Value whole = parsed(scoped("get " + ref_ + " --json"));
  EXPECT_EQ(whole.find_pointer("/meta/ref")->as_string(), ref_);
  EXPECT_EQ(whole.at("data").as_string()->size(), 26U);
  EXPECT_EQ(scoped("get art_nope --json").code, 1);
  const std::string nowhere = (folder_.path() / "none" / "payload").string();
  EXPECT_EQ(scoped("get " + ref_ + " -o " + cli_test::quoted(nowhere)).code, 2);
  const json::Value rows = parsed(scoped("rows " + ref_ + " --offset 1 --limit 1 --json"));
  EXPECT_EQ(rows.find_pointer("/rows/0/vm")->as_string(), "b");
  EXPECT_TRUE(*rows.at("more").as_bool());
  EXPECT_EQ(scoped("rows " + ref_ + " --columns vm").out, "vm\na\nb\nc\n");
  EXPECT_EQ(scoped("rows " + ref_ + " --columns nope").code, 2);
  EXPECT_EQ(scoped("rows " + child_).code, 2);
}

TEST_P(ArtifactsCommand, QueriesAndWalksLineage) {
  EXPECT_EQ(scoped("query " + ref_ + " 'SELECT sum(iops) AS s FROM rows'").out, "s\n30\n");
  EXPECT_EQ(scoped("query " + ref_ + " 'DELETE FROM rows'").code, 2);
  const json::Value minted =
      parsed(scoped("query " + ref_ + " 'SELECT vm FROM rows' --mint --json"));
  EXPECT_EQ(minted.at("rows").as_int64(), 3);
  const json::Value lineage = parsed(scoped("lineage " + ref_ + " --json"));
  EXPECT_EQ(lineage.at("edges").size(), 2U);
  EXPECT_NE(scoped("lineage " + ref_ + " --dot").out.find("digraph"), std::string::npos);
}

TEST_P(ArtifactsCommand, LooksAfterTheStore) {
  EXPECT_EQ(run("verify").code, 0);
  const json::Value verified = parsed(run("verify --json"));
  EXPECT_EQ(verified.at("checked").as_int64(), 2);
  EXPECT_EQ(run("fsck").code, 0) << run("fsck").out;
  const json::Value usage = parsed(run("du --json"));
  EXPECT_EQ(usage.at("artifacts").as_int64(), 2);
  EXPECT_EQ(usage.at("bytes").as_int64(), 29);
  EXPECT_EQ(scoped("rm " + ref_ + " art_nope").code, 1);
  const json::Value after = parsed(run("du --json"));
  EXPECT_EQ(after.at("artifacts").as_int64(), 1);
  EXPECT_EQ(run("fsck").code, 1);  // its child has lost its parent
}

TEST_P(ArtifactsCommand, AnOutputFileStaysUntilThePayloadIsWhole) {
  const std::string file = folder_.write("out/kept", "mine");
  EXPECT_EQ(scoped("get art_nope -o " + cli_test::quoted(file)).code, 1);
  EXPECT_EQ(cli_test::read_file(file), "mine");
  EXPECT_EQ(scoped("get " + ref_ + " -o " + cli_test::quoted(file)).code, 0);
  EXPECT_EQ(cli_test::read_file(file).size(), 26U);
  EXPECT_EQ(scoped("get " + ref_ + " -o /dev/full").code, 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path() / "out"), {}), 1);
}

TEST_P(ArtifactsCommand, EveryOutputThatCannotBeWrittenIsTold) {
  for (const std::string& what : {std::string("ls"), "head " + ref_, "rows " + ref_, "get " + ref_,
                                  "get " + ref_ + " --json", std::string("du")}) {
    const std::string scope = what == "du" ? "" : " --scope acme/alice/conv-a";
    const Outcome full = cli_test::run_shell("agentfootprint artifacts " + what + " --store " +
                                             cli_test::quoted(url_) + scope + " >/dev/full");
    EXPECT_EQ(full.code, 2) << what;
    EXPECT_FALSE(full.err.empty()) << what;
  }
}

TEST_P(ArtifactsCommand, PagesSayWhereTheyEnd) {
  EXPECT_EQ(scoped("ls --limit 0").code, 2);
  EXPECT_EQ(scoped("rows " + ref_ + " --limit -1").code, 2);
  const json::Value page = parsed(scoped("ls --limit 1 --json"));
  const std::string cursor(*page.at("cursor").as_string());
  const json::Value next = parsed(scoped("ls --json --cursor " + cursor));
  EXPECT_EQ(next.at("artifacts").size(), 1U);
  EXPECT_EQ(run("ls --cursor " + cursor).code, 2);  // a place in which scope?
  const json::Value all = parsed(run("ls --limit 1 --json"));
  EXPECT_EQ(all.find_pointer("/more/0/cursor")->as_string(), cursor);
  EXPECT_EQ(all.find_pointer("/more/0/scope/tenant")->as_string(), "acme");
  const Outcome beyond = scoped("rows " + ref_ + " --offset 3");
  EXPECT_EQ(beyond.code, 0);
  EXPECT_EQ(beyond.out, "");
  EXPECT_NE(beyond.err.find("there are 3"), std::string::npos) << beyond.err;
  EXPECT_EQ(scoped("query " + ref_ + " 'SELECT vm, iops FROM rows WHERE 0'").out, "vm  iops\n");
}

TEST_P(ArtifactsCommand, VerifiesATicketInWhicheverScopeItIs) {
  const auto store = open_artifact_store(url_, ArtifactStoreOptions());
  const PutArtifactInput other("k", "text/plain", ArtifactPayload::text("x"));
  (void)store->put(ArtifactScope("another"), other);
  store->close();
  EXPECT_EQ(run("verify " + ref_).code, 0) << run("verify " + ref_).out;
  EXPECT_EQ(run("verify art_AAAAAAAAAAAAAAAAAAAAAA").code, 1);
  EXPECT_EQ(run("verify " + ref_ + " --scope another").code, 1);
}

INSTANTIATE_TEST_SUITE_P(Stores, ArtifactsCommand, testing::Values("sqlite", "file"),
                         [](const auto& one) { return one.param; });

TEST(ArtifactsCommandOnSqlite, AChangedRecordIsAFaultAndCanBeRemoved) {
  const cli_test::Folder folder;
  const std::string file = (folder.path() / "store.db").string();
  const auto store = open_artifact_store("sqlite:" + file, ArtifactStoreOptions());
  const PutArtifactInput input("k", "text/plain", ArtifactPayload::text("x"));
  const std::string ref = store->put(ArtifactScope("c"), input).meta.ref;
  store->close();
  artifacts_internal::Connection(file, SQLITE_OPEN_READWRITE, 1'000)
      .execute("UPDATE af_artifacts SET meta = replace(meta, '\"k\"', '\"j\"')");
  const std::string at = " --store " + cli_test::quoted("sqlite:" + file);
  const Outcome verified = run_program("artifacts verify" + at);
  EXPECT_EQ(verified.code, 1) << verified.out;  // no listing names it, and it was not checked
  EXPECT_NE(verified.out.find(ref), std::string::npos);
  EXPECT_EQ(run_program("artifacts rm " + ref + " --scope c" + at).code, 0);
  EXPECT_EQ(run_program("artifacts verify" + at).code, 0);
}

// Damage in the middle of the file is a finding, and what else was found is told with it.
TEST(ArtifactsCommandOnSqlite, FsckTellsOfAFileThatIsDamaged) {
  const cli_test::Folder folder;
  const std::string file = (folder.path() / "store.db").string();
  const auto store = open_artifact_store("sqlite:" + file, ArtifactStoreOptions());
  const PutArtifactInput input("k", "text/plain", ArtifactPayload::text(std::string(3'000, 'x')));
  for (int i = 0; i < 100; ++i) (void)store->put(ArtifactScope("c"), input);
  store->close();
  const auto size = fs::file_size(file);
  fs::resize_file(file, size / 2);
  fs::resize_file(file, size);  // the second half is zeros
  const std::string before = cli_test::read_file(file);
  const Outcome found =
      run_program("artifacts fsck --mend --store " + cli_test::quoted("sqlite:" + file));
  EXPECT_EQ(found.code, 1) << found.err;
  EXPECT_NE(found.out.find("unreadable"), std::string::npos) << found.out;
  EXPECT_EQ(cli_test::read_file(file), before);
}

TEST(ArtifactsUsage, LookingChangesNothing) {
  const cli_test::Folder folder;
  const auto make = [&](const std::string& name, const char* sql) {
    const std::string file = folder.write(name, "");
    artifacts_internal::Connection(file, SQLITE_OPEN_READWRITE, 1'000).execute(sql);
    return file;
  };
  const std::string newer =
      "CREATE TABLE af_artifacts_meta(key TEXT, value TEXT);"
      "INSERT INTO af_artifacts_meta VALUES('schema_version', '999')";
  const std::vector<std::pair<std::string, std::string>> files{
      {make("others", "CREATE TABLE t(a)"), "not-our-schema"},
      {make("same-name", "CREATE TABLE af_artifacts(a)"), "not-our-schema"},
      {make("newer", newer.c_str()), "newer-schema"},
      {folder.write("empty", ""), "not-our-schema"},
      {folder.write("text", "no database at all, whatever its name says"), "cannot-open"}};
  for (const auto& [file, problem] : files) {
    const std::string before = cli_test::read_file(file);
    for (const std::string_view what :
         {"ls", "verify", "fsck --mend", "du", "rm art_a --scope c"}) {
      const Outcome looked = run_program(
          fmt::format("artifacts {} --store {}", what, cli_test::quoted("sqlite:" + file)));
      EXPECT_EQ(looked.code, 2) << file << " " << what;
      EXPECT_NE(looked.err.find(problem), std::string::npos) << looked.err;
    }
    EXPECT_EQ(cli_test::read_file(file), before) << file;
  }
  const std::string project = (folder.path() / "project").string();
  const std::string leftover = folder.write("project/src/part/one/build.tmp", "mine");
  for (const std::string_view what : {"ls", "verify", "fsck", "fsck --mend", "du"}) {
    const Outcome looked = run_program(
        fmt::format("artifacts {} --store {}", what, cli_test::quoted("file:" + project)));
    EXPECT_EQ(looked.code, 2) << what;
    EXPECT_NE(looked.err.find("not-our-schema"), std::string::npos) << looked.err;
  }
  EXPECT_EQ(cli_test::read_file(leftover), "mine");
  const fs::path inside = fs::path(leftover).parent_path();
  EXPECT_EQ(std::distance(fs::directory_iterator(inside), {}), 1);
  fs::remove_all(project);
  const std::string text = files.back().first;
  for (const std::string& url :
       {"file:" + text, "file:" + text + "-none", "file:" + folder.path().string() + "?sync=on",
        "sqlite:" + std::string(300, 'x'), "file:" + std::string(5'000, 'x'),
        std::string("sqlite:"), std::string("nonsense"), std::string("sqlite:x?busy_ms=-1")}) {
    const Outcome looked = run_program("artifacts ls --store " + cli_test::quoted(url));
    EXPECT_EQ(looked.code, 2) << url;
    EXPECT_NE(looked.err.find("artifact-store-url"), std::string::npos) << looked.err;
    EXPECT_EQ(run_program("artifacts conformance --store nonsense").code, 2);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}),
            static_cast<std::ptrdiff_t>(files.size()));
}

TEST(ArtifactsUsage, MistakesAreTold) {
  EXPECT_EQ(run_program("artifacts").code, 2);
  EXPECT_EQ(run_program("artifacts --help").code, 0);
  EXPECT_EQ(run_program("artifacts ls").code, 2);
  const Outcome missing = run_program("artifacts ls --store sqlite:/nonexistent/x.db");
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("does not exist"), std::string::npos);
  EXPECT_EQ(run_program("artifacts conformance --store memory:").code, 0);
  EXPECT_EQ(scope_argument("conv-a"), ArtifactScope("conv-a"));
  EXPECT_EQ(scope_argument("_/a%2Fb/_"), ArtifactScope("", "a/b", ""));
  EXPECT_EQ(scope_argument("%5f/a%2fb/%252f"), ArtifactScope("_", "a/b", "%2f"));
}

}  // namespace
}  // namespace agentfootprint
