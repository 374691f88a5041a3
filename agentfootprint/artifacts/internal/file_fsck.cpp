// Looking into a file store across scopes.
#include "agentfootprint/artifacts/internal/file_fsck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "agentfootprint/artifacts/scope.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

namespace fs = std::filesystem;

// Every folder three levels below the root, in order.
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
  std::sort(level.begin(), level.end());
  return level;
}

// The envelopes of one folder as they are, without putting anything aside.
struct Envelopes {
  std::map<std::string, FileEnvelope> rows;
  std::map<std::string, std::string> unreadable;  // file to reason
};

Envelopes envelopes_of(const ScopeFolder& folder, const std::vector<std::string>& names) {
  Envelopes out;
  for (const std::string& name : names) {
    const std::string ref = ref_of_file(name, ".json");
    if (ref.empty()) continue;
    const auto text = folder.read(name);
    std::string why;
    auto envelope = text ? decode_envelope(*text, why) : std::nullopt;
    if (envelope) {
      out.rows.emplace(ref, std::move(*envelope));
    } else if (text) {
      out.unreadable.emplace(name, why);
    }
  }
  return out;
}

class FolderCheck {
 public:
  FolderCheck(const ScopeFolder& folder, std::int64_t now, bool mend,
              std::vector<StoreProblem>& found)
      : folder_(folder), names_(folder.names()), now_(now), mend_(mend), found_(found) {
    envelopes_ = envelopes_of(folder, names_);
    if (!envelopes_.rows.empty()) {
      scope_ = scope_of_namespace(envelopes_.rows.begin()->second.scope_ns);
    }
  }

  void run() {
    for (const auto& [name, why] : envelopes_.unreadable) note("unreadable", {}, name + ": " + why);
    for (const auto& [ref, envelope] : envelopes_.rows) check_row(ref, envelope);
    for (const std::string& name : names_) check_name(name);
  }
  [[nodiscard]] std::size_t rows() const { return envelopes_.rows.size(); }

 private:
  void note(std::string_view kind, const std::string& ref, std::string detail,
            bool mended = false) {
    found_.push_back({std::string(kind), scope_, ref, std::move(detail), mended});
  }

  void check_row(const std::string& ref, const FileEnvelope& envelope) {
    if (!envelope.intact || envelope.meta.ref != ref) {
      note("record-mismatch", ref, "the ticket's record was changed after the put");
      return;
    }
    if (!folder_.exists(ref + ".bin")) note("lost-payload", ref, "its payload is not there");
    if (envelope.meta.expires_at && *envelope.meta.expires_at <= now_) {
      note("expired", ref, "leaves with the next look or put");
    }
    for (const std::string& parent : envelope.meta.parent_refs) {
      if (!envelopes_.rows.contains(parent)) {
        note("dangling-parent", ref, fmt::format("its parent {} is gone", parent));
      }
    }
  }

  void check_name(const std::string& name) {
    const std::string payload_of = ref_of_file(name, ".bin");
    if (!payload_of.empty() && !envelopes_.rows.contains(payload_of) &&
        !envelopes_.unreadable.contains(payload_of + ".json")) {
      if (mend_) folder_.remove(name);
      note("orphan-payload", payload_of, name, mend_);
    } else if (name.ends_with(".tmp") || name.ends_with(".new")) {
      if (!folder_.abandoned(name)) return;  // somebody is writing it
      if (mend_) folder_.remove(name);
      note("leftover", {}, name, mend_);
    } else if (name.ends_with(".quarantine")) {
      note("quarantined", {}, name);
    }
  }

  const ScopeFolder& folder_;
  std::vector<std::string> names_;
  std::int64_t now_;
  bool mend_;
  std::vector<StoreProblem>& found_;
  Envelopes envelopes_;
  ArtifactScope scope_;
};

}  // namespace

std::vector<ScopeUsage> FileInspection::usage() {
  core_.check_open("du");
  std::vector<ScopeUsage> out;
  for (const std::string& path : scope_paths(core_.root)) {
    const auto folder = ScopeFolder::open_path(path);
    if (!folder) continue;
    const Envelopes envelopes = envelopes_of(*folder, folder->names());
    if (envelopes.rows.empty()) continue;
    ScopeUsage usage;
    usage.scope = scope_of_namespace(envelopes.rows.begin()->second.scope_ns);
    usage.count = envelopes.rows.size();
    for (const auto& [ref, envelope] : envelopes.rows) usage.bytes += envelope.meta.bytes;
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
    const FolderLock lock(*folder, core_.settings.busy_ms);
    recover_journal(*folder, core_.settings.sync);
    FolderCheck check(*folder, core_.now(), mend, found);
    check.run();
    done += check.rows();
    if (progress) progress(done);
  }
  return found;
}

}  // namespace agentfootprint::artifacts_internal
