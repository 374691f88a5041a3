// Events of a run: a closed list, cheap when nobody listens.
//
// What: what happens in a run, as it happens, told to an `EventSink`. A sink says which kinds it
// wants; an event nobody wants is never built. Views inside an event live for the call only: copy
// what you keep.
//
// When to use: progress displays, metrics, logs. Proof is the record, not the events.
//
// Order within a run: turn_start; then per iteration: iteration_start, window, model_start,
// text_delta*, model_retry*, model_end, [middleware, schema, evidence decisions], route; then per
// call of the batch, in wire order: tool_start, permission, middleware, arguments_invalid or
// check_in or credential; results land in wire order too: tool_progress* (while executing),
// coverage, described, result_refused, middleware, artifact, tool_end, findings; iteration_end.
// Last, for every outcome, exactly one turn_end.
//
// Not guaranteed: delivery to a sink that throws (the run goes on without telling it more about
// that event).
//
// Example (file scope):
//   struct CountTools : agentfootprint::EventSink {
//     int tools = 0;
//     bool wants(agentfootprint::EventKind kind) const noexcept override {
//       return kind == agentfootprint::EventKind::tool_end;
//     }
//     void on(const agentfootprint::Event&) override { ++tools; }
//   };
#pragma once

#include <cstdint>
#include <string_view>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint {

enum class EventKind : std::uint8_t {
  turn_start,  // text: the input
  turn_end,    // text: answer, paused, stopped, failed; name: a stop's reason, a failure's code;
               // detail: {iterations, corrections, usage, costUsd?, phase?, earlyStop?}
  iteration_start,
  iteration_end,      // number: calls of the batch
  model_start,        // text: provider id; number: messages served
  text_delta,         // text: the delta
  model_retry,        // name: provider; text: error kind; number: delay in ms
  model_end,          // text: stop reason; number: calls asked for; detail: usage
  route,              // text: tool-calls, output-retry, evidence-recheck, wrap-up, final
  tool_start,         // name: tool; detail: arguments
  permission,         // name: tool; text: allow, deny, halt; detail: {capability, rule?}
  middleware,         // name: middleware; text: allow, deny, ask; detail: {moment, changed, why?}
  arguments_invalid,  // name: tool; number: issues; detail: [{path, message}], never a value
  check_in,           // name: tool; detail: the request
  credential,         // name: service; text: requested, issued, authorization-required, failed
  tool_progress,      // name: tool; detail: payload
  coverage,           // name: tool; text: absent or coverage; detail: what was declared
  described,          // name: tool; detail: the whole envelope
  result_refused,     // name: tool; number: code points of the result; detail: {maxChars}
  artifact,       // name: tool; text: minted, resolved, expired, refused, presented; detail: the
                  // fact's payload (meta, never rows)
  repeated_call,  // name: tool; number: occurrences
  tool_end,       // name: tool; text: status; number: duration in microseconds
  evidence,       // text: action; detail: {candidates, unsupported}
  findings,       // text: row kind; detail: identities and counts, never values
  output_schema,  // text: passed, retried, exhausted
  budget,  // name: cost, max-iterations, cost-budget, deadline, corrections; text: warn, halt,
           // wrapped-up, cut-short, stopped, spent; detail: the limit and what was used
  pause,   // text: ask, middleware, check-in, credential
  resume,
  teardown,  // name: tool; text: failed, timed-out; one that works is not told
  window,    // name: strategy; text: dropped, summarized, blocked, stood-down, summarizer-failed;
             // number: messages newly left out; detail: the row of the record
  check,  // name: check; text: fired, passed, not-applicable, could-not-run; detail: a finding that
          // is told for the first time
};
[[nodiscard]] std::string_view name_of(EventKind kind) noexcept;
inline constexpr int kEventKinds = static_cast<int>(EventKind::check) + 1;

struct Event {
  EventKind kind = EventKind::turn_start;
  std::string_view run;         // the run's id, stable over pause and resume
  std::uint32_t iteration = 0;  // from 1; 0 outside an iteration
  std::int64_t at_us = 0;       // microseconds since the start of this segment of the run
  std::string_view call;        // the call's key as "[4,1]", "" when it is about no call
  std::string_view name;
  std::string_view text;
  std::int64_t number = 0;
  const json::Value* detail = nullptr;  // null when there is none
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  [[nodiscard]] virtual bool wants(EventKind kind) const noexcept = 0;
  virtual void on(const Event& event) = 0;
};

}  // namespace agentfootprint
