// Shared by the agent's tests: scripted agents, event logs, shorthand.
//
// Example:
//   EventLog log;
//   (void)log.line();
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agentfootprint/agent/schema.hpp"
#include "agentfootprint/agent/spec.hpp"
#include "agentfootprint/base/task.hpp"
#include "agentfootprint/model/scripted.hpp"

namespace agentfootprint {

// Keeps every event as `kind` or `kind:name:text`.
class EventLog final : public EventSink {
 public:
  [[nodiscard]] bool wants(EventKind) const noexcept override { return true; }
  void on(const Event& event) override {
    std::string entry(name_of(event.kind));
    if (!event.name.empty()) entry += ":" + std::string(event.name);
    if (!event.text.empty()) entry += ":" + std::string(event.text);
    entries.push_back(std::move(entry));
  }
  [[nodiscard]] std::string line() const {
    std::string all;
    for (const std::string& entry : entries) all += (all.empty() ? "" : " ") + entry;
    return all;
  }
  [[nodiscard]] std::size_t count(std::string_view entry) const {
    std::size_t found = 0;
    for (const std::string& one : entries) found += one == entry ? 1 : 0;
    return found;
  }
  std::vector<std::string> entries;
};

inline Tool port_tool(std::string name = "ports") {
  Tool tool(std::move(name), "State of one port.");
  tool.input(schema::object().property<std::string>("port", "The port.").build());
  tool.run([](const json::Value& arguments, ToolContext&) {
    return ToolResult::text(std::string(*arguments.at("port").as_string()) +
                            " is down, 41200 errors");
  });
  return tool;
}

inline json::Value port(std::string_view name) {
  return json::object({{"port", name}});
}

// The texts of result messages, in order.
inline std::vector<std::string> results_of(const Conversation& conversation) {
  std::vector<std::string> texts;
  for (const std::uint32_t index : conversation.results()) {
    texts.push_back(conversation[index].text());
  }
  return texts;
}

// A scripted model that keeps its requests, and every event of the runs. A test's fixture has it
// beside ::testing::Test.
struct ScriptedRuns {
  std::shared_ptr<ScriptedModel> model = std::make_shared<ScriptedModel>();
  EventLog events;
  ScriptedRuns() { model->keep_requests(); }
  [[nodiscard]] AgentBuilder builder() const { return AgentBuilder(model, "small-1"); }
  RunOptions options() {
    RunOptions made;
    made.events = &events;
    return made;
  }
  RunResult go(const AgentSpec& spec) { return run(spec, Conversation(), "go", options()); }
  static Tool asking(std::string question) {
    Tool tool("approve", "Asks a person.");
    tool.run([question = std::move(question)](const json::Value&, ToolContext&) {
      return ToolResult::ask(Question(question));
    });
    return tool;
  }
};

}  // namespace agentfootprint
