// Call ids a model can copy: `c1`, `c2`, … in the order of the calls.
//
// What: gives every call of a conversation a short id that is unique for the conversation, and
// finds the call of an id. Providers' own ids repeat and are long; requests we send carry these,
// and the provider's stand beside them.
//
// When to use: one beside a conversation; `sync` after messages were appended.
//
// Not guaranteed: ids for messages outside the conversation. A result without a call gets an id
// too.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::assistant("", {ToolCall("call_0", "ports", "{}")}));
//   findings::ShortIds ids;
//   ids.sync(conversation);
//   (void)ids.name_of(CallKey{0, 0});   // "c1"
//   (void)ids.resolve("c1")->message;   // 0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/findings/collapse.hpp"

namespace agentfootprint::findings {

class ShortIds {
 public:
  // Takes in what the conversation has beyond the last call.
  void sync(const Conversation& conversation);

  // "" for a call that is not known.
  [[nodiscard]] std::string name_of(const CallKey& call) const;
  [[nodiscard]] std::optional<CallKey> resolve(std::string_view id) const;
  [[nodiscard]] std::size_t size() const noexcept { return calls_.size(); }
  // A result's name for what a model reads: the short id of its call, else its own id. Refers to
  // this object.
  [[nodiscard]] ResultNames names() const;

 private:
  void add(const CallKey& call);

  std::vector<CallKey> calls_;
  std::map<CallKey, std::size_t> places_;
  std::uint32_t messages_seen_ = 0;
};

}  // namespace agentfootprint::findings
