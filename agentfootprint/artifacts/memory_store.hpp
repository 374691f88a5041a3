// The in-memory store: bounded per scope and in all.
//
// What: every verb but streams; payloads are kept as their canonical bytes. 32 MiB and 256 rows a
// scope and 256 MiB in all unless told otherwise; there is no unbounded spelling. When the whole
// store is full, the least recently used rows of any scope go; their own scope's next put reports
// them, so nothing about one scope is told to another.
//
// When to use: tests, single processes, and as the default of a run. Rows die with the process.
//
// Not guaranteed: that a scope keeps its budget when others fill the store.
//
// Example:
//   MemoryArtifactStore store{ArtifactStoreOptions()};
//   ArtifactScope scope("conv-a");
//   PutArtifactInput input("report", "text/plain", ArtifactPayload::text("hello"));
//   std::string ref = store.put(scope, input).meta.ref;
//   (void)store.head(scope, ref);
#pragma once

#include <memory>

#include "agentfootprint/artifacts/store.hpp"

namespace agentfootprint {

inline constexpr std::uint64_t kDefaultMemoryBytesPerScope = 33'554'432;
inline constexpr std::uint64_t kDefaultMemoryCountPerScope = 256;
inline constexpr std::uint64_t kDefaultMemoryBytesTotal = 268'435'456;

class MemoryArtifactStore final : public ArtifactStore {
 public:
  explicit MemoryArtifactStore(const ArtifactStoreOptions& options,
                               std::uint64_t max_bytes_total = kDefaultMemoryBytesTotal);
  ~MemoryArtifactStore() override;
  MemoryArtifactStore(const MemoryArtifactStore&) = delete;
  MemoryArtifactStore& operator=(const MemoryArtifactStore&) = delete;

  ArtifactPutResult put(const ArtifactScope& scope, const PutArtifactInput& input) override;
  [[nodiscard]] std::optional<ArtifactMeta> head(const ArtifactScope& scope,
                                                 const std::string& ref) override;
  [[nodiscard]] std::optional<ArtifactRecord> get(const ArtifactScope& scope,
                                                  const std::string& ref) override;
  void remove(const ArtifactScope& scope, const std::string& ref) override;
  [[nodiscard]] ArtifactListResult list(const ArtifactScope& scope,
                                        const ArtifactListOptions& options) override;
  [[nodiscard]] bool can_put_batch() const override { return true; }
  std::vector<ArtifactPutResult> put_batch(const ArtifactScope& scope,
                                           const std::vector<ArtifactBatchEntry>& entries) override;
  [[nodiscard]] std::optional<json::Value> preview(const ArtifactScope& scope,
                                                   const std::string& ref) override;
  [[nodiscard]] std::optional<json::Value> row_index(const ArtifactScope& scope,
                                                     const std::string& ref) override;
  [[nodiscard]] std::optional<std::string> read_range(const ArtifactScope& scope,
                                                      const std::string& ref, std::uint64_t offset,
                                                      std::uint64_t size) override;
  [[nodiscard]] StoreInspection* inspection() override;
  [[nodiscard]] bool blocks() const override { return false; }
  [[nodiscard]] std::string name() const override { return "memory"; }
  void close() override;

  // Rows removed for a count or a byte budget since construction; expiry is not counted.
  [[nodiscard]] std::uint64_t dropped() const;
  // The dials in force, defaults included.
  [[nodiscard]] const ArtifactRetention& retention() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace agentfootprint
