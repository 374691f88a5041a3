// An answer's values, the calls behind them, and what was declared about those.
#include "agentfootprint/explain/why.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/explain/internal/standings.hpp"
#include "agentfootprint/explain/internal/tracer.hpp"
#include "agentfootprint/findings/answer_scanner.hpp"

namespace agentfootprint {
namespace {

using explain::internal::index_before;
using explain::internal::Standings;
using explain::internal::Tracer;

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// What a reader of the answer sees: without the model's notes.
std::string text_of(const Message& message) {
  if (!message.calls.empty() || !findings::LedgerReplay::declares(message)) return message.text();
  return findings::peel_answer(message.text()).text;
}

bool is_answer(const Message& message) {
  return message.role == Role::assistant && message.origin == Origin::model &&
         !is_blank(text_of(message));
}

std::uint32_t answer_index(const Conversation& conversation, const WhyQuestion& question) {
  if (question.message) {
    if (*question.message < conversation.size() && is_answer(conversation[*question.message])) {
      return *question.message;
    }
    throw Error("why-message",
                fmt::format("message {} is no answer of the assistant", *question.message));
  }
  for (std::uint32_t i = conversation.size(); i > 0; --i) {
    if (is_answer(conversation[i - 1])) return i - 1;
  }
  throw Error("why-message",
              "the conversation has no answer of the assistant: no message of it has text; "
              "`agentfootprint show` prints what it holds");
}

// The values of the answer that the question asks for. A value the judge leaves out by size is
// grounded all the same when it was asked for by name.
std::vector<evidence::JudgedValue> asked_values(const WhyQuestion& question,
                                                const std::string& answer,
                                                const evidence::ConversationIndex& index) {
  const evidence::Judge judge(index, question.judge);
  const evidence::Verdict verdict = judge.check(answer);
  if (question.value.empty()) return verdict.values;
  std::vector<evidence::JudgedValue> chosen;
  const auto asked = judge.read(question.value);
  const std::string normal = asked.values.size() == 1 ? asked.values.front().value : question.value;
  for (const evidence::JudgedValue& value : verdict.values) {
    if (value.value.raw == question.value || value.value.value == normal) chosen.push_back(value);
  }
  if (!chosen.empty()) return chosen;
  for (const evidence::Value& value : judge.read(answer).values) {
    if (value.raw != question.value && value.value != normal) continue;
    evidence::JudgedValue judged;
    judged.value = value;
    judged.grounding = judge.ground(value);
    judged.level = judged.grounding.level;
    return {judged};
  }
  return {};
}

std::optional<findings::ContingentRow> contingent_row(const Standings& standings,
                                                      const evidence::Value& value) {
  for (const findings::ContingentRow& row : standings.contingent()) {
    if (row.value == value.value || row.value == value.raw) return row;
  }
  return std::nullopt;
}

// The asked value is not in the answer: what is, and where the value stands all the same.
void explain_missing(const WhyQuestion& question, const evidence::ConversationIndex& index,
                     Tracer& tracer, Explanation& explanation) {
  const evidence::Judge judge(index, question.judge);
  explanation.value_not_found = true;
  explanation.asked = question.value;
  explanation.in_text = explanation.answer.find(question.value) != std::string::npos;
  for (const evidence::Value& value : judge.read(explanation.answer).values) {
    const auto& held = explanation.held;
    if (std::find(held.begin(), held.end(), value.raw) == held.end()) {
      explanation.held.push_back(value.raw);
    }
  }
  const auto asked = judge.read(question.value);
  if (asked.values.size() != 1) return;
  evidence::JudgedValue judged;
  judged.value = asked.values.front();
  judged.grounding = judge.ground(judged.value);
  judged.level = judged.grounding.level;
  const bool stands =
      judged.level != evidence::Level::derived && judged.level != evidence::Level::unsupported;
  if (stands) explanation.elsewhere = tracer.value(judged, index);
}

}  // namespace

Explanation explain_answer(const Conversation& conversation, const WhyQuestion& question) {
  Explanation explanation;
  explanation.message = answer_index(conversation, question);
  explanation.answer = text_of(conversation[explanation.message]);
  explanation.several_turns = conversation.turn_of(explanation.message) > 1;
  const Standings standings(conversation, question, explanation.message);
  explanation.headline = standings.headline();
  const auto index = index_before(conversation, explanation.message, question);
  Tracer tracer(conversation, question, standings, explanation);
  for (const auto& judged : asked_values(question, explanation.answer, index)) {
    WhyValue made = tracer.value(judged, index);
    made.contingent = contingent_row(standings, judged.value);
    explanation.values.push_back(std::move(made));
  }
  tracer.calls();
  if (explanation.values.empty() && !question.value.empty()) {
    explain_missing(question, index, tracer, explanation);
  }
  explanation.towers = standings.towers(explanation.calls);
  return explanation;
}

}  // namespace agentfootprint
