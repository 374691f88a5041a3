// The file store: a folder a person can look into.
//
// What: every verb, streams both ways and all-or-nothing batches. An artifact is two files below a
// folder per tenant, principal and conversation: `<ref>.json` (the ticket and what was measured)
// and `<ref>.bin` (the payload as it is). Both are written beside, flushed and renamed, the ticket
// last; changes of several files go through a journal. A file that cannot be read is put aside
// (`.quarantine`), named in the error, and harms nothing else. Writers of one scope take turns by a
// lock file, over processes too.
//
// When to use: payloads that other programs should be able to open; one machine. For many small
// artifacts the SQLite store is faster.
//
// Not guaranteed: recency: retention removes the oldest. A listing reads every new ticket file once
// and keeps it in memory.
//
// Limits: folders are 0700 and files 0600; symbolic links inside the root are not followed.
//
// Example (file scope):
//   inline void open_folder() {
//     using namespace agentfootprint;
//     FileArtifactStore store("artifacts", ArtifactStoreOptions());
//     (void)store.head(ArtifactScope("conv-a"), "art_0000000000000000000000");
//   }
#pragma once

#include <memory>
#include <string>

#include "agentfootprint/artifacts/store.hpp"

namespace agentfootprint {

struct FileStoreSettings {
  bool sync = true;  // fsync before a put returns
  // How long a put waits for other writers of its scope; a day at most.
  std::int64_t busy_ms = 5'000;

  FileStoreSettings() {}  // NOLINT
};

class FileArtifactStore final : public ArtifactStore {
 public:
  // Makes the folder. Throws Refusal "artifact-store-url" for a blank name.
  FileArtifactStore(const std::string& directory, const ArtifactStoreOptions& options,
                    const FileStoreSettings& settings = FileStoreSettings());
  ~FileArtifactStore() override;
  FileArtifactStore(const FileArtifactStore&) = delete;
  FileArtifactStore& operator=(const FileArtifactStore&) = delete;

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
  [[nodiscard]] StoreInspection* inspection() override;
  [[nodiscard]] std::string name() const override { return "file"; }
  void close() override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace agentfootprint
