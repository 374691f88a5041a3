// Batches: calls in wire order, overlapped only where every tool allows it, and no sibling left
// open.
#include "agentfootprint/agent/internal/dispatch.hpp"
#include "agentfootprint/agent/internal/race.hpp"
#include "agentfootprint/agent/internal/sentences.hpp"

namespace agentfootprint::internal {
namespace {

constexpr std::string_view kQuestionOpen = "a question about an earlier call of this batch is open";
constexpr std::string_view kRunEnded = "the run was stopped at an earlier call of this batch";

bool overlaps(const std::vector<CallState>& batch) {
  if (batch.size() < 2) return false;
  for (const CallState& call : batch) {
    if (call.tool == nullptr || !call.tool->tool.is_parallel_safe()) return false;
  }
  return true;
}

void settle_from(RunState& run, std::size_t first, std::string_view because) {
  for (std::size_t i = first; i < run.batch.size(); ++i) {
    CallState& call = run.batch[i];
    if (call.settled) continue;
    settle_call(run, call, ToolStatus::invalid, sentences::not_dispatched(call.wire.name, because));
  }
}

// Whatever ends a batch from outside leaves every call settled: the next request stays valid.
void settle_interrupted(RunState& run) {
  for (CallState& call : run.batch) {
    if (call.settled || call.waiting) continue;
    if (call.executed) {
      settle_call(run, call, ToolStatus::failure, sentences::interrupted(call.wire.name));
    } else {
      settle_call(run, call, ToolStatus::invalid,
                  sentences::not_dispatched(call.wire.name, "the run was interrupted"));
    }
  }
}

// One call from its entry to its message. False: the batch ends here.
Task<bool> run_one(RunState& run, CallState& call, GateEntry entry) {
  const GateOutcome gates = co_await pass_gates(run, call, entry);
  if (gates == GateOutcome::paused) {
    call.waiting = true;
    co_return false;
  }
  if (gates != GateOutcome::go) {
    finish_unexecuted(run, call);
    co_return gates == GateOutcome::settled;
  }
  ToolResult result = co_await execute_call(run, call);
  co_return co_await finish_call(run, call, std::move(result));
}

Task<void> run_in_turn(RunState& run, std::size_t first) {
  for (std::size_t i = first; i < run.batch.size(); ++i) {
    CallState& call = run.batch[i];
    if (call.settled || call.waiting) continue;
    run.cancel.token().throw_if_cancelled();
    if (!co_await run_one(run, call, GateEntry::start)) {
      settle_from(run, i + 1, run.outcome ? kRunEnded : kQuestionOpen);
      co_return;
    }
  }
}

// Waits for every slot before the first failure leaves: what still runs refers to the batch. Each
// execute bounds itself by its time and the run's token, so this always ends.
Task<void> join(RunState& run, const std::vector<std::shared_ptr<RaceSlot>>& slots) {
  std::exception_ptr error;
  for (const std::shared_ptr<RaceSlot>& slot : slots) {
    if (!slot) continue;
    while (!slot->done) {
      co_await wait_for_slot(*run.clock, slot, std::nullopt, CancelToken());
    }
    if (slot->error && !error) error = slot->error;
  }
  if (error) std::rethrow_exception(error);
}

// Gates of all calls first, on the conversation before the batch; execute side by side; the rest in
// order.
Task<void> run_overlapped(RunState& run) {
  std::vector<std::shared_ptr<RaceSlot>> slots(run.batch.size());
  std::vector<GateOutcome> gates(run.batch.size(), GateOutcome::go);
  for (std::size_t i = 0; i < run.batch.size(); ++i) {
    gates[i] = co_await pass_gates(run, run.batch[i], GateEntry::start);
    if (gates[i] == GateOutcome::paused) run.batch[i].waiting = true;
    if (gates[i] == GateOutcome::halted) break;
  }
  if (run.outcome) {
    for (std::size_t i = 0; i < run.batch.size(); ++i) {
      if (gates[i] != GateOutcome::go && gates[i] != GateOutcome::paused) {
        finish_unexecuted(run, run.batch[i]);
      }
      run.batch[i].waiting = false;
    }
    run.pending.clear();
    settle_from(run, 0, kRunEnded);
    co_return;
  }
  for (std::size_t i = 0; i < run.batch.size(); ++i) {
    if (gates[i] != GateOutcome::go) continue;
    slots[i] = std::make_shared<RaceSlot>();
    co_await start_in_slot(execute_call(run, run.batch[i]), slots[i]);
  }
  co_await join(run, slots);
  for (std::size_t i = 0; i < run.batch.size(); ++i) {
    CallState& call = run.batch[i];
    if (gates[i] == GateOutcome::settled) finish_unexecuted(run, call);
    if (slots[i]) co_await finish_call(run, call, std::move(*slots[i]->result));
  }
}

}  // namespace

Task<void> run_batch(RunState& run) {
  std::exception_ptr error;
  try {
    if (run.response.stop_reason == StopReason::max_tokens) {
      for (CallState& call : run.batch) {
        settle_call(run, call, ToolStatus::invalid, sentences::cut_call(call.wire.name));
      }
      co_return;
    }
    if (overlaps(run.batch)) {
      co_await run_overlapped(run);
    } else {
      co_await run_in_turn(run, 0);
    }
    co_return;
  } catch (...) {
    error = std::current_exception();
  }
  settle_interrupted(run);
  std::rethrow_exception(error);
}

Task<void> resume_call(RunState& run, CallState& call, GateEntry entry) {
  call.waiting = false;
  std::exception_ptr error;
  try {
    co_await run_one(run, call, entry);
    co_return;
  } catch (...) {
    error = std::current_exception();
  }
  settle_interrupted(run);
  std::rethrow_exception(error);
}

}  // namespace agentfootprint::internal
