// What the verbs of the file store are made of.
#include "agentfootprint/artifacts/internal/file_core.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_set>

#include "agentfootprint/artifacts/internal/text.hpp"
#include "agentfootprint/artifacts/scope.hpp"
#include "agentfootprint/artifacts/ticket.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

// A folder's time of change moves in steps of a few milliseconds; what was read so soon after a
// change may have missed the next one.
constexpr std::int64_t kSettledNs = 50'000'000;

}  // namespace

// Temporary files that are removed unless they were renamed.
class Temporaries {
 public:
  explicit Temporaries(const ScopeFolder& folder) : folder_(folder) {}
  Temporaries(const Temporaries&) = delete;
  Temporaries& operator=(const Temporaries&) = delete;
  ~Temporaries() {
    for (const std::string& name : names_) {
      try {
        folder_.remove(name);
      } catch (const std::exception&) {
        // The next put of the scope collects it.
      }
    }
  }
  const std::string& add(std::string name) { return names_.emplace_back(std::move(name)); }
  void release() noexcept { names_.clear(); }

 private:
  const ScopeFolder& folder_;
  std::vector<std::string> names_;
};

std::string ref_of_file(std::string_view name, std::string_view ending) {
  if (!name.ends_with(ending)) return {};
  name.remove_suffix(ending.size());
  return is_artifact_ref(name) ? std::string(name) : std::string();
}

FileCore::FileCore(const std::string& directory, const ArtifactStoreOptions& store_options,
                   const FileStoreSettings& store_settings)
    : root(directory),
      options(store_options),
      settings(store_settings),
      clock(clock_of(options)),
      random(options.random != nullptr ? *options.random : system_random) {
  check_retention(options.retention);
  if (is_blank(directory)) {
    throw Refusal("artifact-store-url", "directory", "file: needs the name of a folder");
  }
  make_private_folders(directory);
}

void FileCore::check_open(std::string_view verb) const {
  if (closed) throw_closed("file", verb);
}

std::string FileCore::temporary_name() {
  const std::lock_guard lock(mutex);
  return fmt::format("{}-{}-{:x}.tmp", getpid(), ++next_name_, random.next());
}

std::optional<ScopeFolder> FileCore::folder_of(const ArtifactScope& scope) const {
  auto folder = ScopeFolder::open(root, scope, false, false);
  if (folder && folder->exists(kJournalName)) {
    const FolderLock lock(*folder, settings.busy_ms);
    recover_journal(*folder, settings.sync);
  }
  return folder;
}

std::optional<FileEnvelope> FileCore::find(const ScopeFolder& folder, const std::string& scope_ns,
                                           const std::string& ref, std::int64_t at,
                                           bool locked) const {
  if (!is_artifact_ref(ref)) return std::nullopt;
  const std::string name = ref + ".json";
  const auto text = folder.read(name);
  if (!text) {
    if (folder.exists(name + ".quarantine")) {
      throw UnreadableArtifactFileError(name, "an earlier look found no envelope in it");
    }
    return std::nullopt;
  }
  std::string why;
  auto envelope = decode_envelope(*text, why);
  if (!envelope || envelope->meta.ref != ref) {
    folder.rename(ref + ".bin", ref + ".bin.quarantine");
    folder.rename(name, name + ".quarantine");
    throw UnreadableArtifactFileError(name, envelope ? "it names another ticket" : why);
  }
  if (!envelope->intact || envelope->scope_ns != scope_ns) {
    throw ArtifactIntegrityError(ref, "its record's digest", "a record that was changed");
  }
  if (envelope->meta.expires_at && *envelope->meta.expires_at <= at) {
    if (!locked) retire(folder, *envelope);
    return std::nullopt;
  }
  return envelope;
}

// An expired row leaves the disk at once; a note keeps it for the next put's report.
void FileCore::retire(const ScopeFolder& folder, const FileEnvelope& envelope) const {
  const ArtifactMeta& meta = envelope.meta;
  const FolderLock lock(folder, settings.busy_ms);
  if (!folder.exists(meta.ref + ".json")) return;
  ChangeLog log(folder);
  log.announce({{meta.ref}, {meta.ref}});
  write_sweep_note(folder, {meta.ref, SweepReason::ttl, meta.kind, meta.bytes});
  folder.remove(meta.ref + ".json");
  folder.remove(meta.ref + ".bin");
  log.settle();
}

void FileCore::remove(const ScopeFolder& folder, const std::string& ref) const {
  const FolderLock lock(folder, settings.busy_ms);
  ChangeLog log(folder);
  log.announce({{ref}, {}});
  folder.remove(ref + ".json");
  folder.remove(ref + ".bin");
  log.settle();
}

void FolderIndex::add(const std::string& ref, FileEnvelope envelope) {
  envelope.measured.reset();
  bytes += envelope.meta.bytes;
  next_order = std::max(next_order, envelope.order + 1);
  if (envelope.meta.expires_at) first_expiry = std::min(first_expiry, *envelope.meta.expires_at);
  rows.emplace(ref, std::move(envelope));
}

void FolderIndex::erase(const std::string& ref) {
  const auto row = rows.find(ref);
  if (row == rows.end()) return;
  bytes -= row->second.meta.bytes;
  rows.erase(row);
}

void FolderIndex::find_first_expiry(std::int64_t after) {
  first_expiry = std::numeric_limits<std::int64_t>::max();
  for (const auto& [ref, row] : rows) {
    const auto& expires = row.meta.expires_at;
    if (expires && *expires > after) first_expiry = std::min(first_expiry, *expires);
  }
}

// A row that is known stays as it was read: tickets are never written twice.
void FileCore::look_at_ticket(const ScopeFolder& folder, const std::string& ref,
                              FolderIndex& index) {
  const std::string name = ref + ".json";
  const auto text = folder.read(name);
  if (!text) {
    index.erase(ref);
    return;
  }
  if (index.rows.contains(ref)) return;
  std::string why;
  auto envelope = decode_envelope(*text, why);
  if (envelope && envelope->meta.ref == ref) {
    index.add(ref, std::move(*envelope));
    return;
  }
  folder.rename(ref + ".bin", ref + ".bin.quarantine");
  folder.rename(name, name + ".quarantine");
}

void FileCore::look_at_note(const ScopeFolder& folder, const std::string& ref, FolderIndex& index) {
  index.notes.erase(ref);
  const auto text = folder.read(ref + ".swept");
  if (!text) return;
  const auto parsed = json::parse(*text);
  auto note = parsed ? swept_from_json(*parsed) : std::nullopt;
  if (note) index.notes.emplace(ref, std::move(*note));
}

void FileCore::look_at_every_name(const ScopeFolder& folder, FolderIndex& index) {
  const std::vector<std::string> names = folder.names();
  std::unordered_set<std::string> present;
  present.reserve(names.size());
  index.notes.clear();
  for (const std::string& name : names) {
    if (const std::string noted = ref_of_file(name, ".swept"); !noted.empty()) {
      look_at_note(folder, noted, index);
    }
    std::string ref = ref_of_file(name, ".json");
    if (ref.empty()) continue;
    if (!index.rows.contains(ref)) look_at_ticket(folder, ref, index);
    present.insert(std::move(ref));
  }
  std::vector<std::string> gone;
  for (const auto& [ref, row] : index.rows) {
    if (!present.contains(ref)) gone.push_back(ref);
  }
  for (const std::string& ref : gone) index.erase(ref);
}

FolderIndex& FileCore::index_of(const ScopeFolder& folder, const std::string& scope_ns) {
  FolderIndex& index = indexes_[scope_ns];
  const std::int64_t changed = folder.changed_at();
  if (index.seen_change == changed) return index;
  const std::int64_t before = SystemClock::instance().wall_ms() * 1'000'000;
  look_at_every_name(folder, index);
  index.seen_change = before - changed > kSettledNs ? changed : -1;
  return index;
}

FolderIndex& FileCore::index_of(const ScopeFolder& folder, const std::string& scope_ns,
                                ChangeLog& log, bool every_name) {
  FolderIndex& index = indexes_[scope_ns];
  const auto changes = log.since(index.log);
  if (every_name || !changes) {
    look_at_every_name(folder, index);
    return index;
  }
  for (const std::string& ref : changes->tickets) look_at_ticket(folder, ref, index);
  for (const std::string& ref : changes->notes) look_at_note(folder, ref, index);
  return index;
}

// A look at every name of the scope: by the first put of a process, then every one to two minutes,
// each process at times of its own: the others wait for the lock meanwhile, and in a large scope
// they would wait for all of them in a row.
bool FileCore::leftovers_are_due(const std::string& scope_ns) {
  constexpr std::int64_t kEveryNs = std::int64_t{60} * 1'000'000'000;
  const std::lock_guard guard(mutex);
  std::int64_t& due = indexes_[scope_ns].collect_at;
  const std::int64_t at = SystemClock::instance().steady_ns();
  if (at < due) return false;
  const auto spread = SystemRandom().next() % static_cast<std::uint64_t>(kEveryNs);
  due = at + kEveryNs + static_cast<std::int64_t>(spread);
  return true;
}

void FileCore::collect_leftovers(const ScopeFolder& folder) {
  const std::vector<std::string> names = folder.names();
  const std::unordered_set<std::string_view> known(names.begin(), names.end());
  for (const std::string& name : names) {
    if (name.ends_with(".tmp") || name.ends_with(".new")) {
      if (folder.abandoned(name)) folder.remove(name);
      continue;
    }
    const std::string ref = ref_of_file(name, ".bin");
    if (!ref.empty() && !known.contains(ref + ".json")) folder.remove(name);
  }
}

// Nothing has expired and no budget asks for a victim: the rows need not be walked.
bool FileCore::fits(const FolderIndex& index, const std::vector<PreparedEntry>& entries,
                    std::int64_t at) const {
  const ArtifactRetention& dials = options.retention;
  if (index.first_expiry <= at) return false;
  if (dials.max_count_per_scope &&
      index.rows.size() + entries.size() > *dials.max_count_per_scope) {
    return false;
  }
  return !dials.max_bytes_per_scope ||
         index.bytes + total_size(entries) <= *dials.max_bytes_per_scope;
}

RetentionPlan FileCore::plan(const FolderIndex& index, const std::vector<PreparedEntry>& entries,
                             std::int64_t at) const {
  const std::vector<std::string> pinned = pinned_refs(entries);
  const bool budgets = options.retention.max_bytes_per_scope.has_value() ||
                       options.retention.max_count_per_scope.has_value();
  std::vector<RetentionRow> rows;
  for (const auto& [ref, envelope] : index.rows) {
    const ArtifactMeta& meta = envelope.meta;
    // Without a budget only what has expired goes.
    if (!budgets && !(meta.expires_at && *meta.expires_at <= at)) continue;
    const bool keep = std::find(pinned.begin(), pinned.end(), ref) != pinned.end();
    rows.push_back({ref, meta.kind, meta.bytes, meta.expires_at, envelope.order, keep});
  }
  // A batch is planned as one payload; the entries beyond the first count as rows already there.
  ArtifactRetention dials = options.retention;
  if (dials.max_count_per_scope && entries.size() > 1) {
    const std::uint64_t more = entries.size() - 1;
    if (*dials.max_count_per_scope <= more) {
      RetentionPlan refused;
      refused.refusal = fmt::format("{} artifacts do not fit a scope of {}", entries.size(),
                                    *dials.max_count_per_scope);
      return refused;
    }
    *dials.max_count_per_scope -= more;
  }
  return plan_retention(std::move(rows), total_size(entries), dials, at);
}

// The files of a put under temporary names, and the journal that gives them their own.
std::vector<ArtifactPutResult> FileCore::stage(const ScopeFolder& folder,
                                               const std::string& scope_ns, std::int64_t order,
                                               std::vector<ArtifactMeta> metas,
                                               const std::vector<PreparedEntry>& entries,
                                               const std::vector<Incoming>& incoming,
                                               Temporaries& temporaries, Journal& journal) {
  std::vector<ArtifactPutResult> results;
  for (std::size_t i = 0; i < metas.size(); ++i) {
    const PutPreparation& preparation = entries[i].preparation;
    if (incoming[i].digest) metas[i].digest = incoming[i].digest;
    const FileEnvelope envelope{scope_ns, preparation.shape(),  order++,
                                metas[i], incoming[i].measured, true};
    const std::string& ref = metas[i].ref;
    std::string payload = incoming[i].staged_payload;
    if (payload.empty()) {
      payload = temporaries.add(ref + ".bin.tmp");
      folder.write_new(payload, *preparation.bytes(), settings.sync);
      step(options, "payload written");
    }
    const std::string ticket = temporaries.add(ref + ".json.tmp");
    folder.write_new(ticket, encode_envelope(envelope), settings.sync);
    step(options, "ticket written");
    journal.renames.emplace_back(payload, ref + ".bin");
    journal.renames.emplace_back(ticket, ref + ".json");
    results.push_back({std::move(metas[i]), {}});
  }
  return results;
}

// Makes staged files visible: two renames for one ticket, a journal for anything more.
void FileCore::publish(const ScopeFolder& folder, const Journal& journal,
                       Temporaries& temporaries) const {
  if (journal.renames.size() > 2 || !journal.evictions.empty()) {
    folder.replace(kJournalName, journal.to_text(), settings.sync);
    if (settings.sync) folder.sync();
    temporaries.release();  // from here on the change happens, now or at the next look
    step(options, "journal written");
    carry_out(folder, journal, false, settings.sync);
    return;
  }
  folder.rename(journal.renames[0].first, journal.renames[0].second);
  step(options, "payload renamed");
  folder.rename(journal.renames[1].first, journal.renames[1].second);
  temporaries.release();
  if (settings.sync) folder.sync();
}

std::vector<ArtifactPutResult> FileCore::commit(const ArtifactScope& scope,
                                                const std::vector<PreparedEntry>& entries,
                                                const std::vector<Incoming>& incoming,
                                                std::int64_t at) {
  if (entries.empty()) return {};
  const std::string scope_ns = identity_namespace(scope);
  const auto folder = ScopeFolder::open(root, scope, true, settings.sync);
  const FolderLock lock(*folder, settings.busy_ms);
  recover_journal(*folder, settings.sync);
  for (const PreparedEntry& entry : entries) {
    entry.preparation.check_parents(
        [&](const std::string& ref) { return find(*folder, scope_ns, ref, at, true).has_value(); });
    entry.preparation.check_payload();
  }
  check_sizes(entries, options.retention);
  const bool every_name = leftovers_are_due(scope_ns);
  if (every_name) collect_leftovers(*folder);
  ChangeLog log(*folder);

  RetentionPlan swept;
  std::vector<SweptArtifact> notes;
  std::vector<ArtifactMeta> metas;
  ChangeLog::Changes changes;
  std::int64_t order = at * 1'000;
  {
    // Held only here: the folder's lock keeps other writers of the scope out, and readers and the
    // other scopes go on while the files below are flushed.
    const std::lock_guard guard(mutex);
    FolderIndex& index = index_of(*folder, scope_ns, log, every_name);
    if (!fits(index, entries, at)) swept = plan(index, entries, at);
    if (swept.refusal) throw InvalidArtifactError("data", "put: " + *swept.refusal);
    if (index.first_expiry <= at) index.find_first_expiry(at);
    order = std::max(order, index.next_order);
    for (const auto& [ref, note] : index.notes) {
      notes.push_back(note);
      changes.notes.push_back(ref);
    }
    metas = mint_batch(entries, options.retention.ttl_ms, random);
  }
  Temporaries temporaries(*folder);
  Journal journal;
  journal.evictions = swept.swept;
  auto results =
      stage(*folder, scope_ns, order, std::move(metas), entries, incoming, temporaries, journal);
  for (const auto& done : results) changes.tickets.push_back(done.meta.ref);
  for (const SweptArtifact& gone : swept.swept) changes.tickets.push_back(gone.ref);
  log.announce(changes);
  publish(*folder, journal, temporaries);
  step(options, "after commit");
  auto& report = results.front().swept;
  report = notes;
  for (const SweptArtifact& note : notes) folder->remove(note.ref + ".swept");
  log.settle();
  report.insert(report.end(), swept.swept.begin(), swept.swept.end());
  const std::lock_guard guard(mutex);
  indexes_[scope_ns].seen_change = -1;
  return results;
}

std::vector<ArtifactMeta> FileCore::newest(const ArtifactScope& scope, const std::string& scope_ns,
                                           std::int64_t at, const std::optional<ListPosition>& from,
                                           std::size_t limit) {
  constexpr int kTries = 16;
  std::vector<ArtifactMeta> out;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    out.clear();
    const auto folder = folder_of(scope);
    if (!folder) break;
    const std::int64_t before = folder->changed_at();
    {
      const std::lock_guard guard(mutex);
      std::vector<const ArtifactMeta*> rows;
      for (const auto& [ref, envelope] : index_of(*folder, scope_ns).rows) {
        const ArtifactMeta& meta = envelope.meta;
        if (!envelope.intact || envelope.scope_ns != scope_ns) continue;
        if (meta.expires_at && *meta.expires_at <= at) continue;
        if (from && !comes_after(meta.created_at, ref, *from)) continue;
        rows.push_back(&meta);
      }
      const auto end = rows.begin() + static_cast<std::ptrdiff_t>(std::min(limit, rows.size()));
      std::partial_sort(rows.begin(), end, rows.end(),
                        [](const ArtifactMeta* a, const ArtifactMeta* b) {
                          if (a->created_at != b->created_at) return a->created_at > b->created_at;
                          return a->ref < b->ref;
                        });
      for (auto row = rows.begin(); row != end; ++row) out.push_back(**row);
    }
    // A writer was at work meanwhile: what was read may be half of its change.
    if (!folder->exists(kJournalName) && folder->changed_at() == before) break;
  }
  return out;
}

}  // namespace agentfootprint::artifacts_internal
