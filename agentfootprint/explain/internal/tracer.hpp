// Following values back through results and the calls that asked for them.
//
// What: `value` turns a judged value into its explanation and remembers the calls of its carriers;
// `calls` explains those, nearest first, and the calls behind their arguments. When to use:
// explain/why.cpp. Not guaranteed: more than `kMaxCalls` calls.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::user("how many?"));
//   WhyQuestion question;
//   explain::internal::Standings standings(conversation, question, 0);
//   Explanation explanation;
//   explain::internal::Tracer tracer(conversation, question, standings, explanation);
//   tracer.calls();
//   (void)explanation.calls.size();   // 0
#pragma once

#include <deque>
#include <set>

#include "agentfootprint/explain/internal/standings.hpp"
#include "agentfootprint/explain/why.hpp"

namespace agentfootprint::explain::internal {

inline constexpr std::size_t kMaxCalls = 64;

// What stood before message `count`, and what the record says was supplied beside the messages.
[[nodiscard]] evidence::ConversationIndex index_before(const Conversation& conversation,
                                                       std::uint32_t count,
                                                       const WhyQuestion& question);

class Tracer {
 public:
  // Everything must outlive the tracer.
  Tracer(const Conversation& conversation, const WhyQuestion& question, const Standings& standings,
         Explanation& explanation)
      : conversation_(conversation),
        question_(question),
        standings_(standings),
        explanation_(explanation) {}

  [[nodiscard]] WhyValue value(const evidence::JudgedValue& judged,
                               const evidence::ConversationIndex& index);
  void calls();

 private:
  [[nodiscard]] std::vector<WhyCarrier> carriers(const std::vector<evidence::Carrier>& found,
                                                 const evidence::ConversationIndex& index);
  [[nodiscard]] std::string spelled(const evidence::Carrier& carrier,
                                    const evidence::ResultEntry& entry) const;
  [[nodiscard]] WhyCall call(const CallKey& key);
  void add_arguments(const ToolCall& asked, WhyCall& made);
  [[nodiscard]] WhyValue text_argument(std::string_view text,
                                       const evidence::ConversationIndex& index);
  [[nodiscard]] std::optional<std::uint32_t> first_to_say(const evidence::JudgedValue& judged,
                                                          std::uint32_t before);
  [[nodiscard]] std::optional<CallKey> replacement(const CallKey& key) const;
  [[nodiscard]] findings::ResultRef ref(const CallKey& key) const;
  void read_declared(const Message& message, WhyCall& call) const;

  const Conversation& conversation_;
  const WhyQuestion& question_;
  const Standings& standings_;
  Explanation& explanation_;
  std::set<CallKey> met_;
  std::deque<CallKey> waiting_;
  // Each message of a person or the app with an index of its own, made when first asked for.
  std::vector<std::pair<std::uint32_t, evidence::ConversationIndex>> spoken_;
  bool spoken_read_ = false;
};

}  // namespace agentfootprint::explain::internal
