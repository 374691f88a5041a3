// Windows: which messages of a conversation a model is shown, when not all of them.
//
// What: a `WindowStrategy` says when older turns are left out of requests and how many of the
// newest stay. A `WindowView` is the outcome: spans of the conversation that are left out (gaps),
// each with the library message that stands for it, if any. The conversation itself is never
// changed.
//
// When to use: give a strategy to `AgentBuilder::window`; or plan a view yourself with
// window_plan.hpp, for any conversation.
//
// Not guaranteed: that a request fits a model's context. A strategy never leaves out the person's
// newest request, a system message, or a call that waits for its result.
//
// Units and limits: a turn is one message that is no result, with the results that follow it; a
// call and its result are always of one turn. Sizes are Unicode code points, budgets are the
// provider's tokens. Numbers of turns and results up to 1,000,000.
//
// Example:
//   auto strategy = context::WindowStrategy::sliding(8).keep_last_tool_results(1);
//   context::check_window(strategy);
//   Conversation conversation;
//   conversation.append(Message::user("is fc1/3 down?"));
//   context::WindowView view;   // nothing is left out
//   (void)view.holds(0);        // true
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::context {

enum class WindowKind : std::uint8_t { sliding, token_budget, summarise_oldest };
[[nodiscard]] std::string_view name_of(WindowKind kind) noexcept;  // "sliding-window", …

class WindowStrategy {
 public:
  // Leaves out what is older than the newest `keep_recent_turns` turns.
  [[nodiscard]] static WindowStrategy sliding(std::int64_t keep_recent_turns);
  // The same, but only when the last request was measured (by the provider) at more than
  // `threshold_tokens` input tokens.
  [[nodiscard]] static WindowStrategy token_budget(std::int64_t threshold_tokens,
                                                   std::int64_t keep_recent_turns = 6);
  // The same trigger; a model's summary stands for what is left out.
  [[nodiscard]] static WindowStrategy summarise_oldest(std::int64_t threshold_tokens,
                                                       std::int64_t keep_recent_turns = 6);
  // The newest result of each tool since the request stays in view, at most so many of them beyond
  // the recent turns; 2 by default, 0 for none.
  WindowStrategy& keep_last_tool_results(std::int64_t count);
  // Turns with a result that was declared a fact stay, the newest first, at most so many; 4 by
  // default, 0 for none. Without findings there are none.
  WindowStrategy& keep_facts(std::int64_t count);

  [[nodiscard]] WindowKind kind() const noexcept { return kind_; }
  [[nodiscard]] std::int64_t keep_recent_turns() const noexcept { return keep_; }
  [[nodiscard]] std::int64_t threshold_tokens() const noexcept { return threshold_; }
  [[nodiscard]] std::int64_t last_tool_results() const noexcept { return pins_; }
  [[nodiscard]] std::int64_t facts() const noexcept { return facts_; }

 private:
  WindowStrategy(WindowKind kind, std::int64_t threshold, std::int64_t keep)
      : kind_(kind), threshold_(threshold), keep_(keep) {}
  WindowKind kind_;
  std::int64_t threshold_ = 0;
  std::int64_t keep_ = 0;
  std::int64_t pins_ = 2;
  std::int64_t facts_ = 4;
};

// Throws Refusal with every fault: codes "window-keep", "window-threshold", "window-pins".
void check_window(const WindowStrategy& strategy);

// Messages [first, last) of the conversation.
struct WindowSpan {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  friend bool operator==(const WindowSpan&, const WindowSpan&) = default;
};

// What is left out, and what stands for it.
struct WindowGap {
  enum class Stand : std::uint8_t { nothing, notice, summary };
  WindowSpan span;
  Stand stand = Stand::nothing;
  std::shared_ptr<const Message> piece;  // role user, origin library; null for `nothing`
  std::string author;                    // of a summary: the model's name
};
[[nodiscard]] std::string_view name_of(WindowGap::Stand stand) noexcept;

class WindowView {
 public:
  [[nodiscard]] bool whole() const noexcept { return gaps_.empty(); }
  // Apart from each other and in order.
  [[nodiscard]] const std::vector<WindowGap>& gaps() const noexcept { return gaps_; }
  [[nodiscard]] bool holds(std::uint32_t message) const noexcept;
  // How many messages and pieces the view shows before this message.
  [[nodiscard]] std::size_t shown_before(std::uint32_t message) const noexcept;
  // The gap that begins at this message; null when none does.
  [[nodiscard]] const WindowGap* gap_at(std::uint32_t message) const noexcept;
  // The span with every gap that it covers or touches.
  [[nodiscard]] WindowSpan widened(const WindowSpan& span) const noexcept;
  // Leaves out the gap's span; gaps that it covers or touches become part of it.
  void cut(WindowGap gap);

  // Is no call of this conversation apart from its result, and does every gap end between turns?
  [[nodiscard]] bool fits(const Conversation& conversation) const;

 private:
  std::vector<WindowGap> gaps_;
};

// A view with what the next plan needs to know; it travels in checkpoints and from turn to turn.
struct WindowState {
  WindowView view;
  std::optional<std::int64_t> measured_tokens;  // input tokens of the last request
  std::uint32_t blocked_visits = 0;             // in a row, by pinned results
  std::optional<WindowSpan> refused_span;       // summarised once, and not smaller
  struct Held {
    std::uint32_t first = 0;  // of the turn
    std::uint32_t visits = 0;
  };
  std::vector<Held> held;  // turns that facts kept at the last visit
};

[[nodiscard]] json::Value to_json(const WindowState& state);
// Throws Error "window-state" for anything that is no state or does not fit the conversation.
[[nodiscard]] WindowState window_state_from_json(const json::Value& written,
                                                 const Conversation& conversation);

}  // namespace agentfootprint::context
