// What the verbs of the SQLite store are made of. Callers hold the store's mutex.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <unordered_map>

#include "agentfootprint/artifacts/internal/batch.hpp"
#include "agentfootprint/artifacts/internal/record_digest.hpp"
#include "agentfootprint/artifacts/internal/sqlite.hpp"
#include "agentfootprint/artifacts/internal/sqlite_schema.hpp"
#include "agentfootprint/artifacts/sqlite_store.hpp"

namespace agentfootprint::artifacts_internal {

// A live row found by its ticket.
struct SqliteRow {
  std::int64_t id = 0;
  PayloadShape shape = PayloadShape::binary;
  ArtifactMeta meta;
  std::optional<std::int64_t> payload_id;  // empty: the payload stands in the row
};

class SqliteCore {
 public:
  SqliteCore(const std::string& file, const ArtifactStoreOptions& store_options,
             const SqliteStoreSettings& store_settings);

  void check_open(std::string_view verb) const;
  [[nodiscard]] std::int64_t now() const { return clock.wall_ms(); }

  // Throws ArtifactIntegrityError when the record was changed.
  [[nodiscard]] std::optional<SqliteRow> find(const std::string& scope_ns, const std::string& ref,
                                              std::int64_t at);
  [[nodiscard]] std::optional<std::int64_t> find_id(std::int64_t scope, const std::string& ref,
                                                    std::int64_t at);
  void touch(std::int64_t id);
  // Next stamp of recency: milliseconds times 1,000, never twice the same.
  [[nodiscard]] std::int64_t stamp();

  [[nodiscard]] std::string read_payload(const SqliteRow& row);
  [[nodiscard]] std::string read_range(const SqliteRow& row, std::uint64_t offset,
                                       std::uint64_t size);

  // Inside a write transaction.
  [[nodiscard]] std::int64_t new_payload(std::optional<std::int64_t> staged_at);
  void write_chunk(std::int64_t payload_id, std::int64_t number, std::string_view bytes);
  void drop_payload(std::int64_t payload_id);
  void erase(std::int64_t id, std::int64_t scope);

  struct Incoming {
    const PreparedEntry* entry = nullptr;
    std::optional<std::int64_t> staged_payload;  // a streamed one
    std::optional<std::string> digest;           // known only after streaming
    std::optional<json::Value> measured;
  };
  // One transaction: parents, budgets, rows, sweeps.
  [[nodiscard]] std::vector<ArtifactPutResult> commit(const std::string& scope_ns,
                                                      const std::vector<PreparedEntry>& entries,
                                                      const std::vector<Incoming>& incoming,
                                                      std::int64_t at);

  std::string file;
  ArtifactStoreOptions options;
  SqliteStoreSettings settings;
  const Clock& clock;
  SystemRandom system_random;
  Random& random;
  std::mutex mutex;
  std::unique_ptr<Connection> db;
  std::string journal_mode;

 private:
  struct Totals {
    std::int64_t id = 0;
    std::uint64_t count = 0, bytes = 0;
  };
  [[nodiscard]] Totals scope_totals(const std::string& scope_ns);
  void check_parents(const Totals& scope, const std::vector<PreparedEntry>& entries,
                     std::int64_t at, std::set<std::int64_t>& pinned);
  void flush_recency();
  std::int64_t insert(const std::string& scope_ns, std::int64_t scope, const ArtifactMeta& meta,
                      const Incoming& one, std::int64_t recency);
  void sweep(const Totals& scope, const std::vector<PreparedEntry>& entries, std::int64_t at,
             const std::set<std::int64_t>& pinned, const std::set<std::int64_t>& fresh,
             std::vector<SweptArtifact>& swept);

  std::unordered_map<std::int64_t, std::int64_t> touched_;  // row to stamp, flushed by the next put
  std::int64_t last_stamp_ = 0;
};

}  // namespace agentfootprint::artifacts_internal
