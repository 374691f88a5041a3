// Cancellation state: a flag to ask cheaply, and a locked part for the reason and the callbacks.
#include "agentfootprint/base/cancel.hpp"

#include <atomic>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "agentfootprint/base/error.hpp"

namespace agentfootprint {
namespace internal {

constexpr std::int64_t kNoDeadline = std::numeric_limits<std::int64_t>::max();

struct CancelState {
  std::atomic<bool> cancelled{false};
  std::atomic<std::int64_t> deadline{kNoDeadline};
  std::atomic<const Clock*> clock{nullptr};
  std::shared_ptr<CancelState> parent;

  std::mutex mutex;
  std::condition_variable idle;
  std::string reason;
  std::uint64_t next_id = 1;
  std::uint64_t running = 0;  // id of the callback that runs now
  std::thread::id runner;
  std::map<std::uint64_t, std::function<void()>> callbacks;

  [[nodiscard]] bool deadline_passed() const noexcept {
    const std::int64_t at = deadline.load(std::memory_order_acquire);
    if (at == kNoDeadline) return false;
    const Clock* port = clock.load(std::memory_order_acquire);
    return port != nullptr && port->steady_ns() >= at;
  }

  bool cancel(std::string why) {
    std::unique_lock lock(mutex);
    if (cancelled.load(std::memory_order_relaxed)) return false;
    reason = std::move(why);
    cancelled.store(true, std::memory_order_release);
    runner = std::this_thread::get_id();
    while (!callbacks.empty()) {
      auto node = callbacks.extract(callbacks.begin());
      running = node.key();
      lock.unlock();
      node.mapped()();
      lock.lock();
      running = 0;
      idle.notify_all();
    }
    return true;
  }

  void remove(std::uint64_t id) noexcept {
    std::unique_lock lock(mutex);
    callbacks.erase(id);
    if (runner == std::this_thread::get_id()) return;  // called by the callback itself
    idle.wait(lock, [&] { return running != id; });
  }
};

}  // namespace internal

CancelSubscription& CancelSubscription::operator=(CancelSubscription&& other) noexcept {
  if (this != &other) {
    reset();
    state_ = std::move(other.state_);
    id_ = other.id_;
  }
  return *this;
}

void CancelSubscription::reset() noexcept {
  if (auto state = std::exchange(state_, nullptr)) state->remove(id_);
}

CancelKind CancelToken::kind() const noexcept {
  for (const internal::CancelState* s = state_.get(); s != nullptr; s = s->parent.get()) {
    if (s->cancelled.load(std::memory_order_acquire)) return CancelKind::cancelled;
    if (s->deadline_passed()) return CancelKind::deadline;
  }
  return CancelKind::none;
}

std::string CancelToken::reason() const {
  for (internal::CancelState* s = state_.get(); s != nullptr; s = s->parent.get()) {
    if (s->cancelled.load(std::memory_order_acquire)) {
      const std::lock_guard lock(s->mutex);
      return s->reason;
    }
    if (s->deadline_passed()) return "the deadline passed";
  }
  return "";
}

std::optional<std::int64_t> CancelToken::deadline_ns() const noexcept {
  std::int64_t earliest = internal::kNoDeadline;
  for (const internal::CancelState* s = state_.get(); s != nullptr; s = s->parent.get()) {
    earliest = std::min(earliest, s->deadline.load(std::memory_order_acquire));
  }
  if (earliest == internal::kNoDeadline) return std::nullopt;
  return earliest;
}

void CancelToken::throw_if_cancelled() const {
  const CancelKind found = kind();
  if (found == CancelKind::none) return;
  throw Error(found == CancelKind::deadline ? "deadline" : "cancelled", reason());
}

CancelSubscription CancelToken::on_cancel(std::function<void()> callback) const {
  if (!state_) return {};
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->cancelled.load(std::memory_order_relaxed)) {
      const std::uint64_t id = state_->next_id++;
      state_->callbacks.emplace(id, std::move(callback));
      return CancelSubscription(state_, id);
    }
  }
  callback();
  return {};
}

CancelSource::CancelSource() : state_(std::make_shared<internal::CancelState>()) {}

CancelSource::CancelSource(const CancelToken& parent) : CancelSource() {
  state_->parent = parent.state_;
  // The weak pointer keeps a long-lived parent from holding every child that ever was.
  const std::weak_ptr<internal::CancelState> weak = state_;
  const std::weak_ptr<internal::CancelState> above = parent.state_;
  parent_link_ = std::make_shared<CancelSubscription>(parent.on_cancel([weak, above] {
    const auto child = weak.lock();
    if (!child) return;
    const auto from = above.lock();
    std::string why = from ? from->reason : std::string("cancelled");
    child->cancel(std::move(why));
  }));
}

bool CancelSource::cancel(std::string reason) {
  return state_->cancel(std::move(reason));
}

void CancelSource::set_deadline(const Clock& clock, std::int64_t steady_ns) {
  state_->clock.store(&clock, std::memory_order_release);
  state_->deadline.store(steady_ns, std::memory_order_release);
}

}  // namespace agentfootprint
