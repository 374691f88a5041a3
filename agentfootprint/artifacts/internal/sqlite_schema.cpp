// The tables of the SQLite store, and opening a file that may not be ours.
#include "agentfootprint/artifacts/internal/sqlite_schema.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "agentfootprint/artifacts/errors.hpp"
#include "agentfootprint/artifacts/internal/batch.hpp"
#include "agentfootprint/artifacts/internal/private_files.hpp"
#include "agentfootprint/artifacts/internal/text.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

namespace fs = std::filesystem;

// `place` of a chunk is payload * 2^20 + its number, so that one payload lies in one run of the
// table. Texts that a scope or a ticket brings are blobs or JSON: they may hold a NUL.
constexpr const char* kTables = R"sql(
CREATE TABLE IF NOT EXISTS af_artifacts_meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS af_artifacts_scopes(
  id INTEGER PRIMARY KEY, scope_ns BLOB NOT NULL UNIQUE, count INTEGER NOT NULL,
  bytes INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS af_artifacts(
  id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, ref TEXT NOT NULL, bytes INTEGER NOT NULL,
  created_at INTEGER NOT NULL, expires_at INTEGER, last_accessed_at INTEGER NOT NULL,
  payload_shape TEXT NOT NULL, meta TEXT NOT NULL, meta_digest BLOB NOT NULL, payload_id INTEGER,
  measured TEXT, payload BLOB) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS af_artifacts_by_ref ON af_artifacts(scope, ref);
CREATE INDEX IF NOT EXISTS af_artifacts_by_time ON af_artifacts(scope, created_at DESC, ref);
CREATE INDEX IF NOT EXISTS af_artifacts_by_recency ON af_artifacts(scope, last_accessed_at, ref);
CREATE INDEX IF NOT EXISTS af_artifacts_by_expiry ON af_artifacts(scope, expires_at)
  WHERE expires_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS af_artifacts_payloads(id INTEGER PRIMARY KEY, staged_at INTEGER) STRICT;
CREATE INDEX IF NOT EXISTS af_artifacts_staged ON af_artifacts_payloads(staged_at)
  WHERE staged_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS af_artifacts_chunks(
  place INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS af_artifacts_edges(
  parent INTEGER NOT NULL, child INTEGER NOT NULL,
  PRIMARY KEY(parent, child)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS af_artifacts_edges_by_child ON af_artifacts_edges(child);
INSERT OR IGNORE INTO af_artifacts_meta(key, value) VALUES('schema_version', '1');
)sql";

const std::set<std::string>& expected_columns() {
  static const std::set<std::string> columns{"id",
                                             "scope",
                                             "ref",
                                             "bytes",
                                             "created_at",
                                             "expires_at",
                                             "last_accessed_at",
                                             "payload_id",
                                             "measured",
                                             "payload",
                                             "payload_shape",
                                             "meta",
                                             "meta_digest"};
  return columns;
}

bool has_table(Connection& connection, std::string_view name) {
  Statement statement(connection.handle(),
                      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1");
  return statement.bind_text(1, name).step();
}

void check_holds_store(Connection& connection, const std::string& file) {
  if (has_table(connection, "af_artifacts_meta") && has_table(connection, "af_artifacts")) return;
  throw UnreadableArtifactStoreError(file, "not-our-schema",
                                     "the file holds no artifacts: name another file");
}

void check_version(Connection& connection, const std::string& file) {
  if (!has_table(connection, "af_artifacts_meta")) return;
  const std::string text =
      connection.text_of("SELECT value FROM af_artifacts_meta WHERE key = 'schema_version'");
  if (text.empty()) return;
  long long version = 0;
  if (!parse_int64(text, version) || version > kSchemaVersion) {
    throw UnreadableArtifactStoreError(
        file, "newer-schema",
        "the file was written by a newer version of this library: open it with that one");
  }
}

void check_columns(Connection& connection, const std::string& file) {
  if (!has_table(connection, "af_artifacts")) return;
  std::set<std::string> missing = expected_columns();
  std::vector<std::string> found;
  Statement statement(connection.handle(), "SELECT name FROM pragma_table_info('af_artifacts')");
  while (statement.step()) {
    found.emplace_back(statement.bytes(0));
    missing.erase(found.back());
  }
  if (missing.empty()) return;
  throw UnreadableArtifactStoreError(
      file, "not-our-schema",
      fmt::format("the table af_artifacts is another program's: it lacks {} and has {}; name "
                  "another file",
                  fmt::join(missing, ", "), fmt::join(found, ", ")));
}

// A file that is refused stays as it is, down to its header: it is looked at before it is set up.
void prepare(Connection& connection, const std::string& file, const SqliteStoreSettings& settings) {
  connection.execute("PRAGMA trusted_schema = OFF");
  check_version(connection, file);
  check_columns(connection, file);
  if (!settings.create) check_holds_store(connection, file);
  // Larger pages and rarer checkpoints carry streams; a file that exists keeps the pages it has.
  connection.execute("PRAGMA page_size = 8192");
  connection.execute("PRAGMA journal_mode = WAL");
  connection.execute("PRAGMA wal_autocheckpoint = 4000");
  switch (settings.sync) {
    case SqliteStoreSettings::Sync::off:
      connection.execute("PRAGMA synchronous = OFF");
      break;
    case SqliteStoreSettings::Sync::normal:
      connection.execute("PRAGMA synchronous = NORMAL");
      break;
    case SqliteStoreSettings::Sync::full:
      connection.execute("PRAGMA synchronous = FULL");
      break;
  }
  connection.execute("PRAGMA cache_size = -8192");
  connection.execute("PRAGMA journal_size_limit = 67108864");
  WriteTransaction transaction(connection);
  connection.execute(kTables);
  transaction.commit();
}

}  // namespace

std::unique_ptr<Connection> open_sqlite_store(const std::string& file,
                                              const SqliteStoreSettings& settings) {
  if (is_blank(file) || file == ":memory:") {
    throw Refusal("artifact-store-url", "file",
                  "sqlite: needs the name of a file; for a store in memory use memory:");
  }
  const std::string shown = fs::path(file).filename().string();
  // Several processes may create one new file at once; changing to WAL then answers busy without
  // waiting.
  const std::int64_t deadline = busy_deadline_ns(settings.busy_ms);
  for (;;) {
    try {
      if (settings.create) {
        make_private_folders(fs::path(file).parent_path());
        make_private_file(file);
      }
      auto connection = std::make_unique<Connection>(file, SQLITE_OPEN_READWRITE, settings.busy_ms);
      prepare(*connection, shown, settings);
      return connection;
    } catch (const ArtifactStoreError& error) {
      const bool late = SystemClock::instance().steady_ns() > deadline;
      if (error.code() == "artifact-store-busy" && !late) {
        usleep(2'000);
        continue;
      }
      if (error.code() == "artifact-store-busy") throw;
      throw UnreadableArtifactStoreError(shown, "cannot-open", error.what());
    }
  }
}

}  // namespace agentfootprint::artifacts_internal
