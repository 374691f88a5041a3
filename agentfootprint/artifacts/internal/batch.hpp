// What the stores share about batches and options.
#pragma once

#include <algorithm>
#include <vector>

#include "agentfootprint/artifacts/put_pipeline.hpp"
#include "agentfootprint/artifacts/store.hpp"

namespace agentfootprint::artifacts_internal {

// A put that passed everything but parents, budget and minting.
struct PreparedEntry {
  PutPreparation preparation;
  std::vector<std::size_t> parents_in_batch;
  std::optional<json::Value> measured;  // the preview's measured part
};

// Steps 1 to 5 of every entry, and the previews; throws Refusal for an index that names no earlier
// entry.
[[nodiscard]] std::vector<PreparedEntry> prepare_batch(
    const std::vector<ArtifactBatchEntry>& entries, std::int64_t now, bool previews);

// The tickets of a batch in order, with the refs of parents inside the batch added.
[[nodiscard]] std::vector<ArtifactMeta> mint_batch(const std::vector<PreparedEntry>& entries,
                                                   std::optional<std::int64_t> ttl_ms,
                                                   Random& random);

[[nodiscard]] std::uint64_t total_size(const std::vector<PreparedEntry>& entries);
// Every parent outside the batch; they are pinned while it is put.
[[nodiscard]] std::vector<std::string> pinned_refs(const std::vector<PreparedEntry>& entries);
// Throws InvalidArtifactError for a payload no empty scope could hold.
void check_sizes(const std::vector<PreparedEntry>& entries, const ArtifactRetention& retention);

[[nodiscard]] inline const Clock& clock_of(const ArtifactStoreOptions& options) {
  return options.clock != nullptr ? *options.clock : SystemClock::instance();
}
// The steady time at which a wait for other writers that begins now ends; a day at most.
[[nodiscard]] inline std::int64_t busy_deadline_ns(std::int64_t busy_ms) {
  constexpr std::int64_t kMaxMs = std::int64_t{24} * 60 * 60 * 1'000;
  return SystemClock::instance().steady_ns() +
         std::clamp<std::int64_t>(busy_ms, 0, kMaxMs) * 1'000'000;
}
inline void step(const ArtifactStoreOptions& options, std::string_view name) {
  if (options.on_step) options.on_step(name);
}
[[noreturn]] void throw_closed(std::string_view store, std::string_view verb);

}  // namespace agentfootprint::artifacts_internal
