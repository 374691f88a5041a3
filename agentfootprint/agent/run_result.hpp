// How a run ends: an answer, a pause, a stop, or a failure.
//
// What: a variant whose every alternative carries the conversation as it stands (exclusivity is
// ownership: a run takes a conversation and gives it back), the usage, and what the run's checks
// said.
//
// When to use: visit it; all four are part of normal life and none is thrown.
//
// Not guaranteed: that an answer is true. Its verdict says which of its values were read, derived,
// contingent or came from nowhere, and what was not checked.
//
// Example (file scope):
//   inline std::string show(const agentfootprint::RunResult& result) {
//     if (const auto* answer = result.answer()) return answer->text;
//     if (const auto* paused = result.paused()) {
//       return "asked: " + paused->pending.front().question.question;
//     }
//     if (const auto* stopped = result.stopped()) return "stopped: " + stopped->message;
//     return "failed: " + result.failed()->message;
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agentfootprint/agent/tool_result.hpp"
#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/json/value.hpp"
#include "agentfootprint/model/port.hpp"

namespace agentfootprint {

// One row a check and run: a check that did not run must not look clean. The outcome is the first
// that holds: something fired, could not run, passed, did not apply. When any check is armed every
// check has a row, and one that is not armed says so.
struct CheckRow {
  enum class Outcome : std::uint8_t { fired, passed, not_applicable, could_not_run };
  std::string check;
  Outcome outcome = Outcome::not_applicable;
  std::uint32_t fired = 0;   // findings of this check
  std::uint32_t passed = 0;  // encounters that were clean
  std::uint32_t did_not_apply = 0;
  std::uint32_t could_not = 0;  // run
  std::string note;             // why it did not apply or could not run
};
[[nodiscard]] std::string_view name_of(CheckRow::Outcome outcome) noexcept;

// The run ended before the model was done.
struct EarlyStop {
  enum class Reason : std::uint8_t { max_iterations, cost_budget, deadline };
  Reason reason = Reason::max_iterations;
  std::uint32_t iteration = 0;
  std::vector<std::string> pending_tools;
  bool wrapped_up = false;  // a last call without tools was made
  bool answer_was_empty = false;
};
[[nodiscard]] std::string_view name_of(EarlyStop::Reason reason) noexcept;

// Values of the answer that no result carries; at most 12 are named.
struct UnsupportedValues {
  std::vector<std::string> values;
  std::uint32_t count = 0;       // all of them
  std::uint32_t candidates = 0;  // values judged
  bool revised = false;          // a revision was spent
  std::string posture;
};

// What every outcome carries.
struct RunFacts {
  std::string run_id;
  Conversation conversation;
  Usage usage;
  std::uint32_t iterations = 0;
  std::uint32_t corrections = 0;  // schema and evidence re-asks, apart from iterations
  std::optional<double> cost_usd;
  std::int64_t elapsed_ms = 0;              // of this segment of the run
  std::optional<std::int64_t> deadline_ms;  // as it was set; empty: none
  std::vector<CheckRow> checks;
  std::vector<json::Value> middleware_rows;
  std::vector<json::Value> finding_rows;
  json::Value window;                    // the view as it ended, null without a window
  std::vector<json::Value> window_rows;  // one for each time it moved, was blocked or stood down
};

struct Answer {
  std::string text;
  json::Value evidence;  // the verdict, null when the gate is not armed
  std::optional<UnsupportedValues> unsupported;
  std::vector<json::Value> contingent;  // rows filed at the answer
  std::vector<json::Value> coverage;    // what tools declared they did and did not cover
  std::optional<EarlyStop> early_stop;
  std::optional<std::string> contract_unmet;  // why the output contract was not met
  std::uint32_t malformed_declarations = 0;
};

// One question that waits for a person.
struct Pending {
  enum class Kind : std::uint8_t { ask, middleware, check_in, credential };
  std::string id;  // "[4,1]": the call's key
  Kind kind = Kind::ask;
  CallKey call;
  std::string tool;
  json::Value arguments;  // as resolved so far
  Question question{""};
  std::string authorization_url;  // credential only; never in the checkpoint
};
[[nodiscard]] std::string_view name_of(Pending::Kind kind) noexcept;

struct Paused {
  std::vector<Pending> pending;
  json::Value checkpoint;  // JSON, versioned; as sensitive as the conversation
};

struct Stopped {
  enum class Reason : std::uint8_t {
    policy,
    cancelled,
    deadline,
    input_denied,
    output_denied,
    unsupported_values,
    refused_by_model,
    consent_required
  };
  Reason reason = Reason::policy;
  std::string message;
  json::Value evidence;  // for unsupported_values: the draft's verdict, never its text
  // For consent_required: where the person gives it. In no checkpoint, event or record.
  std::string authorization_url;
  json::Value checkpoint;
};
[[nodiscard]] std::string_view name_of(Stopped::Reason reason) noexcept;

struct Failed {
  std::string code;
  std::string message;
  std::string phase;  // "model", "tool", "store", "internal"
  bool can_resume = false;
  json::Value checkpoint;  // of the last completed boundary
};

class RunResult {
 public:
  using Outcome = std::variant<Answer, Paused, Stopped, Failed>;
  RunResult(Outcome outcome, RunFacts facts)
      : outcome_(std::move(outcome)), facts_(std::move(facts)) {}

  [[nodiscard]] const Outcome& outcome() const noexcept { return outcome_; }
  [[nodiscard]] const Answer* answer() const noexcept { return std::get_if<Answer>(&outcome_); }
  [[nodiscard]] const Paused* paused() const noexcept { return std::get_if<Paused>(&outcome_); }
  [[nodiscard]] const Stopped* stopped() const noexcept { return std::get_if<Stopped>(&outcome_); }
  [[nodiscard]] const Failed* failed() const noexcept { return std::get_if<Failed>(&outcome_); }
  [[nodiscard]] const RunFacts& facts() const noexcept { return facts_; }
  // Hands the conversation on to the next run.
  [[nodiscard]] Conversation take_conversation() && { return std::move(facts_.conversation); }

 private:
  Outcome outcome_;
  RunFacts facts_;
};

}  // namespace agentfootprint
