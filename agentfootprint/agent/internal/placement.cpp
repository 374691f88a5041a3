// Placement of oversized results and redemption of tickets, through the call's own capability.
#include "agentfootprint/agent/internal/placement.hpp"

#include "agentfootprint/agent/internal/call_context.hpp"
#include "agentfootprint/agent/internal/dispatch.hpp"
#include "agentfootprint/agent/internal/sentences.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::internal {
namespace {

// A JSON value stays JSON in the store.
PutArtifactInput stored_form(const CallState& call) {
  const std::string kind = "tool-result/" + call.wire.name;
  if (call.full.is_string()) {
    return PutArtifactInput(kind, "text/plain", ArtifactPayload::text(call.served));
  }
  return PutArtifactInput(kind, "application/json", ArtifactPayload::json(call.full));
}

std::string ticket_text(const CallState& call, const ArtifactMeta& meta, std::size_t chars) {
  json::ObjectBuilder ticket;
  ticket.add("placed", true)
      .add("ref", meta.ref)
      .add("kind", meta.kind)
      .add("chars", chars)
      .add("reason", fmt::format("{} returned {} characters, more than is served inline; the whole "
                                 "result is kept under this ref",
                                 call.wire.name, chars));
  return json::dump(ticket.build());
}

}  // namespace

Task<void> place_result(RunState& run, CallState& call) {
  const std::int64_t limit = run.config().max_inline_chars;
  const bool clean = call.status == ToolStatus::success || call.status == ToolStatus::partial;
  if (limit <= 0 || !clean || call.late) co_return;
  const std::size_t chars = utf8::count(call.served);
  if (chars <= static_cast<std::size_t>(limit)) co_return;
  try {
    CallContext binding(run.shared_from_this(), call);
    const ArtifactMeta meta = binding.artifacts().artifacts.put(stored_form(call));
    call.served = ticket_text(call, meta, chars);
  } catch (const std::exception&) {
    // The store said no: the result stays as it is, and the store's own fact was told.
  }
}

Task<GateOutcome> resolve_wanted(RunState& run, CallState& call) {
  for (const auto& [argument, kind] : call.tool->tool.wanted()) {
    const json::Value* ticket = call.arguments.find(argument);
    const auto ref = ticket == nullptr ? std::nullopt : ticket->as_string();
    if (!ref) continue;  // an optional argument that was left out
    std::optional<ArtifactRecord> record;
    std::optional<ArtifactMeta> meta;
    try {
      CallContext binding(run.shared_from_this(), call);
      const ToolArtifacts& artifacts = binding.artifacts().artifacts;
      meta = artifacts.head(std::string(*ref));
      // The kind is judged by the head: no payload is loaded for a ticket of another kind.
      if (meta && meta->kind == kind) record = artifacts.get(std::string(*ref));
    } catch (const std::exception&) {
      record.reset();
    }
    if (!record) {
      call.status = ToolStatus::invalid;
      call.served = sentences::dataset_missing(call.wire.name, argument, *ref);
      co_return GateOutcome::settled;
    }
    call.arguments = json::with_member(call.arguments, argument, record->payload.value());
    call.wanted.insert_or_assign(argument, *meta);
  }
  co_return GateOutcome::go;
}

}  // namespace agentfootprint::internal
