// Any bytes as a result, and as an answer judged against it: no crash, spans inside the texts,
// every item read again where it was found.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/evidence/judge.hpp"

using agentfootprint::Conversation;
using agentfootprint::Message;
namespace evidence = agentfootprint::evidence;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t half = size / 2;
  const std::string answer = text.substr(half);
  for (const evidence::Value& value : evidence::read_text(answer)) {
    require(value.span.begin < value.span.end && value.span.end <= answer.size());
    require(value.span.in(answer) == value.raw);
  }
  Conversation conversation;
  conversation.append(Message::tool_result("c1", "t", text.substr(0, half)));
  conversation.append(Message::tool_result("c2", "t", text));
  const auto index = evidence::ConversationIndex::of(conversation);
  for (const evidence::ResultEntry& entry : index.results()) {
    const evidence::ResultIndex& result = *entry.index;
    for (evidence::ItemId item = 0; item < result.size(); ++item) {
      const evidence::Span span = result.span(item);
      require(span.begin < span.end && span.end <= result.text().size());
      require(result.value(item).span.begin == span.begin);
      static_cast<void>(result.pointer(item));
    }
    static_cast<void>(result.columns());
  }
  evidence::JudgeOptions options;
  options.thorough = true;
  const evidence::Verdict verdict = evidence::check_answer(answer, index, options);
  require(verdict.values.size() == verdict.candidates);
  return 0;
}
