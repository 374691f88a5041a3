// Asking a judge within a budget, and the rows of its replies.
#include "agentfootprint/findings/judge_desk.hpp"

#include <fmt/format.h>

#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint::findings {
namespace {

json::Value questions() {
  static const json::Value value = json::object(
      {{"standing",
        json::object(
            {{"type", "choice"},
             {"criteria",
              json::object(
                  {{"fact", "The result answers what the call asked, and can be stood on."},
                   {"open", "The result bears on it and does not settle it."},
                   {"noise", "The result has nothing to do with it."},
                   {"ruled-out", "The result shows that this way leads nowhere."}})}})},
       {"tests_subject",
        json::object({{"type", "probability"},
                      {"criterion", "The result is about what the call was meant to test."}})}});
  return value;
}

}  // namespace

JudgeDesk::JudgeDesk(std::string judge_name, JudgePolicy policy, const Clock& clock)
    : name_(std::move(judge_name)), policy_(policy), clock_(clock) {}

std::variant<JudgeRequest, Row> JudgeDesk::ask(const JudgeSubject& subject) {
  JudgeRequest request;
  request.result = subject.result;
  request.tool_name = subject.tool_name;
  request.iteration = subject.iteration;
  request.timeout_ms = policy_.timeout_ms;
  request.started_ns = clock_.steady_ns();
  const bool calls_spent = asked_ >= policy_.max_calls;
  const bool tokens_spent = policy_.max_tokens > 0 && tokens_ >= policy_.max_tokens;
  if (calls_spent || tokens_spent) {
    ++not_asked_;
    JudgeFailure failure;
    failure.message =
        calls_spent
            ? fmt::format("not asked: the budget of {} calls is spent", policy_.max_calls)
            : fmt::format("not asked: the budget of {} tokens is spent", policy_.max_tokens);
    return error_row(request, failure);
  }
  ++asked_;
  json::ObjectBuilder state;
  if (subject.basis != nullptr) {
    state.add_if("proposition", subject.basis->proposition);
    state.add_if("predicts", subject.basis->predicts);
    request.against_proposition = subject.basis->proposition.has_value();
  }
  const std::string_view head = utf8::clip(subject.text, kJudgeResultChars);
  request.clipped = head.size() < subject.text.size();
  state.add("question", subject.question);
  state.add("tool", subject.tool_name);
  state.add("result", head);
  request.state = state.build();
  request.questions = questions();
  return request;
}

std::uint64_t JudgeDesk::latency_ms(const JudgeRequest& request) const {
  const std::int64_t passed = clock_.steady_ns() - request.started_ns;
  return passed > 0 ? static_cast<std::uint64_t>(passed / 1'000'000) : 0;
}

Row JudgeDesk::error_row(const JudgeRequest& request, const JudgeFailure& failure) {
  JudgmentErrorRow row;
  row.result = request.result;
  row.tool_name = request.tool_name;
  row.judge_name = name_;
  row.status = failure.status;
  row.message = clip(failure.message, kLineChars);
  row.latency_ms = latency_ms(request);
  row.iteration = request.iteration;
  return row;
}

Row JudgeDesk::timed_out(const JudgeRequest& request) {
  ++failed_;
  return error_row(request,
                   {std::nullopt, fmt::format("no reply within {} ms", request.timeout_ms)});
}

Row JudgeDesk::settle(const JudgeRequest& request, const JudgeOutcome& outcome) {
  if (outcome && outcome.value().usage) {
    tokens_ += outcome.value().usage->input_tokens + outcome.value().usage->output_tokens;
  }
  if (latency_ms(request) > request.timeout_ms) return timed_out(request);
  if (!outcome) {
    ++failed_;
    return error_row(request, outcome.error());
  }
  const JudgeReply& reply = outcome.value();
  const auto standing = reply.choice ? parse_standing(*reply.choice) : std::nullopt;
  if (!standing) {
    ++failed_;
    return error_row(request, {std::nullopt, "the reply names no standing of the vocabulary"});
  }
  JudgmentRow row;
  row.result = request.result;
  row.tool_name = request.tool_name;
  row.judge_name = name_;
  row.judge_model = reply.model;
  row.against_proposition = request.against_proposition;
  row.standing = *standing;
  for (const auto& [word, probability] : reply.probabilities) {
    if (const auto scored = parse_standing(word))
      row.probabilities.emplace_back(*scored, probability);
  }
  row.confidence = reply.confidence;
  row.tests_subject = reply.tests_subject;
  row.usage = reply.usage;
  row.latency_ms = latency_ms(request);
  row.clipped = request.clipped;
  row.iteration = request.iteration;
  return row;
}

}  // namespace agentfootprint::findings
