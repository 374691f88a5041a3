// Drives a machine from a coroutine: awaits stages, runs branches at the same time.
#include "agentfootprint/flow/async.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/flow/internal/machine.hpp"

namespace agentfootprint::flow {
namespace asio = boost::asio;

using internal::Line;
using internal::Machine;
using internal::Need;

namespace {

using MachinePtr = std::shared_ptr<Machine>;
using Signal = std::shared_ptr<asio::cancellation_signal>;

// Ends what `signal` is bound to once the deadline of `token` has passed.
Task<void> watch_deadline(const Clock* clock, std::int64_t deadline_ns, CancelToken stage_over,
                          Signal signal) {
  try {
    co_await sleep_until(*clock, deadline_ns, stage_over);
  } catch (const Error&) {
    co_return;  // the stage ended before
  }
  signal->emit(asio::cancellation_type::terminal);
}

// Runs a coroutine stage so that the token's cancellation or deadline ends what it awaits.
Task<void> run_cancellable(Task<void> body, CancelToken token, const Clock* clock) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  const Signal signal = std::make_shared<asio::cancellation_signal>();
  const CancelSubscription link = token.on_cancel([executor, signal] {
    asio::post(executor, [signal] { signal->emit(asio::cancellation_type::terminal); });
  });
  CancelSource stage_over;
  if (const auto deadline = token.deadline_ns()) {
    asio::co_spawn(executor, watch_deadline(clock, *deadline, stage_over.token(), signal),
                   asio::detached);
  }
  std::exception_ptr failure;
  try {
    co_await asio::co_spawn(executor, std::move(body),
                            asio::bind_cancellation_slot(signal->slot(), asio::use_awaitable));
  } catch (...) {
    failure = std::current_exception();
  }
  stage_over.cancel("the stage ended");
  if (failure) std::rethrow_exception(failure);
}

Task<void> run_open_stage(MachinePtr machine, Line* line) {
  std::exception_ptr failure;
  try {
    Scope scope(line->frame);
    Task<void> body = line->frame.node->coroutine->run(scope);
    if (line->token.armed() && !machine->options().self_cancelling_stages) {
      co_await run_cancellable(std::move(body), line->token, machine->options().clock);
    } else {
      co_await std::move(body);
    }
  } catch (...) {
    failure = std::current_exception();
  }
  machine->stage_ended(*line, failure);
}

Task<void> drive(MachinePtr machine, Line* top);

// Counts branches down; the timer stands for "all have ended".
struct Barrier {
  explicit Barrier(const asio::any_io_executor& executor) : all_ended(executor) {
    all_ended.expires_at(std::chrono::steady_clock::time_point::max());
  }
  std::size_t left = 0;
  std::exception_ptr failure;
  asio::steady_timer all_ended;
};

void cancel_others_after_failure(Line& line, const Line& ended) {
  if (ended.status == internal::LineStatus::failed && line.fork->cancel) {
    line.fork->cancel->cancel("another branch failed");
  }
}

Task<void> run_branches(MachinePtr machine, Line* line) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  const auto barrier = std::make_shared<Barrier>(executor);
  for (const auto& child : line->fork->children) {
    if (child->status != internal::LineStatus::running) continue;
    ++barrier->left;
    Line* const branch = child.get();
    asio::co_spawn(executor, drive(machine, branch),
                   [barrier, line, branch](std::exception_ptr error) {
                     if (error && !barrier->failure) barrier->failure = std::move(error);
                     cancel_others_after_failure(*line, *branch);
                     if (--barrier->left == 0) barrier->all_ended.cancel();
                   });
  }
  while (barrier->left > 0) {
    boost::system::error_code code;
    co_await barrier->all_ended.async_wait(asio::redirect_error(asio::use_awaitable, code));
  }
  if (barrier->failure) std::rethrow_exception(barrier->failure);
}

Task<void> drive(MachinePtr machine, Line* top) {
  for (;;) {
    Line* at = nullptr;
    const Need need = machine->drive(*top, at);
    if (need == Need::done) co_return;
    if (at->wait_ms > 0) {
      const std::int64_t ms = std::exchange(at->wait_ms, 0);
      try {
        co_await sleep_for(*machine->options().clock, ms, at->token);
      } catch (const Error&) {
        // Cancelled while waiting: the attempt below finds out.
      }
      if (need == Need::wait) continue;
    }
    if (need == Need::stage) {
      co_await run_open_stage(machine, at);
    } else if (need == Need::branches) {
      co_await run_branches(machine, at);
    }
  }
}

Task<RunResult> finish(MachinePtr machine) {
  // What a branch needs must outlive it: only the token ends a run early.
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  machine->start();
  Line* const top = &machine->top();
  co_await drive(machine, top);
  co_return machine->result(machine);
}

}  // namespace

Task<RunResult> run_async(Chart chart, RunOptions options) {
  auto machine = std::make_shared<Machine>(chart.data(), std::move(options));
  machine->concurrent = true;
  return finish(std::move(machine));
}

Task<RunResult> resume_async(RunResult paused, std::vector<PauseAnswer> answers) {
  MachinePtr machine = machine_of(paused);
  if (!machine)
    throw Error("flow-resume", "the run is not paused: only a paused run can be resumed");
  machine->answer(std::move(answers));
  return finish(std::move(machine));
}

Task<RunResult> resume_async(Chart chart, json::Value checkpoint, std::vector<PauseAnswer> answers,
                             RunOptions options) {
  auto machine = std::make_shared<Machine>(chart.data(), std::move(options));
  machine->concurrent = true;
  machine->restore(checkpoint);
  machine->answer(std::move(answers));
  return finish(std::move(machine));
}

}  // namespace agentfootprint::flow
