// Memory stays flat over many runs. AGENTFOOTPRINT_LEAK_RUNS=100000 makes it a long one; what it
// saw is printed.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/record/sink.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define AGENTFOOTPRINT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define AGENTFOOTPRINT_SANITIZED 1
#endif
#endif
#ifdef AGENTFOOTPRINT_SANITIZED
#include <sanitizer/allocator_interface.h>
#endif

namespace agentfootprint {
namespace {

std::size_t heap_bytes() {
#ifdef AGENTFOOTPRINT_SANITIZED
  return __sanitizer_get_current_allocated_bytes();
#else
  return mallinfo2().uordblks;
#endif
}

std::size_t resident_kb() {
  std::ifstream status("/proc/self/statm");
  std::size_t pages = 0;
  std::size_t resident = 0;
  status >> pages >> resident;
  return resident * 4;
}

// One run of each way out: an answer, a failed tool, a pause and its resume, a refused argument, a
// failed model; with findings, the evidence gate and a record.
class Runs {
 public:
  Runs() {
    model_ = std::make_shared<ScriptedModel>(
        [this](const ModelRequest& request) { return reply(request); });
    Tool ask("ask", "Asks a person.");
    ask.run([](const json::Value&, ToolContext&) { return ToolResult::ask(Question("Which?")); });
    Tool broken("broken", "Throws.");
    broken.run([](const json::Value&, ToolContext&) -> ToolResult {
      throw std::runtime_error("out of order");
    });
    spec_.emplace(AgentBuilder(model_, "m")
                      .tool(port_tool())
                      .tool(std::move(ask))
                      .tool(std::move(broken))
                      .findings()
                      .names_and_numbers_from_evidence()
                      .build());
  }

  void one(std::uint32_t number) {
    way_ = number % 5;
    RunOptions options;
    options.record = std::make_shared<MemorySink>();
    const RunResult result = run(*spec_, Conversation(), "is fc1/3 down?", options);
    if (const Paused* paused = result.paused()) {
      way_ = 0;
      const std::string id = paused->pending.at(0).id;
      EXPECT_NE(resume(*spec_, paused->checkpoint, {Resolution::value(id, "fc1/3")}).answer(),
                nullptr);
    }
    EXPECT_EQ(result.failed() != nullptr, number % 5 == 4);
  }

 private:
  ScriptedReply reply(const ModelRequest& request) const {
    const json::Value none = json::object(std::vector<json::Member>{});
    if (way_ == 4) {
      return ScriptedReply().fail(ModelError(ModelError::Kind::authentication, "no key"));
    }
    if (request.messages().size() >= 5 || (way_ == 0 && request.messages().size() >= 3)) {
      return ScriptedReply("fc1/3 is down, see fc9/9991");
    }
    if (way_ == 1) return ScriptedReply().call("broken", none);
    if (way_ == 2) return ScriptedReply().call("ports", json::object({{"port", 7}}));
    if (way_ == 3) return ScriptedReply().call("ask", none);
    return ScriptedReply().call("ports", port("fc1/3"));
  }

  std::shared_ptr<ScriptedModel> model_;
  std::optional<AgentSpec> spec_;
  std::uint32_t way_ = 0;
};

TEST(Leak, TheHeapIsTheSameAfterManyRuns) {
  const char* wanted = std::getenv("AGENTFOOTPRINT_LEAK_RUNS");
  const auto count =
      static_cast<std::uint32_t>(wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : 200);
  Runs runs;
  const std::uint32_t warm = 50;
  for (std::uint32_t i = 0; i < warm; ++i) runs.one(i);
  const std::size_t heap = heap_bytes();
  const std::size_t resident = resident_kb();
  for (std::uint32_t i = 0; i < count; ++i) runs.one(i);
  const std::size_t heap_after = heap_bytes();
  std::cout << count << " runs: heap " << heap << " -> " << heap_after << " bytes, resident "
            << resident << " -> " << resident_kb() << " kB\n";
  // A leak of one byte a run would show in the long form, one of 160 bytes in the short one.
  EXPECT_LT(heap_after, heap + 32 * 1024);
}

}  // namespace
}  // namespace agentfootprint
