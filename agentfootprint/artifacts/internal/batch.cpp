// What the stores share about batches and options.
#include "agentfootprint/artifacts/internal/batch.hpp"

#include <fmt/format.h>

#include "agentfootprint/artifacts/preview.hpp"

namespace agentfootprint::artifacts_internal {

std::vector<PreparedEntry> prepare_batch(const std::vector<ArtifactBatchEntry>& entries,
                                         std::int64_t now, bool previews) {
  std::vector<PreparedEntry> prepared;
  prepared.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (const std::size_t parent : entries[i].parents_in_batch) {
      if (parent < i) continue;
      throw InvalidArtifactError(
          "parents",
          fmt::format("put: entry {} of the batch names entry {} as its parent: a parent "
                      "stands before its child",
                      i, parent));
    }
    PreparedEntry entry{PutPreparation(entries[i].input, now), entries[i].parents_in_batch, {}};
    const auto& payload = entries[i].input.payload;
    if (previews && payload && payload->problem().empty()) {
      entry.measured = measure_rows(entries[i].input.media_type, *payload);
    }
    prepared.push_back(std::move(entry));
  }
  return prepared;
}

std::vector<ArtifactMeta> mint_batch(const std::vector<PreparedEntry>& entries,
                                     std::optional<std::int64_t> ttl_ms, Random& random) {
  std::vector<ArtifactMeta> metas;
  metas.reserve(entries.size());
  for (const PreparedEntry& entry : entries) {
    ArtifactMeta meta = entry.preparation.mint(ttl_ms, random);
    for (const std::size_t parent : entry.parents_in_batch) {
      meta.parent_refs.push_back(metas[parent].ref);
    }
    metas.push_back(std::move(meta));
  }
  return metas;
}

std::uint64_t total_size(const std::vector<PreparedEntry>& entries) {
  std::uint64_t total = 0;
  for (const PreparedEntry& entry : entries) total += entry.preparation.size();
  return total;
}

std::vector<std::string> pinned_refs(const std::vector<PreparedEntry>& entries) {
  std::vector<std::string> pinned;
  for (const PreparedEntry& entry : entries) {
    const auto& parents = entry.preparation.parent_refs();
    pinned.insert(pinned.end(), parents.begin(), parents.end());
  }
  return pinned;
}

void check_sizes(const std::vector<PreparedEntry>& entries, const ArtifactRetention& retention) {
  for (const PreparedEntry& entry : entries) {
    const auto refusal = RetentionPlanner::oversize(retention, entry.preparation.size());
    if (refusal) throw InvalidArtifactError("data", "put: " + *refusal);
  }
}

void throw_closed(std::string_view store, std::string_view verb) {
  throw ArtifactStoreError("artifact-store-closed",
                           fmt::format("{}: the {} store is closed; open it again", verb, store));
}

}  // namespace agentfootprint::artifacts_internal
