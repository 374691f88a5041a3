// The claims contract: does a field of a structured answer say what was read?
//
// What: a contract binds places of a JSON answer to (entity, field) pairs. A `ClaimLedger` takes
// the described results of a run: each column of a fact row, each point of a series. `check_claims`
// compares each place with the reading that settles its pair: the one measured last, and among
// equal or unknown moments the one that landed last.
//
// When to use: with an output schema, where an answer restates readings.
//
// Not guaranteed: that a pair without a reading is wrong; it could not be checked.
//
// Outcomes: the place is not in the answer → not applicable; no reading, or one that says it is
// unknown → could not run; the answer doubts (null or "unknown") what was read → passed, and
// advisory; a number written as text that equals a settled number → passed; the same value →
// passed; another value → failed, with the earlier readings beside it.
//
// Example:
//   evidence::ClaimLedger ledger;
//   ledger.add(json::parse_or_throw(R"({"facts": [{"entity": "nav", "count": 2}]})"), "menu",
//              CallKey{1, 0}, 1);
//   std::vector<evidence::ClaimPath> contract = {{"/nav_count", "nav", "count"}};
//   json::Value answer = json::object({{"nav_count", 5}});
//   auto checked = evidence::check_claims(contract, answer, ledger);
//   (void)checked[0].outcome;   // failed
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agentfootprint/conversation/message.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::evidence {

struct ClaimPath {
  std::string path;  // JSON pointer into the answer; a bare name is a member of the whole
  std::string entity;
  std::string field;
};

// Throws Refusal "claims-contract" with every fault: no entry, a blank path, entity or field, a
// path given twice.
void check_claims_contract(const std::vector<ClaimPath>& contract);

struct ClaimRow {
  std::string entity;
  std::string field;
  json::Value value;
  std::string tool;
  CallKey call;
  std::uint32_t iteration = 0;
  std::optional<std::string> measured_at;  // as the result wrote it
};
[[nodiscard]] json::Value to_json(const ClaimRow& row);
// Empty when the value is not what `to_json` writes.
[[nodiscard]] std::optional<ClaimRow> claim_row_from_json(const json::Value& value);

class ClaimLedger {
 public:
  // The readings of a described result (its wire envelope); edges are not read.
  void add(const json::Value& envelope, std::string_view tool, const CallKey& call,
           std::uint32_t iteration);
  void add_row(ClaimRow row);
  [[nodiscard]] const std::vector<ClaimRow>& rows() const noexcept { return rows_; }
  // Positions of a pair's rows, the settling one last.
  [[nodiscard]] std::vector<std::size_t> of(std::string_view entity, std::string_view field) const;

 private:
  std::vector<ClaimRow> rows_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_pair_;
};

enum class ClaimOutcome : std::uint8_t { passed, advisory, failed, not_applicable, could_not_run };
[[nodiscard]] std::string_view name_of(ClaimOutcome outcome) noexcept;  // "not-applicable", …

struct CheckedClaim {
  std::size_t entry = 0;  // position in the contract
  ClaimOutcome outcome = ClaimOutcome::not_applicable;
  std::optional<json::Value> claimed;
  std::optional<std::size_t> settled;  // positions in the ledger
  std::vector<std::size_t> earlier;    // quoted beside a failure
};

// One a contract entry, in its order.
[[nodiscard]] std::vector<CheckedClaim> check_claims(const std::vector<ClaimPath>& contract,
                                                     const json::Value& answer,
                                                     const ClaimLedger& ledger);

}  // namespace agentfootprint::evidence
