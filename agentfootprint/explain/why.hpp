// Why an answer says what it says: each value's chain back to where it came from.
//
// What: `explain_answer` takes an answer of a finished conversation and gives, for one value or for
// all, its grounding and formula, the results that carry it, and for each of those results the
// call, when it was measured, what it says it did not cover, and where each argument of the call
// came from: an earlier result, a person, the app, or nobody (the model itself). Each call is
// explained once; values name it by its key.
//
// When to use: `agentfootprint why`, over a record or any transcript. It reads the conversation
// only.
//
// Not guaranteed: that a carrier caused the value. A value that stands in a result is *derived*
// from the record by the rules of evidence/, not seen to cause anything.
//
// Units and limits: 64 calls an explanation; arguments are read at every size (`thorough`, from one
// digit).
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::user("how many IOPS has alpha-01?"));
//   ToolCall call("c1", "iops", R"({"array":"alpha-01"})");
//   conversation.append(Message::assistant("", {call}));
//   conversation.append(Message::tool_result("c1", "iops", R"({"iops": 41200})"));
//   conversation.append(Message::assistant("41,200"));
//   Explanation why = explain_answer(conversation, WhyQuestion());
//   (void)why.values.front().raw;               // 41,200, carried by [1,0]
//   (void)why.calls.front().values.front();     // /array: alpha-01, said by the person
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/evidence/judge.hpp"

namespace agentfootprint {

struct WhyQuestion {
  std::optional<std::uint32_t> message;  // the answer; the last one when empty
  std::string value;                     // as the answer spells it, or another spelling; "" for all
  evidence::JudgeOptions judge;
};

struct WhyCarrier {
  CallKey call;
  std::uint32_t message = 0;  // of the result
  std::string tool;
  std::string pointer;  // JSON pointer in the result; "" in text
  evidence::Level level = evidence::Level::exact;
  bool failed = false;
  bool echo = false;
  bool partial = false;
  bool superseded = false;
};

struct WhyOperand {
  std::string raw;
  std::string pointer;
  std::vector<WhyCarrier> carriers;
};

// A value and what it stands on.
struct WhyValue {
  std::string raw;
  evidence::Level level = evidence::Level::unsupported;
  std::optional<evidence::SuppliedBy> supplied_by;
  std::string formula;
  double chance = 0;
  std::vector<WhyOperand> operands;
  std::vector<WhyCarrier> carriers;
  std::vector<std::string> notes;
};

struct WhyArgument {
  std::string path;  // JSON pointer into the arguments
  WhyValue value;
};

struct WhyCall {
  CallKey key;
  std::string tool;
  std::string arguments;  // as the model wrote them
  ResultStatus status = ResultStatus::ok;
  std::uint32_t result = 0;  // index of the result's message
  std::string measured_at;   // as the result declares it, "" when it does not
  std::vector<std::string> not_covered;
  std::vector<WhyArgument> values;  // of the arguments that hold a value, in order
};

struct Explanation {
  std::uint32_t message = 0;
  std::string answer;
  std::vector<WhyValue> values;
  std::vector<WhyCall> calls;    // in the order they are met
  bool calls_capped = false;     // further calls were left out
  bool value_not_found = false;  // the answer holds no such value
};

// Throws Error "why-message" when the conversation has no such answer.
[[nodiscard]] Explanation explain_answer(const Conversation& conversation,
                                         const WhyQuestion& question);

}  // namespace agentfootprint
