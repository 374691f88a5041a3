// The order of events: a two-step run held against a golden file, and one terminal event for every
// outcome.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/semantics/absent.hpp"

namespace agentfootprint {
namespace {

using ::testing::ElementsAre;

// One line an event: kind, call, name, text.
class Transcript final : public EventSink {
 public:
  [[nodiscard]] bool wants(EventKind) const noexcept override { return true; }
  void on(const Event& event) override {
    std::string line(name_of(event.kind));
    for (const std::string_view part : {event.call, event.name, event.text}) {
      if (!part.empty()) line += " " + std::string(part);
    }
    if (event.iteration > 0) line += " @" + std::to_string(event.iteration);
    lines.push_back(std::move(line));
    if (event.detail != nullptr) details.push_back(json::dump(*event.detail));
    last_us = std::max(last_us, event.at_us);
    EXPECT_EQ(event.at_us, last_us) << "time went back";
  }
  std::vector<std::string> lines;
  std::vector<std::string> details;
  std::int64_t last_us = 0;
};

struct AllowAll final : PermissionPolicy {
  Permission check(const PermissionQuestion&) override { return Permission::allow("rule-1"); }
};

Tool absent_tool() {
  Tool tool("find", "Finds a port.");
  tool.input(schema::object().property<std::string>("port", "The port.").build());
  tool.run([](const json::Value&, ToolContext& context) {
    context.progress(json::Value("half"));
    return ToolResult::json(json::parse_or_throw(
        R"({"af_absent":true,"outcome":"nothing_found","looked_for":"fc9/9",
            "checked":[{"what":"fabric A"}],
            "retry_returns_the_same":true,"note":"nothing was found"})"));
  });
  return tool;
}

AgentSpec armed(const std::shared_ptr<ScriptedModel>& model) {
  Middleware watcher("watcher");
  for (const Moment moment :
       {Moment::input, Moment::before_tool, Moment::after_tool, Moment::output}) {
    watcher.on(moment, [](const MiddlewareView&) { return Decision::allow(); });
  }
  return AgentBuilder(model, "small-1")
      .tool(port_tool())
      .tool(absent_tool())
      .permission(std::make_shared<AllowAll>())
      .middleware(watcher)
      .names_and_numbers_from_evidence()
      .findings()
      .build();
}

TEST(EventOrder, OfATwoStepRunIsTheGoldenFile) {
  auto model = std::make_shared<ScriptedModel>();
  model->then(ScriptedReply()
                  .call("ports", port("fc1/3"))
                  .call("find", port("fc9/9"))
                  .call("ports", json::object({{"port", 3}})));
  model->then(ScriptedReply("fc1/3 is down with 41,200 errors")
                  .chunks({"fc1/3 is down ", "with 41,200 errors"}));
  Transcript events;
  RunOptions options;
  options.events = &events;
  ASSERT_NE(run(armed(model), Conversation(), "is fc1/3 down?", options).answer(), nullptr);
  std::string got;
  for (const std::string& line : events.lines) got += line + "\n";
  const std::string path =
      std::string(AGENTFOOTPRINT_SOURCE_DIR) + "/tests/golden/two_step_run.txt";
  std::ifstream in(path, std::ios::binary);
  const std::string want{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(got, want) << "the order of events is a promise: docs/agent.md states it";
}

TEST(EventOrder, EveryEventOfACallNamesIt) {
  auto model = std::make_shared<ScriptedModel>();
  model->then(ScriptedReply().call("ports", port("fc1/3")).call("find", port("fc9/9")));
  model->then(ScriptedReply("fc1/3"));
  Transcript events;
  RunOptions options;
  options.events = &events;
  (void)run(armed(model), Conversation(), "go", options);
  for (const std::string& line : events.lines) {
    for (const char* kind : {"tool_", "permission", "coverage"}) {
      if (line.starts_with(kind)) {
        EXPECT_NE(line.find(" [1,"), std::string::npos) << line;
      }
    }
  }
}

Tool one_tool(std::string name, Tool::Function function) {
  Tool tool(std::move(name), "Does.");
  tool.run(std::move(function));
  return tool;
}

// What each outcome's run ends with; every run has exactly one terminal event, and it is the last.
TEST(EventOrder, OneTerminalEventForEveryOutcome) {
  CancelSource cancel;
  struct Ending {
    std::string call;  // the tool the model calls, "" for an answer
    const char* want;
  };
  struct Halt final : PermissionPolicy {
    Permission check(const PermissionQuestion& question) override {
      return question.tool == "halted" ? Permission::halt("no") : Permission::allow();
    }
  };
  const std::vector<Ending> endings = {
      {"", "turn_end answer @1"},
      {"ask", "turn_end paused @1"},
      {"halted", "turn_end policy stopped @1"},
      {"cancels", "turn_end cancelled stopped @1"},
      {"fails", "turn_end model-server failed @2"},
  };
  const json::Value none = json::object(std::vector<json::Member>{});
  for (const Ending& ending : endings) {
    auto model = std::make_shared<ScriptedModel>();
    ScriptedReply first(ending.call.empty() ? "hello" : "");
    if (!ending.call.empty()) first.call(ending.call, none);
    model->then(first);
    model->then(ScriptedReply().fail(ModelError(ModelError::Kind::server, "down")));
    const AgentSpec spec =
        AgentBuilder(model, "m")
            .permission(std::make_shared<Halt>())
            .tool(one_tool("ask", [](const json::Value&,
                                     ToolContext&) { return ToolResult::ask(Question("?")); }))
            .tool(one_tool("halted", [](const json::Value&,
                                        ToolContext&) { return ToolResult::text("never"); }))
            .tool(one_tool("cancels",
                           [&cancel](const json::Value&, ToolContext&) {
                             cancel.cancel("the person left");
                             return ToolResult::text("done");
                           }))
            .tool(one_tool(
                "fails", [](const json::Value&, ToolContext&) { return ToolResult::text("done"); }))
            .build();
    Transcript events;
    RunOptions options;
    options.events = &events;
    options.cancel = cancel.token();
    (void)run(spec, Conversation(), "go", options);
    ASSERT_FALSE(events.lines.empty());
    EXPECT_EQ(events.lines.back(), ending.want);
    std::size_t terminal = 0;
    for (const std::string& line : events.lines) terminal += line.starts_with("turn_end") ? 1 : 0;
    EXPECT_EQ(terminal, 1u) << ending.want;
    cancel = CancelSource();
  }
}

}  // namespace
}  // namespace agentfootprint
