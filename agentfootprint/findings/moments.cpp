// Rows of each moment.
#include "agentfootprint/findings/moments.hpp"

#include <utility>

#include "agentfootprint/findings/argument_schema.hpp"
#include "agentfootprint/findings/unsettled.hpp"

namespace agentfootprint::findings {
namespace {

void add_standings(std::vector<Row>& rows, const KnownResults& known,
                   const Declaration& declaration, const DeclaredOn& declared_on,
                   std::uint32_t iteration) {
  for (StandingRow& standing : standing_rows_from(known, declaration, declared_on, iteration)) {
    const KnownResult* result = standing.standing == Standing::ruled_out
                                    ? known.find(standing.result.tool_call_id)
                                    : nullptr;
    rows.emplace_back(std::move(standing));
    if (result == nullptr) continue;
    if (auto unsettled = unsettled_row_for(*result, iteration)) {
      rows.emplace_back(std::move(*unsettled));
    }
  }
}

void add_contingent(std::vector<Row>& rows, const std::vector<CarriedValue>& values,
                    const LedgerFold& fold, const DeclaredOn& declared_on, std::uint32_t iteration,
                    ContingentOptions options) {
  for (ContingentRow& row : contingent_rows_of(values, fold, declared_on, iteration, options)) {
    rows.emplace_back(std::move(row));
  }
}

Row malformed_row(const DeclaredOn& declared_on, std::size_t malformed, std::uint32_t iteration) {
  MalformedRow row;
  row.declared_on = declared_on;
  row.malformed = malformed;
  row.iteration = iteration;
  return row;
}

}  // namespace

BatchCall batch_call(ResultRef call, std::string tool_name, const json::Value& arguments,
                     const json::Value& input_schema) {
  BatchCall one;
  one.call = std::move(call);
  one.tool_name = std::move(tool_name);
  if (owns_findings_name(input_schema)) {
    one.split.arguments = arguments;
  } else {
    one.split = split_findings(arguments);
  }
  return one;
}

std::vector<Row> rows_at_batch_start(const std::vector<BatchCall>& batch, const KnownResults& known,
                                     std::uint32_t iteration) {
  std::vector<Row> rows;
  for (const BatchCall& call : batch) {
    if (!call.split.declaration) continue;
    add_standings(rows, known, *call.split.declaration, DeclaredOn(call.call), iteration);
  }
  return rows;
}

std::vector<Row> rows_at_call(const BatchCall& call, const std::vector<CarriedValue>& values,
                              const LedgerFold& fold, std::uint32_t iteration,
                              ContingentOptions options) {
  std::vector<Row> rows;
  const std::optional<Declaration>& declaration = call.split.declaration;
  if (declaration && declaration->basis) {
    rows.emplace_back(
        basis_row_from(call.call, call.tool_name, *declaration, call.split.malformed, iteration));
  } else if (call.split.malformed > 0) {
    rows.push_back(malformed_row(DeclaredOn(call.call), call.split.malformed, iteration));
  }
  add_contingent(rows, values, fold, DeclaredOn(call.call), iteration, options);
  return rows;
}

std::vector<Row> rows_at_answer(const AnswerNotes& notes, const KnownResults& known,
                                std::uint32_t iteration) {
  std::vector<Row> rows;
  if (notes.declaration) {
    add_standings(rows, known, *notes.declaration, DeclaredOn(), iteration);
  }
  if (notes.malformed > 0) rows.push_back(malformed_row(DeclaredOn(), notes.malformed, iteration));
  return rows;
}

std::vector<Row> rows_of_answer_values(const std::vector<CarriedValue>& values,
                                       const LedgerFold& fold, std::uint32_t iteration,
                                       ContingentOptions options) {
  std::vector<Row> rows;
  add_contingent(rows, values, fold, DeclaredOn(), iteration, options);
  return rows;
}

}  // namespace agentfootprint::findings
