// Observers: what happens in a run, as it happens.
//
// What: an `Observer` gets the events whose bit is in its mask. Values are shared, never copied.
// With no observer for a kind an event costs one branch.
//
// When to use: progress, tracing, streaming to a screen. To explain a run afterwards use its log,
// which is complete without any observer.
//
// Not guaranteed: an exception in an observer is caught and counted (`RunResult::observer_errors`);
// it changes nothing in the run. Events are delivered on the thread that runs the step; views in an
// event live until `on_event` returns.
//
// Values of redacted keys are replaced by "[REDACTED]".
//
// Example (file scope):
//   class Printer : public agentfootprint::flow::Observer {
//    public:
//     void on_event(const agentfootprint::flow::Event& event) override { last = event.step_id(); }
//     std::string last;
//   };
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::flow {

class Log;

enum class EventKind : std::uint8_t {
  run_started,
  stage_started,
  read,
  wrote,    // an attempt to write; the commit says what changed
  emitted,  // Scope::emit
  stage_ended,
  committed,
  decided,  // text: the branches chosen
  forked,   // number: how many branches
  joined,
  mounted,
  unmounted,
  looped,    // name: the target; number: how often this loop was taken
  broke,     // text: the reason
  retried,   // number: the attempt that comes; text: what failed
  failed,    // text: what failed
  paused,    // value: what is asked
  resumed,   // value: the answer
  run_ended  // text: the outcome
};
[[nodiscard]] std::string_view name_of(EventKind kind) noexcept;

using EventMask = std::uint32_t;
[[nodiscard]] constexpr EventMask mask_of(EventKind kind) noexcept {
  return EventMask{1} << static_cast<unsigned>(kind);
}
inline constexpr EventMask kAllEvents = 0xffffffff;

struct Event {
  static constexpr std::uint32_t kNoItem = 0xffffffff;
  EventKind kind = EventKind::run_started;
  std::uint32_t step = 0;        // the number in the step id
  std::string_view path;         // the mounts around it, "sub/"
  std::string_view stage;        // "" for events of the run; "each~" of a for_each's mount
  std::uint32_t item = kNoItem;  // then the number of its element
  std::string_view name;         // a pointer for read and wrote, a name for emitted
  std::string_view text;
  const json::Value* value = nullptr;
  std::uint64_t number = 0;
  std::size_t row = 0;       // committed: its row now (joining a fork may move it)
  const Log* log = nullptr;  // committed: the log up to that row; lives until on_event returns
  bool redacted = false;

  [[nodiscard]] std::string step_id() const;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_event(const Event& event) = 0;
};

}  // namespace agentfootprint::flow
