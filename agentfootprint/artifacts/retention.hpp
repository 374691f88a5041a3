// Retention: which rows a put removes, as a pure plan.
//
// What: three dials (time to live, bytes and count per scope) and a plan made from a scope's rows:
// expired rows first, then the least recently used until the incoming artifact fits. A payload
// larger than the whole byte budget is refused and removes nothing. Rows that are parents of the
// incoming artifact are pinned: they are never victims of their own child's put; a budget that
// cannot hold both is a refusal.
//
// When to use: stores ask for a plan inside the transaction of the put and carry it out after the
// new bytes are safe. `RetentionPlanner` is the same rule for a store that reads its victims one by
// one.
//
// Not guaranteed: what `last_accessed_at` counts: stores that do not track reads pass the time of
// creation.
//
// Example:
//   ArtifactRetention retention;
//   retention.max_bytes_per_scope = 25;
//   std::vector<RetentionRow> rows{{"art_a", "k", 10, std::nullopt, 1},
//                                  {"art_b", "k", 10, std::nullopt, 2}};
//   RetentionPlan plan = plan_retention(rows, 10, retention, 100);
//   (void)plan.swept.size();   // 1: art_a, max-bytes
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/artifacts/artifact.hpp"

namespace agentfootprint {

// An absent dial is "no limit".
struct ArtifactRetention {
  std::optional<std::int64_t> ttl_ms;
  std::optional<std::uint64_t> max_bytes_per_scope;
  std::optional<std::uint64_t> max_count_per_scope;

  ArtifactRetention() {}  // NOLINT
  friend bool operator==(const ArtifactRetention&, const ArtifactRetention&) = default;
};

// Throws Refusal "artifact-retention" naming each dial that is not above zero.
void check_retention(const ArtifactRetention& retention);
// `{ttlMs?, maxBytesPerScope?, maxCountPerScope?}`; refuses what is no number above zero.
[[nodiscard]] ArtifactRetention retention_from_json(const json::Value& value);

// The earlier of the caller's and the store's expiry, which is kLastArtifactTime at most; a store
// may tighten, never extend.
[[nodiscard]] std::optional<std::int64_t> resolve_expiry(std::optional<std::int64_t> asked,
                                                         std::optional<std::int64_t> ttl_ms,
                                                         std::int64_t now);

struct RetentionRow {
  std::string ref;
  std::string kind;
  std::uint64_t bytes = 0;
  std::optional<std::int64_t> expires_at;
  std::int64_t last_accessed_at = 0;
  bool pinned = false;
};

struct RetentionPlan {
  std::vector<SweptArtifact> swept;    // expired, then victims of the count, then of the bytes
  std::optional<std::string> refusal;  // why the put cannot be; `swept` is then empty
};

// Victims in order of `last_accessed_at`, ties by ref. A row expires when `expires_at <= now`.
[[nodiscard]] RetentionPlan plan_retention(std::vector<RetentionRow> rows,
                                           std::uint64_t incoming_bytes,
                                           const ArtifactRetention& retention, std::int64_t now);

// The same decisions for rows that are fetched one by one, from totals over the unexpired rows.
class RetentionPlanner {
 public:
  RetentionPlanner(const ArtifactRetention& retention, std::uint64_t incoming_bytes,
                   std::uint64_t incoming_count, std::uint64_t live_bytes,
                   std::uint64_t live_count);

  // Why one payload of this size can never fit; empty when it can.
  [[nodiscard]] static std::optional<std::string> oversize(const ArtifactRetention& retention,
                                                           std::uint64_t payload_bytes);
  // The reason the next least recently used row must go; empty when everything fits.
  [[nodiscard]] std::optional<SweepReason> next_victim() const noexcept;
  void took(std::uint64_t bytes) noexcept;
  // What to refuse with when a victim is needed and only pinned rows are left.
  [[nodiscard]] std::string only_pinned_left() const;

 private:
  ArtifactRetention retention_;
  std::uint64_t incoming_bytes_, incoming_count_, live_bytes_, live_count_;
};

}  // namespace agentfootprint
