// The served piece: the ledger as the model reads it back.
//
// What: a text composed from the rows alone: facts, limitations, open references, next steps,
// contingent values, unsettled absences, and counts of noise and undeclared results. It is a pure
// function of its arguments, without a clock or a call number, so that prompt caches survive.
//
// When to use: once a request, as its last piece after the newest result (or, in the upstream
// placement, as the last piece of the system prompt).
//
// Not guaranteed: completeness beyond the stated bounds; every cut is stated in the text.
//
// Limits: 64 lines a section, 240 code points a line, 32 ids a count, 64 code points an id. Line
// breaks in what a model wrote are folded to one space, so that a text cannot forge a section.
//
// Example:
//   findings::StandingRow row;
//   row.result = findings::ResultRef("c1");
//   row.standing = findings::Standing::noise;
//   findings::LedgerFold fold = findings::fold_ledger({findings::share_row(row)});
//   auto text = findings::findings_ledger_piece(fold, {findings::ResultRef("c2")});
//   (void)text;   // … noise: 1 result (tool:c1) … undeclared: 1 result, … (tool:c2)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/findings/collapse.hpp"
#include "agentfootprint/findings/fold.hpp"

namespace agentfootprint::findings {

enum class AnswerAsk : std::uint8_t { none, quote_facts };
// Where the piece and the offer travel.
enum class Placement : std::uint8_t { last, upstream };

struct PieceOptions {
  AnswerAsk answer_ask = AnswerAsk::none;
  Placement placement = Placement::last;
  ResultNames names;  // how results are called; empty: by the rows' ids
};

// Results without a standing: how many, and the first kListedIds of them in order.
struct UndeclaredResults {
  std::size_t count = 0;
  std::vector<ResultRef> first;
};

// Empty when no standing exists: bases alone serve nothing, and the ask never travels alone. What
// it costs depends on the lines it has, not on the rows of the ledger; only the line of a conflict
// names every result that is part of it.
[[nodiscard]] std::optional<std::string> findings_ledger_piece(const LedgerFold& fold,
                                                               const UndeclaredResults& undeclared,
                                                               const PieceOptions& options = {});
// The same for the results of a conversation; those without a standing are counted.
[[nodiscard]] std::optional<std::string> findings_ledger_piece(const LedgerFold& fold,
                                                               const std::vector<ResultRef>& served,
                                                               const PieceOptions& options = {});

}  // namespace agentfootprint::findings
