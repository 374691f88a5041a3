// The second opinion: a judge asked once about each result a tool really produced.
//
// What: prepares what a judge is asked (the question, the tool, the head of the result), and turns
// its reply into a `judgment` row or a `judgment-error` row. A budget of calls and tokens and a
// timeout of its own; a failure is a row, never an exception, and never holds up a run.
//
// When to use: after a result landed and before the next model call. The desk makes no call itself:
// the application's `JudgeCallback` does, and answers when it can.
//
// Not guaranteed: that a judge is right. Judgments are never served to the model and never become
// standings; the fold keeps them apart (`LedgerFold::last_judgment`).
//
// Not asked: results of denied, declined or settled calls. A question over budget gets an error
// row, so that a check that did not run is not read as a clean one.
//
// Limits: the judge sees the first 4,000 code points of a result; the row says when that was a cut.
//
// Example:
//   ManualClock clock;
//   findings::JudgeDesk desk("critic", findings::JudgePolicy(), clock);
//   findings::JudgeSubject subject;
//   subject.result = findings::ResultRef("c1", CallKey{1, 0});
//   subject.tool_name = "ports";
//   subject.question = "is fc1/7 down?";
//   subject.text = "fc1/7 down";
//   auto asked = desk.ask(subject);
//   if (auto* request = std::get_if<findings::JudgeRequest>(&asked)) {
//     findings::JudgeReply reply;
//     reply.choice = "fact";
//     findings::Row row = desk.settle(*request, findings::JudgeOutcome(reply));
//     (void)row;   // a judgment row
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/base/expected.hpp"
#include "agentfootprint/findings/options.hpp"
#include "agentfootprint/findings/rows.hpp"

namespace agentfootprint::findings {

// A result to be judged.
struct JudgeSubject {
  ResultRef result;
  std::string tool_name;
  std::string question;             // of the user; "" when there is none
  std::string text;                 // the result as served
  const BasisRow* basis = nullptr;  // the last one of the call, when there is one
  std::uint32_t iteration = 0;
};

struct JudgeRequest {
  ResultRef result;
  std::string tool_name;
  json::Value state;  // {proposition?, predicts?, question, tool, result}
  json::Value
      questions;  // `standing`, a choice with a criterion each; `tests_subject`, a probability
  bool against_proposition = false;
  bool clipped = false;
  std::uint32_t iteration = 0;
  std::uint32_t timeout_ms = 0;
  std::int64_t started_ns = 0;  // steady time
};

struct JudgeReply {
  std::optional<std::string> choice;  // under `standing`
  std::vector<std::pair<std::string, double>> probabilities;
  std::optional<double> confidence;
  std::optional<double> tests_subject;
  std::optional<TokenUsage> usage;
  std::string model;
};

struct JudgeFailure {
  std::optional<std::int64_t> status;  // when the provider gave one
  std::string message;
};

using JudgeOutcome = Expected<JudgeReply, JudgeFailure>;
// Called at most once per request; a reply after the timeout is recorded as one.
using JudgeDone = std::function<void(JudgeOutcome)>;
using JudgeCallback = std::function<void(const JudgeRequest&, JudgeDone)>;

class JudgeDesk {
 public:
  JudgeDesk(std::string judge_name, JudgePolicy policy, const Clock& clock);

  // What to ask; or, over budget, the row that says so.
  [[nodiscard]] std::variant<JudgeRequest, Row> ask(const JudgeSubject& subject);
  // The row of a reply or a failure. A reply later than the timeout is a failure.
  [[nodiscard]] Row settle(const JudgeRequest& request, const JudgeOutcome& outcome);
  // The row of a question that got no reply in time.
  [[nodiscard]] Row timed_out(const JudgeRequest& request);

  [[nodiscard]] std::uint32_t asked() const noexcept { return asked_; }
  [[nodiscard]] std::uint32_t failed() const noexcept { return failed_; }
  [[nodiscard]] std::uint32_t not_asked() const noexcept { return not_asked_; }

 private:
  [[nodiscard]] Row error_row(const JudgeRequest& request, const JudgeFailure& failure);
  [[nodiscard]] std::uint64_t latency_ms(const JudgeRequest& request) const;

  std::string name_;
  JudgePolicy policy_;
  const Clock& clock_;
  std::uint32_t asked_ = 0;
  std::uint32_t failed_ = 0;
  std::uint32_t not_asked_ = 0;
  std::uint64_t tokens_ = 0;
};

}  // namespace agentfootprint::findings
