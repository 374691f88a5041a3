// The capability of one call.
#include "agentfootprint/artifacts/capability.hpp"

#include <fmt/format.h>

#include <atomic>

namespace agentfootprint {
namespace artifacts_internal {

struct BoundStore {
  std::shared_ptr<ArtifactStore> store;  // null: no store configured
  ArtifactScope scope;
  ArtifactOrigin origin;
  ArtifactFactSink sink;
  std::atomic<bool> ended{false};
};

}  // namespace artifacts_internal

std::string_view name_of(ArtifactOp op) noexcept {
  switch (op) {
    case ArtifactOp::put:
      return "put";
    case ArtifactOp::head:
      return "head";
    case ArtifactOp::get:
      return "get";
    case ArtifactOp::remove:
      return "delete";
    case ArtifactOp::list:
      return "list";
    case ArtifactOp::dispatch:
      break;
  }
  return "dispatch";
}

std::string_view name_of(ArtifactRefusalReason reason) noexcept {
  switch (reason) {
    case ArtifactRefusalReason::no_store:
      return "no-store";
    case ArtifactRefusalReason::missing_or_expired:
      return "missing-or-expired";
    case ArtifactRefusalReason::unknown_parent:
      return "unknown-parent";
    case ArtifactRefusalReason::digest_mismatch:
      return "digest-mismatch";
    case ArtifactRefusalReason::invalid_input:
      return "invalid-input";
    case ArtifactRefusalReason::kind_mismatch:
      return "kind-mismatch";
    case ArtifactRefusalReason::store_failed:
      break;
  }
  return "store-failed";
}

std::string_view name_of(ArtifactFact::Kind kind) noexcept {
  switch (kind) {
    case ArtifactFact::Kind::minted:
      return "minted";
    case ArtifactFact::Kind::resolved:
      return "resolved";
    case ArtifactFact::Kind::expired:
      return "expired";
    case ArtifactFact::Kind::refused:
      return "refused";
    case ArtifactFact::Kind::presented:
      break;
  }
  return "presented";
}

json::Value to_json(const ArtifactFact& fact, std::string_view tool) {
  json::Value out;
  json::ObjectBuilder b;
  switch (fact.kind) {
    case ArtifactFact::Kind::minted:
      out = json::without_member(to_json(fact.meta), "createdAt");
      break;
    case ArtifactFact::Kind::resolved:
      b.add("ref", fact.meta.ref).add("via", fact.via);
      out = b.add("kind", fact.meta.kind).add("bytes", fact.meta.bytes).build();
      break;
    case ArtifactFact::Kind::expired:
      out = to_json(fact.swept);
      break;
    case ArtifactFact::Kind::refused:
      b.add("op", name_of(fact.op)).add("reason", name_of(fact.reason));
      b.add_if("ref", fact.ref);
      b.add_if("detail", fact.detail);
      out = b.build();
      break;
    case ArtifactFact::Kind::presented:
      b.add("ref", fact.meta.ref).add("as", fact.as);
      out = b.add("snapshot", fact.snapshot).build();
      break;
  }
  return tool.empty() ? out : json::with_member(out, "tool", tool);
}

ToolArtifacts::ToolArtifacts() : bound_(std::make_shared<artifacts_internal::BoundStore>()) {}
ToolArtifacts::ToolArtifacts(std::shared_ptr<artifacts_internal::BoundStore> bound)
    : bound_(std::move(bound)) {}

bool ToolArtifacts::has_store() const noexcept {
  return bound_->store != nullptr;
}

void ToolArtifacts::tell(const ArtifactFact& fact) const {
  if (bound_->sink) bound_->sink(fact);
}

void ToolArtifacts::tell_resolved(const ArtifactMeta& meta, std::string_view via) const {
  if (!bound_->sink) return;
  ArtifactFact fact;
  fact.kind = ArtifactFact::Kind::resolved;
  fact.meta = meta;
  fact.via = std::string(via);
  tell(fact);
}

// A part that was read of a ticket swept since then, and a ticket that is there but has no such
// part (a preview of what has no rows), are neither resolved nor missing.
void ToolArtifacts::tell_part(ArtifactOp op, std::string_view via, const std::string& ref,
                              bool found) const {
  if (!bound_->sink) return;
  const Access access = open(op, ref);
  const auto meta = access.store->head(access.scope, ref);
  if (found && meta) tell_resolved(*meta, via);
  if (!found && !meta) {
    tell_refused(op, ArtifactRefusalReason::missing_or_expired, ref, std::nullopt);
  }
}

void ToolArtifacts::tell_refused(ArtifactOp op, ArtifactRefusalReason reason,
                                 std::optional<std::string> ref,
                                 std::optional<std::string> detail) const {
  ArtifactFact fact;
  fact.kind = ArtifactFact::Kind::refused;
  fact.op = op;
  fact.reason = reason;
  if (ref && !ref->empty()) fact.ref = std::move(ref);
  fact.detail = std::move(detail);
  tell(fact);
}

ToolArtifacts::Access ToolArtifacts::open(ArtifactOp op, const std::string& ref) const {
  if (bound_->ended.load()) {
    throw Error("artifact-capability-ended",
                fmt::format("{}: the call this handle was given to is over; use the handle only "
                            "while the tool runs",
                            name_of(op)));
  }
  if (bound_->store == nullptr) {
    tell_refused(op, ArtifactRefusalReason::no_store, ref, std::nullopt);
    throw Error("ERR_NO_ARTIFACT_STORE",
                fmt::format("{}: this agent has no artifact store: set `artifacts` where the agent "
                            "is built to memory:, sqlite:FILE or file:DIR, or ask has_artifacts "
                            "before using it",
                            name_of(op)));
  }
  return {bound_->store, bound_->scope, bound_->origin};
}

ArtifactMeta ToolArtifacts::report_put(const ArtifactPutResult& done) const {
  for (const SweptArtifact& swept : done.swept) {
    ArtifactFact fact;
    fact.kind = ArtifactFact::Kind::expired;
    fact.swept = swept;
    tell(fact);
  }
  ArtifactFact fact;
  fact.kind = ArtifactFact::Kind::minted;
  fact.meta = done.meta;
  tell(fact);
  return done.meta;
}

template <class Put>
auto ToolArtifacts::guarded_put(Put&& put) const {
  try {
    return put();
  } catch (const UnknownParentRefError&) {
    tell_refused(ArtifactOp::put, ArtifactRefusalReason::unknown_parent, std::nullopt,
                 std::nullopt);
    throw;
  } catch (const InvalidArtifactError& error) {
    tell_refused(ArtifactOp::put, ArtifactRefusalReason::invalid_input, std::nullopt, error.what());
    throw;
  } catch (const Error& error) {
    tell_refused(ArtifactOp::put, ArtifactRefusalReason::store_failed, std::nullopt, error.code());
    throw;
  } catch (const std::exception&) {
    tell_refused(ArtifactOp::put, ArtifactRefusalReason::store_failed, std::nullopt, std::nullopt);
    throw;
  }
}

ArtifactMeta ToolArtifacts::put_bound(const PutArtifactInput& input,
                                      std::optional<std::string> query) const {
  const Access access = open(ArtifactOp::put, {});
  PutArtifactInput bound_input = input;
  bound_input.origin = access.origin;
  bound_input.origin.query = std::move(query);
  return report_put(guarded_put([&] { return access.store->put(access.scope, bound_input); }));
}

ArtifactMeta ToolArtifacts::put(const PutArtifactInput& input) const {
  return put_bound(input, std::nullopt);
}

ArtifactMeta ToolArtifacts::put_derived(const PutArtifactInput& input, std::string query) const {
  return put_bound(input, std::move(query));
}

std::vector<ArtifactMeta> ToolArtifacts::put_batch(std::vector<ArtifactBatchEntry> entries) const {
  const Access access = open(ArtifactOp::put, {});
  for (ArtifactBatchEntry& entry : entries) entry.input.origin = access.origin;
  const auto done = guarded_put([&] { return access.store->put_batch(access.scope, entries); });
  std::vector<ArtifactMeta> metas;
  for (const ArtifactPutResult& one : done) metas.push_back(report_put(one));
  return metas;
}

void ToolArtifacts::tell_failed(ArtifactOp op, const std::string& ref, const Error& error) const {
  if (dynamic_cast<const ArtifactIntegrityError*>(&error) != nullptr) {
    tell_refused(op, ArtifactRefusalReason::digest_mismatch, ref, std::nullopt);
  } else if (dynamic_cast<const ArtifactStoreError*>(&error) != nullptr ||
             dynamic_cast<const UnreadableArtifactFileError*>(&error) != nullptr) {
    tell_refused(op, ArtifactRefusalReason::store_failed, ref, error.code());
  }
}

std::optional<ArtifactMeta> ToolArtifacts::head(const std::string& ref) const {
  auto meta = with_store(
      ArtifactOp::head, ref,
      [&](ArtifactStore& store, const ArtifactScope& scope) { return store.head(scope, ref); });
  if (!meta) {
    tell_refused(ArtifactOp::head, ArtifactRefusalReason::missing_or_expired, ref, std::nullopt);
    return std::nullopt;
  }
  tell_resolved(*meta, "head");
  return meta;
}

std::optional<ArtifactRecord> ToolArtifacts::get(const std::string& ref) const {
  auto record = with_store(
      ArtifactOp::get, ref,
      [&](ArtifactStore& store, const ArtifactScope& scope) { return store.get(scope, ref); });
  if (!record) {
    tell_refused(ArtifactOp::get, ArtifactRefusalReason::missing_or_expired, ref, std::nullopt);
    return std::nullopt;
  }
  tell_resolved(record->meta, "get");
  return record;
}

void ToolArtifacts::remove(const std::string& ref) const {
  with_store(ArtifactOp::remove, ref,
             [&](ArtifactStore& store, const ArtifactScope& scope) { store.remove(scope, ref); });
}

ArtifactListResult ToolArtifacts::list(const ArtifactListOptions& options) const {
  return with_store(ArtifactOp::list, {}, [&](ArtifactStore& store, const ArtifactScope& scope) {
    return store.list(scope, options);
  });
}

ArtifactBinding::ArtifactBinding(std::shared_ptr<ArtifactStore> store, ArtifactScope scope,
                                 ArtifactOrigin origin, ArtifactFactSink sink)
    : bound_(std::make_shared<artifacts_internal::BoundStore>()) {
  bound_->store = std::move(store);
  bound_->scope = std::move(scope);
  bound_->origin = std::move(origin);
  bound_->sink = std::move(sink);
}

ArtifactBinding::ArtifactBinding(ArtifactBinding&&) noexcept = default;

ArtifactBinding& ArtifactBinding::operator=(ArtifactBinding&& other) noexcept {
  end();
  bound_ = std::move(other.bound_);
  return *this;
}

ArtifactBinding::~ArtifactBinding() {
  end();
}

void ArtifactBinding::end() noexcept {
  if (bound_ != nullptr) bound_->ended.store(true);
}

ToolArtifacts ArtifactBinding::artifacts() const {
  return ToolArtifacts(bound_);
}

ArtifactBinding bind_artifacts(std::shared_ptr<ArtifactStore> store, ArtifactScope scope,
                               ArtifactOrigin origin, ArtifactFactSink sink) {
  return {std::move(store), std::move(scope), std::move(origin), std::move(sink)};
}

ArtifactBinding unconfigured_artifacts(ArtifactFactSink sink) {
  return {nullptr, ArtifactScope(), ArtifactOrigin(), std::move(sink)};
}

}  // namespace agentfootprint
