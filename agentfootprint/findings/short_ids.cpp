// Numbering calls.
#include "agentfootprint/findings/short_ids.hpp"

#include <charconv>

namespace agentfootprint::findings {

void ShortIds::add(const CallKey& call) {
  if (places_.emplace(call, calls_.size()).second) calls_.push_back(call);
}

void ShortIds::sync(const Conversation& conversation) {
  for (; messages_seen_ < conversation.size(); ++messages_seen_) {
    const Message& message = conversation[messages_seen_];
    for (std::uint32_t ordinal = 0; ordinal < message.calls.size(); ++ordinal) {
      add(CallKey{messages_seen_, ordinal, false});
    }
    const auto key = conversation.key_of_result(messages_seen_);
    if (key && key->orphan) add(*key);
  }
}

std::string ShortIds::name_of(const CallKey& call) const {
  const auto found = places_.find(call);
  return found == places_.end() ? "" : "c" + std::to_string(found->second + 1);
}

std::optional<CallKey> ShortIds::resolve(std::string_view id) const {
  if (id.size() < 2 || id.front() != 'c' || id[1] == '0') return std::nullopt;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(id.data() + 1, id.data() + id.size(), number);
  if (error != std::errc() || end != id.data() + id.size()) return std::nullopt;
  if (number == 0 || number > calls_.size()) return std::nullopt;
  return calls_[number - 1];
}

ResultNames ShortIds::names() const {
  return [this](const ResultRef& result) {
    std::string name = result.call ? name_of(*result.call) : std::string();
    return name.empty() ? result.tool_call_id : name;
  };
}

}  // namespace agentfootprint::findings
