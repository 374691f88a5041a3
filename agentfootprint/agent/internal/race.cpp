// Slots filled by coroutines that run beside the caller.
#include "agentfootprint/agent/internal/race.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <limits>

#include "agentfootprint/base/internal/wait.hpp"

namespace agentfootprint::internal {
namespace {

Task<void> fill(Task<ToolResult> work, std::shared_ptr<RaceSlot> slot) {
  try {
    slot->result.emplace(co_await std::move(work));
  } catch (...) {
    slot->error = std::current_exception();
  }
  slot->done = true;
  slot->wake.cancel("done");
}

void ignore(std::exception_ptr) {}

}  // namespace

Task<void> start_in_slot(Task<ToolResult> work, std::shared_ptr<RaceSlot> slot) {
  const boost::asio::any_io_executor executor = co_await boost::asio::this_coro::executor;
  boost::asio::co_spawn(executor, fill(std::move(work), std::move(slot)), ignore);
}

Task<RaceEnd> wait_for_slot(const Clock& clock, std::shared_ptr<RaceSlot> slot,
                            std::optional<std::int64_t> deadline_ns, CancelToken cancel) {
  // A far moment stands for no end: a year from now.
  const std::int64_t far = clock.steady_ns() + std::int64_t{365} * 86'400 * 1'000'000'000;
  const std::int64_t until = deadline_ns.value_or(far);
  const CancelSubscription link = cancel.on_cancel([slot] { slot->wake.cancel("cancelled"); });
  std::int64_t end = until;
  if (const auto own = cancel.deadline_ns()) end = std::min(end, *own);
  while (!slot->done && !cancel.cancelled() && clock.steady_ns() < end) {
    const WaitEnd woken = co_await wait_until(clock, end, slot->wake.token());
    if (woken != WaitEnd::time) break;
  }
  if (slot->done) co_return RaceEnd::done;
  co_return cancel.cancelled() ? RaceEnd::cancelled : RaceEnd::deadline;
}

}  // namespace agentfootprint::internal
