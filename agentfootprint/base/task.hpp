// Tasks: coroutines, a blocking run, waiting through the clock port, a deterministic loop.
//
// What: `Task<T>` is a lazy coroutine (Boost.Asio's awaitable). `run_blocking` runs one to its end
// on a private loop. `sleep_for` and `sleep_until` wait through a clock port and wake early, with
// Error "cancelled" or "deadline", when their token says so. `DeterministicLoop` runs tasks on one
// thread in virtual time: it jumps to the next sleeper when nothing else is ready, so a test of an
// hour takes no time and always runs in the same order.
//
// When to use: for work that waits. Synchronous charts, readers and checks need none of this.
//
// Not guaranteed: running in parallel. An executor used by these helpers must be single-threaded or
// a strand. With a clock that is neither the system's nor the loop's own, sleepers ask it once a
// millisecond.
//
// GCC 12.2 destroys twice what an aggregate written inside a `co_await` expression owns. So a type
// that is handed to an awaited call must not be an aggregate: say
// `static_assert(check_await_safe<Options>())` beside it. docs/coroutines.md has the safe patterns.
//
// Example (file scope):
//   inline agentfootprint::Task<int> slow_sum(const agentfootprint::Clock& clock) {
//     co_await agentfootprint::sleep_for(clock, 5);
//     co_return 1 + 2;
//   }
//   inline int use() {
//     agentfootprint::DeterministicLoop loop;
//     return loop.run(slow_sum(loop.clock()));   // 3, and loop.clock() has moved by 5 ms
//   }
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "agentfootprint/base/cancel.hpp"
#include "agentfootprint/base/clock.hpp"

namespace agentfootprint {

template <class T = void>
using Task = boost::asio::awaitable<T>;

namespace internal {
template <class T>
struct IsInitializerList : std::false_type {};
template <class T>
struct IsInitializerList<std::initializer_list<T>> : std::true_type {};
}  // namespace internal

// May a value of this type stand inside a `co_await` expression?
template <class T>
inline constexpr bool kAwaitSafe = !std::is_aggregate_v<std::remove_cvref_t<T>> &&
                                   !internal::IsInitializerList<std::remove_cvref_t<T>>::value;

// Always true; does not compile for a type that is not await-safe.
template <class... T>
consteval bool check_await_safe() {
  static_assert(
      (kAwaitSafe<T> && ...),
      "GCC 12.2 destroys aggregates in co_await expressions twice: give the type a constructor");
  return true;
}

// Waits until the steady clock of `clock` reaches `steady_ns`.
[[nodiscard]] Task<void> sleep_until(const Clock& clock, std::int64_t steady_ns,
                                     CancelToken token = CancelToken());
[[nodiscard]] Task<void> sleep_for(const Clock& clock, std::int64_t ms,
                                   CancelToken token = CancelToken());

// Lets everything else that is ready run first.
[[nodiscard]] Task<void> yield_now();

namespace internal {

template <class T>
Task<void> keep_result(Task<T> task, std::optional<T>& out) {
  out.emplace(co_await std::move(task));
}
void run_blocking_void(Task<void> task);

}  // namespace internal

// Runs the task and everything it spawns on this thread. An exception that leaves the task leaves
// here.
template <class T>
T run_blocking(Task<T> task) {
  if constexpr (std::is_void_v<T>) {
    internal::run_blocking_void(std::move(task));
  } else {
    std::optional<T> result;
    internal::run_blocking_void(internal::keep_result<T>(std::move(task), result));
    return std::move(*result);
  }
}

class DeterministicLoop {
 public:
  explicit DeterministicLoop(std::int64_t start_wall_ms = 0);
  ~DeterministicLoop();
  DeterministicLoop(const DeterministicLoop&) = delete;
  DeterministicLoop& operator=(const DeterministicLoop&) = delete;

  [[nodiscard]] ManualClock& clock() noexcept;
  [[nodiscard]] boost::asio::any_io_executor executor();
  // Starts a task that runs whenever `run` or `drain` does. What it throws leaves the next of
  // those.
  void spawn(Task<void> task);
  // Throws Error "task-stuck" when the task waits for something that neither runs nor sleeps here.
  template <class T>
  T run(Task<T> task) {
    if constexpr (std::is_void_v<T>) {
      run_void(std::move(task));
    } else {
      std::optional<T> result;
      run_void(internal::keep_result<T>(std::move(task), result));
      return std::move(*result);
    }
  }
  // Runs until nothing is ready and nobody sleeps.
  void drain();

 private:
  struct State;
  void run_void(Task<void> task);
  std::unique_ptr<State> state_;
};

}  // namespace agentfootprint
