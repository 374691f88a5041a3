// Charts written as JSON: what `flow.script` runs.
//
// What: `flow_chart_from_json` builds a chart from
//
//   {"name"?, "steps": [STEP…], "loopTo"?: ID}
//
// A STEP has an `id`, `describe`?, and one of
//   `do`: [OP…], `retry`?: {attempts, backoffMs?: [n…], retryOn?: TEXT}     a stage
//   `ask`: EXPR, `do`?, `askWhen`?: [COND…], `answered`: [OP…]              a pausable stage
//   `decide`: CHOICE, `branches`: [BRANCH…]                                 a decision
//   `select`: CHOICE, `branches`, `join`?, `onError`?                       a fork that chooses
//   `fork`: {join?, onError?}, `branches`                                   a fork
//   `chart`: CHART, `input`?: [OP…], `output`?: [OP…], `propagateBreak`?    a mount
//   `forEach`: {items, into, result?, onError?}, `chart`: CHART             one for each element
// A BRANCH is {id, do} | {id, steps, loopTo?} | {id, chart, input?, output?, propagateBreak?}.
// A CHOICE is {rules: [{when: [COND…] | test: EXPR, then, label?}], otherwise?, otherwiseLabel?} or
// {choose: EXPR, do?, otherwise?}. A COND is [KEY, OPERATOR, THRESHOLD?].
// An OP is {set | append | merge: KEY, to: EXPR} | {erase: KEY} | {read: KEY} | {fail: TEXT,
// times?} (in the first `times` attempts only) | {break: TEXT} | {interrupt: EXPR, into: KEY} |
// {emit: NAME, to: EXPR} | {advance: MS} | {if: [COND…], do: [OP…]}.
// An EXPR is a literal, or an object with one member: {$read: KEY | [KEY, DEFAULT]}, {$peek: KEY},
// {$has: KEY}, {$size: KEY}, {$element: [KEY, N]}, {$input: POINTER}, {$answer: true}, {$attempt:
// true}, {$add: [EXPR…]}, {$times: [EXPR…]}, {$fail: TEXT}, {$value: LITERAL}. A KEY is a JSON
// pointer.
//
// When to use: text cases, and trying the engine without C++.
//
// Not guaranteed: that every chart can be written so; a stage of an application is a C++ function.
//
// Limits: numbers of `$add` and `$times` are integers of 64 bits.
//
// Example:
//   ManualClock clock;
//   json::Value text = json::object({{"steps", json::array({json::object(
//       {{"id", "a"}, {"do", json::array({json::object({{"set", "/x"}, {"to", 1}})})}})})}});
//   flow::Chart chart = flow_chart_from_json(text, clock);
//   (void)chart.hash();
#pragma once

#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/flow/chart.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint {

// Throws Refusal: "eval-input" for what is no chart in this form, else as the builder refuses.
// `clock` is what `advance` moves; it must outlive the chart.
[[nodiscard]] flow::Chart flow_chart_from_json(const json::Value& chart, ManualClock& clock);

}  // namespace agentfootprint
