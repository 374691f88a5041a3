// Looking into a file store across scopes.
#include "agentfootprint/artifacts/internal/file_fsck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "agentfootprint/artifacts/scope.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

namespace fs = std::filesystem;

// Every scope's folder, three levels below the root, in order. Whoever writes to a scope makes its
// lock first; other folders belong to somebody else.
std::vector<std::string> scope_paths(const std::string& root) {
  std::vector<std::string> level{root};
  for (int depth = 0; depth < 3; ++depth) {
    std::vector<std::string> next;
    for (const std::string& path : level) {
      for (const auto& entry : fs::directory_iterator(path)) {
        if (entry.is_directory() && !entry.is_symlink()) next.push_back(entry.path().string());
      }
    }
    level = std::move(next);
  }
  std::erase_if(level, [](const std::string& path) { return !fs::exists(path + "/" + kLockName); });
  std::sort(level.begin(), level.end());
  return level;
}

// The ticket as it is, without putting anything aside; `why` says what is wrong with one that
// cannot be read.
std::optional<FileEnvelope> read_envelope(const ScopeFolder& folder, const std::string& name,
                                          std::string& why) {
  const auto text = folder.read(name);
  return text ? decode_envelope(*text, why) : std::nullopt;
}

// Looks at one name after the other. Writers may be at work meanwhile: what looks wrong is looked
// at again with the folder's lock held.
class FolderCheck {
 public:
  FolderCheck(const ScopeFolder& folder, std::int64_t now) : folder_(folder), now_(now) {}

  // What is wrong with `name`; empty when nothing is.
  [[nodiscard]] std::vector<StoreProblem> look(const std::string& name, bool mend) {
    found_.clear();
    if (const std::string ref = ref_of_file(name, ".json"); !ref.empty()) {
      look_at_ticket(name, ref);
    } else if (const std::string owner = ref_of_file(name, ".bin"); !owner.empty()) {
      if (!folder_.exists(owner + ".json")) {
        note("orphan-payload", owner, name, mend && folder_.remove(name));
      }
    } else if (name.ends_with(".tmp") || name.ends_with(".new")) {
      // One that is not abandoned is being written.
      if (mend ? folder_.remove_abandoned(name) : folder_.abandoned(name)) {
        note("leftover", {}, name, mend);
      }
    } else if (name.ends_with(".quarantine")) {
      note("quarantined", {}, name);
    }
    for (StoreProblem& problem : found_) problem.scope = scope_;
    return std::move(found_);
  }
  [[nodiscard]] std::uint64_t tickets() const { return tickets_; }

 private:
  void look_at_ticket(const std::string& name, const std::string& ref) {
    std::string why;
    const auto envelope = read_envelope(folder_, name, why);
    if (!envelope) {
      if (!why.empty()) note("unreadable", {}, name + ": " + why);
      return;
    }
    if (tickets_++ == 0) scope_ = scope_of_namespace(envelope->scope_ns);
    const ArtifactMeta& meta = envelope->meta;
    if (!envelope->intact || meta.ref != ref) {
      note("record-mismatch", ref, "the ticket's record was changed after the put");
      return;
    }
    if (!folder_.exists(ref + ".bin")) note("lost-payload", ref, "its payload is not there");
    if (meta.expires_at && *meta.expires_at <= now_) {
      note("expired", ref, "leaves with the next look or put");
    }
    for (const std::string& parent : meta.parent_refs) {
      if (!folder_.exists(parent + ".json")) {
        note("dangling-parent", ref, fmt::format("its parent {} is gone", parent));
      }
    }
  }

  void note(std::string_view kind, const std::string& ref, std::string detail,
            bool mended = false) {
    found_.push_back({std::string(kind), {}, ref, std::move(detail), mended});
  }

  const ScopeFolder& folder_;
  std::int64_t now_;
  std::uint64_t tickets_ = 0;
  ArtifactScope scope_;
  std::vector<StoreProblem> found_;
};

}  // namespace

std::vector<ScopeUsage> FileInspection::usage() {
  core_.check_open("du");
  std::vector<ScopeUsage> out;
  for (const std::string& path : scope_paths(core_.root)) {
    const auto folder = ScopeFolder::open_path(path);
    if (!folder) continue;
    ScopeUsage usage;
    for (const std::string& name : folder->names()) {
      std::string why;
      if (ref_of_file(name, ".json").empty()) continue;
      const auto envelope = read_envelope(*folder, name, why);
      if (!envelope) continue;
      if (usage.count++ == 0) usage.scope = scope_of_namespace(envelope->scope_ns);
      usage.bytes += envelope->meta.bytes;
    }
    if (usage.count == 0) continue;
    out.push_back(std::move(usage));
  }
  return out;
}

std::vector<StoreProblem> FileInspection::fsck(bool mend,
                                               const std::function<void(std::uint64_t)>& progress) {
  core_.check_open("fsck");
  std::vector<StoreProblem> found;
  std::uint64_t done = 0;
  for (const std::string& path : scope_paths(core_.root)) {
    const auto folder = ScopeFolder::open_path(path);
    if (!folder) continue;
    finish_journal(*folder, core_.settings);
    FolderCheck check(*folder, core_.now());
    std::vector<std::string> names = folder->names();
    std::sort(names.begin(), names.end());
    std::erase_if(names, [&](const std::string& name) { return check.look(name, false).empty(); });
    done += check.tickets();
    if (progress) progress(done);
    // In pieces, so that writers need not wait for all of them.
    constexpr std::size_t kAtOnce = 256;
    for (std::size_t i = 0; i < names.size();) {
      const FolderLock lock(*folder, core_.settings.busy_ms);
      for (const std::size_t end = std::min(names.size(), i + kAtOnce); i < end; ++i) {
        for (StoreProblem& problem : check.look(names[i], mend)) {
          found.push_back(std::move(problem));
        }
      }
    }
  }
  return found;
}

}  // namespace agentfootprint::artifacts_internal
