// The verbs of the SQLite store.
#include "agentfootprint/artifacts/sqlite_store.hpp"

#include <fmt/format.h>

#include "agentfootprint/artifacts/internal/cursor.hpp"
#include "agentfootprint/artifacts/internal/sqlite_core.hpp"
#include "agentfootprint/artifacts/internal/sqlite_fsck.hpp"
#include "agentfootprint/artifacts/internal/sqlite_stream.hpp"
#include "agentfootprint/artifacts/preview.hpp"
#include "agentfootprint/artifacts/scope.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint {

using artifacts_internal::PreparedEntry;
using artifacts_internal::ResetAtEnd;
using artifacts_internal::SqliteCore;
using artifacts_internal::SqliteRow;
using artifacts_internal::Statement;

struct SqliteArtifactStore::Impl {
  Impl(const std::string& file, const ArtifactStoreOptions& options,
       const SqliteStoreSettings& settings)
      : core(file, options, settings), inspection(core) {}

  // The measured part of the preview; empty when there is no such row or it has none.
  std::optional<json::Value> measured(const SqliteRow& row) {
    Statement& one = core.db->prepared("SELECT measured FROM af_artifacts WHERE id = ?1");
    const ResetAtEnd reset(one);
    if (!one.bind(1, row.id).step() || one.is_null(0)) return std::nullopt;
    auto parsed = json::parse(one.bytes(0));
    if (!parsed) return std::nullopt;
    return std::move(*parsed);
  }

  SqliteCore core;
  artifacts_internal::SqliteInspection inspection;
};

SqliteArtifactStore::SqliteArtifactStore(const std::string& file,
                                         const ArtifactStoreOptions& options,
                                         const SqliteStoreSettings& settings)
    : impl_(std::make_unique<Impl>(file, options, settings)) {
  artifacts_internal::drop_stale_stages(impl_->core);
}

SqliteArtifactStore::~SqliteArtifactStore() = default;

ArtifactPutResult SqliteArtifactStore::put(const ArtifactScope& scope,
                                           const PutArtifactInput& input) {
  return std::move(put_batch(scope, {ArtifactBatchEntry{input, {}}}).front());
}

std::vector<ArtifactPutResult> SqliteArtifactStore::put_batch(
    const ArtifactScope& scope, const std::vector<ArtifactBatchEntry>& entries) {
  SqliteCore& core = impl_->core;
  const std::int64_t now = core.now();
  auto prepared = artifacts_internal::prepare_batch(entries, now, core.options.previews);
  std::vector<SqliteCore::Incoming> incoming(prepared.size());
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    incoming[i].entry = &prepared[i];
    incoming[i].measured = std::move(prepared[i].measured);
  }
  const std::lock_guard lock(core.mutex);
  core.check_open("put");
  return core.commit(identity_namespace(scope), prepared, incoming, now);
}

std::optional<ArtifactMeta> SqliteArtifactStore::head(const ArtifactScope& scope,
                                                      const std::string& ref) {
  SqliteCore& core = impl_->core;
  const std::lock_guard lock(core.mutex);
  core.check_open("head");
  auto row = core.find(identity_namespace(scope), ref, core.now());
  if (!row) return std::nullopt;
  core.touch(row->id);
  return std::move(row->meta);
}

std::optional<ArtifactRecord> SqliteArtifactStore::get(const ArtifactScope& scope,
                                                       const std::string& ref) {
  SqliteCore& core = impl_->core;
  std::unique_lock lock(core.mutex);
  core.check_open("get");
  std::optional<SqliteRow> row;
  std::string bytes;
  {
    const artifacts_internal::ReadTransaction snapshot(*core.db);
    row = core.find(identity_namespace(scope), ref, core.now());
    if (!row) return std::nullopt;
    bytes = core.read_payload(*row);
  }
  core.touch(row->id);
  lock.unlock();
  artifacts_internal::check_payload(row->meta, bytes);
  return ArtifactRecord{std::move(row->meta),
                        ArtifactPayload::from_canonical(
                            row->shape, std::make_shared<const std::string>(std::move(bytes)))};
}

void SqliteArtifactStore::remove(const ArtifactScope& scope, const std::string& ref) {
  SqliteCore& core = impl_->core;
  const std::string scope_ns = identity_namespace(scope);
  const std::lock_guard lock(core.mutex);
  core.check_open("remove");
  const std::int64_t now = core.now();
  std::int64_t scope_id = 0;
  {
    Statement& row = core.db->prepared("SELECT id FROM af_artifacts_scopes WHERE scope_ns = ?1");
    const ResetAtEnd reset(row);
    if (!row.bind_blob(1, scope_ns).step()) return;
    scope_id = row.int64(0);
  }
  if (!core.find_id(scope_id, ref, now)) return;
  artifacts_internal::WriteTransaction transaction(*core.db);
  if (const auto id = core.find_id(scope_id, ref, now)) core.erase(*id, scope_id);
  transaction.commit();
}

ArtifactListResult SqliteArtifactStore::list(const ArtifactScope& scope,
                                             const ArtifactListOptions& options) {
  SqliteCore& core = impl_->core;
  const std::string scope_ns = identity_namespace(scope);
  const std::lock_guard lock(core.mutex);
  core.check_open("list");
  core.db->start_waiting();
  const std::size_t limit = artifacts_internal::list_limit(options);
  const auto from = artifacts_internal::decode_cursor(options.cursor);
  // One row more than the page: it says whether there is a next one.
  Statement& row = core.db->prepared(
      "SELECT meta, meta_digest, payload_shape, created_at, ref FROM af_artifacts "
      "WHERE scope = (SELECT id FROM af_artifacts_scopes WHERE scope_ns = ?1) "
      "AND created_at <= ?2 AND (created_at < ?2 OR ref > ?3) "
      "AND (expires_at IS NULL OR expires_at > ?4) ORDER BY created_at DESC, ref LIMIT ?5");
  const ResetAtEnd reset(row);
  row.bind_blob(1, scope_ns).bind(2, from ? from->created_at : INT64_MAX);
  row.bind_text(3, std::string_view(from ? from->ref : std::string()));
  row.bind(4, core.now()).bind(5, static_cast<std::int64_t>(limit + 1));
  ArtifactListResult out;
  artifacts_internal::ListPosition last;
  std::size_t seen = 0;
  while (row.step()) {
    if (++seen > limit) {
      out.cursor = artifacts_internal::encode_cursor(last);
      break;
    }
    last = {row.int64(3), std::string(row.bytes(4))};
    // A record that was changed is left out here; head and fsck name it.
    if (artifacts_internal::record_digest(scope_ns, row.bytes(2), row.bytes(0)) != row.bytes(1)) {
      continue;
    }
    const auto parsed = json::parse(row.bytes(0));
    auto meta = parsed ? artifact_meta_from_json(*parsed) : std::nullopt;
    if (meta) out.artifacts.push_back(std::move(*meta));
  }
  return out;
}

ArtifactPutResult SqliteArtifactStore::put_stream(const ArtifactScope& scope,
                                                  const ArtifactStreamPutInput& input,
                                                  ByteSource& body) {
  return artifacts_internal::put_sqlite_stream(impl_->core, identity_namespace(scope), input, body);
}

std::optional<ArtifactStreamRecord> SqliteArtifactStore::get_stream(const ArtifactScope& scope,
                                                                    const std::string& ref) {
  return artifacts_internal::get_sqlite_stream(impl_->core, identity_namespace(scope), ref);
}

std::optional<json::Value> SqliteArtifactStore::preview(const ArtifactScope& scope,
                                                        const std::string& ref) {
  SqliteCore& core = impl_->core;
  const std::lock_guard lock(core.mutex);
  core.check_open("preview");
  const auto row = core.find(identity_namespace(scope), ref, core.now());
  if (!row) return std::nullopt;
  return shown_preview(row->meta, impl_->measured(*row));
}

std::optional<json::Value> SqliteArtifactStore::row_index(const ArtifactScope& scope,
                                                          const std::string& ref) {
  SqliteCore& core = impl_->core;
  const std::lock_guard lock(core.mutex);
  core.check_open("rows");
  const auto row = core.find(identity_namespace(scope), ref, core.now());
  const auto measured = row ? impl_->measured(*row) : std::nullopt;
  const json::Value* index = measured ? measured->find("rowIndex") : nullptr;
  return index == nullptr ? std::nullopt : std::optional<json::Value>(*index);
}

std::optional<std::string> SqliteArtifactStore::read_range(const ArtifactScope& scope,
                                                           const std::string& ref,
                                                           std::uint64_t offset,
                                                           std::uint64_t size) {
  SqliteCore& core = impl_->core;
  const std::lock_guard lock(core.mutex);
  core.check_open("rows");
  const artifacts_internal::ReadTransaction snapshot(*core.db);
  const auto row = core.find(identity_namespace(scope), ref, core.now());
  if (!row) return std::nullopt;
  return core.read_range(*row, offset, size);
}

std::vector<std::string> SqliteArtifactStore::children(const ArtifactScope& scope,
                                                       const std::string& ref) {
  SqliteCore& core = impl_->core;
  const std::lock_guard lock(core.mutex);
  core.check_open("children");
  std::vector<std::string> out;
  const auto row = core.find(identity_namespace(scope), ref, core.now());
  if (!row) return out;
  Statement& child = core.db->prepared(
      "SELECT a.ref FROM af_artifacts_edges e JOIN af_artifacts a ON a.id = e.child "
      "WHERE e.parent = ?1 AND (a.expires_at IS NULL OR a.expires_at > ?2) "
      "ORDER BY a.created_at DESC, a.ref");
  const ResetAtEnd reset(child);
  child.bind(1, row->id).bind(2, core.now());
  while (child.step()) out.emplace_back(child.bytes(0));
  return out;
}

StoreInspection* SqliteArtifactStore::inspection() {
  return &impl_->inspection;
}

void SqliteArtifactStore::close() {
  const std::lock_guard lock(impl_->core.mutex);
  impl_->core.db.reset();
}

const std::string& SqliteArtifactStore::journal_mode() const noexcept {
  return impl_->core.journal_mode;
}

}  // namespace agentfootprint
