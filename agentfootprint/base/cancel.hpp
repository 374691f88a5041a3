// Cancellation: a token with a reason and a deadline.
//
// What: a `CancelSource` decides, its `CancelToken`s are asked. The first `cancel` wins and its
// reason is kept. A source made from a token is cancelled with it (a tree); cancelling the child
// leaves the parent alone. A deadline is a moment on the steady clock of a clock port; once it has
// passed the token counts as cancelled, with the kind `deadline`.
//
// When to use: hand a token to everything that can take long. Ask `cancelled()` between pieces of
// work; wait with helpers that take a token (`sleep_until` of task.hpp), which wake when it is
// cancelled.
//
// Not guaranteed: callbacks of `on_cancel` are called by `cancel` only, never by a deadline that
// passes: whoever waits arms its own timer for `deadline_ns()`.
//
// Sources and tokens may be used from any thread. A default token is never cancelled and costs a
// branch.
//
// Example:
//   ManualClock clock;
//   CancelSource source;
//   source.set_deadline(clock, clock.steady_ns() + 1'000'000);
//   CancelToken token = source.token();
//   bool early = token.cancelled();      // false
//   source.cancel("the person left");
//   std::string why = token.reason();    // "the person left"
//   (void)early;
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agentfootprint/base/clock.hpp"

namespace agentfootprint {

enum class CancelKind : std::uint8_t { none, cancelled, deadline };

namespace internal {
struct CancelState;
}

// Keeps a callback registered; letting it go unregisters. After the destructor returns the callback
// is not running and will not run (unless the destructor is called by the callback itself).
class CancelSubscription {
 public:
  CancelSubscription() = default;
  CancelSubscription(std::shared_ptr<internal::CancelState> state, std::uint64_t id)
      : state_(std::move(state)), id_(id) {}
  CancelSubscription(CancelSubscription&& other) noexcept
      : state_(std::move(other.state_)), id_(other.id_) {}
  CancelSubscription& operator=(CancelSubscription&& other) noexcept;
  ~CancelSubscription() { reset(); }
  void reset() noexcept;

 private:
  std::shared_ptr<internal::CancelState> state_;
  std::uint64_t id_ = 0;
};

class CancelToken {
 public:
  CancelToken() = default;

  [[nodiscard]] bool cancelled() const noexcept { return state_ && kind() != CancelKind::none; }
  [[nodiscard]] CancelKind kind() const noexcept;
  // "" while not cancelled.
  [[nodiscard]] std::string reason() const;
  // The earliest deadline of this token and those above it, on the steady clock.
  [[nodiscard]] std::optional<std::int64_t> deadline_ns() const noexcept;
  // Throws Error "cancelled" or "deadline" with the reason.
  void throw_if_cancelled() const;
  // Calls `callback` once, from the thread that cancels; at once when the token is cancelled
  // already.
  [[nodiscard]] CancelSubscription on_cancel(std::function<void()> callback) const;
  // Can this token ever be cancelled?
  [[nodiscard]] bool armed() const noexcept { return state_ != nullptr; }

 private:
  friend class CancelSource;
  explicit CancelToken(std::shared_ptr<internal::CancelState> state) : state_(std::move(state)) {}
  std::shared_ptr<internal::CancelState> state_;
};

class CancelSource {
 public:
  CancelSource();
  explicit CancelSource(const CancelToken& parent);

  // False when it was cancelled before; the first reason stays.
  bool cancel(std::string reason);
  // Replaces this source's own deadline. `clock` must outlive every token.
  void set_deadline(const Clock& clock, std::int64_t steady_ns);
  [[nodiscard]] CancelToken token() const { return CancelToken(state_); }

 private:
  std::shared_ptr<internal::CancelState> state_;
  std::shared_ptr<CancelSubscription> parent_link_;
};

}  // namespace agentfootprint
