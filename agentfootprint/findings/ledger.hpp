// The findings ledger: append-only rows, one writer, events without values.
//
// What: `record` is the only way in. It appends the rows of one moment, files a conflict row for
// every contradiction that is open after them and was never filed, and gives the events of the
// moment. One conflict row per key for the life of the ledger: the fold shows it open, closed and
// open again.
//
// When to use: one ledger a run; it is a value, and copies share their rows. `restore` takes rows
// back from a checkpoint without filing anything.
//
// Not guaranteed: that a row says anything true. Events carry identities, words and counts, never
// values, `settles`, `line`, refs or proposition texts.
//
// Cost: a write costs the same however many rows there are (see bench/results.md, Findings).
//
// Example:
//   findings::Ledger ledger;
//   findings::StandingRow row;
//   row.result = findings::ResultRef("c1", CallKey{1, 0});
//   row.standing = findings::Standing::fact;
//   row.iteration = 2;
//   findings::WriteReceipt receipt = ledger.record({row});
//   (void)receipt.rows_added;            // 1
//   (void)receipt.events.front().name;   // agentfootprint.findings.standing
//   (void)ledger.fold().has_standing();  // true
#pragma once

#include <string>
#include <vector>

#include "agentfootprint/findings/fold.hpp"

namespace agentfootprint::findings {

struct FindingsEvent {
  std::string name;     // agentfootprint.findings.declared, …
  json::Value payload;  // identities, vocabulary words and counts
};

struct WriteReceipt {
  std::size_t first = 0;       // index of the first row added
  std::size_t rows_added = 0;  // conflict rows included
  std::vector<FindingsEvent> events;
};

class Ledger {
 public:
  // No rows: no write and no event.
  WriteReceipt record(std::vector<Row> rows);
  // Rows of a checkpoint, as they are.
  void restore(std::vector<Row> rows);
  void restore(SharedRow row);

  [[nodiscard]] const std::vector<SharedRow>& rows() const noexcept { return rows_; }
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
  [[nodiscard]] const LedgerFold& fold() const noexcept { return fold_; }

 private:
  std::size_t file_conflicts(std::uint32_t iteration);

  std::vector<SharedRow> rows_;
  LedgerFold fold_;
};

// All rows as JSON, and back; the error names the row and what is wrong with it.
[[nodiscard]] json::Value ledger_to_json(const Ledger& ledger);
[[nodiscard]] Expected<Ledger, std::string> ledger_from_json(const json::Value& rows);

}  // namespace agentfootprint::findings
