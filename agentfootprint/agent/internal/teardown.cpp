// Running cleanups within their time.
#include "agentfootprint/agent/internal/teardown.hpp"

#include "agentfootprint/agent/internal/race.hpp"
#include "agentfootprint/agent/internal/run_state.hpp"

namespace agentfootprint::internal {
namespace {

// Owns the cleanup: it may be left behind.
Task<ToolResult> as_work(std::function<Task<void>()> cleanup) {
  co_await cleanup();
  co_return ToolResult::text("");
}

}  // namespace

Task<std::vector<TeardownFault>> TeardownList::run(const Clock& clock, std::int64_t limit_ms) {
  std::vector<TeardownFault> faults;
  while (!cleanups_.empty()) {
    const Cleanup cleanup = std::move(cleanups_.back());
    cleanups_.pop_back();
    if (cleanup.plain) {
      try {
        cleanup.plain();
      } catch (...) {
        faults.push_back({cleanup.tool, false});
      }
      continue;
    }
    auto slot = std::make_shared<RaceSlot>();
    co_await start_in_slot(as_work(cleanup.task), slot);
    const std::int64_t until = clock.steady_ns() + limit_ms * 1'000'000;
    const CancelToken never;
    const RaceEnd end = co_await wait_for_slot(clock, slot, until, never);
    if (end != RaceEnd::done) {
      faults.push_back({cleanup.tool, true});
    } else if (slot->error) {
      faults.push_back({cleanup.tool, false});
    }
  }
  co_return faults;
}

Task<void> tear_down(RunState& run, TeardownList& list) {
  if (list.empty()) co_return;
  const std::vector<TeardownFault> faults =
      co_await list.run(*run.clock, run.config().teardown_timeout_ms);
  for (const TeardownFault& fault : faults) {
    run.emit(EventKind::teardown, [&](Event& event) {
      event.name = fault.tool;
      event.text = fault.timed_out ? "timed-out" : "failed";
    });
  }
}

}  // namespace agentfootprint::internal
