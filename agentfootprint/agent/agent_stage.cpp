// Runs an agent inside a stage and hands its outcome to the chart.
#include "agentfootprint/agent/agent_stage.hpp"

#include <fmt/format.h>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

#include "agentfootprint/agent/internal/checkpoint.hpp"
#include "agentfootprint/json/cursor.hpp"

namespace agentfootprint {
namespace {

json::Value question_json(const Pending& pending) {
  json::ObjectBuilder built;
  built.add("id", pending.id).add("kind", name_of(pending.kind)).add("call", to_json(pending.call));
  built.add("tool", pending.tool).add("args", pending.arguments);
  built.add("question", pending.question.question);
  built.add_if("detail", pending.question.detail);
  if (!pending.question.component.is_null()) built.add("component", pending.question.component);
  if (!pending.question.data.is_null()) built.add("data", pending.question.data);
  return built.build();
}

json::Value pause_data(std::string_view agent, const Paused& paused) {
  json::ArrayBuilder questions;
  for (const Pending& pending : paused.pending) questions.add(question_json(pending));
  return json::object(
      {{"agent", agent}, {"questions", questions.build()}, {"checkpoint", paused.checkpoint}});
}

Pending pending_from(const json::Cursor& at) {
  Pending pending;
  pending.id = std::string(at["id"].string());
  for (const Pending::Kind kind : {Pending::Kind::ask, Pending::Kind::middleware,
                                   Pending::Kind::check_in, Pending::Kind::credential}) {
    if (name_of(kind) == at["kind"].string()) pending.kind = kind;
  }
  pending.call.message = at["call"][0].uint32();
  pending.call.ordinal = at["call"][1].uint32();
  pending.tool = std::string(at["tool"].string());
  pending.arguments = at["args"].value();
  pending.question = Question(std::string(at["question"].string()));
  if (at.has("detail")) pending.question.detail = std::string(at["detail"].string());
  if (at.has("component")) pending.question.component = at["component"].value();
  if (at.has("data")) pending.question.data = at["data"].value();
  return pending;
}

bool is_true(const json::Value& object, std::string_view member) {
  const json::Value* found = object.find(member);
  return found != nullptr && found->as_bool() == true;
}

std::string text_or_nothing(const json::Value& object, std::string_view member) {
  const json::Value* found = object.find(member);
  return found == nullptr ? std::string() : std::string(found->as_string().value_or(""));
}

Resolution resolution_from(const json::Value& one) {
  const std::string id = text_or_nothing(one, "id");
  if (const json::Value* value = one.find("value")) return Resolution::value(id, *value);
  const std::string by = text_or_nothing(one, "by");
  const std::string note = text_or_nothing(one, "note");
  if (is_true(one, "approve")) return Resolution::approve(id, by, note);
  if (is_true(one, "decline")) return Resolution::decline(id, by, note);
  if (is_true(one, "retry")) return Resolution::retry(id);
  throw Error("resume-kind",
              fmt::format("the answer to {} says none of value, approve, decline and retry",
                          id.empty() ? "a question without an id" : id));
}

std::vector<Resolution> resolutions_from(const json::Value& answer) {
  if (!answer.is_array()) {
    throw Error("resume-kind", "the answer is no array of answers: make it with stage_answer");
  }
  std::vector<Resolution> resolutions;
  for (const json::Value& one : answer.elements()) resolutions.push_back(resolution_from(one));
  return resolutions;
}

json::Value list_of(const std::vector<std::string>& texts) {
  json::ArrayBuilder list;
  for (const std::string& text : texts) list.add(text);
  return list.build();
}

std::string end_of(const RunResult& result, std::string_view agent) {
  if (const Stopped* stopped = result.stopped()) {
    return fmt::format("the agent '{}' stopped ({}): {}", agent, name_of(stopped->reason),
                       stopped->message);
  }
  return fmt::format("the agent '{}' failed ({}): {}", agent, result.failed()->code,
                     result.failed()->message);
}

}  // namespace

AgentStage::AgentStage(AgentSpec spec, flow::Key<std::string> input, flow::Path output)
    : AgentStage(
          std::move(spec),
          [key = std::move(input)](flow::Scope& scope) { return scope.require(key); },
          std::move(output)) {}

AgentStage::AgentStage(AgentSpec spec, Input input, flow::Path output)
    : spec_(std::move(spec)), input_(std::move(input)), output_(std::move(output)) {}

AgentStage& AgentStage::conversation(flow::Path path) {
  conversation_ = std::move(path);
  return *this;
}

AgentStage& AgentStage::options(Options make) {
  options_ = std::move(make);
  return *this;
}

AgentStage& AgentStage::outcomes_as_values() {
  as_values_ = true;
  return *this;
}

AgentStage& AgentStage::on_pause(std::function<void(const Paused&)> seen) {
  on_pause_ = std::move(seen);
  return *this;
}

flow::Key<std::string> AgentStage::text_at(const flow::Path& output) {
  return flow::Key<std::string>(output / "text");
}

flow::Key<std::string> AgentStage::outcome_at(const flow::Path& output) {
  return flow::Key<std::string>(output / "outcome");
}

RunOptions AgentStage::options_for(flow::Scope& scope) const {
  RunOptions made = options_ ? options_(scope) : RunOptions();
  made.cancel = scope.cancel_token();
  if (made.clock == nullptr) made.clock = &scope.clock();
  return made;
}

// What a conversation's earlier turns left: its messages and its ledger.
Conversation AgentStage::take_conversation(flow::Scope& scope, RunOptions& run_options) const {
  if (!conversation_) return Conversation();
  const std::optional<json::Value> kept = scope.get(*conversation_);
  if (!kept) return Conversation();
  for (const json::Value& row : kept->at("findingRows").elements()) {
    run_options.finding_rows.push_back(row);
  }
  return internal::conversation_from_json(kept->at("messages"));
}

void AgentStage::keep_conversation(flow::Scope& scope, const RunResult& result) const {
  if (!conversation_) return;
  const RunFacts& facts = result.facts();
  scope.set(*conversation_,
            json::object({{"messages", internal::conversation_to_json(facts.conversation)},
                          {"findingRows", json::array(facts.finding_rows)}}));
}

void AgentStage::write_answer(flow::Scope& scope, const Answer& answer) const {
  scope.set(text_at(output_), answer.text);
  if (!answer.evidence.is_null()) scope.set(output_ / "evidence", answer.evidence);
  if (answer.unsupported) {
    scope.set(output_ / "unsupported", list_of(answer.unsupported->values));
  }
  if (!answer.contingent.empty()) {
    scope.set(output_ / "contingent", json::array(answer.contingent));
  }
  if (!answer.coverage.empty()) scope.set(output_ / "coverage", json::array(answer.coverage));
  if (answer.early_stop) {
    scope.set(output_ / "earlyStop", std::string(name_of(answer.early_stop->reason)));
  }
  if (answer.contract_unmet) scope.set(output_ / "contractUnmet", *answer.contract_unmet);
}

void AgentStage::write(flow::Scope& scope, const RunResult& result) const {
  keep_conversation(scope, result);
  scope.set(output_ / "run", result.facts().run_id);
  const flow::Key<std::string> outcome = outcome_at(output_);
  if (const Answer* answer = result.answer()) {
    scope.set(outcome, "answer");
    write_answer(scope, *answer);
  } else if (const Stopped* stopped = result.stopped()) {
    scope.set(outcome, "stopped");
    scope.set(output_ / "reason", std::string(name_of(stopped->reason)));
    scope.set(output_ / "message", stopped->message);
  } else if (const Failed* failed = result.failed()) {
    scope.set(outcome, "failed");
    scope.set(output_ / "code", failed->code);
    scope.set(output_ / "message", failed->message);
  }
}

// An answer that does not fit is told to whoever gave it; the questions stay open.
Task<RunResult> AgentStage::run_or_resume(flow::Scope& scope, RunOptions run_options) const {
  const std::optional<flow::Resumed> resumed = scope.resumed();
  if (!resumed) {
    Conversation start = take_conversation(scope, run_options);
    std::string question = input_(scope);
    co_return co_await run_task(spec_, std::move(start), std::move(question),
                                std::move(run_options));
  }
  std::string refused;
  try {
    std::vector<Resolution> resolutions = resolutions_from(resumed->answer);
    json::Value checkpoint = resumed->asked.at("checkpoint");
    co_return co_await resume_task(spec_, std::move(checkpoint), std::move(resolutions),
                                   std::move(run_options));
  } catch (const Error& error) {
    const std::string& code = error.code();
    if (code != "resume-unknown" && code != "resume-stale" && code != "resume-kind") throw;
    refused = error.what();
  }
  scope.pause(json::with_member(resumed->asked, "refused", json::Value(refused)));
}

Task<void> AgentStage::operator()(flow::Scope& scope) const {
  // A run settles its calls before it lets go; it watches the chart's token itself.
  co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
  RunOptions run_options = options_for(scope);
  RunResult result = co_await run_or_resume(scope, std::move(run_options));
  if (const Paused* paused = result.paused()) {
    if (on_pause_) on_pause_(*paused);
    scope.pause(pause_data(spec_.name(), *paused));
  }
  write(scope, result);
  if (result.answer() != nullptr) co_return;
  scope.cancel_token().throw_if_cancelled();
  if (as_values_) co_return;
  const std::string message = end_of(result, spec_.name());
  if (result.stopped() != nullptr) {
    throw AgentStageError("stage-stopped", message, std::move(result));
  }
  throw AgentStageError("stage-failed", message, std::move(result));
}

StageQuestions stage_questions(const json::Value& data) {
  StageQuestions made;
  try {
    const json::Cursor root(data);
    made.agent = std::string(root["agent"].string());
    if (root.has("refused")) made.refused = std::string(root["refused"].string());
    for (const json::Cursor& one : root["questions"].elements()) {
      made.pending.push_back(pending_from(one));
    }
  } catch (const Error& error) {
    throw Error("stage-answer",
                fmt::format("this pause was not made by an AgentStage: {}", error.what()));
  }
  return made;
}

json::Value stage_answer(const std::vector<Resolution>& resolutions) {
  json::ArrayBuilder answers;
  for (const Resolution& resolution : resolutions) {
    json::ObjectBuilder one;
    one.add("id", resolution.id);
    switch (resolution.kind) {
      case Resolution::Kind::value:
        one.add("value", resolution.answer);
        break;
      case Resolution::Kind::approve:
        one.add("approve", true).add("by", resolution.by).add("note", resolution.note);
        break;
      case Resolution::Kind::decline:
        one.add("decline", true).add("by", resolution.by).add("note", resolution.note);
        break;
      case Resolution::Kind::retry:
        one.add("retry", true);
        break;
    }
    answers.add(one.build());
  }
  return answers.build();
}

}  // namespace agentfootprint
