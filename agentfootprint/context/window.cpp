// Strategies, views, and the state that travels.
#include "agentfootprint/context/window.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/cursor.hpp"

namespace agentfootprint::context {
namespace {

constexpr std::int64_t kMaxCount = 1'000'000;

[[noreturn]] void refuse_state(const std::string& what) {
  throw Error("window-state", "the window cannot be used: " + what);
}

std::uint32_t index_at(const json::Cursor& at) {
  const std::int64_t index = at.int64();
  if (index < 0 || index > 0xFFFFFFFF) refuse_state(at.path() + " is no index of a message");
  return static_cast<std::uint32_t>(index);
}

WindowSpan span_at(const json::Cursor& at) {
  if (at.array_size() != 2) refuse_state(at.path() + " is no span of messages");
  return WindowSpan{index_at(at[0]), index_at(at[1])};
}

json::Value span_json(const WindowSpan& span) {
  return json::array({span.first, span.last});
}

WindowGap gap_at_cursor(const json::Cursor& at) {
  WindowGap gap;
  gap.span = span_at(at["messages"]);
  const std::string_view stand = at["stand"].string();
  for (const auto known :
       {WindowGap::Stand::nothing, WindowGap::Stand::notice, WindowGap::Stand::summary}) {
    if (name_of(known) == stand) gap.stand = known;
  }
  if (name_of(gap.stand) != stand) refuse_state(at.path() + " has an unknown stand");
  if (gap.stand == WindowGap::Stand::nothing) return gap;
  Message piece = Message::user(at["text"].string());
  piece.origin = Origin::library;
  gap.piece = std::make_shared<const Message>(std::move(piece));
  if (at.has("author")) gap.author = std::string(at["author"].string());
  return gap;
}

WindowState read_state(const json::Cursor& root) {
  WindowState state;
  std::uint32_t end = 0;
  for (const json::Cursor& at : root["gaps"].elements()) {
    WindowGap gap = gap_at_cursor(at);
    const bool ordered = gap.span.first < gap.span.last && (end == 0 || gap.span.first > end);
    if (!ordered) refuse_state(at.path() + " is empty, or not behind the gap before it");
    end = gap.span.last;
    state.view.cut(std::move(gap));
  }
  if (root.has("measuredTokens")) state.measured_tokens = root["measuredTokens"].int64();
  if (root.has("blockedVisits")) state.blocked_visits = index_at(root["blockedVisits"]);
  if (root.has("refusedSpan")) state.refused_span = span_at(root["refusedSpan"]);
  if (root.has("held")) {
    for (const json::Cursor& at : root["held"].elements()) {
      state.held.push_back({index_at(at[0]), index_at(at[1])});
    }
  }
  return state;
}

}  // namespace

std::string_view name_of(WindowKind kind) noexcept {
  static constexpr std::string_view kNames[] = {"sliding-window", "token-budget",
                                                "summarize-oldest"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(WindowGap::Stand stand) noexcept {
  static constexpr std::string_view kNames[] = {"nothing", "notice", "summary"};
  return kNames[static_cast<std::size_t>(stand)];
}

WindowStrategy WindowStrategy::sliding(std::int64_t keep_recent_turns) {
  return WindowStrategy(WindowKind::sliding, 0, keep_recent_turns);
}

WindowStrategy WindowStrategy::token_budget(std::int64_t threshold_tokens,
                                            std::int64_t keep_recent_turns) {
  return WindowStrategy(WindowKind::token_budget, threshold_tokens, keep_recent_turns);
}

WindowStrategy WindowStrategy::summarise_oldest(std::int64_t threshold_tokens,
                                                std::int64_t keep_recent_turns) {
  return WindowStrategy(WindowKind::summarise_oldest, threshold_tokens, keep_recent_turns);
}

WindowStrategy& WindowStrategy::keep_last_tool_results(std::int64_t count) {
  pins_ = count;
  return *this;
}

WindowStrategy& WindowStrategy::keep_facts(std::int64_t count) {
  facts_ = count;
  return *this;
}

void check_window(const WindowStrategy& strategy) {
  std::vector<Issue> issues;
  if (strategy.keep_recent_turns() < 1 || strategy.keep_recent_turns() > kMaxCount) {
    issues.push_back({"window-keep", "keepRecentTurns",
                      fmt::format("keepRecentTurns is {}: a request needs at least its newest "
                                  "turn; give a whole number from 1 to {}",
                                  strategy.keep_recent_turns(), kMaxCount)});
  }
  if (strategy.kind() != WindowKind::sliding && strategy.threshold_tokens() < 1) {
    issues.push_back({"window-threshold", "thresholdTokens",
                      fmt::format("thresholdTokens is {}: every request would be over it; give the "
                                  "number of input tokens from which older turns may go",
                                  strategy.threshold_tokens())});
  }
  const auto count = [&issues](std::string_view field, std::int64_t value) {
    if (value >= 0 && value <= kMaxCount) return;
    issues.push_back({"window-pins", std::string(field),
                      fmt::format("{} is {}: give a whole number from 0 (none) to {}", field, value,
                                  kMaxCount)});
  };
  count("keepLastToolResults", strategy.last_tool_results());
  count("keepFacts", strategy.facts());
  if (!issues.empty()) throw Refusal(std::move(issues));
}

bool WindowView::holds(std::uint32_t message) const noexcept {
  const auto behind = std::upper_bound(
      gaps_.begin(), gaps_.end(), message,
      [](std::uint32_t index, const WindowGap& gap) { return index < gap.span.first; });
  return behind == gaps_.begin() || std::prev(behind)->span.last <= message;
}

std::size_t WindowView::shown_before(std::uint32_t message) const noexcept {
  std::size_t shown = message;
  for (const WindowGap& gap : gaps_) {
    if (gap.span.first >= message) break;
    shown -= std::min(gap.span.last, message) - gap.span.first;
    if (gap.piece) ++shown;
  }
  return shown;
}

const WindowGap* WindowView::gap_at(std::uint32_t message) const noexcept {
  const auto found = std::lower_bound(
      gaps_.begin(), gaps_.end(), message,
      [](const WindowGap& gap, std::uint32_t index) { return gap.span.first < index; });
  return found != gaps_.end() && found->span.first == message ? &*found : nullptr;
}

WindowSpan WindowView::widened(const WindowSpan& span) const noexcept {
  WindowSpan wide = span;
  for (const WindowGap& gap : gaps_) {
    if (gap.span.last < span.first || gap.span.first > span.last) continue;
    wide.first = std::min(wide.first, gap.span.first);
    wide.last = std::max(wide.last, gap.span.last);
  }
  return wide;
}

void WindowView::cut(WindowGap gap) {
  gap.span = widened(gap.span);
  std::erase_if(gaps_, [&gap](const WindowGap& old) {
    return old.span.first >= gap.span.first && old.span.last <= gap.span.last;
  });
  const auto at = std::lower_bound(
      gaps_.begin(), gaps_.end(), gap.span.first,
      [](const WindowGap& old, std::uint32_t first) { return old.span.first < first; });
  gaps_.insert(at, std::move(gap));
}

bool WindowView::fits(const Conversation& conversation) const {
  if (gaps_.empty()) return true;
  for (const WindowGap& gap : gaps_) {
    const bool between_turns =
        gap.span.last < conversation.size() && !conversation[gap.span.last].is_result();
    if (!between_turns) return false;
  }
  for (const std::uint32_t result : conversation.results()) {
    const auto key = conversation.key_of_result(result);
    if (key && !key->orphan && holds(result) != holds(key->message)) return false;
  }
  const std::vector<CallKey> open = conversation.open_calls();
  return std::all_of(open.begin(), open.end(),
                     [this](const CallKey& key) { return holds(key.message); });
}

json::Value to_json(const WindowState& state) {
  json::ArrayBuilder gaps;
  for (const WindowGap& gap : state.view.gaps()) {
    json::ObjectBuilder built;
    built.add("messages", span_json(gap.span)).add("stand", name_of(gap.stand));
    if (gap.piece) built.add("text", gap.piece->content);
    if (!gap.author.empty()) built.add("author", gap.author);
    gaps.add(built.build());
  }
  json::ObjectBuilder built;
  built.add("gaps", gaps.build());
  built.add_if("measuredTokens", state.measured_tokens);
  if (state.blocked_visits > 0) built.add("blockedVisits", state.blocked_visits);
  if (state.refused_span) built.add("refusedSpan", span_json(*state.refused_span));
  if (!state.held.empty()) {
    json::ArrayBuilder held;
    for (const WindowState::Held& one : state.held) held.add(json::array({one.first, one.visits}));
    built.add("held", held.build());
  }
  return built.build();
}

WindowState window_state_from_json(const json::Value& written, const Conversation& conversation) {
  WindowState state;
  try {
    state = read_state(json::Cursor(written));
  } catch (const Error& error) {
    if (error.code() == "window-state") throw;
    refuse_state(error.what());
  }
  if (!state.view.fits(conversation)) {
    refuse_state("it leaves out part of a turn, or belongs to another conversation");
  }
  return state;
}

}  // namespace agentfootprint::context
