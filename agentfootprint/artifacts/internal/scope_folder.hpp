// One scope's folder of the file store: lock, whole writes, and a journal for changes of several
// files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/artifacts/artifact.hpp"
#include "agentfootprint/artifacts/internal/private_files.hpp"

namespace agentfootprint::artifacts_internal {

// Every name is looked up in the opened folder and no symbolic link is followed, so nothing planted
// in the tree leads out of it.
class ScopeFolder {
 public:
  // The folder of a scope below `root`; empty when it does not exist and is not to be made.
  [[nodiscard]] static std::optional<ScopeFolder> open(const std::string& root,
                                                       const ArtifactScope& scope, bool make,
                                                       bool sync);
  [[nodiscard]] static std::optional<ScopeFolder> open_path(const std::string& path);

  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool exists(const std::string& name) const;
  // Empty when there is no such file.
  [[nodiscard]] std::optional<std::string> read(const std::string& name) const;
  [[nodiscard]] Descriptor open_read(const std::string& name) const;
  // A new file, locked while it is open so that nobody takes it for a leftover.
  [[nodiscard]] Descriptor create(const std::string& name) const;
  // To read and to add to; made when there is none.
  [[nodiscard]] Descriptor open_append(const std::string& name) const;
  void write_new(const std::string& name, std::string_view bytes, bool sync) const;
  // Replaces `name` as a whole.
  void replace(const std::string& name, std::string_view bytes, bool sync) const;
  // False when `from` does not exist.
  bool rename(const std::string& from, const std::string& to) const;
  bool remove(const std::string& name) const;
  void sync() const;
  // Is a file somebody made with `create` no longer open anywhere? `remove_abandoned` takes it away
  // then and says whether it did.
  [[nodiscard]] bool abandoned(const std::string& name) const;
  bool remove_abandoned(const std::string& name) const;
  // Nanoseconds of the folder's last change.
  [[nodiscard]] std::int64_t changed_at() const;

 private:
  explicit ScopeFolder(Descriptor folder) : folder_(std::move(folder)) {}
  Descriptor folder_;
};

// Exclusive over threads and processes. Throws ArtifactStoreError "artifact-store-busy" after
// `busy_ms`.
class FolderLock {
 public:
  FolderLock(const ScopeFolder& folder, std::int64_t busy_ms);
  // Empty when somebody holds it.
  [[nodiscard]] static std::optional<FolderLock> try_now(const ScopeFolder& folder);
  [[nodiscard]] static bool is_held(const ScopeFolder& folder);

 private:
  explicit FolderLock(Descriptor lock) : lock_(std::move(lock)) {}
  Descriptor lock_;
};

// A change of several files that happens whole or not at all, even when the process dies in it.
struct Journal {
  std::vector<std::pair<std::string, std::string>> renames;
  std::vector<SweptArtifact> evictions;

  [[nodiscard]] std::string to_text() const;
  [[nodiscard]] static std::optional<Journal> from_text(std::string_view text);
};
inline constexpr const char* kJournalName = ".journal";
inline constexpr const char* kLockName = ".lock";

// With the folder's lock held: carries the journal out and takes it away. A recovering caller
// leaves a note of each eviction for the scope's next put to report.
void carry_out(const ScopeFolder& folder, const Journal& journal, bool recovering, bool sync);
void recover_journal(const ScopeFolder& folder, bool sync);
void write_sweep_note(const ScopeFolder& folder, const SweptArtifact& swept);

}  // namespace agentfootprint::artifacts_internal
