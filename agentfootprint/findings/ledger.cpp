// The one writer of the ledger.
#include "agentfootprint/findings/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint::findings {
namespace {

// Builds the events of one write. Conflict rows of the write stand at its end.
class EventMaker {
 public:
  EventMaker(const LedgerFold& fold, const std::vector<SharedRow>& rows, std::size_t first,
             std::size_t conflicts_from)
      : fold_(fold), rows_(rows), first_(first), conflicts_from_(conflicts_from) {}

  std::vector<FindingsEvent> make() {
    for (std::size_t at = first_; at < conflicts_from_; ++at) {
      std::visit([this](const auto& row) { event(row); }, *rows_[at]);
    }
    return std::move(events_);
  }

 private:
  void emit(std::string_view name, json::ObjectBuilder& payload) {
    events_.push_back({fmt::format("agentfootprint.findings.{}", name), payload.build()});
  }

  void event(const BasisRow& row) {
    json::ObjectBuilder out;
    out.add("toolName", row.tool_name);
    add_result(out, row.result);
    out.add("iteration", row.iteration);
    out.add("basis", name_of(row.basis));
    if (row.expect) out.add("expect", name_of(*row.expect));
    if (row.proposition) out.add("hasProposition", true);
    if (row.malformed > 0) out.add("malformed", row.malformed);
    emit("declared", out);
  }

  void event(const StandingRow& row) {
    json::ObjectBuilder out;
    add_result(out, row.result);
    out.add_if("toolName", row.tool_name);
    out.add("iteration", row.iteration);
    out.add("standing", name_of(row.standing));
    out.add("declaredOn", row.declared_on.on_answer() ? "answer" : "tool-call");
    out.add("assertionCount", row.assertions.size());
    json::Value keys = conflict_keys(row.result);
    if (!keys.empty()) out.add("conflictKeys", std::move(keys));
    if (row.unknown_id) out.add("unknownId", true);
    if (const JudgmentRow* judgment = fold_.last_judgment(row.result)) {
      out.add("agrees", judgment->standing == row.standing);
    }
    if (row.by != DeclaredBy::model) out.add("by", name_of(row.by));
    emit("standing", out);
  }

  void event(const JudgmentRow& row) {
    json::ObjectBuilder out;
    add_result(out, row.result);
    out.add("toolName", row.tool_name);
    out.add("iteration", row.iteration);
    out.add("against", row.against_proposition ? "proposition" : "question");
    out.add("standing", name_of(row.standing));
    out.add_if("confidence", row.confidence);
    out.add("latencyMs", row.latency_ms);
    if (row.usage) {
      out.add("inputTokens", row.usage->input_tokens);
      out.add("outputTokens", row.usage->output_tokens);
    }
    emit("judged", out);
  }

  void event(const JudgmentErrorRow& row) {
    json::ObjectBuilder out;
    add_result(out, row.result);
    out.add("toolName", row.tool_name);
    out.add("iteration", row.iteration);
    out.add_if("status", row.status);
    out.add("latencyMs", row.latency_ms);
    emit("judge_failed", out);
  }

  void event(const ContingentRow& row) {
    json::ObjectBuilder out;
    out.add("iteration", row.iteration);
    out.add("declaredOn", row.declared_on.on_answer() ? "answer" : "tool-call");
    if (row.declared_on.call) add_result(out, *row.declared_on.call);
    out.add("carriers", row.carriers.size());
    json::ArrayBuilder standings;
    bool seen[4] = {false, false, false, false};
    for (const ContingentCarrier& carrier : row.carriers) {
      bool& mark = seen[static_cast<std::size_t>(carrier.standing)];
      if (!mark) standings.add(name_of(carrier.standing));
      mark = true;
    }
    out.add("standings", standings.build());
    out.add("valueChars", utf8::count(row.value));
    if (row.level) out.add("level", *row.level);
    emit("contingent", out);
  }

  void event(const MalformedRow& row) {
    json::ObjectBuilder out;
    out.add("iteration", row.iteration);
    out.add("declaredOn", row.declared_on.on_answer() ? "answer" : "tool-call");
    if (row.declared_on.call) add_result(out, *row.declared_on.call);
    out.add("malformed", row.malformed);
    emit("malformed", out);
  }

  void event(const ConflictRow&) {}
  void event(const UnsettledRow&) {}

  // Keys of the conflict rows this write filed that have the result among their witnesses.
  json::Value conflict_keys(const ResultRef& result) const {
    json::ArrayBuilder keys;
    for (std::size_t at = conflicts_from_; at < rows_.size(); ++at) {
      const auto& conflict = std::get<ConflictRow>(*rows_[at]);
      const bool among =
          std::any_of(conflict.witnesses.begin(), conflict.witnesses.end(),
                      [&](const Witness& witness) { return witness.result.same_as(result); });
      if (among) keys.add(conflict.key);
    }
    return keys.build();
  }

  const LedgerFold& fold_;
  const std::vector<SharedRow>& rows_;
  std::size_t first_;
  std::size_t conflicts_from_;
  std::vector<FindingsEvent> events_;
};

ConflictRow conflict_row(const Conflict& conflict, std::uint32_t iteration) {
  ConflictRow row;
  row.key = conflict.key;
  row.iteration = iteration;
  for (const AssertedRef& one : conflict.assertions) {
    row.witnesses.push_back({one.row->result, one.assertion->subject_kind,
                             one.assertion->subject_id, one.assertion->predicate});
  }
  return row;
}

}  // namespace

// Only keys whose assertions this write changed can have become conflicts; they are filed in the
// order in which the whole fold would list them.
std::size_t Ledger::file_conflicts(std::uint32_t iteration) {
  std::vector<std::string> fresh = fold_.take_touched_keys();
  fresh.erase(std::remove_if(fresh.begin(), fresh.end(),
                             [this](const std::string& key) {
                               return fold_.conflict_filed(key) || !fold_.in_conflict(key);
                             }),
              fresh.end());
  fold_.sort_by_first_assertion(fresh);
  for (const std::string& key : fresh) {
    rows_.push_back(share_row(conflict_row(*fold_.conflict_of(key), iteration)));
    fold_.apply(rows_.back());
  }
  return fresh.size();
}

WriteReceipt Ledger::record(std::vector<Row> rows) {
  WriteReceipt receipt;
  receipt.first = rows_.size();
  if (rows.empty()) return receipt;
  const std::uint32_t iteration = iteration_of(rows.back());
  for (Row& row : rows) {
    rows_.push_back(share_row(std::move(row)));
    fold_.apply(rows_.back());
  }
  const std::size_t conflicts_from = rows_.size();
  file_conflicts(iteration);
  receipt.rows_added = rows_.size() - receipt.first;
  receipt.events = EventMaker(fold_, rows_, receipt.first, conflicts_from).make();
  return receipt;
}

void Ledger::restore(std::vector<Row> rows) {
  for (Row& row : rows) restore(share_row(std::move(row)));
}

void Ledger::restore(SharedRow row) {
  rows_.push_back(std::move(row));
  fold_.apply(rows_.back());
}

json::Value ledger_to_json(const Ledger& ledger) {
  json::ArrayBuilder rows;
  rows.reserve(ledger.rows().size());
  for (const SharedRow& row : ledger.rows()) rows.add(to_json(*row));
  return rows.build();
}

Expected<Ledger, std::string> ledger_from_json(const json::Value& rows) {
  if (!rows.is_array()) {
    return Unexpected<std::string>(
        fmt::format("a ledger is an array of rows, not {}", json::name_of(rows.kind())));
  }
  Ledger ledger;
  std::size_t index = 0;
  for (const json::Value& row : rows.elements()) {
    auto read = row_from_json(row);
    if (!read) return Unexpected<std::string>(fmt::format("row {}: {}", index, read.error()));
    ledger.restore(share_row(std::move(*read)));
    ++index;
  }
  return ledger;
}

}  // namespace agentfootprint::findings
