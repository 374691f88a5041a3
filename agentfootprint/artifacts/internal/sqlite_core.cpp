// What the verbs of the SQLite store are made of.
#include "agentfootprint/artifacts/internal/sqlite_core.hpp"

#include <algorithm>

#include "agentfootprint/artifacts/ticket.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

constexpr std::size_t kMaxTouched = 65'536;

SweptArtifact swept_of(Statement& row, SweepReason reason) {
  // id, ref, bytes, meta
  SweptArtifact swept{std::string(row.bytes(1)), reason, "", row.size(2)};
  const auto meta = json::parse(row.bytes(3));
  if (meta) {
    if (const json::Value* kind = meta->find("kind"); kind != nullptr && kind->is_string()) {
      swept.kind = std::string(*kind->as_string());
    }
  }
  return swept;
}

}  // namespace

SqliteCore::SqliteCore(const std::string& file_name, const ArtifactStoreOptions& store_options,
                       const SqliteStoreSettings& store_settings)
    : file(file_name),
      options(store_options),
      settings(store_settings),
      clock(clock_of(options)),
      random(options.random != nullptr ? *options.random : system_random) {
  check_retention(options.retention);
  db = open_sqlite_store(file, settings);
  journal_mode = db->text_of("PRAGMA journal_mode");
}

void SqliteCore::check_open(std::string_view verb) const {
  if (db == nullptr) throw_closed("sqlite", verb);
}

std::optional<SqliteRow> SqliteCore::find(const std::string& scope_ns, const std::string& ref,
                                          std::int64_t at) {
  if (!is_artifact_ref(ref)) return std::nullopt;
  db->start_waiting();
  Statement& row = db->prepared(
      "SELECT id, payload_shape, meta, meta_digest, expires_at, payload_id FROM af_artifacts "
      "WHERE scope = (SELECT id FROM af_artifacts_scopes WHERE scope_ns = ?1) AND ref = ?2");
  const ResetAtEnd reset(row);
  if (!row.bind_blob(1, scope_ns).bind_text(2, ref).step()) return std::nullopt;
  const auto expires = row.optional_int64(4);
  if (expires && *expires <= at) return std::nullopt;
  const std::string digest = record_digest(scope_ns, row.bytes(1), row.bytes(2));
  const auto shape = parse_payload_shape(row.bytes(1));
  const auto parsed = json::parse(row.bytes(2));
  auto meta = parsed ? artifact_meta_from_json(*parsed) : std::nullopt;
  if (row.bytes(3) != digest || !shape || !meta) {
    throw ArtifactIntegrityError(ref);
  }
  return SqliteRow{row.int64(0), *shape, std::move(*meta), row.optional_int64(5)};
}

std::optional<std::int64_t> SqliteCore::find_id(std::int64_t scope, const std::string& ref,
                                                std::int64_t at) {
  if (!is_artifact_ref(ref)) return std::nullopt;
  Statement& row =
      db->prepared("SELECT id, expires_at FROM af_artifacts WHERE scope = ?1 AND ref = ?2");
  const ResetAtEnd reset(row);
  if (!row.bind(1, scope).bind_text(2, ref).step()) return std::nullopt;
  const auto expires = row.optional_int64(1);
  if (expires && *expires <= at) return std::nullopt;
  return row.int64(0);
}

std::int64_t SqliteCore::stamp() {
  last_stamp_ = std::max(last_stamp_ + 1, now() * 1'000);
  return last_stamp_;
}

void SqliteCore::touch(std::int64_t id) {
  if (touched_.size() < kMaxTouched || touched_.contains(id)) touched_[id] = stamp();
}

std::string SqliteCore::read_payload(const SqliteRow& row) {
  std::string out;
  if (!row.payload_id) {
    Statement& one = db->prepared("SELECT payload FROM af_artifacts WHERE id = ?1");
    const ResetAtEnd reset(one);
    if (one.bind(1, row.id).step()) out = std::string(one.bytes(0));
    return out;
  }
  out.reserve(row.meta.bytes);
  Statement& chunks = db->prepared(
      "SELECT data FROM af_artifacts_chunks WHERE place BETWEEN ?1 AND ?2 ORDER BY place");
  const ResetAtEnd reset(chunks);
  const std::int64_t first = *row.payload_id * kChunksPerPayload;
  chunks.bind(1, first).bind(2, first + kChunksPerPayload - 1);
  while (chunks.step()) out += chunks.bytes(0);
  return out;
}

std::string SqliteCore::read_range(const SqliteRow& row, std::uint64_t offset, std::uint64_t size) {
  if (offset >= row.meta.bytes) return {};
  size = std::min(size, row.meta.bytes - offset);
  if (!row.payload_id) return read_payload(row).substr(offset, size);
  std::string out;
  Statement& chunks = db->prepared(
      "SELECT data FROM af_artifacts_chunks WHERE place BETWEEN ?1 AND ?2 ORDER BY place");
  const ResetAtEnd reset(chunks);
  const std::int64_t first = *row.payload_id * kChunksPerPayload;
  chunks.bind(1, first + static_cast<std::int64_t>(offset / kChunkBytes));
  chunks.bind(2, first + static_cast<std::int64_t>((offset + size - 1) / kChunkBytes));
  std::size_t skip = offset % kChunkBytes;
  while (chunks.step() && out.size() < size) {
    out += chunks.bytes(0).substr(std::min(skip, chunks.bytes(0).size()), size - out.size());
    skip = 0;
  }
  return out;
}

std::int64_t SqliteCore::new_payload(std::optional<std::int64_t> staged_at) {
  db->prepared("INSERT INTO af_artifacts_payloads(staged_at) VALUES(?1)").bind(1, staged_at).run();
  return db->last_row();
}

void SqliteCore::write_chunk(std::int64_t payload_id, std::int64_t number, std::string_view bytes) {
  db->prepared("INSERT INTO af_artifacts_chunks(place, data) VALUES(?1, ?2)")
      .bind(1, payload_id * kChunksPerPayload + number)
      .bind_blob(2, bytes)
      .run();
}

void SqliteCore::drop_payload(std::int64_t payload_id) {
  const std::int64_t first = payload_id * kChunksPerPayload;
  db->prepared("DELETE FROM af_artifacts_chunks WHERE place BETWEEN ?1 AND ?2")
      .bind(1, first)
      .bind(2, first + kChunksPerPayload - 1)
      .run();
  db->prepared("DELETE FROM af_artifacts_payloads WHERE id = ?1").bind(1, payload_id).run();
}

void SqliteCore::erase(std::int64_t id, std::int64_t scope) {
  std::optional<std::int64_t> payload;
  std::int64_t bytes = 0;
  {
    Statement& row = db->prepared("SELECT bytes, payload_id FROM af_artifacts WHERE id = ?1");
    const ResetAtEnd reset(row);
    if (!row.bind(1, id).step()) return;
    bytes = row.int64(0);
    payload = row.optional_int64(1);
  }
  if (payload) drop_payload(*payload);
  db->prepared("DELETE FROM af_artifacts_edges WHERE parent = ?1").bind(1, id).run();
  db->prepared("DELETE FROM af_artifacts_edges WHERE child = ?1").bind(1, id).run();
  db->prepared("DELETE FROM af_artifacts WHERE id = ?1").bind(1, id).run();
  db->prepared("UPDATE af_artifacts_scopes SET count = count - 1, bytes = bytes - ?2 WHERE id = ?1")
      .bind(1, scope)
      .bind(2, bytes)
      .run();
  touched_.erase(id);
}

SqliteCore::Totals SqliteCore::scope_totals(const std::string& scope_ns) {
  for (int attempt = 0;; ++attempt) {
    {
      Statement& row =
          db->prepared("SELECT id, count, bytes FROM af_artifacts_scopes WHERE scope_ns = ?1");
      const ResetAtEnd reset(row);
      if (row.bind_blob(1, scope_ns).step()) return {row.int64(0), row.size(1), row.size(2)};
    }
    if (attempt > 0) throw ArtifactStoreError("artifact-store-io", "a scope could not be added");
    db->prepared("INSERT INTO af_artifacts_scopes(scope_ns, count, bytes) VALUES(?1, 0, 0)")
        .bind_blob(1, scope_ns)
        .run();
  }
}

void SqliteCore::check_parents(const Totals& scope, const std::vector<PreparedEntry>& entries,
                               std::int64_t at, std::set<std::int64_t>& pinned) {
  for (const PreparedEntry& entry : entries) {
    entry.preparation.check_parents([&](const std::string& ref) {
      const auto id = find_id(scope.id, ref, at);
      if (id) pinned.insert(*id);
      return id.has_value();
    });
    entry.preparation.check_payload();
  }
}

void SqliteCore::flush_recency() {
  for (const auto& [id, when] : touched_) {
    db->prepared(
          "UPDATE af_artifacts SET last_accessed_at = ?2 WHERE id = ?1 AND last_accessed_at < ?2")
        .bind(1, id)
        .bind(2, when)
        .run();
  }
}

std::int64_t SqliteCore::insert(const std::string& scope_ns, std::int64_t scope,
                                const ArtifactMeta& meta, const Incoming& one,
                                std::int64_t recency) {
  const PutPreparation& preparation = one.entry->preparation;
  const std::string_view shape = name_of(preparation.shape());
  const std::string text = json::dump(to_json(meta));
  const std::string digest = record_digest(scope_ns, shape, text);
  std::optional<std::int64_t> payload_id = one.staged_payload;
  std::optional<std::string> measured;
  if (one.measured) measured = json::dump(*one.measured);
  const bool in_row = !payload_id && preparation.bytes()->size() <= kInlineBytes;
  if (payload_id) {
    db->prepared("UPDATE af_artifacts_payloads SET staged_at = NULL WHERE id = ?1")
        .bind(1, *payload_id)
        .run();
  } else if (!in_row) {
    payload_id = new_payload(std::nullopt);
    const std::string_view bytes = *preparation.bytes();
    for (std::size_t at = 0, number = 0; at < bytes.size(); at += kChunkBytes, ++number) {
      write_chunk(*payload_id, static_cast<std::int64_t>(number), bytes.substr(at, kChunkBytes));
      step(options, "chunk written");
    }
  }
  Statement& row = db->prepared(
      "INSERT INTO af_artifacts(scope, ref, bytes, created_at, expires_at, last_accessed_at, "
      "payload_shape, meta, meta_digest, payload_id, measured, payload) "
      "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");
  row.bind(1, scope).bind_text(2, std::string_view(meta.ref)).bind(3, meta.bytes);
  row.bind(4, meta.created_at).bind(5, meta.expires_at).bind(6, recency).bind_text(7, shape);
  row.bind_text(8, std::string_view(text)).bind_blob(9, digest).bind(10, payload_id);
  row.bind_optional_text(11, measured);
  if (in_row) {
    row.bind_blob(12, *preparation.bytes());
  } else {
    row.bind_null(12);
  }
  row.run();
  const std::int64_t id = db->last_row();
  for (const std::string& parent : meta.parent_refs) {
    const auto parent_id = find_id(scope, parent, INT64_MIN);
    if (!parent_id) continue;
    db->prepared("INSERT OR IGNORE INTO af_artifacts_edges(parent, child) VALUES(?1, ?2)")
        .bind(1, *parent_id)
        .bind(2, id)
        .run();
  }
  return id;
}

// After the new rows are written: what is expired, then what the budgets ask for.
void SqliteCore::sweep(const Totals& scope, const std::vector<PreparedEntry>& entries,
                       std::int64_t at, const std::set<std::int64_t>& pinned,
                       const std::set<std::int64_t>& fresh, std::vector<SweptArtifact>& swept) {
  std::vector<std::int64_t> gone;
  std::uint64_t live_bytes = scope.bytes;
  {
    Statement& row = db->prepared(
        "SELECT id, ref, bytes, meta FROM af_artifacts WHERE scope = ?1 AND expires_at <= ?2");
    const ResetAtEnd reset(row);
    row.bind(1, scope.id).bind(2, at);
    while (row.step()) {
      gone.push_back(row.int64(0));
      swept.push_back(swept_of(row, SweepReason::ttl));
      live_bytes -= std::min(live_bytes, row.size(2));
    }
  }
  const std::set<std::int64_t> expired(gone.begin(), gone.end());
  RetentionPlanner planner(options.retention, total_size(entries), entries.size(), live_bytes,
                           scope.count - std::min<std::uint64_t>(scope.count, gone.size()));
  if (planner.next_victim()) {
    Statement& row = db->prepared(
        "SELECT id, ref, bytes, meta FROM af_artifacts WHERE scope = ?1 "
        "ORDER BY last_accessed_at, ref");
    const ResetAtEnd reset(row);
    row.bind(1, scope.id);
    while (const auto reason = planner.next_victim()) {
      if (!row.step()) throw InvalidArtifactError("data", "put: " + planner.only_pinned_left());
      const std::int64_t id = row.int64(0);
      if (expired.contains(id) || pinned.contains(id) || fresh.contains(id)) continue;
      planner.took(row.size(2));
      gone.push_back(id);
      swept.push_back(swept_of(row, *reason));
    }
  }
  for (const std::int64_t id : gone) erase(id, scope.id);
}

std::vector<ArtifactPutResult> SqliteCore::commit(const std::string& scope_ns,
                                                  const std::vector<PreparedEntry>& entries,
                                                  const std::vector<Incoming>& incoming,
                                                  std::int64_t at) {
  WriteTransaction transaction(*db);
  step(options, "transaction begun");
  const Totals scope = scope_totals(scope_ns);
  std::set<std::int64_t> pinned;
  check_parents(scope, entries, at, pinned);
  check_sizes(entries, options.retention);
  flush_recency();
  auto metas = mint_batch(entries, options.retention.ttl_ms, random);
  std::vector<ArtifactPutResult> results;
  std::set<std::int64_t> fresh;
  for (std::size_t i = 0; i < metas.size(); ++i) {
    if (incoming[i].digest) metas[i].digest = incoming[i].digest;
    fresh.insert(insert(scope_ns, scope.id, metas[i], incoming[i], stamp()));
    step(options, "ticket written");
    results.push_back({std::move(metas[i]), {}});
  }
  if (results.empty()) return results;
  sweep(scope, entries, at, pinned, fresh, results.front().swept);
  step(options, "swept");
  db->prepared(
        "UPDATE af_artifacts_scopes SET count = count + ?2, bytes = bytes + ?3 WHERE id = ?1")
      .bind(1, scope.id)
      .bind(2, static_cast<std::int64_t>(entries.size()))
      .bind(3, total_size(entries))
      .run();
  step(options, "before commit");
  transaction.commit();
  touched_.clear();
  step(options, "after commit");
  return results;
}

}  // namespace agentfootprint::artifacts_internal
