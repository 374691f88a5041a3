// A run as a stage of a chart: how runs are composed.
//
// What: `AgentStage` is a coroutine stage that gives an agent its input from the state and lays
// what came of the run into the state. An answer is written under the output path; a run that asks
// pauses the chart, and the answers given to the chart's pause resume the run where it stood; a run
// that stopped or failed fails the stage with `AgentStageError`, or is written as a value for the
// chart to decide on. The chart's cancellation and deadline are the run's.
//
// When to use: agents in sequence, side by side (as branches of a fork) or behind a decision. For
// an agent inside a tool of another, call `run_task` in the tool.
//
// Not guaranteed: that a retry policy on the stage goes on where the run failed: it runs the whole
// turn again, tools included. Several agents of one fork share a thread and overlap where they
// wait.
//
// Written below the output path: `outcome` (answer, stopped, failed), `run`, `text`, and when there
// is something to say `evidence`, `unsupported`, `contingent`, `coverage`, `earlyStop`,
// `contractUnmet`, `reason`, `code`, `message`. A pause's data and a kept conversation are as
// sensitive as the conversation.
//
// Example (file scope):
//   inline agentfootprint::flow::Chart night_shift(const agentfootprint::AgentSpec& triage) {
//     using namespace agentfootprint;
//     const flow::Key<std::string> alert("alert");
//     return flow::ChartBuilder("night-shift")
//         .stage("triage", AgentStage(triage, alert, "triage"))
//         .stage("page", [](flow::Scope& scope) {
//           scope.set("page", scope.require(AgentStage::text_at("triage")));
//         })
//         .build();
//   }
//   inline agentfootprint::flow::RunResult use(const agentfootprint::AgentSpec& triage) {
//     using namespace agentfootprint;
//     auto options = flow::RunOptions().with_state("alert", "fc1/3 is down");
//     return run_blocking(flow::run_async(night_shift(triage), std::move(options)));
//   }
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/agent/spec.hpp"
#include "agentfootprint/flow/async.hpp"
#include "agentfootprint/flow/scope.hpp"

namespace agentfootprint {

// What a stage throws when its run stopped (code "stage-stopped") or failed ("stage-failed").
class AgentStageError : public Error {
 public:
  AgentStageError(std::string_view error_code, const std::string& message, RunResult result)
      : Error(error_code, message), result_(std::make_shared<const RunResult>(std::move(result))) {}
  // The run as it ended, its checkpoint included.
  [[nodiscard]] const RunResult& result() const noexcept { return *result_; }

 private:
  std::shared_ptr<const RunResult> result_;
};

class AgentStage {
 public:
  using Input = std::function<std::string(flow::Scope&)>;
  using Options = std::function<RunOptions(flow::Scope&)>;

  AgentStage(AgentSpec spec, flow::Key<std::string> input, flow::Path output);
  // The input made from whatever the function reads.
  AgentStage(AgentSpec spec, Input input, flow::Path output);

  // The conversation is taken from the state and put back there, so that a later stage with the
  // same path goes on with it. Without it every run starts a conversation of its own.
  AgentStage& conversation(flow::Path path);
  // Record, events, identity and the like of one run. `cancel` is the chart's token whatever is
  // set; `clock` is the chart's when none is.
  AgentStage& options(Options make);
  // Stopped and failed runs are written like answers, and the chart goes on. A chart that was
  // cancelled ends all the same.
  AgentStage& outcomes_as_values();
  // Sees a pause in this process, authorization addresses included, which no checkpoint holds.
  AgentStage& on_pause(std::function<void(const Paused&)> seen);

  Task<void> operator()(flow::Scope& scope) const;

  // Where the answer's text stands.
  [[nodiscard]] static flow::Key<std::string> text_at(const flow::Path& output);
  [[nodiscard]] static flow::Key<std::string> outcome_at(const flow::Path& output);

 private:
  [[nodiscard]] RunOptions options_for(flow::Scope& scope) const;
  [[nodiscard]] Conversation take_conversation(flow::Scope& scope, RunOptions& run_options) const;
  void keep_conversation(flow::Scope& scope, const RunResult& result) const;
  void write_answer(flow::Scope& scope, const Answer& answer) const;
  void write(flow::Scope& scope, const RunResult& result) const;
  [[nodiscard]] Task<RunResult> run_or_resume(flow::Scope& scope, RunOptions run_options) const;

  AgentSpec spec_;
  Input input_;
  flow::Path output_;
  std::optional<flow::Path> conversation_;
  Options options_;
  bool as_values_ = false;
  std::function<void(const Paused&)> on_pause_;
};

// What a chart that paused in an agent asks, from `flow::PendingPause::data`.
struct StageQuestions {
  std::string agent;
  std::vector<Pending> pending;
  std::string refused;  // why the last answer could not be used, "" when there was none
};
// Throws Error "stage-answer" for data that no AgentStage wrote.
[[nodiscard]] StageQuestions stage_questions(const json::Value& pause_data);
// The answer to hand to `flow::resume_async`. As JSON: an array of {"id", "value"},
// {"id", "approve": true, "by", "note"?}, {"id", "decline": true, "by", "note"?} or
// {"id", "retry": true}. An answer that does not fit pauses the chart again and says why.
[[nodiscard]] json::Value stage_answer(const std::vector<Resolution>& resolutions);

}  // namespace agentfootprint
