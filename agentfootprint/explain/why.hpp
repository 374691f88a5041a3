// Why an answer says what it says: each value's chain back to where it came from.
//
// What: `explain_answer` takes an answer of a finished conversation and gives, for one value or for
// all, its grounding and formula, the results that carry it with the standing each was given, and
// for each of those results the call, when it was measured, what it says it did not cover, who
// declared what about it, what contradicts or replaced it, and where each argument of the call came
// from: an earlier result, a person, the app, or nobody (the model itself). Each call is explained
// once; values name it by its key. Where a call's arguments came from results that were set aside,
// the towers say so, with the standing then and now.
//
// When to use: `agentfootprint why`, over a record or any transcript. It reads the conversation
// and, of a record, the rows beside it.
//
// Not guaranteed: that a carrier caused the value. A value that stands in a result is *derived*
// from the record by the rules of evidence/, not seen to cause anything.
//
// Units and limits: 64 calls an explanation; arguments are read at every size (`thorough`, from one
// digit), texts in them up to 200 code points.
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
//   (void)why.calls.front().standing.now;       // empty: nobody declared anything about it
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/evidence/judge.hpp"
#include "agentfootprint/explain/recorded.hpp"
#include "agentfootprint/findings/headline.hpp"

namespace agentfootprint {

struct WhyQuestion {
  std::optional<std::uint32_t> message;  // the answer; the last one when empty
  std::string value;                     // as the answer spells it, or another spelling; "" for all
  evidence::JudgeOptions judge;
  std::vector<findings::Row> standings;  // a person's (findings::read_standings)
  // What the conversation's record says beside it; null for a transcript. Must outlive the call.
  const Recorded* recorded = nullptr;
};

// What was declared about a result. Both empty: it is undeclared.
struct WhyStanding {
  std::optional<findings::Standing> then;  // when the answer was given
  std::optional<findings::Standing> now;   // at the end of the conversation
  findings::DeclaredBy by = findings::DeclaredBy::model;
  std::string who;                         // a person's name, "" when none is given
  std::optional<findings::DeclaredOn> on;  // the call or the answer it was declared on
  std::string line;                        // what the model wrote about it
  std::string settles;
};

struct WhyCarrier {
  CallKey call;
  std::uint32_t message = 0;  // of the result
  std::string tool;
  std::string pointer;  // JSON pointer in the result; "" in text
  std::string raw;      // as the result spells it; "" when that is exact or not known
  evidence::Level level = evidence::Level::exact;
  bool failed = false;
  bool echo = false;
  bool partial = false;
  bool superseded = false;
  std::optional<findings::Standing> then;  // its standing when the answer was given
  std::optional<findings::Standing> now;
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
  std::optional<std::uint32_t> supplied_in;  // the first message that says it
  std::string formula;
  double chance = 0;
  std::vector<WhyOperand> operands;
  std::vector<WhyCarrier> carriers;
  std::vector<std::string> notes;
  std::optional<findings::ContingentRow> contingent;  // only results that were set aside carry it
};

struct WhyArgument {
  std::string path;  // JSON pointer into the arguments
  WhyValue value;
};

// Another current fact asserts something else about the same thing.
struct WhyContradiction {
  std::string subject;  // kind/id
  std::string predicate;
  json::Value here;
  json::Value there;
  findings::ResultRef other;
};

struct WhyJudgment {
  std::string judge;
  findings::Standing standing = findings::Standing::open;
  std::optional<double> confidence;
};

struct WhyCall {
  CallKey key;
  std::string tool;
  std::string arguments;  // as the model wrote them
  ResultStatus status = ResultStatus::ok;
  std::uint32_t result = 0;  // index of the result's message
  std::uint32_t turn = 0;
  std::string measured_at;  // as the result declares it, "" when it does not
  std::string measured_by;  // the source it names
  std::vector<std::string> not_covered;
  WhyStanding standing;
  std::optional<CallKey> replaced_by;  // a later call with the same tool and arguments
  std::vector<WhyContradiction> contradictions;
  std::optional<WhyJudgment> judgment;  // a judge's opinion, never a standing
  std::vector<WhyArgument> values;      // of the arguments' leaves, in order
};

// A use of a value from a result that was set aside, under the result it led to.
struct WhyTowerStep {
  std::size_t depth = 0;
  findings::TowerEdge edge;
  std::optional<findings::Standing> now;  // of the base
};

struct WhyTower {
  findings::ResultRef result;
  bool on_set_aside_ground = false;  // now, directly or through another
  std::vector<WhyTowerStep> steps;   // depth first
};

struct Explanation {
  std::uint32_t message = 0;
  std::string answer;
  std::vector<WhyValue> values;
  std::vector<WhyCall> calls;  // in the order they are met
  std::vector<WhyTower> towers;
  findings::Headline headline;  // how much was declared, at the end of the conversation
  bool several_turns = false;
  bool calls_capped = false;     // further calls were left out
  bool value_not_found = false;  // the answer holds no such value
  // Then: what was asked for, what the answer holds instead, and where the asked value stands.
  std::string asked;
  std::vector<std::string> held;
  bool in_text = false;               // the answer has the asked text, but reads no value there
  std::optional<WhyValue> elsewhere;  // empty when nobody said it and no result carries it
};

// Throws Error "why-message" when the conversation has no such answer.
[[nodiscard]] Explanation explain_answer(const Conversation& conversation,
                                         const WhyQuestion& question);

}  // namespace agentfootprint
