// Writes and reads checkpoints. What a wrong document is refused for is named.
#include "agentfootprint/agent/internal/checkpoint.hpp"

#include "agentfootprint/agent/internal/model_call.hpp"
#include "agentfootprint/json/cursor.hpp"

namespace agentfootprint::internal {
namespace {

constexpr std::string_view kFormat = "agentfootprint-checkpoint";

[[noreturn]] void refuse(const std::string& what) {
  throw Error("resume-checkpoint", "the checkpoint cannot be used: " + what);
}

// ---- messages

json::Value call_to_json(const ToolCall& call) {
  json::ObjectBuilder built;
  if (call.wire_id) built.add("id", *call.wire_id);
  return built.add("name", call.name).add("args", *call.arguments_text).build();
}

json::Value message_to_json(const Message& message, const std::optional<CallKey>& key) {
  json::ObjectBuilder built;
  built.add("role", name_of(message.role)).add("origin", name_of(message.origin));
  built.add("content", message.content);
  if (!message.calls.empty()) {
    json::ArrayBuilder calls;
    for (const ToolCall& call : message.calls) calls.add(call_to_json(call));
    built.add("toolCalls", calls.build());
  }
  built.add_if("toolCallId", message.tool_call_id);
  built.add_if("toolName", message.tool_name);
  if (message.is_result()) {
    built.add("status", name_of(message.status));
    if (!message.dispatched) built.add("dispatched", false);
    if (key && !key->orphan) built.add("call", to_json(*key));
  }
  return built.build();
}

ResultStatus status_of(std::string_view name) {
  for (const ResultStatus status :
       {ResultStatus::ok, ResultStatus::failed, ResultStatus::absent, ResultStatus::settled}) {
    if (name_of(status) == name) return status;
  }
  refuse(fmt::format("'{}' is no status of a result", name));
}

CallKey key_from(const json::Cursor& at) {
  const auto key = call_key_from_json(at.value());
  if (!key) refuse(at.path() + " is no call key");
  return *key;
}

std::optional<std::string> text_if(const json::Cursor& at, const char* key) {
  if (!at.has(key)) return std::nullopt;
  return std::string(at[key].string());
}

Message message_from(const json::Cursor& at) {
  Message message;
  const auto role = parse_role(at["role"].string());
  const auto origin = parse_origin(at["origin"].string());
  if (!role || !origin) refuse(at.path() + " has an unknown role or origin");
  message.role = *role;
  message.origin = *origin;
  message.content = at["content"].value();
  if (at.has("toolCalls")) {
    for (const json::Cursor& call : at["toolCalls"].elements()) {
      message.calls.emplace_back(text_if(call, "id"), std::string(call["name"].string()),
                                 std::string(call["args"].string()));
    }
  }
  message.tool_call_id = text_if(at, "toolCallId");
  message.tool_name = text_if(at, "toolName");
  if (at.has("status")) message.status = status_of(at["status"].string());
  if (at.has("dispatched")) message.dispatched = at["dispatched"].boolean();
  return message;
}

// ---- the batch and its questions

json::Value question_to_json(const Question& question) {
  json::ObjectBuilder built;
  built.add("question", question.question);
  built.add_if("detail", question.detail);
  if (!question.component.is_null()) built.add("component", question.component);
  if (!question.data.is_null()) built.add("data", question.data);
  return built.build();
}

Question question_from(const json::Cursor& at) {
  Question question{std::string(at["question"].string())};
  question.detail = text_if(at, "detail");
  if (at.has("component")) question.component = at["component"].value();
  if (at.has("data")) question.data = at["data"].value();
  return question;
}

json::Value pending_to_json(const Pending& pending, const CallState& call) {
  json::ObjectBuilder built;
  built.add("id", pending.id)
      .add("kind", name_of(pending.kind))
      .add("call", to_json(pending.call))
      .add("tool", pending.tool)
      .add("args", call.arguments)
      .add("nextMiddleware", call.next_middleware)
      .add("question", question_to_json(pending.question));
  return built.build();
}

Pending::Kind kind_from(std::string_view name) {
  for (const Pending::Kind kind : {Pending::Kind::ask, Pending::Kind::middleware,
                                   Pending::Kind::check_in, Pending::Kind::credential}) {
    if (name_of(kind) == name) return kind;
  }
  refuse(fmt::format("'{}' is no kind of question", name));
}

void read_pending(RunState& run, const json::Cursor& at) {
  Pending pending;
  pending.id = std::string(at["id"].string());
  pending.kind = kind_from(at["kind"].string());
  pending.call = key_from(at["call"]);
  pending.tool = std::string(at["tool"].string());
  pending.arguments = at["args"].value();
  pending.question = question_from(at["question"]);
  const ToolCall* wire = run.conversation.call_of(pending.call);
  if (wire == nullptr) refuse(at.path() + " names a call that is not in the conversation");
  CallState call(pending.call, *wire);
  call.tool = run.config().find_tool(wire->name);
  if (call.tool == nullptr) refuse(fmt::format("this agent has no tool '{}'", wire->name));
  call.arguments = pending.arguments;
  call.next_middleware = at["nextMiddleware"].uint32();
  if (call.next_middleware > run.config().middleware.size()) {
    refuse(at.path() + " goes on behind the last middleware");
  }
  call.asked = true;
  call.started = true;
  call.waiting = true;
  run.batch.push_back(std::move(call));
  run.pending.push_back(std::move(pending));
}

// ---- the turn

std::optional<std::int64_t> count_if(const json::Cursor& at, const char* key) {
  if (!at.has(key)) return std::nullopt;
  return at[key].int64();
}

json::Value turn_to_json(const RunState& run) {
  json::ObjectBuilder built;
  built.add("input", run.input)
      .add("iteration", run.iteration)
      .add("corrections", run.corrections)
      .add("schemaAttempts", run.schema_attempts)
      .add("revisionSpent", run.revision_spent);
  built.add("usage", usage_json(run.usage));
  if (run.cost_known) built.add("costUsd", run.cost_usd);
  built.add("middlewareRows", json::array(run.middleware_rows));
  built.add("coverageRows", json::array(run.coverage_rows));
  built.add("findingRows", json::array(run.finding_rows()));
  if (run.window) built.add("window", context::to_json(run.window->state));
  if (!run.config().claims.empty()) {
    json::ArrayBuilder rows;
    for (const evidence::ClaimRow& row : run.integrity.claims.rows()) {
      rows.add(evidence::to_json(row));
    }
    built.add("claimRows", rows.build());
  }
  return built.build();
}

std::vector<json::Value> rows_from(const json::Cursor& at) {
  std::vector<json::Value> rows;
  for (const json::Cursor& row : at.elements()) rows.push_back(row.value());
  return rows;
}

void read_turn(RunState& run, const json::Cursor& at) {
  run.input = std::string(at["input"].string());
  run.iteration = at["iteration"].uint32();
  run.corrections = at["corrections"].uint32();
  run.schema_attempts = at["schemaAttempts"].uint32();
  run.revision_spent = at["revisionSpent"].boolean();
  const json::Cursor usage = at["usage"];
  run.usage.input_tokens = count_if(usage, "input");
  run.usage.output_tokens = count_if(usage, "output");
  run.usage.cache_read_tokens = count_if(usage, "cacheRead");
  run.usage.cache_write_tokens = count_if(usage, "cacheWrite");
  if (at.has("costUsd")) {
    run.cost_usd = at["costUsd"].number();
    run.cost_known = true;
  }
  run.middleware_rows = rows_from(at["middlewareRows"]);
  run.coverage_rows = rows_from(at["coverageRows"]);
  for (const json::Value& row : run.coverage_rows) {
    if (auto declared = semantics::coverage_declared_from_json(row)) {
      run.declared_coverage.push_back(std::move(*declared));
    }
  }
  run.restore_findings(at["findingRows"].value());
  if (at.has("window")) restore_window(run, at["window"].value());
  if (!at.has("claimRows")) return;
  for (const json::Value& row : rows_from(at["claimRows"])) {
    if (auto read = evidence::claim_row_from_json(row)) {
      run.integrity.claims.add_row(std::move(*read));
    }
  }
}

}  // namespace

json::Value conversation_to_json(const Conversation& conversation) {
  json::ArrayBuilder messages;
  messages.reserve(conversation.size());
  for (std::uint32_t i = 0; i < conversation.size(); ++i) {
    messages.add(message_to_json(conversation[i], conversation.key_of_result(i)));
  }
  return messages.build();
}

Conversation conversation_from_json(const json::Value& messages) {
  Conversation conversation;
  const json::Cursor root(messages);
  for (const json::Cursor& at : root.elements()) {
    Message message = message_from(at);
    if (message.is_result() && at.has("call")) {
      try {
        conversation.append_result(key_from(at["call"]), std::move(message));
      } catch (const std::invalid_argument&) {
        refuse(at.path() + " answers a call that is not open");
      }
    } else {
      conversation.append(std::move(message));
    }
  }
  return conversation;
}

json::Value write_checkpoint(const RunState& run, std::string_view kind) {
  json::ObjectBuilder built;
  built.add("format", kFormat)
      .add("version", kCheckpointVersion)
      .add("kind", kind)
      .add("agent", run.config().name)
      .add("fingerprint", run.config().fingerprint)
      .add("runId", run.run_id)
      .add("turn", turn_to_json(run))
      .add("messages", conversation_to_json(run.conversation));
  json::ArrayBuilder pending;
  for (const Pending& open : run.pending) {
    for (const CallState& call : run.batch) {
      if (call.key == open.call) pending.add(pending_to_json(open, call));
    }
  }
  built.add("pending", pending.build());
  return built.build();
}

void read_checkpoint(RunState& run, const json::Value& document, std::string_view wanted_kind) {
  try {
    const json::Cursor root(document);
    if (!document.is_object() || !root.has("format") || root["format"].string() != kFormat) {
      refuse("it is no checkpoint of an agent");
    }
    if (root["version"].int64() != kCheckpointVersion) {
      refuse(fmt::format("it has version {}, this program reads {}", root["version"].int64(),
                         kCheckpointVersion));
    }
    if (root["kind"].string() != wanted_kind) {
      refuse(fmt::format("it is of kind '{}' where '{}' is needed", root["kind"].string(),
                         wanted_kind));
    }
    if (root["fingerprint"].string() != run.config().fingerprint) {
      refuse(fmt::format("it belongs to the agent '{}' with other tools", root["agent"].string()));
    }
    run.run_id = std::string(root["runId"].string());
    run.conversation = conversation_from_json(root["messages"].value());
    read_turn(run, root["turn"]);
    for (const json::Cursor& at : root["pending"].elements()) read_pending(run, at);
  } catch (const Error& error) {
    if (error.code() == "resume-checkpoint") throw;
    refuse(error.what());
  }
}

}  // namespace agentfootprint::internal
