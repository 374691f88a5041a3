// The SQLite store: one file, the embedded default.
//
// What: every verb, streams both ways, all-or-nothing batches, ranges and a reverse index of
// parents. A put is one transaction (BEGIN IMMEDIATE, waiting for other writers until a deadline)
// that writes the new bytes, then removes what retention says, then commits. Payloads above 16 KiB
// lie in chunks of 1 MiB. A streamed put stages its chunks in short transactions and becomes
// visible in one at its end. Reads do not write: when a row was last used is kept in memory and
// written with the next put.
//
// When to use: one machine, any number of processes and threads. Not on a network file system.
//
// Not guaranteed: with `Sync::normal`, that the last puts survive a power cut (they survive a
// killed process); say `Sync::full` where they must. Recency seen by one process reaches others
// with its next put. Expired rows are invisible at once and leave the file with the next put of
// their scope.
//
// Limits: a payload has at most 1 TiB. The file and its companions are readable by their owner
// only.
//
// Example (file scope):
//   inline void open_runs() {
//     using namespace agentfootprint;
//     SqliteStoreSettings settings;
//     settings.sync = SqliteStoreSettings::Sync::full;
//     SqliteArtifactStore store("runs.db", ArtifactStoreOptions(), settings);
//     (void)store.journal_mode();   // "wal"
//   }
#pragma once

#include <memory>
#include <string>

#include "agentfootprint/artifacts/store.hpp"

namespace agentfootprint {

struct SqliteStoreSettings {
  enum class Sync : std::uint8_t { off, normal, full };
  Sync sync = Sync::normal;
  std::int64_t busy_ms = 5'000;  // how long a put waits for other writers; a day at most
  bool create = true;            // false: a file without a store is refused and stays as it is

  SqliteStoreSettings() {}  // NOLINT
};

class SqliteArtifactStore final : public ArtifactStore {
 public:
  // Throws Refusal "artifact-store-url" for a blank name or `:memory:`,
  // UnreadableArtifactStoreError for a file that is not ours.
  SqliteArtifactStore(const std::string& file, const ArtifactStoreOptions& options,
                      const SqliteStoreSettings& settings = SqliteStoreSettings());
  ~SqliteArtifactStore() override;
  SqliteArtifactStore(const SqliteArtifactStore&) = delete;
  SqliteArtifactStore& operator=(const SqliteArtifactStore&) = delete;

  ArtifactPutResult put(const ArtifactScope& scope, const PutArtifactInput& input) override;
  [[nodiscard]] std::optional<ArtifactMeta> head(const ArtifactScope& scope,
                                                 const std::string& ref) override;
  [[nodiscard]] std::optional<ArtifactRecord> get(const ArtifactScope& scope,
                                                  const std::string& ref) override;
  void remove(const ArtifactScope& scope, const std::string& ref) override;
  [[nodiscard]] ArtifactListResult list(const ArtifactScope& scope,
                                        const ArtifactListOptions& options) override;
  [[nodiscard]] bool can_put_stream() const override { return true; }
  [[nodiscard]] bool can_get_stream() const override { return true; }
  ArtifactPutResult put_stream(const ArtifactScope& scope, const ArtifactStreamPutInput& input,
                               ByteSource& body) override;
  [[nodiscard]] std::optional<ArtifactStreamRecord> get_stream(const ArtifactScope& scope,
                                                               const std::string& ref) override;
  [[nodiscard]] bool can_put_batch() const override { return true; }
  std::vector<ArtifactPutResult> put_batch(const ArtifactScope& scope,
                                           const std::vector<ArtifactBatchEntry>& entries) override;
  [[nodiscard]] std::optional<json::Value> preview(const ArtifactScope& scope,
                                                   const std::string& ref) override;
  [[nodiscard]] std::optional<json::Value> row_index(const ArtifactScope& scope,
                                                     const std::string& ref) override;
  [[nodiscard]] std::optional<std::string> read_range(const ArtifactScope& scope,
                                                      const std::string& ref, std::uint64_t offset,
                                                      std::uint64_t size) override;
  [[nodiscard]] std::vector<std::string> children(const ArtifactScope& scope,
                                                  const std::string& ref) override;
  [[nodiscard]] StoreInspection* inspection() override;
  [[nodiscard]] std::string name() const override { return "sqlite"; }
  void close() override;

  // What SQLite reports back, "wal" unless the file system cannot.
  [[nodiscard]] const std::string& journal_mode() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace agentfootprint
