// Placement of oversized results and redemption of tickets, on the store's own thread.
#include "agentfootprint/agent/internal/placement.hpp"

#include "agentfootprint/agent/internal/call_context.hpp"
#include "agentfootprint/agent/internal/dispatch.hpp"
#include "agentfootprint/agent/internal/race.hpp"
#include "agentfootprint/artifacts/placement.hpp"
#include "agentfootprint/artifacts/wants.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::internal {
namespace {

// Work on the store's thread with all it uses: a run that is cancelled stops waiting for it and
// leaves it behind.
struct StoreWork {
  std::vector<ArtifactFact> facts;  // told when the run goes on
  std::optional<ArtifactBinding> binding;
  std::string tool;
};

struct Placing : StoreWork {
  json::Value full;
  std::int64_t limit = 0;
  std::optional<PlacedToolResult> placed;
};

struct Resolving : StoreWork {
  ToolWants wants;
  json::Value arguments;
  json::Value schema;
  std::optional<WantsResolution> resolved;
};

Task<ToolResult> on_worker(std::shared_ptr<AsyncArtifactStore> store, std::function<bool()> job) {
  (void)co_await store->run(std::move(job));
  co_return ToolResult::text("");
}

// Gives the work what every work needs. It owns its binding, so the binding must not own it.
template <class Work>
std::shared_ptr<Work> store_work(const RunState& run, const CallState& call) {
  auto work = std::make_shared<Work>();
  work->tool = call.wire.name;
  work->binding =
      bind_call(run, call, [kept = std::weak_ptr<Work>(work)](const ArtifactFact& fact) {
        if (const auto alive = kept.lock()) alive->facts.push_back(fact);
      });
  return work;
}

// False when the run was cancelled first.
Task<bool> wait_for_store(RunState& run, CallState& call, std::shared_ptr<StoreWork> work,
                          std::function<bool()> job) {
  auto slot = std::make_shared<RaceSlot>();
  co_await start_in_slot(on_worker(run.config().store, std::move(job)), slot);
  const RaceEnd end = co_await wait_for_slot(*run.clock, slot, std::nullopt, run.cancel.token());
  if (end != RaceEnd::done) co_return false;
  if (slot->error) std::rethrow_exception(slot->error);
  for (const ArtifactFact& fact : work->facts) run.tell_artifact(call.key, call.wire.name, fact);
  co_return true;
}

}  // namespace

// A result that could not be parked before the run was cancelled is kept as it is.
Task<void> place_result(RunState& run, CallState& call) {
  const std::int64_t limit = run.config().max_inline_chars;
  const bool clean = call.status == ToolStatus::success || call.status == ToolStatus::partial;
  if (limit <= 0 || !clean || call.late || call.refused_by_ceiling) co_return;
  if (call.tool->tool.stays_inline()) co_return;
  if (utf8::count(call.served) <= static_cast<std::size_t>(limit)) co_return;
  auto work = store_work<Placing>(run, call);
  work->full = call.full;
  work->limit = limit;
  std::function<bool()> job = [work] {
    work->placed = place_tool_result(work->binding->artifacts(), work->tool, work->full,
                                     work->limit, std::nullopt);
    return true;
  };
  const bool done = co_await wait_for_store(run, call, work, std::move(job));
  if (done && work->placed) call.served = json::dump(to_json(*work->placed));
}

Task<GateOutcome> resolve_wanted(RunState& run, CallState& call) {
  if (call.tool->tool.wanted().empty()) co_return GateOutcome::go;
  auto work = store_work<Resolving>(run, call);
  work->wants = call.tool->tool.wanted();
  work->arguments = call.arguments;
  work->schema = call.tool->tool.schema().input_schema;
  std::function<bool()> job = [work] {
    work->resolved = resolve_tool_wants(work->binding->artifacts(), work->tool, work->wants,
                                        work->arguments, work->schema);
    return true;
  };
  const bool done = co_await wait_for_store(run, call, work, std::move(job));
  if (!done) run.cancel.token().throw_if_cancelled();
  WantsResolution resolved = std::move(work->resolved.value());
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
