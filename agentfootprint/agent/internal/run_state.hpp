// What belongs to one run: its conversation, budgets, counters and ports. Owned by the run, reached
// from the stages of the loop and from the dispatch pipeline. Not shared between threads.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "agentfootprint/agent/internal/config.hpp"
#include "agentfootprint/agent/internal/run_checks.hpp"
#include "agentfootprint/agent/internal/run_record.hpp"
#include "agentfootprint/agent/internal/run_window.hpp"
#include "agentfootprint/agent/internal/teardown.hpp"
#include "agentfootprint/agent/run_result.hpp"
#include "agentfootprint/agent/spec.hpp"
#include "agentfootprint/base/cancel.hpp"
#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/evidence/gate.hpp"
#include "agentfootprint/semantics/limits_travel.hpp"
#include "agentfootprint/semantics/recognise.hpp"

namespace agentfootprint::internal {

class CallContext;
struct RunFindings;

// A call of the current batch on its way through the gates. What a pause keeps of it is in
// checkpoint.hpp.
struct CallState {
  CallState(const CallKey& call_key, const ToolCall& call) : key(call_key), wire(call) {}

  CallKey key;
  ToolCall wire;                         // as the model wrote it
  const RegisteredTool* tool = nullptr;  // null: unknown
  json::Value arguments;                 // what the tool will run with
  std::shared_ptr<const Credential> credential;
  std::map<std::string, ArtifactMeta> wanted;  // tickets that were redeemed
  std::shared_ptr<CallContext> context;        // while and after it executes
  std::size_t next_middleware = 0;             // the before-tool chain goes on here after an ask
  bool asked = false;                          // one question a dispatch: a second one is a refusal
  bool started = false;                        // tool_start was told
  bool executed = false;
  bool waiting = false;  // a question is pending
  bool settled = false;  // its message stands in the conversation
  bool late = false;     // it was given up; what it returns later is not used
  bool dispatched = true;
  ToolStatus status = ToolStatus::success;
  json::Value full;                 // what the record keeps
  std::string served;               // what the model reads
  bool refused_by_ceiling = false;  // what is served is a library sentence
  bool described = false;           // a described result; the record has it whole
  // hash64 of `served` when that is the whole value; later changes of `served` show in it.
  std::optional<std::uint64_t> served_as_returned;
  std::int64_t started_ns = 0;
  std::int64_t ended_ns = 0;
};

// How often one call has landed with the same outcome.
struct RepeatCount {
  std::uint32_t landed = 0;
  std::uint64_t outcome = 0;
};

class RunState : public std::enable_shared_from_this<RunState> {
 public:
  RunState(AgentSpec agent_spec, Conversation start, RunOptions run_options);
  ~RunState();

  [[nodiscard]] const AgentConfig& config() const noexcept { return spec.config(); }

  // Tells the sink when it wants the kind; `fill` sets the members.
  template <class Fill>
  void emit(EventKind kind, Fill&& fill) {
    if (options.events == nullptr || !options.events->wants(kind)) return;
    Event event;
    event.kind = kind;
    event.run = run_id;
    event.iteration = iteration;
    event.at_us = (clock->steady_ns() - started_ns) / 1000;
    fill(event);
    deliver(event);
  }

  // The same about one call.
  template <class Fill>
  void emit_call(EventKind kind, const CallKey& key, Fill&& fill) {
    if (options.events == nullptr || !options.events->wants(kind)) return;
    const std::string spelled = fmt::format("[{},{}]", key.message, key.ordinal);
    emit(kind, [&](Event& event) {
      event.call = spelled;
      fill(event);
    });
  }

  // What the call `key` did on the store: its event, and its line in the record.
  void tell_artifact(const CallKey& key, std::string_view tool, const ArtifactFact& fact);

  // A message has entered the conversation: for the record and the ledger.
  void on_assistant(std::uint32_t message);
  void on_result(std::uint32_t message, const CallState& call);
  // The calls of a batch are known and none has run; one of them is reached; all of them have
  // landed.
  void arm_findings();
  void on_batch();
  void on_call(const CallState& call);
  void on_batch_end();
  // Takes the model's declarations out of a draft answer.
  void peel_answer();
  // Values of the draft that the ledger judges; called behind every evidence judgement. `stands`:
  // the gate lets the draft through.
  void judge_used_values(bool stands);
  [[nodiscard]] std::vector<json::Value> answer_contingent_rows() const;
  [[nodiscard]] std::vector<json::Value> finding_rows() const;
  void restore_findings(const json::Value& rows);
  [[nodiscard]] std::size_t malformed_declarations() const;
  void on_request();
  void record_row(std::string_view kind, const json::Value& members);
  // The run begins and ends: the record's first and last lines.
  void open();
  void close_record();
  void note_check(std::string_view check, CheckRow::Outcome what, std::string note = {},
                  const json::Value* detail = nullptr);
  // Takes what is new in the conversation into the index; the system prompt counts as supplied.
  void index_conversation();
  [[nodiscard]] std::vector<CheckRow> check_rows() const { return checks; }

  AgentSpec spec;
  RunOptions options;
  Conversation conversation;
  const Clock* clock;
  Random* random;
  CancelSource cancel;
  std::string run_id;
  std::string input;
  std::int64_t started_ns = 0;

  // turn
  std::uint32_t iteration = 0;
  std::uint32_t corrections = 0;
  Usage usage;
  double cost_usd = 0;
  bool cost_known = false;
  bool cost_hit = false;
  bool wrap_up_asked = false;
  bool corrections_told = false;
  std::optional<EarlyStop> early_stop;
  std::optional<std::string> contract_unmet;
  std::uint32_t schema_attempts = 0;
  bool revision_spent = false;
  std::optional<UnsupportedValues> unsupported;
  std::vector<json::Value> middleware_rows;
  std::vector<json::Value> coverage_rows;
  std::map<std::string, std::string> consent_missing;  // service → where a person gives it
  std::vector<CheckRow> checks;
  std::vector<semantics::CoverageDeclared> declared_coverage;
  std::unordered_map<std::string, RepeatCount> repeats;
  semantics::ResultReader reader;
  TeardownList teardowns;

  // iteration
  ModelResponse response;
  std::string correction;               // library text for the next request
  std::vector<std::string> next_notes;  // library notes for the next request
  std::vector<CallState> batch;
  std::vector<Pending> pending;
  const char* phase = "loop";  // for failures: model, tool, loop

  // resume
  struct Resumption {
    std::vector<Resolution> resolutions;
  };
  std::optional<Resumption> resumption;

  // evidence and findings
  evidence::ConversationIndex index;
  bool system_supplied = false;
  RunChecks integrity;
  std::optional<evidence::Verdict> verdict;
  json::Value gate_verdict;
  std::unique_ptr<RunFindings> findings;  // null: not armed
  std::string said;                       // the draft as the model wrote it
  std::string peeled;                     // and without its declarations

  // request
  std::optional<ModelRequest> request;
  std::uint32_t served = 0;  // messages of the conversation that it was made from
  std::uint32_t kept = 0;    // leading messages that are as they were in the request before
  // Beside the request's messages: their indexes in the conversation, kPiece for a window's piece.
  std::vector<std::uint32_t> served_as;
  std::optional<RunWindow> window;                         // empty: not armed
  std::shared_ptr<const std::vector<ToolSchema>> planted;  // schemas with the reserved argument

  std::optional<RunRecord> record;

  // outcome
  std::optional<RunResult::Outcome> outcome;

 private:
  void deliver(const Event& event) noexcept;
};

// A judge's opinion about each result of the batch, where one is configured.
[[nodiscard]] Task<void> ask_judge(RunState& run);

// The key as events and ids spell it: "[4,1]".
[[nodiscard]] inline std::string spell(const CallKey& key) {
  return fmt::format("[{},{}]", key.message, key.ordinal);
}

}  // namespace agentfootprint::internal
