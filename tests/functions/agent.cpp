// `agent.script`: one run of an agent whose model and tools are written as JSON.
//
// In: `tools[{name, returns | chars | throws | error | asks, input?, ceiling?, wants?, checkIn?}]`
// (`echo` returns the arguments), `calls[{tool, args}]` (one a turn of the model, then it answers
// "done"; "$k" in `args` is the ticket in result k), `store?`, `retention?`, `maxInlineChars?`,
// `maxResultChars?`, `artifactTools?`, `approve?` (answers the questions of a pause), `mentions?`
// (texts to look for, a list a result). Out: `results[{chars, text?, value?, status, mentions?}]`,
// `events[]` of artifacts and refused results, `paused?`, `answer?`.
#include <fmt/format.h>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/agent/artifact_tools.hpp"
#include "agentfootprint/cli/artifact_script.hpp"
#include "agentfootprint/cli/eval_messages.hpp"
#include "agentfootprint/json/parse.hpp"
#include "tests/functions/functions.hpp"

namespace agentfootprint::text_cases {
namespace {

using json::Kind;
using json::Value;

std::string ticket_in(std::string_view text) {
  const std::size_t place = text.find("art_");
  return place == std::string_view::npos ? "art_none" : std::string(text.substr(place, 26));
}

Tool::Function function_of(const Value& in) {
  return [in](const Value& arguments, ToolContext&) -> ToolResult {
    if (in.contains("throws")) {
      const Value& text = in.at("throws");
      throw std::runtime_error(text.is_string() ? std::string(*text.as_string())
                                                : std::string(*text.as_uint64(), 'x'));
    }
    if (in.contains("chars"))
      return ToolResult::text(std::string(*in.at("chars").as_uint64(), 'x'));
    if (in.contains("error")) return ToolResult::error(eval_required_text(in, "error"));
    if (in.contains("asks")) return ToolResult::ask(Question(eval_required_text(in, "asks")));
    if (in.contains("echo")) return ToolResult::json(arguments);
    const Value& returns = eval_required(in, "returns");
    const auto text = returns.as_string();
    return text ? ToolResult::text(std::string(*text)) : ToolResult::json(returns);
  };
}

Tool tool_of(const Value& in) {
  Tool tool(eval_required_text(in, "name"), "A scripted tool.");
  if (const Value* schema = eval_optional(in, "input", Kind::object)) tool.input(*schema);
  if (const Value* ceiling = eval_optional(in, "ceiling", Kind::number)) {
    tool.result_ceiling(ceiling->as_int64().value_or(0), "a smaller range");
  }
  if (const Value* wants = eval_optional(in, "wants", Kind::object)) {
    for (const json::Member& one : wants->members()) {
      tool.wants(std::string(one.key()), std::string(one.value.as_string().value_or("")));
    }
  }
  if (in.contains("checkIn")) tool.check_in();
  tool.run(function_of(in));
  return tool;
}

// Calls one tool a turn; "$k" is the ticket in the k-th result the model was served.
std::shared_ptr<ScriptedModel> model_of(const Value& in) {
  const Value calls = eval_required(in, "calls", Kind::array);
  auto at = std::make_shared<std::size_t>(0);
  return std::make_shared<ScriptedModel>([calls, at](const ModelRequest& request) {
    if (*at == calls.size()) return ScriptedReply("done");
    const Value& call = calls.elements()[(*at)++];
    ScriptRefs tickets;
    std::size_t results = 0;
    for (const auto& one : request.messages()) {
      if (one.message->role == Role::tool) tickets.note(results++, ticket_in(one.message->text()));
    }
    return ScriptedReply().call(eval_required_text(call, "tool"),
                                tickets.with_refs(eval_required(call, "args", Kind::object)));
  });
}

Value results_to_json(const Value& in, const Conversation& conversation) {
  const Value* wanted = eval_optional(in, "mentions", Kind::array);
  json::ArrayBuilder out;
  std::size_t at = 0;
  for (const std::uint32_t index : conversation.results()) {
    const std::string text = conversation[index].text();
    json::ObjectBuilder one;
    one.add("chars", text.size()).add("status", name_of(conversation[index].status));
    if (text.size() <= 200) one.add("text", text);
    if (const auto value = json::parse(text)) one.add("value", *value);
    if (wanted != nullptr && at < wanted->size()) {
      json::ArrayBuilder mentions;
      for (const Value& word : wanted->elements()[at].elements()) {
        mentions.add(text.find(*word.as_string()) != std::string::npos);
      }
      one.add("mentions", mentions.build());
    }
    out.add(one.build());
    ++at;
  }
  return out.build();
}

Value agent_script(const Value& in) {
  std::optional<ScriptStore> script;
  if (in.contains("store")) script.emplace(in);
  AgentBuilder builder(model_of(in), "m");
  const auto number = [&in](std::string_view key) -> std::optional<std::int64_t> {
    const Value* value = eval_optional(in, key, Kind::number);
    return value == nullptr ? std::nullopt : value->as_int64();
  };
  if (script) builder.artifacts(script->store(), number("maxInlineChars").value_or(0));
  if (const auto cap = number("maxResultChars")) builder.max_result_chars(*cap);
  if (in.contains("artifactTools")) {
    for (Tool& tool : artifact_tools()) builder.tool(std::move(tool));
  }
  for (const Value& tool : eval_required(in, "tools", Kind::array).elements()) {
    builder.tool(tool_of(tool));
  }
  const AgentSpec spec = builder.build();
  EventLog log;
  RunOptions options;
  options.events = &log;
  RunResult result = run(spec, Conversation(), "go", options);
  json::ObjectBuilder out;
  if (result.paused() != nullptr && in.contains("approve")) {
    std::vector<Resolution> answers;
    for (const Pending& one : result.paused()->pending) {
      answers.push_back(Resolution::approve(one.id, "someone"));
    }
    result = resume(spec, result.paused()->checkpoint, answers, options);
    out.add("resumed", true);
  }
  json::ArrayBuilder events;
  for (const std::string& entry : log.entries) {
    if (entry.starts_with("artifact:") || entry.starts_with("result_refused:")) events.add(entry);
  }
  out.add("results", results_to_json(in, result.facts().conversation))
      .add("events", events.build())
      .add("paused", result.paused() != nullptr);
  if (result.answer() != nullptr) out.add("answer", result.answer()->text);
  return out.build();
}

}  // namespace

std::vector<EvalFunction> agent_functions() {
  return {{"agent.script", agent_script}};
}

}  // namespace agentfootprint::text_cases
