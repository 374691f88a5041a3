// One scope's folder of the file store.
#include "agentfootprint/artifacts/internal/scope_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>

#include "agentfootprint/artifacts/errors.hpp"
#include "agentfootprint/artifacts/internal/batch.hpp"
#include "agentfootprint/artifacts/internal/file_envelope.hpp"
#include "agentfootprint/artifacts/scope.hpp"
#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

constexpr const char* kGateName = ".gate";
// How long a waiter sleeps between two tries. The one at the lock, of whom there is one, starts
// short, since most changes are. Those at the gate look the more often the longer they wait, so
// that nobody who just came goes first for long.
constexpr useconds_t kShortNapUs = 20;
constexpr useconds_t kGateNapUs = 200;
constexpr useconds_t kLongNapUs = 800;

Descriptor open_folder_at(int parent, const char* name) {
  return Descriptor(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

std::optional<ScopeFolder> ScopeFolder::open(const std::string& root, const ArtifactScope& scope,
                                             bool make, bool sync) {
  Descriptor at(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!at.valid()) throw_io("opening the root of the store", errno);
  for (const std::string& segment : scope_segments(scope)) {
    Descriptor next = open_folder_at(at.get(), segment.c_str());
    if (!next.valid() && errno == ENOENT) {
      if (!make) return std::nullopt;
      if (mkdirat(at.get(), segment.c_str(), 0700) != 0 && errno != EEXIST) {
        throw_io("making a folder of the store", errno);
      }
      if (sync) sync_file(at.get());
      next = open_folder_at(at.get(), segment.c_str());
    }
    if (!next.valid()) throw_io("opening a folder of the store", errno);
    at = std::move(next);
  }
  return ScopeFolder(std::move(at));
}

std::optional<ScopeFolder> ScopeFolder::open_path(const std::string& path) {
  Descriptor at = open_folder_at(AT_FDCWD, path.c_str());
  if (!at.valid()) return std::nullopt;
  return ScopeFolder(std::move(at));
}

std::vector<std::string> ScopeFolder::names() const {
  const int copy = ::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) throw_io("listing a folder of the store", errno);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(fdopendir(copy), &closedir);
  if (listing == nullptr) throw_io("listing a folder of the store", errno);
  std::vector<std::string> out;
  while (const dirent* entry = readdir(listing.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") out.push_back(name);
  }
  return out;
}

bool ScopeFolder::exists(const std::string& name) const {
  struct stat status{};
  return fstatat(folder_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

Descriptor ScopeFolder::open_read(const std::string& name) const {
  Descriptor file(::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.valid() && errno != ENOENT && errno != ELOOP) {
    throw_io("opening a file of the store", errno);
  }
  return file;
}

std::optional<std::string> ScopeFolder::read(const std::string& name) const {
  const Descriptor file = open_read(name);
  if (!file.valid()) return std::nullopt;
  std::string out;
  struct stat status{};
  if (fstat(file.get(), &status) == 0 && status.st_size > 0) {
    out.reserve(static_cast<std::size_t>(status.st_size) + 1);
  }
  char buffer[65'536];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got == 0) return out;
    if (got > 0) {
      out.append(buffer, static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      throw_io("reading a file of the store", errno);
    }
  }
}

// Until it is locked the file may be taken for a leftover; then it is made again.
Descriptor ScopeFolder::create(const std::string& name) const {
  for (;;) {
    Descriptor file(::openat(folder_.get(), name.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.valid()) throw_io("making a file of the store", errno);
    while (flock(file.get(), LOCK_EX) != 0) {
      if (errno != EINTR) throw_io("locking a file of the store", errno);
    }
    struct stat status{};
    if (fstat(file.get(), &status) != 0) throw_io("looking at a file of the store", errno);
    if (status.st_nlink > 0) return file;
  }
}

Descriptor ScopeFolder::open_append(const std::string& name) const {
  Descriptor file(::openat(folder_.get(), name.c_str(),
                           O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) throw_io("opening a file of the store", errno);
  return file;
}

void ScopeFolder::write_new(const std::string& name, std::string_view bytes, bool sync) const {
  const Descriptor file = create(name);
  write_all(file.get(), bytes);
  if (sync) sync_file(file.get());
}

void ScopeFolder::replace(const std::string& name, std::string_view bytes, bool sync) const {
  const std::string temporary = name + ".new";
  remove(temporary);
  write_new(temporary, bytes, sync);
  rename(temporary, name);
}

bool ScopeFolder::rename(const std::string& from, const std::string& to) const {
  if (renameat(folder_.get(), from.c_str(), folder_.get(), to.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  throw_io("renaming a file of the store", errno);
}

bool ScopeFolder::remove(const std::string& name) const {
  if (unlinkat(folder_.get(), name.c_str(), 0) == 0) return true;
  if (errno == ENOENT) return false;
  throw_io("removing a file of the store", errno);
}

void ScopeFolder::sync() const {
  sync_file(folder_.get());
}

bool ScopeFolder::abandoned(const std::string& name) const {
  const Descriptor file = open_read(name);
  return file.valid() && flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

// The lock is held until the name is gone, so that whoever is making the file finds out.
bool ScopeFolder::remove_abandoned(const std::string& name) const {
  const Descriptor file = open_read(name);
  return file.valid() && flock(file.get(), LOCK_EX | LOCK_NB) == 0 && remove(name);
}

std::int64_t ScopeFolder::changed_at() const {
  struct stat status{};
  if (fstat(folder_.get(), &status) != 0) throw_io("looking at a folder of the store", errno);
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

namespace {

// `next` makes the nap behind the one that was in vain.
void lock_until(const Descriptor& lock, std::int64_t deadline_ns, useconds_t nap,
                useconds_t (*next)(useconds_t)) {
  while (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) throw_io("locking a scope", errno);
    if (SystemClock::instance().steady_ns() > deadline_ns) {
      throw ArtifactStoreError("artifact-store-busy",
                               "other writers held the scope until the deadline; try again");
    }
    usleep(nap);
    nap = next(nap);
  }
}

}  // namespace

// Whoever waits next holds the gate while it waits, so that a writer in a hurry, which lets go and
// asks again at once, finds the gate taken and does not starve the others.
FolderLock::FolderLock(const ScopeFolder& folder, std::int64_t busy_ms)
    : lock_(folder.open_append(kLockName)) {
  const std::int64_t deadline = busy_deadline_ns(busy_ms);
  const Descriptor gate = folder.open_append(kGateName);
  lock_until(gate, deadline, kLongNapUs,
             [](useconds_t nap) { return std::max(nap / 2, kGateNapUs); });
  lock_until(lock_, deadline, kShortNapUs,
             [](useconds_t nap) { return std::min(nap * 2, kLongNapUs); });
}

std::optional<FolderLock> FolderLock::try_now(const ScopeFolder& folder) {
  Descriptor lock = folder.open_append(kLockName);
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  return FolderLock(std::move(lock));
}

// Shared, so that those who ask do not see one another.
bool FolderLock::is_held(const ScopeFolder& folder) {
  const Descriptor lock = folder.open_read(kLockName);
  return lock.valid() && flock(lock.get(), LOCK_SH | LOCK_NB) != 0;
}

std::string Journal::to_text() const {
  json::ArrayBuilder moves, gone;
  for (const auto& [from, to] : renames) moves.add(json::array({from, to}));
  for (const SweptArtifact& swept : evictions) gone.add(to_json(swept));
  return json::dump(json::object({{"rename", moves.build()}, {"evict", gone.build()}}));
}

namespace {

// A journal moves files inside its own folder and nowhere else, whoever wrote it.
bool is_plain_name(const json::Value& value) {
  const auto name = value.as_string();
  return name && !name->empty() && *name != "." && *name != ".." && name->size() <= NAME_MAX &&
         name->find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

}  // namespace

std::optional<Journal> Journal::from_text(std::string_view text) {
  const auto parsed = json::parse(text);
  if (!parsed) return std::nullopt;
  const json::Value* moves = parsed->find("rename");
  const json::Value* gone = parsed->find("evict");
  if (moves == nullptr || gone == nullptr) return std::nullopt;
  Journal journal;
  for (const json::Value& move : moves->elements()) {
    const auto names = move.elements();
    if (names.size() != 2 || !is_plain_name(names[0]) || !is_plain_name(names[1])) {
      return std::nullopt;
    }
    journal.renames.emplace_back(*names[0].as_string(), *names[1].as_string());
  }
  for (const json::Value& one : gone->elements()) {
    auto swept = swept_from_json(one);
    if (!swept) return std::nullopt;
    journal.evictions.push_back(std::move(*swept));
  }
  return journal;
}

void write_sweep_note(const ScopeFolder& folder, const SweptArtifact& swept) {
  folder.replace(swept.ref + ".swept", json::dump(to_json(swept)), false);
}

void carry_out(const ScopeFolder& folder, const Journal& journal, bool recovering, bool sync) {
  for (const auto& [from, to] : journal.renames) folder.rename(from, to);
  for (const SweptArtifact& swept : journal.evictions) {
    if (recovering && folder.exists(swept.ref + ".json")) write_sweep_note(folder, swept);
    folder.remove(swept.ref + ".json");
    folder.remove(swept.ref + ".bin");
  }
  if (sync) folder.sync();
  folder.remove(kJournalName);
}

void recover_journal(const ScopeFolder& folder, bool sync) {
  const auto text = folder.read(kJournalName);
  if (!text) return;
  const auto journal = Journal::from_text(*text);
  // The journal is written whole or not at all; one that cannot be read was changed by hand.
  if (!journal) {
    folder.rename(kJournalName, std::string(kJournalName) + ".quarantine");
    return;
  }
  carry_out(folder, *journal, true, sync);
}

}  // namespace agentfootprint::artifacts_internal
