// The store port: five verbs, scope first, and what a store may offer beside them.
//
// What: put, head, get, remove, list. A missing, expired, malformed or foreign ticket is one answer
// everywhere: empty, never an exception. Streaming, ranges, batches and inspection are optional;
// ask the `can_*` members before calling them.
//
// When to use: implement it to add a store, and prove it with conformance.hpp. The verbs block; a
// store that says `blocks()` runs on a worker thread of its own behind `AsyncArtifactStore`
// (async_store.hpp), never on the caller's. Query and transform verbs do not belong here: see
// rows.hpp and query.hpp.
//
// Not guaranteed: that a ticket seen live a moment ago still is. Every store is safe from several
// threads.
//
// Example (file scope):
//   inline void park(agentfootprint::ArtifactStore& store) {
//     using namespace agentfootprint;
//     ArtifactScope scope("conv-a");
//     PutArtifactInput input("report", "text/plain", ArtifactPayload::text("hello"));
//     ArtifactPutResult done = store.put(scope, input);
//     std::optional<ArtifactRecord> back = store.get(scope, done.meta.ref);
//     (void)back;
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/artifacts/artifact.hpp"
#include "agentfootprint/artifacts/byte_stream.hpp"
#include "agentfootprint/artifacts/errors.hpp"
#include "agentfootprint/artifacts/retention.hpp"
#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/base/random.hpp"

namespace agentfootprint {

// What every shipped store takes. The ports must outlive the store; null is the machine's own.
struct ArtifactStoreOptions {
  ArtifactRetention retention;
  const Clock* clock = nullptr;
  Random* random = nullptr;
  bool previews = true;  // compute a preview of rows at mint
  // Called at each step of a write ("payload written", "before commit", …). Tests kill or fail
  // here.
  std::function<void(std::string_view step)> on_step;

  ArtifactStoreOptions() {}  // NOLINT
};

struct ArtifactStreamRecord {
  ArtifactMeta meta;
  std::unique_ptr<ByteSource> body;  // fails at its end when the digest does not match
};

// One entry of an all-or-nothing batch. `parents_in_batch` are indexes of earlier entries.
struct ArtifactBatchEntry {
  PutArtifactInput input;
  std::vector<std::size_t> parents_in_batch;
};

// One thing `fsck` found. `kind`: orphan-payload, lost-payload, unreadable, quarantined,
// dangling-parent, expired, digest-mismatch, record-mismatch, leftover.
struct StoreProblem {
  std::string kind;
  ArtifactScope scope;
  std::string ref;     // "" when it belongs to no ticket
  std::string detail;  // for people
  bool mended = false;
};

struct ScopeUsage {
  ArtifactScope scope;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

// For people who keep a store, not for tools: it looks across scopes.
class StoreInspection {
 public:
  virtual ~StoreInspection() = default;
  [[nodiscard]] virtual std::vector<ScopeUsage> usage() = 0;
  // Structure of the store; `mend` removes what belongs to no ticket. `progress` gets steps done.
  [[nodiscard]] virtual std::vector<StoreProblem> fsck(
      bool mend, const std::function<void(std::uint64_t)>& progress) = 0;
};

class ArtifactStore {
 public:
  virtual ~ArtifactStore() = default;

  virtual ArtifactPutResult put(const ArtifactScope& scope, const PutArtifactInput& input) = 0;
  [[nodiscard]] virtual std::optional<ArtifactMeta> head(const ArtifactScope& scope,
                                                         const std::string& ref) = 0;
  // Throws ArtifactIntegrityError when the ticket has a digest and the bytes are not those.
  [[nodiscard]] virtual std::optional<ArtifactRecord> get(const ArtifactScope& scope,
                                                          const std::string& ref) = 0;
  virtual void remove(const ArtifactScope& scope, const std::string& ref) = 0;
  [[nodiscard]] virtual ArtifactListResult list(const ArtifactScope& scope,
                                                const ArtifactListOptions& options) = 0;

  // Optional: streams.
  [[nodiscard]] virtual bool can_put_stream() const { return false; }
  [[nodiscard]] virtual bool can_get_stream() const { return false; }
  // A store whose wire states the digest before the first byte takes only inputs that name it.
  [[nodiscard]] virtual bool needs_digest_before_bytes() const { return false; }
  virtual ArtifactPutResult put_stream(const ArtifactScope& scope,
                                       const ArtifactStreamPutInput& input, ByteSource& body);
  [[nodiscard]] virtual std::optional<ArtifactStreamRecord> get_stream(const ArtifactScope& scope,
                                                                       const std::string& ref);
  // Optional: all entries or none.
  [[nodiscard]] virtual bool can_put_batch() const { return false; }
  virtual std::vector<ArtifactPutResult> put_batch(const ArtifactScope& scope,
                                                   const std::vector<ArtifactBatchEntry>& entries);
  // Optional, with slow answers for every store: the preview kept at mint, bytes [offset, offset +
  // size) of the payload (fewer at its end), and the live artifacts that name `ref` as a parent.
  [[nodiscard]] virtual std::optional<json::Value> preview(const ArtifactScope& scope,
                                                           const std::string& ref);
  // `{"every": n, "at": [byte of row 0, of row n, …]}` kept at mint; empty when there is none.
  [[nodiscard]] virtual std::optional<json::Value> row_index(const ArtifactScope& scope,
                                                             const std::string& ref);
  [[nodiscard]] virtual std::optional<std::string> read_range(const ArtifactScope& scope,
                                                              const std::string& ref,
                                                              std::uint64_t offset,
                                                              std::uint64_t size);
  [[nodiscard]] virtual std::vector<std::string> children(const ArtifactScope& scope,
                                                          const std::string& ref);
  // Optional: null when the store cannot be looked into.
  [[nodiscard]] virtual StoreInspection* inspection() { return nullptr; }

  // True when verbs wait for a disk or a network.
  [[nodiscard]] virtual bool blocks() const { return true; }
  [[nodiscard]] virtual std::string name() const = 0;  // "memory", "sqlite", "file"
  // Idempotent and final; later verbs throw ArtifactStoreError "artifact-store-closed".
  virtual void close() {}
};

// `sqlite:runs.db?sync=full` is sqlite, runs.db and sync=full: the last `?` begins the settings,
// which may be left out.
struct ArtifactStoreUrl {
  std::string scheme;  // "memory", "sqlite" or "file"
  std::string path;
  std::string settings;

  ArtifactStoreUrl() {}  // NOLINT
};
// Throws Refusal "artifact-store-url" for a store this library does not have.
[[nodiscard]] ArtifactStoreUrl parse_artifact_store_url(std::string_view url);

// Opens `memory:`, `sqlite:FILE?sync=off|normal|full&busy_ms=N` or
// `file:DIR?sync=off|full&busy_ms=N`, and makes what is not there. Throws Refusal
// "artifact-store-url" for anything else.
[[nodiscard]] std::shared_ptr<ArtifactStore> open_artifact_store(
    std::string_view url, const ArtifactStoreOptions& options);
// For looking into a store: makes nothing. Throws Refusal "artifact-store-url" where there is none
// and UnreadableArtifactStoreError for a file or a folder that holds no store, which stays as it
// is.
[[nodiscard]] std::shared_ptr<ArtifactStore> open_existing_artifact_store(
    std::string_view url, const ArtifactStoreOptions& options);

}  // namespace agentfootprint
