// Placement of oversized results and redemption of tickets, on the store's own thread.
#include "agentfootprint/agent/internal/placement.hpp"

#include "agentfootprint/agent/internal/call_context.hpp"
#include "agentfootprint/agent/internal/dispatch.hpp"
#include "agentfootprint/artifacts/placement.hpp"
#include "agentfootprint/artifacts/wants.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::internal {
namespace {

// Facts of work on the store's thread, told when the run goes on.
struct Facts {
  std::vector<ArtifactFact> kept;
};

void tell(RunState& run, const CallState& call, const Facts& facts) {
  for (const ArtifactFact& fact : facts.kept) {
    run.emit_call(EventKind::artifact, call.key, [&](Event& event) {
      event.name = call.wire.name;
      event.text = name_of(fact.kind);
    });
  }
}

}  // namespace

Task<void> place_result(RunState& run, CallState& call) {
  const std::int64_t limit = run.config().max_inline_chars;
  const bool clean = call.status == ToolStatus::success || call.status == ToolStatus::partial;
  if (limit <= 0 || !clean || call.late || call.refused_by_ceiling) co_return;
  if (call.tool->tool.stays_inline()) co_return;
  if (utf8::count(call.served) <= static_cast<std::size_t>(limit)) co_return;
  Facts facts;
  const ArtifactBinding binding =
      bind_call(run, call, [&facts](const ArtifactFact& fact) { facts.kept.push_back(fact); });
  const std::function<std::optional<PlacedToolResult>()> work = [&] {
    return place_tool_result(binding.artifacts(), call.wire.name, call.full, limit, std::nullopt);
  };
  const std::optional<PlacedToolResult> placed = co_await run.config().store->run(work);
  tell(run, call, facts);
  if (placed) call.served = json::dump(to_json(*placed));
}

Task<GateOutcome> resolve_wanted(RunState& run, CallState& call) {
  const ToolWants& wants = call.tool->tool.wanted();
  if (wants.empty()) co_return GateOutcome::go;
  Facts facts;
  const ArtifactBinding binding =
      bind_call(run, call, [&facts](const ArtifactFact& fact) { facts.kept.push_back(fact); });
  const std::function<WantsResolution()> work = [&] {
    return resolve_tool_wants(binding.artifacts(), call.wire.name, wants, call.arguments,
                              call.tool->tool.schema().input_schema);
  };
  WantsResolution resolved = co_await run.config().store->run(work);
  tell(run, call, facts);
  if (!resolved.ok) {
    call.status = ToolStatus::invalid;
    call.served = std::move(resolved.refusal);
    co_return GateOutcome::settled;
  }
  call.arguments = std::move(resolved.args);
  call.wanted = std::move(resolved.wanted);
  co_return GateOutcome::go;
}

}  // namespace agentfootprint::internal
