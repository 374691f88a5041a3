// The in-memory store.
#include "agentfootprint/artifacts/memory_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>

#include "agentfootprint/artifacts/internal/batch.hpp"
#include "agentfootprint/artifacts/internal/cursor.hpp"
#include "agentfootprint/artifacts/preview.hpp"
#include "agentfootprint/artifacts/put_pipeline.hpp"
#include "agentfootprint/artifacts/scope.hpp"
#include "agentfootprint/artifacts/ticket.hpp"

namespace agentfootprint {
namespace {

using artifacts_internal::PreparedEntry;

// Sweeps that wait for their scope's next put; more than these are only counted.
constexpr std::size_t kMaxUnreported = 1'024;

// Order of a listing: newest first, ties by ref.
struct NewestFirst {
  using Key = std::pair<std::int64_t, std::string>;
  bool operator()(const Key& a, const Key& b) const {
    if (a.first != b.first) return a.first > b.first;
    return a.second < b.second;
  }
};

}  // namespace

struct MemoryArtifactStore::Impl final : StoreInspection {
  struct Shelf;
  struct Row {
    Shelf* shelf;
    ArtifactMeta meta;
    PayloadShape shape;
    std::shared_ptr<const std::string> bytes;
    std::optional<json::Value> measured;
    std::uint64_t recency = 0;
  };
  struct Shelf {
    std::string key;
    std::unordered_map<std::string, std::unique_ptr<Row>> rows;
    std::set<NewestFirst::Key, NewestFirst> by_time;
    std::map<std::uint64_t, Row*> by_recency;
    std::set<std::pair<std::int64_t, std::string>> by_expiry;
    std::vector<SweptArtifact> unreported;
    std::uint64_t bytes = 0;
  };
  struct Plan {
    std::vector<std::pair<Row*, SweepReason>> victims;  // of the put's own shelf, in report order
    std::vector<Row*> elsewhere;                        // of other shelves, for the total budget
  };

  Impl(const ArtifactStoreOptions& store_options, std::uint64_t total)
      : options(store_options),
        clock(artifacts_internal::clock_of(options)),
        random(options.random != nullptr ? *options.random : system_random),
        max_bytes_total(total) {
    check_retention(options.retention);
    auto& dials = options.retention;
    if (!dials.max_bytes_per_scope) dials.max_bytes_per_scope = kDefaultMemoryBytesPerScope;
    if (!dials.max_count_per_scope) dials.max_count_per_scope = kDefaultMemoryCountPerScope;
  }

  void check_open(std::string_view verb) const {
    if (closed) artifacts_internal::throw_closed("memory", verb);
  }

  Shelf* shelf_of(const ArtifactScope& scope) {
    const auto found = shelves.find(identity_namespace(scope));
    return found == shelves.end() ? nullptr : found->second.get();
  }

  // A live row; an expired one is taken away on the way past.
  Row* find_live(Shelf* shelf, const std::string& ref, std::int64_t now) {
    if (shelf == nullptr) return nullptr;
    const auto found = shelf->rows.find(ref);
    if (found == shelf->rows.end()) return nullptr;
    Row* row = found->second.get();
    if (!row->meta.expires_at || *row->meta.expires_at > now) return row;
    later(*shelf, {ref, SweepReason::ttl, row->meta.kind, row->meta.bytes});
    erase(*row);
    return nullptr;
  }

  void later(Shelf& shelf, SweptArtifact swept) {
    if (shelf.unreported.size() < kMaxUnreported) shelf.unreported.push_back(std::move(swept));
  }

  void touch(Row& row) {
    row.shelf->by_recency.erase(row.recency);
    everywhere.erase(row.recency);
    row.recency = ++recency;
    row.shelf->by_recency.emplace(row.recency, &row);
    everywhere.emplace(row.recency, &row);
  }

  void erase(Row& row) {
    Shelf& shelf = *row.shelf;
    shelf.by_recency.erase(row.recency);
    everywhere.erase(row.recency);
    shelf.by_time.erase({row.meta.created_at, row.meta.ref});
    if (row.meta.expires_at) shelf.by_expiry.erase({*row.meta.expires_at, row.meta.ref});
    shelf.bytes -= row.meta.bytes;
    total_bytes -= row.meta.bytes;
    shelf.rows.erase(std::string(row.meta.ref));
  }

  void drop_if_empty(Shelf& shelf) {
    if (shelf.rows.empty() && shelf.unreported.empty()) shelves.erase(std::string(shelf.key));
  }

  Plan plan(Shelf& shelf, const std::vector<PreparedEntry>& entries, std::int64_t now) {
    Plan out;
    const std::vector<std::string> pinned = artifacts_internal::pinned_refs(entries);
    const std::uint64_t incoming = artifacts_internal::total_size(entries);
    std::set<const Row*> gone;
    std::uint64_t freed = 0;
    for (const auto& [expires, ref] : shelf.by_expiry) {
      if (expires > now) break;
      Row* row = shelf.rows.at(ref).get();
      out.victims.emplace_back(row, SweepReason::ttl);
      gone.insert(row);
      freed += row->meta.bytes;
    }
    RetentionPlanner planner(options.retention, incoming, entries.size(), shelf.bytes - freed,
                             shelf.rows.size() - gone.size());
    const auto is_pinned = [&](const Row& row) {
      return row.shelf == &shelf &&
             std::find(pinned.begin(), pinned.end(), row.meta.ref) != pinned.end();
    };
    for (const auto& [when, row] : shelf.by_recency) {
      const auto reason = planner.next_victim();
      if (!reason) break;
      if (gone.contains(row) || is_pinned(*row)) continue;
      planner.took(row->meta.bytes);
      out.victims.emplace_back(row, *reason);
      gone.insert(row);
      freed += row->meta.bytes;
    }
    if (planner.next_victim()) {
      throw InvalidArtifactError("data", "put: " + planner.only_pinned_left());
    }
    for (const auto& [when, row] : everywhere) {
      if (total_bytes - freed + incoming <= max_bytes_total) return out;
      if (gone.contains(row) || is_pinned(*row)) continue;
      freed += row->meta.bytes;
      if (row->shelf == &shelf) {
        out.victims.emplace_back(row, SweepReason::max_bytes);
      } else {
        out.elsewhere.push_back(row);
      }
    }
    if (total_bytes - freed + incoming > max_bytes_total) {
      throw InvalidArtifactError(
          "data", fmt::format("put: {} bytes do not fit the {} bytes this store may hold in all: "
                              "store less or raise its total budget",
                              incoming, max_bytes_total));
    }
    return out;
  }

  void insert(Shelf& shelf, ArtifactMeta meta, PreparedEntry& entry) {
    auto row = std::make_unique<Row>();
    row->shelf = &shelf;
    row->shape = entry.preparation.shape();
    row->bytes = entry.preparation.bytes();
    row->measured = std::move(entry.measured);
    row->recency = ++recency;
    shelf.by_recency.emplace(row->recency, row.get());
    everywhere.emplace(row->recency, row.get());
    shelf.by_time.emplace(meta.created_at, meta.ref);
    if (meta.expires_at) shelf.by_expiry.emplace(*meta.expires_at, meta.ref);
    shelf.bytes += meta.bytes;
    total_bytes += meta.bytes;
    std::string ref = meta.ref;
    row->meta = std::move(meta);
    shelf.rows.emplace(std::move(ref), std::move(row));
  }

  std::vector<SweptArtifact> carry_out(Shelf& shelf, const Plan& plan) {
    std::vector<SweptArtifact> swept = std::exchange(shelf.unreported, {});
    for (const auto& [row, reason] : plan.victims) {
      swept.push_back({row->meta.ref, reason, row->meta.kind, row->meta.bytes});
      if (reason != SweepReason::ttl) ++dropped;
      erase(*row);
    }
    for (Row* row : plan.elsewhere) {
      Shelf& other = *row->shelf;
      later(other, {row->meta.ref, SweepReason::max_bytes, row->meta.kind, row->meta.bytes});
      ++dropped;
      erase(*row);
    }
    return swept;
  }

  std::vector<ScopeUsage> usage() override {
    const std::lock_guard lock(mutex);
    std::vector<ScopeUsage> out;
    for (const auto& [key, shelf] : shelves) {
      if (!shelf->rows.empty()) {
        out.push_back({scope_of_namespace(key), shelf->rows.size(), shelf->bytes});
      }
    }
    return out;
  }

  std::vector<StoreProblem> fsck(bool, const std::function<void(std::uint64_t)>&) override {
    return {};  // nothing outside the process can harm it
  }

  ArtifactStoreOptions options;
  const Clock& clock;
  SystemRandom system_random;
  Random& random;
  std::uint64_t max_bytes_total;
  mutable std::mutex mutex;
  std::unordered_map<std::string, std::unique_ptr<Shelf>> shelves;
  std::map<std::uint64_t, Row*> everywhere;  // by recency, over all shelves
  std::uint64_t recency = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t dropped = 0;
  bool closed = false;
};

MemoryArtifactStore::MemoryArtifactStore(const ArtifactStoreOptions& options,
                                         std::uint64_t max_bytes_total)
    : impl_(std::make_unique<Impl>(options, max_bytes_total)) {}
MemoryArtifactStore::~MemoryArtifactStore() = default;

ArtifactPutResult MemoryArtifactStore::put(const ArtifactScope& scope,
                                           const PutArtifactInput& input) {
  return std::move(put_batch(scope, {ArtifactBatchEntry{input, {}}}).front());
}

std::vector<ArtifactPutResult> MemoryArtifactStore::put_batch(
    const ArtifactScope& scope, const std::vector<ArtifactBatchEntry>& entries) {
  Impl& impl = *impl_;
  const std::int64_t now = impl.clock.wall_ms();
  auto prepared = artifacts_internal::prepare_batch(entries, now, impl.options.previews);
  const std::lock_guard lock(impl.mutex);
  impl.check_open("put");
  Impl::Shelf* found = impl.shelf_of(scope);
  for (const PreparedEntry& entry : prepared) {
    entry.preparation.check_parents(
        [&](const std::string& ref) { return impl.find_live(found, ref, now) != nullptr; });
    entry.preparation.check_payload();
  }
  artifacts_internal::check_sizes(prepared, impl.options.retention);
  std::unique_ptr<Impl::Shelf> fresh;
  if (found == nullptr) {
    fresh = std::make_unique<Impl::Shelf>();
    fresh->key = identity_namespace(scope);
    found = fresh.get();
  }
  const Impl::Plan plan = impl.plan(*found, prepared, now);
  auto metas = artifacts_internal::mint_batch(prepared, impl.options.retention.ttl_ms, impl.random);
  if (fresh != nullptr) impl.shelves.emplace(fresh->key, std::move(fresh));
  std::vector<ArtifactPutResult> results(metas.size());
  for (std::size_t i = 0; i < metas.size(); ++i) {
    results[i].meta = metas[i];
    impl.insert(*found, std::move(metas[i]), prepared[i]);
  }
  auto swept = impl.carry_out(*found, plan);
  if (!results.empty()) results.front().swept = std::move(swept);
  return results;
}

std::optional<ArtifactMeta> MemoryArtifactStore::head(const ArtifactScope& scope,
                                                      const std::string& ref) {
  Impl& impl = *impl_;
  const std::int64_t now = impl.clock.wall_ms();
  const std::lock_guard lock(impl.mutex);
  impl.check_open("head");
  Impl::Row* row = impl.find_live(impl.shelf_of(scope), ref, now);
  if (row == nullptr) return std::nullopt;
  impl.touch(*row);
  return row->meta;
}

std::optional<ArtifactRecord> MemoryArtifactStore::get(const ArtifactScope& scope,
                                                       const std::string& ref) {
  Impl& impl = *impl_;
  const std::int64_t now = impl.clock.wall_ms();
  std::unique_lock lock(impl.mutex);
  impl.check_open("get");
  Impl::Row* row = impl.find_live(impl.shelf_of(scope), ref, now);
  if (row == nullptr) return std::nullopt;
  impl.touch(*row);
  ArtifactRecord record{row->meta, ArtifactPayload::from_canonical(row->shape, row->bytes)};
  lock.unlock();
  if (record.meta.digest) {
    const std::string actual = payload_digest(record.payload.bytes());
    if (actual != *record.meta.digest) {
      throw ArtifactIntegrityError(ref, *record.meta.digest, actual);
    }
  }
  return record;
}

void MemoryArtifactStore::remove(const ArtifactScope& scope, const std::string& ref) {
  Impl& impl = *impl_;
  const std::int64_t now = impl.clock.wall_ms();
  const std::lock_guard lock(impl.mutex);
  impl.check_open("remove");
  Impl::Shelf* shelf = impl.shelf_of(scope);
  if (Impl::Row* row = impl.find_live(shelf, ref, now)) {
    impl.erase(*row);
    impl.drop_if_empty(*shelf);
  }
}

ArtifactListResult MemoryArtifactStore::list(const ArtifactScope& scope,
                                             const ArtifactListOptions& options) {
  Impl& impl = *impl_;
  const std::int64_t now = impl.clock.wall_ms();
  const std::lock_guard lock(impl.mutex);
  impl.check_open("list");
  ArtifactListResult out;
  const Impl::Shelf* shelf = impl.shelf_of(scope);
  if (shelf == nullptr) return out;
  const std::size_t limit = artifacts_internal::list_limit(options);
  const auto position = artifacts_internal::decode_cursor(options.cursor);
  auto at = position ? shelf->by_time.upper_bound({position->created_at, position->ref})
                     : shelf->by_time.begin();
  for (; at != shelf->by_time.end(); ++at) {
    const ArtifactMeta& meta = shelf->rows.at(at->second)->meta;
    if (meta.expires_at && *meta.expires_at <= now) continue;
    if (out.artifacts.size() == limit) {
      const ArtifactMeta& last = out.artifacts.back();
      out.cursor = artifacts_internal::encode_cursor({last.created_at, last.ref});
      return out;
    }
    out.artifacts.push_back(meta);
  }
  return out;
}

std::optional<json::Value> MemoryArtifactStore::preview(const ArtifactScope& scope,
                                                        const std::string& ref) {
  Impl& impl = *impl_;
  const std::int64_t now = impl.clock.wall_ms();
  const std::lock_guard lock(impl.mutex);
  impl.check_open("preview");
  const Impl::Row* row = impl.find_live(impl.shelf_of(scope), ref, now);
  if (row == nullptr) return std::nullopt;
  return shown_preview(row->meta, row->measured);
}

std::optional<json::Value> MemoryArtifactStore::row_index(const ArtifactScope& scope,
                                                          const std::string& ref) {
  Impl& impl = *impl_;
  const std::int64_t now = impl.clock.wall_ms();
  const std::lock_guard lock(impl.mutex);
  const Impl::Row* row = impl.find_live(impl.shelf_of(scope), ref, now);
  if (row == nullptr || !row->measured) return std::nullopt;
  const json::Value* index = row->measured->find("rowIndex");
  return index == nullptr ? std::nullopt : std::optional<json::Value>(*index);
}

std::optional<std::string> MemoryArtifactStore::read_range(const ArtifactScope& scope,
                                                           const std::string& ref,
                                                           std::uint64_t offset,
                                                           std::uint64_t size) {
  Impl& impl = *impl_;
  const std::int64_t now = impl.clock.wall_ms();
  const std::lock_guard lock(impl.mutex);
  impl.check_open("rows");
  const Impl::Row* row = impl.find_live(impl.shelf_of(scope), ref, now);
  if (row == nullptr) return std::nullopt;
  if (offset >= row->bytes->size()) return std::string();
  return row->bytes->substr(offset, size);
}

StoreInspection* MemoryArtifactStore::inspection() {
  return impl_.get();
}

void MemoryArtifactStore::close() {
  const std::lock_guard lock(impl_->mutex);
  impl_->closed = true;
  impl_->shelves.clear();
  impl_->everywhere.clear();
  impl_->total_bytes = 0;
}

std::uint64_t MemoryArtifactStore::dropped() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->dropped;
}

const ArtifactRetention& MemoryArtifactStore::retention() const noexcept {
  return impl_->options.retention;
}

}  // namespace agentfootprint
