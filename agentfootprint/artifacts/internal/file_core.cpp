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

// A scope of so few tickets is looked at in the time a change takes.
constexpr std::size_t kFewTickets = 1'000;
// So many scopes are remembered; behind it those that nobody is using are forgotten.
constexpr std::size_t kMaxIndexes = 4'096;

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

void finish_journal(const ScopeFolder& folder, const FileStoreSettings& settings) {
  if (!folder.exists(kJournalName)) return;
  const FolderLock lock(folder, settings.busy_ms);
  recover_journal(folder, settings.sync);
}

std::optional<ScopeFolder> FileCore::folder_of(const ArtifactScope& scope) const {
  auto folder = ScopeFolder::open(root, scope, false, false);
  if (folder) finish_journal(*folder, settings);
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
    throw ArtifactIntegrityError(ref);
  }
  if (envelope->meta.expires_at && *envelope->meta.expires_at <= at) {
    if (!locked) retire(folder, *envelope);
    return std::nullopt;
  }
  return envelope;
}

// An expired row leaves the disk at once, or with the next look when a writer is at work; a note
// keeps it for the next put's report.
void FileCore::retire(const ScopeFolder& folder, const FileEnvelope& envelope) {
  const ArtifactMeta& meta = envelope.meta;
  const auto lock = FolderLock::try_now(folder);
  if (!lock || !folder.exists(meta.ref + ".json")) return;
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

std::shared_ptr<FolderIndex> FileCore::index_of(const std::string& scope_ns) {
  const std::lock_guard guard(mutex);
  if (indexes_.size() >= kMaxIndexes && !indexes_.contains(scope_ns)) {
    std::erase_if(indexes_, [](const auto& one) { return one.second.use_count() == 1; });
  }
  std::shared_ptr<FolderIndex>& index = indexes_[scope_ns];
  if (!index) index = std::make_shared<FolderIndex>();
  return index;
}

struct FileCore::Hold {
  FolderLock lock;
  ChangeLog log;
};

FileCore::Hold FileCore::hold(const ScopeFolder& folder, FolderIndex& index) const {
  constexpr int kTries = 2;
  for (int tries = 0;; ++tries) {
    {
      Hold held{FolderLock(folder, settings.busy_ms), ChangeLog(folder)};
      recover_journal(folder, settings.sync);
      if (index.follow(folder, held.log)) return held;
      if (tries == kTries || index.size() < kFewTickets) {
        index.look_at_every_name(folder);
        return held;
      }
    }
    // Long in a large scope: others change it meanwhile, and the log tells what.
    index.look_at_every_name(folder);
  }
}

namespace {

// What writers that died may have left.
std::vector<std::string> find_leftovers(const ScopeFolder& folder) {
  std::vector<std::string> names = folder.names();
  const std::unordered_set<std::string> known(names.begin(), names.end());
  std::erase_if(names, [&](const std::string& name) {
    if (name.ends_with(".tmp") || name.ends_with(".new")) return false;
    const std::string ref = ref_of_file(name, ".bin");
    return ref.empty() || known.contains(ref + ".json");
  });
  return names;
}

// With the folder's lock held: no ticket comes to a payload now.
void remove_leftovers(const ScopeFolder& folder, const std::vector<std::string>& leftovers) {
  for (const std::string& name : leftovers) {
    const std::string ref = ref_of_file(name, ".bin");
    if (ref.empty()) {
      folder.remove_abandoned(name);
    } else if (!folder.exists(ref + ".json")) {
      folder.remove(name);
    }
  }
}

}  // namespace

// What has expired, then the oldest until the budgets hold.
RetentionPlan FileCore::plan(const FolderIndex& index, const std::vector<PreparedEntry>& entries,
                             std::int64_t at) const {
  RetentionPlan plan;
  std::uint64_t live_bytes = index.bytes;
  const auto expired = [&](const ArtifactMeta& meta) {
    return meta.expires_at && *meta.expires_at <= at;
  };
  if (index.first_expiry <= at) {
    for (const auto& [ref, row] : index.rows) {
      if (!expired(row.meta)) continue;
      plan.swept.push_back({ref, SweepReason::ttl, row.meta.kind, row.meta.bytes});
      live_bytes -= row.meta.bytes;
    }
  }
  RetentionPlanner planner(options.retention, total_size(entries), entries.size(), live_bytes,
                           index.rows.size() - plan.swept.size());
  const std::vector<std::string> pinned = pinned_refs(entries);
  for (const auto& [order, ref] : index.oldest_first) {
    const auto reason = planner.next_victim();
    if (!reason) return plan;
    const ArtifactMeta& meta = index.rows.at(ref).meta;
    if (expired(meta) || std::find(pinned.begin(), pinned.end(), ref) != pinned.end()) continue;
    planner.took(meta.bytes);
    plan.swept.push_back({ref, *reason, meta.kind, meta.bytes});
  }
  if (planner.next_victim()) {
    plan.swept.clear();
    plan.refusal = planner.only_pinned_left();
  }
  return plan;
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
  for (const auto& [from, to] : journal.renames) {
    if (!folder.exists(from)) throw_io("a file of the put was taken away meanwhile", ENOENT);
  }
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
  const auto index = index_of(scope_ns);
  std::vector<std::string> leftovers;
  if (index->leftovers_are_due()) {
    leftovers = find_leftovers(*folder);
    index->look_at_every_name(*folder);
  }
  Hold held = hold(*folder, *index);
  for (const PreparedEntry& entry : entries) {
    entry.preparation.check_parents(
        [&](const std::string& ref) { return find(*folder, scope_ns, ref, at, true).has_value(); });
    entry.preparation.check_payload();
  }
  check_sizes(entries, options.retention);
  remove_leftovers(*folder, leftovers);

  RetentionPlan swept;
  std::vector<SweptArtifact> notes;
  std::vector<ArtifactMeta> metas;
  ChangeLog::Changes changes;
  std::int64_t order = at * 1'000;
  {
    // Held only here: the folder's lock keeps other writers of the scope out, and readers go on
    // while the files below are flushed.
    const std::lock_guard guard(index->mutex);
    swept = plan(*index, entries, at);
    if (swept.refusal) throw InvalidArtifactError("data", "put: " + *swept.refusal);
    order = std::max(order, index->next_order);
    for (const auto& [ref, note] : index->notes) {
      notes.push_back(note);
      changes.notes.push_back(ref);
    }
    held.log.trim(index->rows.size(), index->log);
  }
  {
    const std::lock_guard guard(mutex);
    metas = mint_batch(entries, options.retention.ttl_ms, random);
  }
  Temporaries temporaries(*folder);
  Journal journal;
  journal.evictions = swept.swept;
  auto results =
      stage(*folder, scope_ns, order, std::move(metas), entries, incoming, temporaries, journal);
  for (const auto& done : results) changes.tickets.push_back(done.meta.ref);
  for (const SweptArtifact& gone : swept.swept) changes.tickets.push_back(gone.ref);
  held.log.announce(changes);
  publish(*folder, journal, temporaries);
  step(options, "after commit");
  auto& report = results.front().swept;
  report = notes;
  for (const SweptArtifact& note : notes) folder->remove(note.ref + ".swept");
  held.log.settle();
  report.insert(report.end(), swept.swept.begin(), swept.swept.end());
  const std::lock_guard guard(index->mutex);
  if (index->first_expiry <= at) index->find_first_expiry(at);
  return results;
}

std::vector<ArtifactMeta> FileCore::newest(const ArtifactScope& scope, const std::string& scope_ns,
                                           std::int64_t at, const std::optional<ListPosition>& from,
                                           std::size_t limit) {
  const auto folder = folder_of(scope);
  if (!folder) return {};
  const auto index = index_of(scope_ns);
  index->look(*folder);
  const std::lock_guard guard(index->mutex);
  std::vector<ArtifactMeta> out;
  auto place = from ? index->newest_first.upper_bound(*from) : index->newest_first.begin();
  for (; place != index->newest_first.end() && out.size() < limit; ++place) {
    const FileEnvelope& envelope = index->rows.at(place->ref);
    const ArtifactMeta& meta = envelope.meta;
    if (!envelope.intact || envelope.scope_ns != scope_ns) continue;
    if (meta.expires_at && *meta.expires_at <= at) continue;
    out.push_back(meta);
  }
  return out;
}

}  // namespace agentfootprint::artifacts_internal
