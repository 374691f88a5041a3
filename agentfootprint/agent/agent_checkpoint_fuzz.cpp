// A run's checkpoint is foreign bytes: going on from any document must either refuse it with a code
// of its own or run to an outcome that leaves no call open.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint {
namespace {

// One call that asks, then nothing but an answer.
AgentSpec spec_of_asking(const std::shared_ptr<Model>& model) {
  return AgentBuilder(model, "small-1")
      .tool(port_tool())
      .tool(ScriptedRuns::asking("which port?"))
      .max_iterations(3)
      .build();
}

struct Subject {
  AgentSpec spec = spec_of_asking(std::make_shared<ScriptedModel>([](const ModelRequest& request) {
    return request.messages().size() > 1 ? ScriptedReply("done")
                                         : ScriptedReply().call("approve", json::object({}));
  }));
  json::Value fingerprint;

  Subject() {
    const RunResult paused = run(spec, Conversation(), "go");
    if (paused.paused() == nullptr) std::abort();
    fingerprint = *paused.paused()->checkpoint.find("fingerprint");
  }
};

void one(std::string_view text) {
  static const Subject subject;
  const auto parsed = json::parse(text);
  if (!parsed || !parsed->is_object()) return;
  // The fingerprint is known to whoever holds a checkpoint; without it nothing behind is reached.
  const json::Value document = json::with_member(*parsed, "fingerprint", subject.fingerprint);
  try {
    const RunResult result = resume(subject.spec, document, {Resolution::value("[1,0]", "fc1/3")});
    if (result.answer() != nullptr && !result.facts().conversation.open_calls().empty()) {
      std::abort();
    }
  } catch (const Error& error) {
    if (!error.code().starts_with("resume-")) std::abort();
  }
}

}  // namespace
}  // namespace agentfootprint

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  agentfootprint::one(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
