// What the verbs of the file store are made of.
#pragma once

#include <limits>
#include <map>
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
#include "agentfootprint/artifacts/internal/scope_folder.hpp"

namespace agentfootprint::artifacts_internal {

// What is known of a scope's folder; read again when the folder has changed.
struct FolderIndex {
  std::map<std::string, FileEnvelope> rows;    // by ref; without `measured`
  std::map<std::string, SweptArtifact> notes;  // sweeps that wait to be reported, by ref
  std::uint64_t bytes = 0;                     // of all rows
  std::int64_t next_order = 0;                 // above every row's that was ever seen
  std::int64_t first_expiry = std::numeric_limits<std::int64_t>::max();  // or earlier than it
  std::int64_t seen_change = -1;  // the folder's change this was read at
  std::int64_t collect_at = 0;    // steady time of the next look for leftovers
  ChangeLog::Position log;        // how far changes of others have been read

  void add(const std::string& ref, FileEnvelope envelope);
  void erase(const std::string& ref);
  // Looks for the earliest expiry again: rows that have expired are being swept.
  void find_first_expiry(std::int64_t after);
};

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
  // The rows of a scope, brought up to date. The reference is valid while `mutex` is held.
  [[nodiscard]] FolderIndex& index_of(const ScopeFolder& folder, const std::string& scope_ns);
  // The same with the folder's lock held: only names that others have changed are looked at, unless
  // `every_name` asks for all.
  [[nodiscard]] FolderIndex& index_of(const ScopeFolder& folder, const std::string& scope_ns,
                                      ChangeLog& log, bool every_name);
  [[nodiscard]] bool leftovers_are_due(const std::string& scope_ns);
  // With the folder's lock held: leftovers of writers that died are removed.
  static void collect_leftovers(const ScopeFolder& folder);

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
  std::mutex mutex;  // of the indexes, the random port and the names
  bool closed = false;

 private:
  [[nodiscard]] std::vector<ArtifactPutResult> stage(
      const ScopeFolder& folder, const std::string& scope_ns, std::int64_t order,
      std::vector<ArtifactMeta> metas, const std::vector<PreparedEntry>& entries,
      const std::vector<Incoming>& incoming, Temporaries& temporaries, Journal& journal);
  void publish(const ScopeFolder& folder, const Journal& journal, Temporaries& temporaries) const;
  void retire(const ScopeFolder& folder, const FileEnvelope& envelope) const;
  static void look_at_every_name(const ScopeFolder& folder, FolderIndex& index);
  static void look_at_ticket(const ScopeFolder& folder, const std::string& ref, FolderIndex& index);
  static void look_at_note(const ScopeFolder& folder, const std::string& ref, FolderIndex& index);
  [[nodiscard]] bool fits(const FolderIndex& index, const std::vector<PreparedEntry>& entries,
                          std::int64_t at) const;
  [[nodiscard]] RetentionPlan plan(const FolderIndex& index,
                                   const std::vector<PreparedEntry>& entries,
                                   std::int64_t at) const;

  std::unordered_map<std::string, FolderIndex> indexes_;
  std::uint64_t next_name_ = 0;
};

// Names of files: `<ref>.json`, `<ref>.bin`; empty unless `name` ends so and starts with a ticket.
[[nodiscard]] std::string ref_of_file(std::string_view name, std::string_view ending);

}  // namespace agentfootprint::artifacts_internal
