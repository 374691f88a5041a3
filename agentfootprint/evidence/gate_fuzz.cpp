// Fuzz target of the gate: options, a result and an answer out of foreign bytes, up to the rendered
// texts.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/evidence/association.hpp"
#include "agentfootprint/evidence/gate_text.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint::evidence {
namespace {

// The input is three parts with a line of dashes between them.
std::string_view take(std::string_view& rest) {
  const std::size_t at = rest.find("\n---\n");
  const std::string_view part = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 5);
  return part;
}

void run(std::string_view input) {
  const std::string_view written = take(input);
  const std::string result(take(input));
  const std::string answer(input);
  GateOptions options;
  if (const auto parsed = json::parse(written)) {
    try {
      options = read_gate_options(*parsed);
    } catch (const Refusal&) {
      return;
    }
  }
  options.posture = Posture::rails;
  Conversation conversation;
  conversation.append(Message::user("go"));
  conversation.append(Message::tool_result("c1", "t", result));
  const auto index = ConversationIndex::of(conversation);
  const Judge judge(index, options.judge);
  Verdict verdict = judge.check(answer);
  note_associations(verdict, associations(judge, answer, verdict));
  const GateVerdict decided = decide(verdict, index, options, GateSituation());
  RecoveryContext context;
  context.rejected_draft = answer;
  context.unsupported = decided.unsupported;
  (void)recovery_text(context, options);
  (void)refusal_text(decided);
}

}  // namespace
}  // namespace agentfootprint::evidence

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 100'000) return 0;
  agentfootprint::evidence::run(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
