// Streams of the SQLite store.
#include "agentfootprint/artifacts/internal/sqlite_stream.hpp"

#include <fmt/format.h>

#include <cstring>
#include <span>

#include "agentfootprint/artifacts/internal/stream_put.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

constexpr std::size_t kChunksPerTransaction = 8;
constexpr std::int64_t kStaleStageMs = 15 * 60 * 1'000;

// Chunks that no ticket names yet; taken away again unless kept.
class Stage {
 public:
  explicit Stage(SqliteCore& core) : core_(core) {}
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage() {
    if (id_ == 0 || kept_) return;
    try {
      const std::lock_guard lock(core_.mutex);
      if (core_.db == nullptr) return;
      WriteTransaction transaction(*core_.db);
      core_.drop_payload(id_);
      transaction.commit();
    } catch (const std::exception&) {
      // The store is failing; fsck and the next opening take the chunks away.
    }
  }

  void write(std::span<const std::string> chunks) {
    const std::lock_guard lock(core_.mutex);
    core_.check_open("put");
    WriteTransaction transaction(*core_.db);
    if (id_ == 0) {
      id_ = core_.new_payload(core_.now());
    } else {
      core_.db->prepared("UPDATE af_artifacts_payloads SET staged_at = ?2 WHERE id = ?1")
          .bind(1, id_)
          .bind(2, core_.now())
          .run();
    }
    for (const std::string& chunk : chunks) core_.write_chunk(id_, next_++, chunk);
    transaction.commit();
    step(core_.options, "chunk written");
  }
  void keep() noexcept { kept_ = true; }
  [[nodiscard]] std::int64_t id() const noexcept { return id_; }

 private:
  SqliteCore& core_;
  std::int64_t id_ = 0;
  std::int64_t next_ = 0;
  bool kept_ = false;
};

// Reads one payload from a connection of its own, whose snapshot outlives deletes by others.
class ChunkSource final : public ByteSource {
 public:
  ChunkSource(const std::string& file, std::int64_t busy_ms)
      : connection_(file, SQLITE_OPEN_READWRITE, busy_ms) {
    connection_.execute("PRAGMA query_only = ON");
    snapshot_.emplace(connection_);
  }

  // False when the row is not there any more.
  bool open(std::int64_t row_id, std::string_view ref) {
    Statement& row = connection_.prepared(
        "SELECT payload_id, payload FROM af_artifacts WHERE id = ?1 AND ref = ?2");
    const ResetAtEnd reset(row);
    if (!row.bind(1, row_id).bind_text(2, ref).step()) return false;
    const auto payload = row.optional_int64(0);
    if (payload) {
      chunks_ = &connection_.prepared(
          "SELECT data FROM af_artifacts_chunks WHERE place BETWEEN ?1 AND ?2 ORDER BY place");
      const std::int64_t first = *payload * kChunksPerPayload;
      chunks_->bind(1, first).bind(2, first + kChunksPerPayload - 1);
    } else {
      inline_ = std::string(row.bytes(1));
      current_ = inline_;
    }
    return true;
  }

  std::size_t read(char* buffer, std::size_t size) override {
    while (current_.empty()) {
      if (chunks_ == nullptr || size == 0) return 0;
      if (!chunks_->step()) {
        chunks_->reset();
        chunks_ = nullptr;
        return 0;
      }
      current_ = chunks_->bytes(0);
    }
    const std::size_t take = std::min(size, current_.size());
    std::memcpy(buffer, current_.data(), take);
    current_.remove_prefix(take);
    return take;
  }

 private:
  Connection connection_;
  std::optional<ReadTransaction> snapshot_;
  Statement* chunks_ = nullptr;
  std::string inline_;
  std::string_view current_;
};

}  // namespace

void check_payload(const ArtifactMeta& meta, std::string_view bytes) {
  if (bytes.size() != meta.bytes) {
    throw ArtifactIntegrityError(meta.ref, fmt::format("{} bytes", meta.bytes),
                                 fmt::format("{} bytes", bytes.size()));
  }
  if (!meta.digest) return;
  const std::string actual = payload_digest(bytes);
  if (actual != *meta.digest) throw ArtifactIntegrityError(meta.ref, *meta.digest, actual);
}

ArtifactPutResult put_sqlite_stream(SqliteCore& core, const std::string& scope_ns,
                                    const ArtifactStreamPutInput& input, ByteSource& body) {
  const std::int64_t now = core.now();
  std::vector<PreparedEntry> entries;
  entries.push_back({PutPreparation(input, now), {}, {}});
  const PutPreparation& preparation = entries.front().preparation;
  {
    const std::lock_guard lock(core.mutex);
    core.check_open("put");
    preparation.check_parents(
        [&](const std::string& ref) { return core.find(scope_ns, ref, now).has_value(); });
  }
  preparation.check_payload();
  check_sizes(entries, core.options.retention);

  drop_stale_stages(core);
  StreamIntake intake(input, preparation, body, core.options.previews);
  Stage stage(core);
  std::vector<std::string> chunks(kChunksPerTransaction);
  std::size_t filled = 0;
  while (intake.next(chunks[filled], kChunkBytes)) {
    if (++filled < kChunksPerTransaction) continue;
    stage.write(chunks);
    filled = 0;
  }
  intake.finish();
  if (filled > 0 || stage.id() == 0) stage.write(std::span(chunks).first(filled));

  std::vector<SqliteCore::Incoming> incoming(1);
  incoming.front().entry = &entries.front();
  incoming.front().staged_payload = stage.id();
  incoming.front().digest = intake.digest();
  incoming.front().measured = intake.measured();
  const std::lock_guard lock(core.mutex);
  core.check_open("put");
  auto results = core.commit(scope_ns, entries, incoming, now);
  stage.keep();
  return std::move(results.front());
}

std::optional<ArtifactStreamRecord> get_sqlite_stream(SqliteCore& core, const std::string& scope_ns,
                                                      const std::string& ref) {
  std::optional<SqliteRow> row;
  {
    const std::lock_guard lock(core.mutex);
    core.check_open("get");
    row = core.find(scope_ns, ref, core.now());
    if (!row) return std::nullopt;
    core.touch(row->id);
  }
  auto source = std::make_unique<ChunkSource>(core.file, core.settings.busy_ms);
  if (!source->open(row->id, ref)) return std::nullopt;
  ArtifactStreamRecord record;
  record.body = std::move(source);
  if (row->meta.digest) {
    record.body = std::make_unique<CheckedSource>(std::move(record.body), ref, *row->meta.digest);
  }
  record.meta = std::move(row->meta);
  return record;
}

std::size_t drop_stale_stages(SqliteCore& core) {
  const std::lock_guard lock(core.mutex);
  core.check_open("put");
  std::vector<std::int64_t> stale;
  {
    Statement& row =
        core.db->prepared("SELECT id FROM af_artifacts_payloads WHERE staged_at <= ?1");
    const ResetAtEnd reset(row);
    row.bind(1, core.now() - kStaleStageMs);
    while (row.step()) stale.push_back(row.int64(0));
  }
  if (stale.empty()) return 0;
  WriteTransaction transaction(*core.db);
  for (const std::int64_t id : stale) core.drop_payload(id);
  transaction.commit();
  return stale.size();
}

}  // namespace agentfootprint::artifacts_internal
