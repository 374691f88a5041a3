// The capability a tool's execution gets: a store bound to one scope, one origin and one call.
//
// What: `bind_artifacts` closes a scope and an origin over a store and hands out `ToolArtifacts`,
// the five verbs without a scope. Neither can be widened: an origin in the input is overwritten.
// The handle may be copied; every copy stops working when the binding ends, which is when the call
// ends. Without a store the handle exists all the same and every verb throws one error that says
// how to get a store. What happens is told to a sink as facts (minted, resolved, expired, refused),
// metadata only.
//
// When to use: the dispatcher makes one binding a call. Tools use only the handle.
//
// Not guaranteed: that the verbs are quick: they block like the store's. From a coroutine use
// `AsyncArtifactStore::run` (async_store.hpp). The sink runs on the thread of the verb.
//
// Example:
//   auto store = open_artifact_store("memory:", ArtifactStoreOptions());
//   ArtifactOrigin origin;
//   origin.run_id = "run-1";
//   ArtifactBinding binding = bind_artifacts(store, ArtifactScope("conv-a"), origin, nullptr);
//   ToolArtifacts artifacts = binding.artifacts();
//   PutArtifactInput input("report", "text/plain", ArtifactPayload::text("hello"));
//   ArtifactMeta meta = artifacts.put(input);
//   (void)meta;
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/artifacts/store.hpp"

namespace agentfootprint {

enum class ArtifactOp : std::uint8_t { put, head, get, remove, list, dispatch };
[[nodiscard]] std::string_view name_of(ArtifactOp op) noexcept;  // remove is "delete"

// `store_failed`: the machine below failed; the detail is the error's code, never its text.
enum class ArtifactRefusalReason : std::uint8_t {
  no_store,
  missing_or_expired,
  unknown_parent,
  digest_mismatch,
  invalid_input,
  kind_mismatch,
  store_failed
};
[[nodiscard]] std::string_view name_of(ArtifactRefusalReason reason) noexcept;

// One thing that happened, without payload bytes.
struct ArtifactFact {
  enum class Kind : std::uint8_t { minted, resolved, expired, refused, presented };
  Kind kind = Kind::minted;
  ArtifactMeta meta;                // minted; resolved: ref, kind and bytes
  SweptArtifact swept;              // expired
  std::string via;                  // resolved: "head", "get", "rows", "preview" or "query"
  ArtifactOp op = ArtifactOp::put;  // refused
  ArtifactRefusalReason reason = ArtifactRefusalReason::missing_or_expired;  // refused
  std::optional<std::string> ref;                                            // refused
  std::optional<std::string> detail;                                         // refused
  json::Value snapshot;                                                      // presented
  std::string as;                                                            // presented

  ArtifactFact() {}  // NOLINT
};
[[nodiscard]] std::string_view name_of(ArtifactFact::Kind kind) noexcept;
// The payload of the event `agentfootprint.artifacts.<kind>`; `tool` is added when given.
[[nodiscard]] json::Value to_json(const ArtifactFact& fact, std::string_view tool = {});

using ArtifactFactSink = std::function<void(const ArtifactFact&)>;

namespace artifacts_internal {
struct BoundStore;
}

// What a tool holds. Origins in its inputs are replaced by the binding's.
class ToolArtifacts {
 public:
  // A handle without a store.
  ToolArtifacts();

  [[nodiscard]] bool has_store() const noexcept;
  ArtifactMeta put(const PutArtifactInput& input) const;
  // A put whose origin also names the query that made the payload (query.hpp).
  ArtifactMeta put_derived(const PutArtifactInput& input, std::string query) const;
  // All entries or none. Throws ArtifactStoreError "artifact-unsupported" when the store has no
  // batches.
  std::vector<ArtifactMeta> put_batch(std::vector<ArtifactBatchEntry> entries) const;
  [[nodiscard]] std::optional<ArtifactMeta> head(const std::string& ref) const;
  [[nodiscard]] std::optional<ArtifactRecord> get(const std::string& ref) const;
  void remove(const std::string& ref) const;
  [[nodiscard]] ArtifactListResult list(const ArtifactListOptions& options) const;

  // Runs `work` with the store and the scope of this call; `op` and `ref` name it in facts. For
  // functions of this folder that read a part of a ticket.
  template <class Work>
  auto with_store(ArtifactOp op, const std::string& ref, Work&& work) const {
    const Access access = open(op, ref);
    try {
      return work(*access.store, access.scope);
    } catch (const Error& error) {
      tell_failed(op, ref, error);
      throw;
    }
  }
  // The same for a read of a part: tells that the ticket was resolved `via` this way, or that it is
  // not there when `work` came back empty.
  template <class Work>
  auto read_part(ArtifactOp op, std::string_view via, const std::string& ref, Work&& work) const {
    auto part = with_store(op, ref, std::forward<Work>(work));
    tell_part(op, via, ref, part.has_value());
    return part;
  }
  // Tells the sink.
  void tell(const ArtifactFact& fact) const;
  void tell_resolved(const ArtifactMeta& meta, std::string_view via) const;
  void tell_refused(ArtifactOp op, ArtifactRefusalReason reason, std::optional<std::string> ref,
                    std::optional<std::string> detail) const;

 private:
  friend class ArtifactBinding;
  struct Access {
    std::shared_ptr<ArtifactStore> store;
    ArtifactScope scope;
    ArtifactOrigin origin;
  };
  explicit ToolArtifacts(std::shared_ptr<artifacts_internal::BoundStore> bound);
  [[nodiscard]] Access open(ArtifactOp op, const std::string& ref) const;
  // Tells when what was thrown says that the store failed, not that something cannot be asked.
  void tell_failed(ArtifactOp op, const std::string& ref, const Error& error) const;
  void tell_part(ArtifactOp op, std::string_view via, const std::string& ref, bool found) const;
  ArtifactMeta put_bound(const PutArtifactInput& input, std::optional<std::string> query) const;
  ArtifactMeta report_put(const ArtifactPutResult& done) const;
  template <class Put>
  auto guarded_put(Put&& put) const;
  std::shared_ptr<artifacts_internal::BoundStore> bound_;
};

// Owns the capability of one call; ends it when destroyed.
class ArtifactBinding {
 public:
  ArtifactBinding(std::shared_ptr<ArtifactStore> store, ArtifactScope scope, ArtifactOrigin origin,
                  ArtifactFactSink sink);
  ArtifactBinding(ArtifactBinding&&) noexcept;
  ArtifactBinding& operator=(ArtifactBinding&&) noexcept;
  ~ArtifactBinding();
  [[nodiscard]] ToolArtifacts artifacts() const;
  // Every handle given out throws Error "artifact-capability-ended" from now on.
  void end() noexcept;

 private:
  std::shared_ptr<artifacts_internal::BoundStore> bound_;
};

[[nodiscard]] ArtifactBinding bind_artifacts(std::shared_ptr<ArtifactStore> store,
                                             ArtifactScope scope, ArtifactOrigin origin,
                                             ArtifactFactSink sink);
[[nodiscard]] ArtifactBinding unconfigured_artifacts(ArtifactFactSink sink);

// What functions over a call need: may tools reach a store, and which tickets were resolved as
// arguments.
struct ArtifactContext {
  bool has_artifacts = false;
  ToolArtifacts artifacts;
  std::map<std::string, ArtifactMeta> wanted;

  ArtifactContext() {}  // NOLINT
  explicit ArtifactContext(ToolArtifacts handle)
      : has_artifacts(handle.has_store()), artifacts(std::move(handle)) {}
};

}  // namespace agentfootprint
