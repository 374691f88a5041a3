// Loops and sleepers. A sleeper is an Asio timer; in virtual time the timer never fires by itself,
// and the loop that owns the clock wakes it.
#include "agentfootprint/base/task.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <map>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/internal/wait.hpp"

namespace agentfootprint {
namespace asio = boost::asio;

namespace {

// The sleepers of a deterministic loop, found by its execution context.
class VirtualTimers : public asio::execution_context::service {
 public:
  using key_type = VirtualTimers;
  static asio::execution_context::id id;

  explicit VirtualTimers(asio::execution_context& context)
      : asio::execution_context::service(context) {}
  void shutdown() override { sleepers_.clear(); }

  void add(std::int64_t at_ns, const std::shared_ptr<asio::steady_timer>& timer) {
    sleepers_.emplace(at_ns, timer);
  }
  // Moves the clock to the next sleeper that still waits and wakes it; false when there is none.
  bool advance() {
    while (!sleepers_.empty()) {
      auto node = sleepers_.extract(sleepers_.begin());
      const auto timer = node.mapped().lock();
      if (!timer) continue;
      const std::int64_t now = clock->steady_ns();
      if (node.key() > now) clock->advance_ns(node.key() - now);
      timer->cancel();
      return true;
    }
    return false;
  }

  ManualClock* clock = nullptr;

 private:
  std::multimap<std::int64_t, std::weak_ptr<asio::steady_timer>> sleepers_;
};
asio::execution_context::id VirtualTimers::id;

VirtualTimers* virtual_timers_of(asio::any_io_executor& executor, const Clock& clock) {
  auto& context = asio::query(executor, asio::execution::context);
  if (!asio::has_service<VirtualTimers>(context)) return nullptr;
  auto& timers = asio::use_service<VirtualTimers>(context);
  return timers.clock == &clock ? &timers : nullptr;
}

// How long one wait on a real timer may last before the clock port is asked again.
std::chrono::nanoseconds slice_of(const Clock& clock, std::int64_t remaining_ns) {
  if (dynamic_cast<const SystemClock*>(&clock) != nullptr) {
    return std::chrono::nanoseconds(remaining_ns);
  }
  return std::chrono::milliseconds(1);
}

}  // namespace

namespace internal {

Task<WaitEnd> wait_until(const Clock& clock, std::int64_t steady_ns, CancelToken token) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  VirtualTimers* const timers = virtual_timers_of(executor, clock);
  auto timer = std::make_shared<asio::steady_timer>(executor);
  const CancelSubscription link =
      token.on_cancel([executor, timer] { asio::post(executor, [timer] { timer->cancel(); }); });
  std::int64_t until = steady_ns;
  if (const auto deadline = token.deadline_ns()) until = std::min(until, *deadline);
  for (;;) {
    if (token.cancelled()) co_return WaitEnd::token;
    const std::int64_t remaining = until - clock.steady_ns();
    if (remaining <= 0) co_return WaitEnd::time;
    if (timers != nullptr) {
      timer->expires_at(std::chrono::steady_clock::time_point::max());
      timers->add(until, timer);
    } else {
      timer->expires_after(slice_of(clock, remaining));
    }
    boost::system::error_code code;
    co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, code));
    // Aborted before the time was up and not by the token: the operation itself was cancelled.
    if (code && clock.steady_ns() < until && !token.cancelled()) co_return WaitEnd::operation;
  }
}

}  // namespace internal

Task<void> sleep_until(const Clock& clock, std::int64_t steady_ns, CancelToken token) {
  const internal::WaitEnd end = co_await internal::wait_until(clock, steady_ns, token);
  if (end == internal::WaitEnd::token) token.throw_if_cancelled();
  if (end == internal::WaitEnd::operation) throw Error("cancelled", "the wait was cancelled");
}

Task<void> sleep_for(const Clock& clock, std::int64_t ms, CancelToken token) {
  const std::int64_t until = clock.steady_ns() + ms * 1'000'000;
  return sleep_until(clock, until, std::move(token));
}

Task<void> yield_now() {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  co_await asio::post(executor, asio::use_awaitable);
}

namespace internal {

void run_blocking_void(Task<void> task) {
  asio::io_context context(1);
  std::exception_ptr failure;
  asio::co_spawn(context, std::move(task),
                 [&failure](std::exception_ptr error) { failure = std::move(error); });
  context.run();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace internal

struct DeterministicLoop::State {
  explicit State(std::int64_t start_wall_ms) : clock(start_wall_ms), context(1) {
    auto& timers = asio::use_service<VirtualTimers>(context);
    timers.clock = &clock;
  }
  bool advance() { return asio::use_service<VirtualTimers>(context).advance(); }
  void poll() {
    if (context.stopped()) context.restart();
    context.poll();
  }
  void rethrow() {
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
  }

  ManualClock clock;
  std::exception_ptr failure;
  asio::io_context context;
};

DeterministicLoop::DeterministicLoop(std::int64_t start_wall_ms)
    : state_(std::make_unique<State>(start_wall_ms)) {}
DeterministicLoop::~DeterministicLoop() = default;

ManualClock& DeterministicLoop::clock() noexcept {
  return state_->clock;
}
asio::any_io_executor DeterministicLoop::executor() {
  return state_->context.get_executor();
}

void DeterministicLoop::spawn(Task<void> task) {
  State* state = state_.get();
  asio::co_spawn(state->context, std::move(task), [state](std::exception_ptr error) {
    if (error && !state->failure) state->failure = std::move(error);
  });
}

void DeterministicLoop::run_void(Task<void> task) {
  State* state = state_.get();
  // Shared with the handler, which outlives this call when the task is stuck.
  auto done = std::make_shared<bool>(false);
  asio::co_spawn(state->context, std::move(task), [state, done](std::exception_ptr error) {
    if (error && !state->failure) state->failure = std::move(error);
    *done = true;
  });
  for (;;) {
    state->poll();
    state->rethrow();
    if (*done) return;
    if (!state->advance()) {
      throw Error("task-stuck",
                  "the task waits for something that neither runs nor sleeps on this loop");
    }
  }
}

void DeterministicLoop::drain() {
  do {
    state_->poll();
    state_->rethrow();
  } while (state_->advance());
}

}  // namespace agentfootprint
