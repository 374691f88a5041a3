// The moments of a run at which the ledger is written, in their order.
//
// What: pure functions from what happened to the rows that are filed for it. When a batch of calls
// starts, the standings of every call are filed before any of them runs; then, on reaching each
// call, its basis and the contingent values of its arguments; at the answer the standings of its
// notes, then the contingent values of the answer.
//
// When to use: the hooks of a dispatch pipeline: `rows_at_batch_start`, `rows_at_call`,
// `rows_at_answer`, `rows_of_answer_values`; each result goes to `Ledger::record` in one write.
//
// Not guaranteed: that both doors are armed. Contingent rows need the evidence gate too; a caller
// without it never asks for them, and nothing else changes.
//
// A call that is closed by the library without running (a paused batch) still gets its basis row;
// pass no values, for it used none.
//
// Example:
//   findings::BatchCall call;
//   call.call = findings::ResultRef("c2", CallKey{3, 0});
//   call.tool_name = "ports";
//   call.split = findings::split_findings(json::parse_or_throw(
//       R"({"_findings": {"previous": [{"toolCallId": "c1", "standing": "noise"}]}})"));
//   auto rows = findings::rows_at_batch_start({call}, findings::KnownResults(), 2);
//   (void)rows.size();   // 1: c1 is noise, an unknown id
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agentfootprint/findings/answer_scanner.hpp"
#include "agentfootprint/findings/contingent.hpp"
#include "agentfootprint/findings/ledger.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint::findings {

// A call of a batch with its declaration taken off.
struct BatchCall {
  ResultRef call;
  std::string tool_name;
  SplitArguments split;  // of a tool that owns the name: the arguments as they are, no declaration
};

// Takes the declaration off, unless the tool's schema owns the name.
[[nodiscard]] BatchCall batch_call(ResultRef call, std::string tool_name,
                                   const json::Value& arguments, const json::Value& input_schema);

// Every `previous` standing of the batch, call by call, each ruled-out one followed by its
// unsettled row.
[[nodiscard]] std::vector<Row> rows_at_batch_start(const std::vector<BatchCall>& batch,
                                                   const KnownResults& known,
                                                   std::uint32_t iteration);

// The basis row (or, without a basis, a row for what could not be read), then the contingent rows
// of the arguments. The fold must hold the batch's standings by now.
[[nodiscard]] std::vector<Row> rows_at_call(const BatchCall& call,
                                            const std::vector<CarriedValue>& values,
                                            const LedgerFold& fold, std::uint32_t iteration,
                                            ContingentOptions options = {});

// The standings of an answer's notes, and a row for what could not be read.
[[nodiscard]] std::vector<Row> rows_at_answer(const AnswerNotes& notes, const KnownResults& known,
                                              std::uint32_t iteration);

// The contingent rows of an answer; none when it is empty.
[[nodiscard]] std::vector<Row> rows_of_answer_values(const std::vector<CarriedValue>& values,
                                                     const LedgerFold& fold,
                                                     std::uint32_t iteration,
                                                     ContingentOptions options = {});

}  // namespace agentfootprint::findings
