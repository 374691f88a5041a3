// Planning a window: which turns may go, and what stands for them.
//
// What: pure functions. `plan_window` says what a strategy would leave out now and names the reason
// for every turn it must keep. `drop_span` and `summarise_span` do it on a view, or say that the
// replacement would not be smaller.
//
// When to use: before each model call; the agent's loop does. The same conversation, state and
// moment give the same plan.
//
// Not guaranteed: that something goes: a plan may be engaged and blocked.
//
// Reasons, in the order they are asked: the request of this turn, a system message, a call that
// waits for a person, a call without a result, the newest result of a tool, a declared fact. What
// goes is the first run of turns without a reason; what blocks it is reported.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::user("is fc1/3 down?"));
//   conversation.append(Message::assistant("Yes."));
//   conversation.append(Message::user("and fc1/4?"));
//   auto strategy = context::WindowStrategy::sliding(1);
//   context::WindowState state;
//   auto plan = context::plan_window(conversation, state, strategy, context::WindowMoment());
//   (void)plan.span->last;   // 2: the first two messages may go
//   (void)context::drop_span(conversation, state.view, *plan.span, strategy);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/context/window.hpp"

namespace agentfootprint::context {

enum class KeepReason : std::uint8_t {
  current_request,
  system_envelope,
  paused_tool,
  pending_check_in,
  unresolved_tool_call,
  last_tool_result,
  ledger_fact,
  inside_keep_window,
  only_existing_summary,
  summarizer_failed,
  replacement_not_smaller
};
[[nodiscard]] std::string_view name_of(KeepReason reason) noexcept;  // "current-request", …

struct WindowRefusal {
  KeepReason reason = KeepReason::current_request;
  std::uint32_t turn = 0;     // position among the turns in view
  std::uint32_t message = 0;  // the turn's first
};

struct WaitingCall {
  CallKey call;
  bool check_in = false;
};

// What a plan depends on beside the conversation and the state.
struct WindowMoment {
  std::vector<WaitingCall> waiting;  // questions that are open
  // Was the result at this message declared a fact? Empty: nothing was.
  std::function<bool(std::uint32_t message)> is_fact;
};

struct PinnedResult {
  std::string tool;
  std::uint32_t turn = 0;
  std::uint32_t message = 0;
};

struct WindowPlan {
  bool engaged = false;  // the strategy has something to do
  std::uint32_t turns = 0;
  std::optional<WindowSpan> span;  // what may go
  std::vector<WindowRefusal> refusals;
  std::vector<PinnedResult> pinned;
  std::uint32_t yielded = 0;  // newest results beyond the number that may be pinned
  bool pins_stood_down = false;
  std::vector<std::string> newest_dropped;  // tools whose newest result goes
  std::vector<WindowState::Held> held;
};

[[nodiscard]] WindowPlan plan_window(const Conversation& conversation, const WindowState& state,
                                     const WindowStrategy& strategy, const WindowMoment& moment);

// Takes the plan's outcome into the state: how often pins and facts have blocked. `removed`: the
// span was left out.
void settle_plan(WindowState& state, const WindowPlan& plan, bool removed);

// The turns of the view, in order. A call and its results are of one turn, wherever they stand.
[[nodiscard]] std::vector<WindowSpan> turns_of(const Conversation& conversation,
                                               const WindowView& view);

struct WindowChange {
  WindowSpan span;             // the gap as it is now
  std::uint32_t messages = 0;  // newly left out
  std::size_t chars_before = 0;
  std::size_t chars_after = 0;  // of what stands for them
  WindowGap::Stand stand = WindowGap::Stand::nothing;
};

// Leaves the span out of the view. A notice stands for it where that is smaller. Empty, and the
// view is as it was: without a notice the request would not begin with a message of role user.
[[nodiscard]] std::optional<WindowChange> drop_span(const Conversation& conversation,
                                                    WindowView& view, const WindowSpan& span,
                                                    const WindowStrategy& strategy);
// The same with a model's summary. Empty: what it would stand for is not longer.
[[nodiscard]] std::optional<WindowChange> summarise_span(const Conversation& conversation,
                                                         WindowView& view, const WindowSpan& span,
                                                         std::string_view summary,
                                                         std::string_view model);

// What a summariser is asked, and the span as data (JSON): its messages, and the summary that
// stands for what was left out of it before.
[[nodiscard]] std::string_view summariser_instruction() noexcept;
[[nodiscard]] std::string transcript_of(const Conversation& conversation, const WindowView& view,
                                        const WindowSpan& span);

}  // namespace agentfootprint::context
