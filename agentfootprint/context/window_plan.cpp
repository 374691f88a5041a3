// What a window may leave out: turns, their reasons to stay, and the first run without one.
#include "agentfootprint/context/window_plan.hpp"

#include <algorithm>
#include <map>

namespace agentfootprint::context {
namespace {

constexpr std::uint32_t kVisitsHeld = 2;  // a fact blocks so often in a row
constexpr std::uint32_t kBlockedVisits = 2;

// The person's newest message: what this turn is about.
std::optional<std::uint32_t> request_of(const Conversation& conversation) {
  for (std::uint32_t i = conversation.size(); i-- > 0;) {
    const Message& message = conversation[i];
    if (message.role == Role::user && message.origin != Origin::library) return i;
  }
  return std::nullopt;
}

class Planner {
 public:
  Planner(const Conversation& conversation, const WindowState& state,
          const WindowStrategy& strategy, const WindowMoment& moment)
      : conversation_(conversation), state_(state), strategy_(strategy), moment_(moment) {}

  WindowPlan plan() {
    if (!over_budget()) return plan_;
    turns_ = turns_of(conversation_, state_.view);
    plan_.turns = static_cast<std::uint32_t>(turns_.size());
    const auto keep = static_cast<std::size_t>(strategy_.keep_recent_turns());
    const bool sliding = strategy_.kind() == WindowKind::sliding;
    if (sliding && turns_.size() <= keep) return plan_;
    plan_.engaged = true;
    candidates_ = turns_.size() > keep ? turns_.size() - keep : 0;
    if (candidates_ == 0) {
      refuse(KeepReason::inside_keep_window, 0);
      return plan_;
    }
    request_ = request_of(conversation_);
    pin_results();
    give_reasons();
    hold_facts();
    choose_span();
    return plan_;
  }

 private:
  [[nodiscard]] bool over_budget() const {
    if (strategy_.kind() == WindowKind::sliding) return true;
    return state_.measured_tokens && *state_.measured_tokens > strategy_.threshold_tokens();
  }

  void refuse(KeepReason reason, std::size_t turn) {
    const std::uint32_t message = turn < turns_.size() ? turns_[turn].first : 0;
    plan_.refusals.push_back({reason, static_cast<std::uint32_t>(turn), message});
  }

  // The newest result of each tool since the request, beyond the recent turns, newest first.
  void pin_results() {
    std::map<std::string_view, bool> seen;
    std::vector<PinnedResult> newest;
    for (std::size_t t = turns_.size(); t-- > 0;) {
      for (std::uint32_t i = turns_[t].last; i-- > turns_[t].first;) {
        const Message& message = conversation_[i];
        if (!message.is_result() || !message.dispatched || !message.tool_name) continue;
        if (request_ && i < *request_) continue;
        if (!seen.emplace(*message.tool_name, true).second || t >= candidates_) continue;
        newest.push_back({*message.tool_name, static_cast<std::uint32_t>(t), i});
      }
    }
    const auto limit = static_cast<std::size_t>(strategy_.last_tool_results());
    if (limit == 0) return;
    if (state_.blocked_visits >= kBlockedVisits && !newest.empty()) {
      plan_.pins_stood_down = true;
      newest_ = std::move(newest);
      return;
    }
    newest_ = newest;
    if (newest.size() > limit) {
      plan_.yielded = static_cast<std::uint32_t>(newest.size() - limit);
      newest.resize(limit);
    }
    plan_.pinned = std::move(newest);
  }

  [[nodiscard]] std::optional<KeepReason> reason_of(std::size_t t) const {
    const WindowSpan& turn = turns_[t];
    if (request_ && *request_ >= turn.first && *request_ < turn.last) {
      return KeepReason::current_request;
    }
    for (std::uint32_t i = turn.first; i < turn.last; ++i) {
      if (conversation_[i].role == Role::system) return KeepReason::system_envelope;
    }
    for (const WaitingCall& waiting : moment_.waiting) {
      if (waiting.call.message < turn.first || waiting.call.message >= turn.last) continue;
      return waiting.check_in ? KeepReason::pending_check_in : KeepReason::paused_tool;
    }
    if (has_open_call(turn)) return KeepReason::unresolved_tool_call;
    const auto pinned = std::any_of(plan_.pinned.begin(), plan_.pinned.end(),
                                    [t](const PinnedResult& pin) { return pin.turn == t; });
    return pinned ? std::optional(KeepReason::last_tool_result) : std::nullopt;
  }

  [[nodiscard]] bool has_open_call(const WindowSpan& turn) const {
    for (std::uint32_t i = turn.first; i < turn.last; ++i) {
      const auto calls = static_cast<std::uint32_t>(conversation_[i].calls.size());
      for (std::uint32_t c = 0; c < calls; ++c) {
        if (conversation_.is_open(CallKey{i, c, false})) return true;
      }
    }
    return false;
  }

  void give_reasons() {
    reasons_.resize(candidates_);
    for (std::size_t t = 0; t < candidates_; ++t) reasons_[t] = reason_of(t);
  }

  [[nodiscard]] bool has_fact(const WindowSpan& turn) const {
    for (std::uint32_t i = turn.first; i < turn.last; ++i) {
      const Message& message = conversation_[i];
      if (message.is_result() && message.dispatched && moment_.is_fact(i)) return true;
    }
    return false;
  }

  [[nodiscard]] std::uint32_t visits_held(std::uint32_t first) const {
    for (const WindowState::Held& held : state_.held) {
      if (held.first == first) return held.visits;
    }
    return 0;
  }

  // Turns with a declared fact, newest first; one that has blocked twice in a row is let go.
  void hold_facts() {
    if (!moment_.is_fact) return;
    auto left = strategy_.facts();
    for (std::size_t t = candidates_; t-- > 0 && left > 0;) {
      if (reasons_[t] || !has_fact(turns_[t])) continue;
      const std::uint32_t visits = visits_held(turns_[t].first);
      if (visits >= kVisitsHeld) continue;
      reasons_[t] = KeepReason::ledger_fact;
      plan_.held.push_back({turns_[t].first, visits + 1});
      --left;
    }
  }

  void choose_span() {
    std::size_t from = 0;
    while (from < candidates_ && reasons_[from]) {
      refuse(*reasons_[from], from);
      ++from;
    }
    if (from == candidates_) {
      if (plan_.refusals.size() == 1 && !state_.view.whole() &&
          plan_.refusals[0].reason == KeepReason::current_request) {
        plan_.refusals.push_back({KeepReason::only_existing_summary, 0, 0});
      }
      return;
    }
    std::size_t to = from;
    while (to < candidates_ && !reasons_[to]) ++to;
    if (to < candidates_) refuse(*reasons_[to], to);
    plan_.span = WindowSpan{turns_[from].first, turns_[to - 1].last};
    for (const PinnedResult& result : newest_) {
      if (result.turn >= from && result.turn < to) plan_.newest_dropped.push_back(result.tool);
    }
  }

  const Conversation& conversation_;
  const WindowState& state_;
  const WindowStrategy& strategy_;
  const WindowMoment& moment_;
  WindowPlan plan_;
  std::vector<WindowSpan> turns_;
  std::size_t candidates_ = 0;
  std::optional<std::uint32_t> request_;
  std::vector<PinnedResult> newest_;
  std::vector<std::optional<KeepReason>> reasons_;
};

}  // namespace

std::string_view name_of(KeepReason reason) noexcept {
  static constexpr std::string_view kNames[] = {
      "current-request",   "system-envelope",        "paused-tool",
      "pending-check-in",  "unresolved-tool-call",   "last-tool-result",
      "ledger-fact",       "inside-keep-window",     "only-existing-summary",
      "summarizer-failed", "replacement-not-smaller"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::vector<WindowSpan> turns_of(const Conversation& conversation, const WindowView& view) {
  std::vector<WindowSpan> turns;
  bool open = false;
  for (std::uint32_t i = 0; i < conversation.size(); ++i) {
    if (const WindowGap* gap = view.gap_at(i)) {
      i = gap->span.last - 1;
      open = false;
      continue;
    }
    if (!open || !conversation[i].is_result()) {
      turns.push_back({i, i});
      open = true;
    }
    turns.back().last = i + 1;
    const auto key = conversation.key_of_result(i);
    if (!key || key->orphan) continue;
    // A result that stands apart from its call: the turns between belong together.
    while (turns.size() > 1 && turns.back().first > key->message && view.holds(key->message)) {
      const std::uint32_t last = turns.back().last;
      turns.pop_back();
      turns.back().last = last;
    }
  }
  return turns;
}

WindowPlan plan_window(const Conversation& conversation, const WindowState& state,
                       const WindowStrategy& strategy, const WindowMoment& moment) {
  return Planner(conversation, state, strategy, moment).plan();
}

void settle_plan(WindowState& state, const WindowPlan& plan, bool removed) {
  if (!plan.engaged) return;
  const bool pins_blocked = std::any_of(
      plan.refusals.begin(), plan.refusals.end(),
      [](const WindowRefusal& refusal) { return refusal.reason == KeepReason::last_tool_result; });
  state.blocked_visits = !removed && pins_blocked ? state.blocked_visits + 1 : 0;
  state.held = plan.held;
}

}  // namespace agentfootprint::context
