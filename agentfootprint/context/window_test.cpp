// Windows as pure functions: what may go, what stays and why, and views that are always valid.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/random.hpp"
#include "agentfootprint/context/window_plan.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::context {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "u" a request, "a" an answer, "c<tools>" calls with their results, "s" a system message, "o" a
// call without a result.
Conversation talk(const std::vector<std::string>& parts, std::size_t result_size = 200) {
  Conversation conversation;
  for (const std::string& part : parts) {
    if (part == "u") conversation.append(Message::user("a question about fc1/3"));
    if (part == "a") conversation.append(Message::assistant("an answer about fc1/3"));
    if (part == "s") conversation.append(Message::system("be kind"));
    if (part[0] != 'c' && part[0] != 'o') continue;
    std::vector<ToolCall> calls;
    for (std::size_t i = 1; i < part.size(); ++i) {
      calls.emplace_back("x", std::string("tool_") + part[i], "{}");
    }
    if (part[0] == 'o') calls.emplace_back("x", "tool_open", "{}");
    conversation.append(Message::assistant("", calls));
    if (part[0] == 'o') continue;
    for (const ToolCall& call : calls) {
      conversation.append(Message::tool_result("x", call.name, std::string(result_size, 'r')));
    }
  }
  return conversation;
}

std::vector<std::string> reasons(const WindowPlan& plan) {
  std::vector<std::string> names;
  for (const WindowRefusal& refusal : plan.refusals) {
    names.push_back(std::string(name_of(refusal.reason)) + "@" + std::to_string(refusal.turn));
  }
  return names;
}

std::string span_of(const WindowPlan& plan) {
  return plan.span ? std::to_string(plan.span->first) + "-" + std::to_string(plan.span->last) : "";
}

struct Planned {
  const char* what;
  std::vector<std::string> parts;
  std::int64_t keep;
  std::int64_t pins;
  const char* span;
  std::vector<std::string> reasons;
};

TEST(Window, PlansTheFirstRunThatMayGo) {
  const std::vector<Planned> cases = {
      {"fewer turns than kept", {"u", "ca", "a"}, 3, 2, "", {}},
      {"an old turn goes, the request stays",
       {"u", "a", "u", "a"},
       1,
       0,
       "0-2",
       {"current-request@2"}},
      {"the request at the head is stepped over",
       {"u", "ca", "cb", "cc"},
       1,
       0,
       "1-5",
       {"current-request@0"}},
      {"a system message ends the run",
       {"u", "a", "s", "a", "u"},
       1,
       0,
       "0-2",
       {"system-envelope@2"}},
      {"a call without a result stays",
       {"u", "oa", "a", "u", "a"},
       1,
       0,
       "0-1",
       {"unresolved-tool-call@1"}},
      {"newest results are pinned",
       {"u", "ca", "cb", "cc", "a"},
       1,
       2,
       "1-3",
       {"current-request@0", "last-tool-result@2"}},
      {"the newest of each tool only",
       {"u", "ca", "ca", "ca", "a"},
       1,
       2,
       "1-5",
       {"current-request@0", "last-tool-result@3"}},
      {"a tool that was called again recently is not pinned",
       {"u", "ca", "cb", "ca"},
       1,
       1,
       "1-3",
       {"current-request@0", "last-tool-result@2"}},
      {"results before the request are not pinned",
       {"u", "ca", "a", "u", "a"},
       1,
       2,
       "0-4",
       {"current-request@3"}},
      {"everything is blocked",
       {"u", "ca", "a"},
       1,
       2,
       "",
       {"current-request@0", "last-tool-result@1"}},
  };
  for (const Planned& one : cases) {
    const Conversation conversation = talk(one.parts);
    const auto strategy = WindowStrategy::sliding(one.keep).keep_last_tool_results(one.pins);
    const WindowPlan plan = plan_window(conversation, WindowState(), strategy, WindowMoment());
    EXPECT_EQ(span_of(plan), one.span) << one.what;
    EXPECT_EQ(reasons(plan), one.reasons) << one.what;
  }
}

TEST(Window, TokensDecideOnlyOnceTheyAreMeasured) {
  const Conversation conversation = talk({"u", "a", "u", "a", "u", "a"});
  for (const auto& strategy :
       {WindowStrategy::token_budget(1'000, 2), WindowStrategy::summarise_oldest(1'000, 2)}) {
    WindowState state;
    EXPECT_FALSE(plan_window(conversation, state, strategy, WindowMoment()).engaged);
    state.measured_tokens = 1'000;
    EXPECT_FALSE(plan_window(conversation, state, strategy, WindowMoment()).engaged);
    state.measured_tokens = 1'001;
    EXPECT_EQ(span_of(plan_window(conversation, state, strategy, WindowMoment())), "0-4");
  }
  WindowState state;
  state.measured_tokens = 5'000;
  const auto all_recent = WindowStrategy::token_budget(1'000, 50);
  EXPECT_THAT(reasons(plan_window(conversation, state, all_recent, WindowMoment())),
              ElementsAre("inside-keep-window@0"));
}

TEST(Window, WaitingCallsAreNamedByWhatTheyWaitFor) {
  const Conversation conversation = talk({"u", "o", "o", "u", "a"});
  WindowMoment moment;
  moment.waiting = {{CallKey{1, 0}, false}, {CallKey{2, 0}, true}};
  const WindowPlan plan =
      plan_window(conversation, WindowState(), WindowStrategy::sliding(1), moment);
  EXPECT_THAT(reasons(plan), ElementsAre("paused-tool@1"));
  EXPECT_EQ(span_of(plan), "0-1");
  WindowState without_head;
  ASSERT_TRUE(drop_span(conversation, without_head.view, {0, 1}, WindowStrategy::sliding(1)) ==
              std::nullopt)
      << "an assistant's message would stand first";
}

TEST(Window, PinsStandDownAfterTwoBlockedVisits) {
  const Conversation conversation = talk({"u", "ca", "a"});
  const auto strategy = WindowStrategy::sliding(1);
  WindowState state;
  for (int visit = 0; visit < 2; ++visit) {
    const WindowPlan blocked = plan_window(conversation, state, strategy, WindowMoment());
    EXPECT_FALSE(blocked.span);
    EXPECT_FALSE(blocked.pins_stood_down);
    settle_plan(state, blocked, false);
  }
  const WindowPlan moved = plan_window(conversation, state, strategy, WindowMoment());
  EXPECT_TRUE(moved.pins_stood_down);
  EXPECT_EQ(span_of(moved), "1-3");
  EXPECT_THAT(moved.newest_dropped, ElementsAre("tool_a"));
  settle_plan(state, moved, true);
  EXPECT_EQ(state.blocked_visits, 0u);
}

TEST(Window, AtMostTheStatedNumberOfResultsIsPinned) {
  const Conversation conversation = talk({"u", "ca", "cb", "cc", "cd", "a"});
  const WindowPlan plan =
      plan_window(conversation, WindowState(), WindowStrategy::sliding(1), WindowMoment());
  ASSERT_EQ(plan.pinned.size(), 2u);
  EXPECT_EQ(plan.pinned[0].tool, "tool_d");
  EXPECT_EQ(plan.yielded, 2u);
  EXPECT_EQ(span_of(plan), "1-5");
}

TEST(Window, FactsHoldTheirTurnsTwiceInARow) {
  const Conversation conversation = talk({"u", "ca", "cb", "cc", "a", "u", "a"});
  const auto strategy = WindowStrategy::sliding(2).keep_facts(1);
  WindowMoment moment;
  moment.is_fact = [](std::uint32_t message) { return message == 2 || message == 4; };
  WindowState state;
  for (int visit = 0; visit < 2; ++visit) {
    const WindowPlan plan = plan_window(conversation, state, strategy, moment);
    EXPECT_EQ(span_of(plan), "0-3");  // the newest fact only
    EXPECT_THAT(reasons(plan), ElementsAre("ledger-fact@2"));
    settle_plan(state, plan, true);
  }
  EXPECT_EQ(span_of(plan_window(conversation, state, strategy, moment)), "0-1");
}

TEST(Window, ANoticeStandsOnlyWhereItIsSmaller) {
  const auto strategy = WindowStrategy::sliding(1);
  const Conversation large = talk({"u", "ca", "cb", "a"});
  WindowView view;
  const auto change = drop_span(large, view, {1, 5}, strategy);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->messages, 4u);
  EXPECT_GT(change->chars_before, change->chars_after);
  ASSERT_EQ(view.gaps().size(), 1u);
  EXPECT_THAT(view.gaps()[0].piece->text(), HasSubstr("4 earlier messages are left out"));
  EXPECT_THAT(view.gaps()[0].piece->text(), HasSubstr("tool_a, tool_b"));
  EXPECT_EQ(view.gaps()[0].piece->origin, Origin::library);

  const Conversation small = talk({"u", "ca", "cb", "a"}, 3);
  WindowView quiet;
  ASSERT_TRUE(drop_span(small, quiet, {1, 5}, strategy));
  EXPECT_EQ(quiet.gaps()[0].stand, WindowGap::Stand::nothing);
  EXPECT_EQ(quiet.gaps()[0].piece, nullptr);
}

TEST(Window, GapsThatTouchBecomeOne) {
  const Conversation conversation = talk({"u", "ca", "cb", "cc", "a"});
  WindowView view;
  ASSERT_TRUE(drop_span(conversation, view, {1, 3}, WindowStrategy::sliding(1)));
  const auto second = drop_span(conversation, view, {3, 5}, WindowStrategy::sliding(1));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->messages, 2u);
  ASSERT_EQ(view.gaps().size(), 1u);
  EXPECT_EQ(view.gaps()[0].span, (WindowSpan{1, 5}));
  EXPECT_THAT(view.gaps()[0].piece->text(), HasSubstr("4 earlier messages"));
  EXPECT_TRUE(view.holds(0));
  EXPECT_FALSE(view.holds(1));
  EXPECT_FALSE(view.holds(4));
  EXPECT_TRUE(view.holds(5));
}

TEST(Window, ASummaryMustBeSmallerThanWhatItStandsFor) {
  const Conversation conversation = talk({"u", "ca", "cb", "a"}, 300);
  WindowView view;
  EXPECT_FALSE(summarise_span(conversation, view, {1, 3}, std::string(900, 'x'), "small-1"));
  EXPECT_TRUE(view.whole());
  const auto change = summarise_span(conversation, view, {1, 3}, "tool_a gave r", "small-1");
  ASSERT_TRUE(change);
  EXPECT_EQ(view.gaps()[0].stand, WindowGap::Stand::summary);
  EXPECT_THAT(view.gaps()[0].piece->text(), HasSubstr("small-1"));
  EXPECT_THAT(view.gaps()[0].piece->text(), HasSubstr("tool_a gave r"));
  // The next summary is told the one before, and stands for both.
  const std::string transcript = transcript_of(conversation, view, {3, 5});
  EXPECT_THAT(transcript, HasSubstr("summaryOfEarlier"));
  EXPECT_THAT(transcript, HasSubstr("tool_b"));
  ASSERT_TRUE(summarise_span(conversation, view, {3, 5}, "both", "small-1"));
  EXPECT_EQ(view.gaps()[0].span, (WindowSpan{1, 5}));
}

TEST(Window, OnlyASummaryIsNothingToLeaveOut) {
  const Conversation conversation = talk({"u", "ca", "a"}, 500);
  WindowState state;
  state.measured_tokens = 9'000;
  const auto strategy = WindowStrategy::summarise_oldest(100, 1);
  ASSERT_TRUE(summarise_span(conversation, state.view, {1, 3}, "short", "m"));
  EXPECT_THAT(reasons(plan_window(conversation, state, strategy, WindowMoment())),
              ElementsAre("current-request@0", "only-existing-summary@0"));
}

TEST(Window, StateTravelsAsJson) {
  const Conversation conversation = talk({"u", "ca", "cb", "cc", "a"});
  WindowState state;
  state.measured_tokens = 77;
  state.blocked_visits = 1;
  state.refused_span = WindowSpan{1, 3};
  state.held = {{3, 2}};
  ASSERT_TRUE(drop_span(conversation, state.view, {1, 3}, WindowStrategy::sliding(1)));
  const json::Value written = json::parse_or_throw(json::dump(to_json(state)));
  const WindowState read = window_state_from_json(written, conversation);
  EXPECT_EQ(json::dump(to_json(read)), json::dump(written));
  EXPECT_EQ(read.view.gaps()[0].piece->text(), state.view.gaps()[0].piece->text());
}

TEST(Window, StatesThatCannotBeAreRefused) {
  const Conversation conversation = talk({"u", "ca", "cb", "a"});
  for (
      const char* text : {
          "3",
          "{}",
          R"({"gaps":3})",
          R"({"gaps":[{"messages":[1],"stand":"nothing"}]})",
          R"({"gaps":[{"messages":[1,2],"stand":"nothing"}]})",  // a call without its result
          R"({"gaps":[{"messages":[2,3],"stand":"nothing"}]})",  // a result without its call
          R"({"gaps":[{"messages":[3,1],"stand":"nothing"}]})",
          R"({"gaps":[{"messages":[1,99],"stand":"nothing"}]})",
          R"({"gaps":[{"messages":[-1,3],"stand":"nothing"}]})",
          R"({"gaps":[{"messages":[1,3],"stand":"magic"}]})",
          R"({"gaps":[{"messages":[3,5],"stand":"nothing"},{"messages":[1,3],"stand":"nothing"}]})",
      }) {
    try {
      (void)window_state_from_json(json::parse_or_throw(text), conversation);
      ADD_FAILURE() << "taken: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "window-state") << text;
    }
  }
}

TEST(Window, StrategiesThatCannotWorkAreRefused) {
  try {
    check_window(WindowStrategy::token_budget(0, 0).keep_last_tool_results(-1).keep_facts(-2));
    FAIL() << "not refused";
  } catch (const Refusal& refusal) {
    std::vector<std::string> codes;
    for (const Issue& issue : refusal.issues()) codes.push_back(issue.code + ":" + issue.field);
    EXPECT_THAT(codes,
                ElementsAre("window-keep:keepRecentTurns", "window-threshold:thresholdTokens",
                            "window-pins:keepLastToolResults", "window-pins:keepFacts"));
  }
  EXPECT_NO_THROW(check_window(WindowStrategy::sliding(1).keep_last_tool_results(0).keep_facts(0)));
}

// A conversation as a run makes them: every call is settled before anything else is said, results
// sometimes in another order, ids that repeat; sometimes one that stays open.
Conversation random_talk(SeededRandom& random) {
  Conversation conversation;
  const std::uint64_t parts = 1 + random.below(30);
  for (std::uint64_t p = 0; p < parts; ++p) {
    if (p == 0 || random.below(5) == 0) {
      conversation.append(Message::user(std::string(random.below(300), 'q')));
      continue;
    }
    if (random.below(12) == 0) conversation.append(Message::system("rule"));
    std::vector<ToolCall> calls;
    for (std::uint64_t c = random.below(4); c > 0; --c) {
      calls.emplace_back("x", "tool_" + std::to_string(random.below(3)), "{}");
    }
    const auto count = static_cast<std::uint32_t>(calls.size());
    const std::uint32_t at = conversation.append(Message::assistant("text", calls));
    const bool leave_open = random.below(15) == 0;
    for (std::uint32_t c = 0; c < count; ++c) {
      const std::uint32_t ordinal = random.below(2) == 0 ? c : count - 1 - c;
      const CallKey key{at, conversation.is_open(CallKey{at, ordinal}) ? ordinal : c};
      if (!conversation.is_open(key) || (leave_open && c == 0)) continue;
      conversation.append_result(key, Message::tool_result("x", calls[key.ordinal].name,
                                                           std::string(random.below(400), 'r')));
    }
    for (std::uint32_t c = 0; c < count && !leave_open; ++c) {
      if (!conversation.is_open(CallKey{at, c})) continue;
      conversation.append_result(CallKey{at, c}, Message::tool_result("x", calls[c].name, "late"));
    }
  }
  return conversation;
}

// What a strict provider refuses: a first message that is no user's, a result without its call, a
// call whose result was left out.
void check_view(const Conversation& conversation, const WindowView& view) {
  bool first = true;
  for (std::uint32_t i = 0; i < conversation.size(); ++i) {
    if (const WindowGap* gap = view.gap_at(i)) {
      if (gap->piece) {
        EXPECT_EQ(gap->piece->role, Role::user);
        EXPECT_EQ(gap->piece->origin, Origin::library);
        first = false;
      }
      i = gap->span.last - 1;
      continue;
    }
    const Message& message = conversation[i];
    if (first && message.role != Role::system) {
      EXPECT_EQ(message.role, Role::user) << "the head";
      first = false;
    }
    if (const auto key = conversation.key_of_result(i)) {
      EXPECT_TRUE(view.holds(key->message)) << "a result without its call";
    }
    for (std::uint32_t c = 0; c < message.calls.size(); ++c) {
      const auto result = conversation.result_of(CallKey{i, c});
      if (result) {
        EXPECT_TRUE(view.holds(*result)) << "a call without its result";
      }
    }
  }
}

WindowStrategy random_strategy(SeededRandom& random) {
  const auto keep = static_cast<std::int64_t>(1 + random.below(6));
  WindowStrategy strategy = random.below(2) == 0   ? WindowStrategy::sliding(keep)
                            : random.below(2) == 0 ? WindowStrategy::token_budget(10, keep)
                                                   : WindowStrategy::summarise_oldest(10, keep);
  return strategy.keep_last_tool_results(static_cast<std::int64_t>(random.below(3)))
      .keep_facts(static_cast<std::int64_t>(random.below(3)));
}

TEST(Window, RandomConversationsStayValidAtEveryVisit) {
  std::size_t moved = 0;
  for (std::uint64_t seed = 0; seed < 1'500; ++seed) {
    SeededRandom random(seed);
    const Conversation whole = random_talk(random);
    const WindowStrategy strategy = random_strategy(random);
    Conversation conversation;
    WindowState state;
    WindowMoment moment;
    if (random.below(2) == 0) moment.is_fact = [](std::uint32_t index) { return index % 3 == 0; };
    for (std::uint32_t i = 0; i < whole.size(); ++i) {
      const auto key = whole.key_of_result(i);
      if (key && !key->orphan) {
        conversation.append_result(*key, whole[i]);
      } else {
        conversation.append(whole[i]);
      }
      if (random.below(3) != 0) continue;
      state.measured_tokens = static_cast<std::int64_t>(random.below(20));
      const WindowPlan plan = plan_window(conversation, state, strategy, moment);
      const WindowView before = state.view;
      bool removed = false;
      if (plan.span) {
        EXPECT_LE(plan.pinned.size(), static_cast<std::size_t>(strategy.last_tool_results()));
        removed = strategy.kind() == WindowKind::summarise_oldest
                      ? summarise_span(conversation, state.view, *plan.span, "s", "m").has_value()
                      : drop_span(conversation, state.view, *plan.span, strategy).has_value();
        moved += removed ? 1 : 0;
      }
      settle_plan(state, plan, removed);
      check_view(conversation, state.view);
      EXPECT_TRUE(state.view.fits(conversation));
      // What was left out stays left out.
      for (std::uint32_t m = 0; m <= i; ++m) EXPECT_TRUE(before.holds(m) || !state.view.holds(m));
      const WindowState read = window_state_from_json(to_json(state), conversation);
      EXPECT_EQ(json::dump(to_json(read)), json::dump(to_json(state)));
    }
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(moved, 1'500u);
}

TEST(Window, ResultsFarFromTheirCallsGoTogether) {
  Conversation conversation;
  conversation.append(Message::user("q"));
  conversation.append(Message::assistant("", {ToolCall("x", "slow", "{}")}));
  conversation.append(Message::user("meanwhile?"));
  conversation.append(Message::tool_result("x", "slow", "done"));
  conversation.append(Message::assistant("a"));
  EXPECT_THAT(turns_of(conversation, WindowView()),
              ElementsAre(WindowSpan{0, 1}, WindowSpan{1, 4}, WindowSpan{4, 5}));
  EXPECT_THAT(turns_of(Conversation(), WindowView()), IsEmpty());
}

}  // namespace
}  // namespace agentfootprint::context
