// Following values back through results and the calls that asked for them.
#include "agentfootprint/explain/why.hpp"

#include <fmt/format.h>

#include <deque>
#include <set>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/evidence/arguments.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/semantics/absence.hpp"

namespace agentfootprint {
namespace {

constexpr std::size_t kMaxCalls = 64;

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool is_answer(const Message& message) {
  return message.role == Role::assistant && message.origin == Origin::model &&
         !is_blank(message.text());
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
  throw Error("why-message", "the conversation has no answer of the assistant");
}

Conversation head_of(const Conversation& conversation, std::uint32_t count) {
  Conversation head;
  for (std::uint32_t i = 0; i < count; ++i) head.append(conversation[i]);
  return head;
}

std::string text_at(const json::Value& value, std::string_view pointer) {
  const json::Value* found = value.find_pointer(pointer);
  if (found == nullptr || !found->is_string()) return {};
  return std::string(*found->as_string());
}

// What a result declares about itself: when it was measured and what it does not cover.
void read_declared(const std::string& text, WhyCall& call) {
  const auto parsed = json::parse(text);
  if (!parsed) return;
  for (const char* pointer :
       {"/provenance/measured_at", "/provenance/measuredAt", "/measured_at"}) {
    if (call.measured_at.empty()) call.measured_at = text_at(*parsed, pointer);
  }
  semantics::DeclaredCoverage coverage;
  if (const auto absence = semantics::read_absence(*parsed)) coverage = absence->coverage;
  if (const auto ledger = semantics::read_coverage_ledger(*parsed)) coverage = ledger->coverage;
  for (const auto& item : coverage.not_checked) call.not_covered.push_back(item.what);
  for (const auto& item : coverage.cannot_cover) call.not_covered.push_back(item.what);
}

// Collects the calls that values name and explains each once, nearest first.
class Tracer {
 public:
  Tracer(const Conversation& conversation, Explanation& explanation)
      : conversation_(conversation), explanation_(explanation) {}

  WhyValue value(const evidence::JudgedValue& judged, const evidence::ConversationIndex& index) {
    WhyValue made;
    made.raw = judged.value.raw;
    made.level = judged.level;
    made.supplied_by = judged.grounding.supplied_by;
    made.notes = judged.grounding.notes;
    made.carriers = carriers(judged.grounding.carriers, index);
    if (const auto& derivation = judged.grounding.derivation) {
      made.formula = derivation->formula;
      made.chance = derivation->chance;
      for (const evidence::Operand& operand : derivation->operands) {
        made.operands.push_back({operand.raw, operand.pointer, carriers(operand.carriers, index)});
      }
    }
    return made;
  }

  void calls() {
    while (!waiting_.empty()) {
      const CallKey key = waiting_.front();
      waiting_.pop_front();
      if (explanation_.calls.size() == kMaxCalls) {
        explanation_.calls_capped = true;
        return;
      }
      explanation_.calls.push_back(call(key));
    }
  }

 private:
  std::vector<WhyCarrier> carriers(const std::vector<evidence::Carrier>& found,
                                   const evidence::ConversationIndex& index) {
    std::vector<WhyCarrier> made;
    for (const evidence::Carrier& carrier : found) {
      const evidence::ResultEntry& entry = index.results()[carrier.result];
      WhyCarrier one;
      one.call = entry.call;
      one.message = entry.message;
      one.tool = entry.tool;
      if (!carrier.places.empty()) one.pointer = entry.index->pointer(carrier.places.front().item);
      one.level = carrier.level;
      one.failed = carrier.failed;
      one.echo = carrier.echo;
      one.partial = carrier.partial;
      one.superseded = carrier.superseded;
      made.push_back(std::move(one));
      if (met_.insert(entry.call).second) waiting_.push_back(entry.call);
    }
    return made;
  }

  WhyCall call(const CallKey& key) {
    WhyCall made;
    made.key = key;
    const auto result = conversation_.result_of(key);
    if (result) {
      const Message& message = conversation_[*result];
      made.result = *result;
      made.status = message.status;
      made.tool = message.tool_name.value_or("");
      read_declared(message.text(), made);
    }
    const ToolCall* asked = conversation_.call_of(key);
    if (asked == nullptr) return made;
    made.tool = asked->name;
    made.arguments = *asked->arguments_text;
    evidence::JudgeOptions options;
    options.thorough = true;
    options.min_digits = 1;
    options.derive = false;
    const auto index = evidence::ConversationIndex::of(head_of(conversation_, key.message));
    const evidence::Judge judge(index, options);
    evidence::ArgumentOptions arguments;
    arguments.numbers = true;
    for (const auto& argument :
         evidence::check_arguments(judge, asked->arguments, arguments).values) {
      made.values.push_back({argument.path, value(argument.judged, index)});
    }
    return made;
  }

  const Conversation& conversation_;
  Explanation& explanation_;
  std::set<CallKey> met_;
  std::deque<CallKey> waiting_;
};

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

}  // namespace

Explanation explain_answer(const Conversation& conversation, const WhyQuestion& question) {
  Explanation explanation;
  explanation.message = answer_index(conversation, question);
  explanation.answer = conversation[explanation.message].text();
  const auto index = evidence::ConversationIndex::of(head_of(conversation, explanation.message));
  Tracer tracer(conversation, explanation);
  for (const auto& judged : asked_values(question, explanation.answer, index)) {
    explanation.values.push_back(tracer.value(judged, index));
  }
  explanation.value_not_found = explanation.values.empty() && !question.value.empty();
  tracer.calls();
  return explanation;
}

}  // namespace agentfootprint
