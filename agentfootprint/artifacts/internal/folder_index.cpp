// What a process knows of one scope's folder of the file store.
#include "agentfootprint/artifacts/internal/folder_index.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "agentfootprint/artifacts/ticket.hpp"
#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/base/random.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

// A folder's time of change moves in steps of a few milliseconds; what was read so soon after a
// change may have missed the next one.
constexpr std::int64_t kSettledNs = 50'000'000;
constexpr std::int64_t kMinuteNs = std::int64_t{60} * 1'000'000'000;

std::int64_t steady_now() {
  return SystemClock::instance().steady_ns();
}

// In one to two minutes.
std::int64_t next_due() {
  const auto spread = SystemRandom().next() % static_cast<std::uint64_t>(kMinuteNs);
  return steady_now() + kMinuteNs + static_cast<std::int64_t>(spread);
}

// A file that is no ticket is put aside.
std::optional<FileEnvelope> read_ticket(const ScopeFolder& folder, const std::string& ref) {
  const std::string name = ref + ".json";
  const auto text = folder.read(name);
  if (!text) return std::nullopt;
  std::string why;
  auto envelope = decode_envelope(*text, why);
  if (envelope && envelope->meta.ref == ref) return envelope;
  folder.rename(ref + ".bin", ref + ".bin.quarantine");
  folder.rename(name, name + ".quarantine");
  return std::nullopt;
}

std::optional<SweptArtifact> read_note(const ScopeFolder& folder, const std::string& ref) {
  const auto text = folder.read(ref + ".swept");
  if (!text) return std::nullopt;
  const auto parsed = json::parse(*text);
  return parsed ? swept_from_json(*parsed) : std::nullopt;
}

}  // namespace

std::string ref_of_file(std::string_view name, std::string_view ending) {
  if (!name.ends_with(ending)) return {};
  name.remove_suffix(ending.size());
  return is_artifact_ref(name) ? std::string(name) : std::string();
}

// What a look at every name found.
struct FolderIndex::Listing {
  ChangeLog::Position before;  // what the log says behind it may be missing here
  std::int64_t change = -1;    // the folder's, when no later one can be missing
  std::vector<std::string> tickets;
  std::map<std::string, SweptArtifact> notes;
  std::vector<FileEnvelope> fresh;  // of tickets that were not known
};

void FolderIndex::add(FileEnvelope envelope) {
  envelope.measured.reset();
  const std::string ref = envelope.meta.ref;
  const auto [row, is_new] = rows.emplace(ref, std::move(envelope));
  if (!is_new) return;
  const FileEnvelope& added = row->second;
  newest_first.insert({added.meta.created_at, ref});
  oldest_first.insert({added.order, ref});
  bytes += added.meta.bytes;
  next_order = std::max(next_order, added.order + 1);
  if (added.meta.expires_at) first_expiry = std::min(first_expiry, *added.meta.expires_at);
}

FolderIndex::Row FolderIndex::erase(Row row) {
  const FileEnvelope& gone = row->second;
  newest_first.erase({gone.meta.created_at, row->first});
  oldest_first.erase({gone.order, row->first});
  bytes -= gone.meta.bytes;
  return rows.erase(row);
}

void FolderIndex::find_first_expiry(std::int64_t after) {
  first_expiry = std::numeric_limits<std::int64_t>::max();
  for (const auto& [ref, row] : rows) {
    const auto& expires = row.meta.expires_at;
    if (expires && *expires > after) first_expiry = std::min(first_expiry, *expires);
  }
}

void FolderIndex::apply(const ScopeFolder& folder, const ChangeLog::Changes& changes) {
  for (const std::string& ref : changes.tickets) {
    const auto row = rows.find(ref);
    if (!folder.exists(ref + ".json")) {
      if (row != rows.end()) erase(row);
    } else if (row == rows.end()) {
      if (auto envelope = read_ticket(folder, ref)) add(std::move(*envelope));
    }
  }
  for (const std::string& ref : changes.notes) {
    notes.erase(ref);
    if (auto note = read_note(folder, ref)) notes.emplace(ref, std::move(*note));
  }
}

bool FolderIndex::follow(const ScopeFolder& folder, ChangeLog& changes) {
  const std::lock_guard guard(mutex);
  if (const auto made = changes.since(log)) {
    apply(folder, *made);
    return true;
  }
  return seen_change_ == folder.changed_at();
}

bool FolderIndex::catch_up(const ScopeFolder& folder) {
  const std::lock_guard guard(mutex);
  if (log.id.empty() || steady_now() >= look_due_) return false;
  const ChangeLog::Reading reading = ChangeLog::read(folder, log);
  if (!reading.continues) return false;
  const bool as_seen = seen_change_ == folder.changed_at();
  if (!reading.settled && !as_seen && !FolderLock::is_held(folder)) return false;
  apply(folder, reading.made);
  log = reading.to;
  return true;
}

void FolderIndex::look(const ScopeFolder& folder) {
  if (catch_up(folder)) return;
  look_at_every_name(folder);
  // Half of what a writer has begun may be in it; its mark tells when all of it is.
  constexpr int kTries = 1'000;
  constexpr useconds_t kNapUs = 1'000;
  for (int tries = 0; tries < kTries && FolderLock::is_held(folder); ++tries) {
    const ChangeLog::Reading reading = ChangeLog::read(folder, position());
    if (reading.announced.tickets.empty() && reading.announced.notes.empty()) break;
    usleep(kNapUs);
  }
  (void)catch_up(folder);
}

ChangeLog::Position FolderIndex::position() {
  const std::lock_guard guard(mutex);
  return log;
}

void FolderIndex::look_at_every_name(const ScopeFolder& folder) {
  // A log that is started again meanwhile no longer tells what the listing may be missing.
  constexpr int kTries = 8;
  for (int tries = 0; tries < kTries; ++tries) {
    Listing listing = list(folder);
    if (take(folder, listing)) return;
  }
}

FolderIndex::Listing FolderIndex::list(const ScopeFolder& folder) {
  Listing out;
  const ChangeLog::Reading reading = ChangeLog::read(folder, position());
  out.before = reading.continues ? reading.to : ChangeLog::read(folder, {}).to;
  const std::int64_t now = SystemClock::instance().wall_ms() * 1'000'000;
  const std::int64_t change = folder.changed_at();
  if (now - change > kSettledNs) out.change = change;
  for (const std::string& name : folder.names()) {
    if (std::string ref = ref_of_file(name, ".json"); !ref.empty()) {
      out.tickets.push_back(std::move(ref));
    } else if (ref = ref_of_file(name, ".swept"); !ref.empty()) {
      if (auto note = read_note(folder, ref)) out.notes.emplace(ref, std::move(*note));
    }
  }
  std::sort(out.tickets.begin(), out.tickets.end());
  std::vector<std::string> unknown;
  {
    const std::lock_guard guard(mutex);
    for (const std::string& ref : out.tickets) {
      if (!rows.contains(ref)) unknown.push_back(ref);
    }
  }
  for (const std::string& ref : unknown) {
    if (auto envelope = read_ticket(folder, ref)) out.fresh.push_back(std::move(*envelope));
  }
  return out;
}

// What changed behind the listing is brought in at once, so that nobody sees the rows as old as it.
bool FolderIndex::take(const ScopeFolder& folder, Listing& listing) {
  const std::lock_guard guard(mutex);
  const ChangeLog::Reading since = ChangeLog::read(folder, listing.before);
  if (!since.continues && !listing.before.id.empty()) return false;
  auto present = listing.tickets.begin();
  for (auto row = rows.begin(); row != rows.end();) {
    while (present != listing.tickets.end() && *present < row->first) ++present;
    const bool there = present != listing.tickets.end() && *present == row->first;
    row = there ? std::next(row) : erase(row);
  }
  for (FileEnvelope& envelope : listing.fresh) add(std::move(envelope));
  notes = std::move(listing.notes);
  apply(folder, since.made);
  log = since.to;
  seen_change_ = listing.change;
  look_due_ = next_due();
  return true;
}

std::size_t FolderIndex::size() {
  const std::lock_guard guard(mutex);
  return rows.size();
}

bool FolderIndex::leftovers_are_due() {
  const std::lock_guard guard(mutex);
  if (steady_now() < leftovers_due_) return false;
  leftovers_due_ = next_due();
  return true;
}

}  // namespace agentfootprint::artifacts_internal
