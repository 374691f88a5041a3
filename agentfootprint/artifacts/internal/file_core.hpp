// What the verbs of the file store are made of.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "agentfootprint/artifacts/file_store.hpp"
#include "agentfootprint/artifacts/internal/batch.hpp"
#include "agentfootprint/artifacts/internal/change_log.hpp"
#include "agentfootprint/artifacts/internal/cursor.hpp"
#include "agentfootprint/artifacts/internal/file_envelope.hpp"
#include "agentfootprint/artifacts/internal/folder_index.hpp"
#include "agentfootprint/artifacts/internal/scope_folder.hpp"

namespace agentfootprint::artifacts_internal {

class Temporaries;

class FileCore {
 public:
  FileCore(const std::string& directory, const ArtifactStoreOptions& store_options,
           const FileStoreSettings& store_settings);

  void check_open(std::string_view verb) const;
  [[nodiscard]] std::int64_t now() const { return clock.wall_ms(); }

  // The folder with any unfinished change carried out; empty when the scope has none.
  [[nodiscard]] std::optional<ScopeFolder> folder_of(const ArtifactScope& scope) const;
  // Puts aside and names a file that is no envelope. An expired row is taken off the disk on the
  // way past, unless the caller holds the folder's lock.
  [[nodiscard]] std::optional<FileEnvelope> find(const ScopeFolder& folder,
                                                 const std::string& scope_ns,
                                                 const std::string& ref, std::int64_t at,
                                                 bool locked) const;
  // A ticket and its payload go, at once.
  void remove(const ScopeFolder& folder, const std::string& ref) const;
  // What is known of a scope.
  [[nodiscard]] std::shared_ptr<FolderIndex> index_of(const std::string& scope_ns);

  struct Incoming {
    std::string staged_payload;  // name of a temporary file that holds the payload already
    std::optional<std::string> digest;
    std::optional<json::Value> measured;
  };
  [[nodiscard]] std::vector<ArtifactPutResult> commit(const ArtifactScope& scope,
                                                      const std::vector<PreparedEntry>& entries,
                                                      const std::vector<Incoming>& incoming,
                                                      std::int64_t at);
  [[nodiscard]] std::string temporary_name();
  // The live tickets of a scope behind a place of the listing, as one moment has them.
  [[nodiscard]] std::vector<ArtifactMeta> newest(const ArtifactScope& scope,
                                                 const std::string& scope_ns, std::int64_t at,
                                                 const std::optional<ListPosition>& from,
                                                 std::size_t limit);

  std::string root;
  ArtifactStoreOptions options;
  FileStoreSettings settings;
  const Clock& clock;
  SystemRandom system_random;
  Random& random;
  std::mutex mutex;  // of the map of indexes, the random port and the names
  bool closed = false;

 private:
  [[nodiscard]] std::vector<ArtifactPutResult> stage(
      const ScopeFolder& folder, const std::string& scope_ns, std::int64_t order,
      std::vector<ArtifactMeta> metas, const std::vector<PreparedEntry>& entries,
      const std::vector<Incoming>& incoming, Temporaries& temporaries, Journal& journal);
  void publish(const ScopeFolder& folder, const Journal& journal, Temporaries& temporaries) const;
  static void retire(const ScopeFolder& folder, const FileEnvelope& envelope);
  struct Hold;
  // The scope's lock, and its log, with the rows of `index` up to date.
  [[nodiscard]] Hold hold(const ScopeFolder& folder, FolderIndex& index) const;
  [[nodiscard]] RetentionPlan plan(const FolderIndex& index,
                                   const std::vector<PreparedEntry>& entries,
                                   std::int64_t at) const;

  std::unordered_map<std::string, std::shared_ptr<FolderIndex>> indexes_;
  std::uint64_t next_name_ = 0;
};

// Waits for a change of several files that is under way, or carries out what a dead writer began.
void finish_journal(const ScopeFolder& folder, const FileStoreSettings& settings);

}  // namespace agentfootprint::artifacts_internal
