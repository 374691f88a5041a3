// The incremental fold, the writer and the offer against naive ones that read every row every time.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "agentfootprint/base/random.hpp"
#include "agentfootprint/findings/ledger.hpp"
#include "agentfootprint/findings/offer.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::findings {
namespace {

using Id = std::pair<std::string, std::optional<CallKey>>;

// What the design says, row by row, with no state kept.
struct NaiveFold {
  std::vector<std::pair<Id, const StandingRow*>> standings;  // in the order of first naming
  std::vector<AssertedRef> asserted;
  std::vector<std::pair<std::string, std::vector<AssertedRef>>> conflicts;
  std::set<std::string> filed;

  explicit NaiveFold(const std::vector<SharedRow>& rows) {
    for (const SharedRow& row : rows) {
      if (const auto* conflict = std::get_if<ConflictRow>(row.get())) filed.insert(conflict->key);
      const auto* standing = std::get_if<StandingRow>(row.get());
      if (standing == nullptr) continue;
      Id id{standing->result.call ? "" : standing->result.tool_call_id, standing->result.call};
      const auto found = std::find_if(standings.begin(), standings.end(),
                                      [&](const auto& one) { return one.first == id; });
      if (found == standings.end()) {
        standings.emplace_back(id, standing);
      } else {
        found->second = standing;
      }
    }
    for (const auto& [id, row] : standings) {
      if (row->standing != Standing::fact) continue;
      for (const Assertion& assertion : row->assertions) asserted.push_back({row, &assertion});
    }
    for (const AssertedRef& one : asserted) {
      const std::string key = one.assertion->key();
      const auto there = std::find_if(conflicts.begin(), conflicts.end(),
                                      [&](const auto& conflict) { return conflict.first == key; });
      if (there != conflicts.end()) continue;
      std::vector<AssertedRef> same;
      bool differ = false;
      for (const AssertedRef& other : asserted) {
        if (other.assertion->key() != key) continue;
        for (const AssertedRef& earlier : same) {
          differ = differ ||
                   (earlier.row != other.row && json::dump_canonical(earlier.assertion->value) !=
                                                    json::dump_canonical(other.assertion->value));
        }
        same.push_back(other);
      }
      if (differ) conflicts.emplace_back(key, same);
    }
  }
};

ResultRef random_result(SeededRandom& random) {
  const std::uint64_t which = random.below(6);
  const std::string id = "c" + std::to_string(which % 3);
  if (which < 2) return ResultRef(id);
  return ResultRef(id, CallKey{static_cast<std::uint32_t>(which), 0, false});
}

StandingRow random_standing(SeededRandom& random) {
  StandingRow row;
  row.result = random_result(random);
  row.standing = kStandings[random.below(4)];
  row.iteration = static_cast<std::uint32_t>(random.below(9));
  if (random.below(2) == 0) row.settles = "look again";
  const std::uint64_t assertions = random.below(3);
  for (std::uint64_t k = 0; k < assertions; ++k) {
    Assertion assertion;
    assertion.subject_kind = "port";
    assertion.subject_id = "fc1/" + std::to_string(random.below(2));
    assertion.predicate = "state";
    assertion.value = random.below(2) == 0 ? json::Value("up") : json::Value("down");
    row.assertions.push_back(std::move(assertion));
  }
  return row;
}

UnsettledRow random_unsettled(SeededRandom& random) {
  UnsettledRow row;
  row.result = random_result(random);
  const std::uint64_t items = random.below(3);
  for (std::uint64_t k = 0; k < items; ++k) row.not_checked.push_back({"ports", std::nullopt});
  if (random.below(2) == 0) row.try_instead = "ask again";
  return row;
}

// The results with one standing, what they assert, and which say what would settle them.
void expect_same_lists(const LedgerFold& fold, const NaiveFold& naive, Standing standing) {
  std::vector<const StandingRow*> want;
  std::vector<const StandingRow*> want_to_settle;
  std::size_t entries = 0;
  for (const auto& [id, row] : naive.standings) {
    if (row->standing != standing) continue;
    want.push_back(row);
    if (row->settles) want_to_settle.push_back(row);
    entries += row->assertions.empty() ? 1 : row->assertions.size();
  }
  std::vector<const StandingRow*> got;
  const auto take = [&got](const StandingRow& row) {
    got.push_back(&row);
    return true;
  };
  fold.each_of(standing, take);
  EXPECT_EQ(got, want);
  EXPECT_EQ(fold.count_of(standing), want.size());
  EXPECT_EQ(fold.entries_of(standing), entries);
  if (standing != Standing::open) return;
  got.clear();
  fold.each_to_settle(take);
  EXPECT_EQ(got, want_to_settle);
  EXPECT_EQ(fold.count_to_settle(), want_to_settle.size());
}

// The unsettled rows of what is ruled out, by scanning the rows.
void expect_same_unsettled(const LedgerFold& fold, const std::vector<SharedRow>& rows) {
  std::vector<Id> order;
  std::map<Id, const UnsettledRow*> last;
  for (const SharedRow& row : rows) {
    const auto* unsettled = std::get_if<UnsettledRow>(row.get());
    if (unsettled == nullptr) continue;
    const ResultRef& result = unsettled->result;
    const Id id{result.call ? "" : result.tool_call_id, result.call};
    if (!last.contains(id)) order.push_back(id);
    last[id] = unsettled;
  }
  std::vector<const UnsettledRow*> want;
  std::size_t items = 0;
  const NaiveFold naive(rows);
  for (const Id& id : order) {
    const auto standing = std::find_if(naive.standings.begin(), naive.standings.end(),
                                       [&](const auto& one) { return one.first == id; });
    if (standing == naive.standings.end()) continue;
    if (standing->second->standing != Standing::ruled_out) continue;
    want.push_back(last.at(id));
    items += want.back()->not_checked.size() + want.back()->cannot_cover.size() +
             (want.back()->try_instead ? 1 : 0);
  }
  EXPECT_EQ(fold.unsettled(), want);
  EXPECT_EQ(fold.unsettled_count(), want.size());
  EXPECT_EQ(fold.unsettled_items(), items);
}

void expect_same(const LedgerFold& fold, const std::vector<SharedRow>& rows) {
  const NaiveFold naive(rows);
  const auto standings = fold.standings();
  ASSERT_EQ(naive.standings.size(), standings.size());
  bool set_aside = false;
  for (std::size_t at = 0; at < standings.size(); ++at) {
    ASSERT_EQ(naive.standings[at].second, standings[at]);
    set_aside = set_aside || is_set_aside(standings[at]->standing);
  }
  EXPECT_EQ(set_aside, fold.has_set_aside());
  for (const Standing standing : kStandings) expect_same_lists(fold, naive, standing);
  expect_same_unsettled(fold, rows);
  const auto asserted = fold.asserted();
  ASSERT_EQ(naive.asserted.size(), asserted.size());
  for (std::size_t at = 0; at < asserted.size(); ++at) {
    EXPECT_EQ(naive.asserted[at].assertion, asserted[at].assertion);
  }
  const auto conflicts = fold.conflicts();
  ASSERT_EQ(naive.conflicts.size(), conflicts.size());
  for (std::size_t at = 0; at < conflicts.size(); ++at) {
    EXPECT_EQ(naive.conflicts[at].first, conflicts[at].key);
    ASSERT_EQ(naive.conflicts[at].second.size(), conflicts[at].assertions.size());
    for (std::size_t k = 0; k < conflicts[at].assertions.size(); ++k) {
      EXPECT_EQ(naive.conflicts[at].second[k].assertion, conflicts[at].assertions[k].assertion);
    }
  }
}

// The rows of the plain writer: merge, fold everything, file what was never filed.
std::vector<std::string> naive_filing(const std::vector<SharedRow>& merged) {
  const NaiveFold naive(merged);
  std::vector<std::string> keys;
  for (const auto& [key, assertions] : naive.conflicts) {
    if (naive.filed.count(key) == 0) keys.push_back(key);
  }
  return keys;
}

TEST(FoldOracle, RandomLedgers) {
  SeededRandom random(21);
  int conflict_rows = 0;
  for (int round = 0; round < 400; ++round) {
    Ledger ledger;
    for (int write = 0; write < 12; ++write) {
      std::vector<Row> rows;
      const std::uint64_t count = random.below(4);
      for (std::uint64_t k = 0; k < count; ++k) {
        if (random.below(5) == 0) {
          rows.emplace_back(random_unsettled(random));
        } else {
          rows.emplace_back(random_standing(random));
        }
      }
      std::vector<SharedRow> merged = ledger.rows();
      for (const Row& row : rows) merged.push_back(share_row(row));
      const std::vector<std::string> want =
          rows.empty() ? std::vector<std::string>() : naive_filing(merged);

      const std::size_t before = ledger.rows().size();
      const WriteReceipt receipt = ledger.record(rows);
      ASSERT_EQ(receipt.rows_added, count + want.size());
      for (std::size_t k = 0; k < want.size(); ++k) {
        const auto& row = std::get<ConflictRow>(*ledger.rows()[before + count + k]);
        EXPECT_EQ(want[k], row.key);
        ++conflict_rows;
      }
      ASSERT_NO_FATAL_FAILURE(expect_same(ledger.fold(), ledger.rows()));
    }
    // A ledger read back folds to the same.
    const auto back = ledger_from_json(ledger_to_json(ledger));
    ASSERT_TRUE(back.has_value()) << back.error();
    EXPECT_EQ(json::dump(ledger_to_json(*back)), json::dump(ledger_to_json(ledger)));
    ASSERT_NO_FATAL_FAILURE(expect_same(back->fold(), back->rows()));
  }
  EXPECT_GT(conflict_rows, 100);
}

// Results with repeating ids, settled calls between them, standings in any order.
TEST(OfferOracle, RandomConversations) {
  SeededRandom random(22);
  for (int round = 0; round < 500; ++round) {
    Conversation conversation;
    Ledger ledger;
    ServedResults served;
    for (int step = 0; step < 15; ++step) {
      if (random.below(2) == 0) {
        const std::string id = "call_" + std::to_string(random.below(4));
        conversation.append(Message::assistant("", {ToolCall(id, "t", "{}")}));
        const auto status = random.below(5) == 0 ? ResultStatus::settled : ResultStatus::ok;
        Message result = Message::tool_result(id, "t", "r", status);
        result.dispatched = status != ResultStatus::settled;
        conversation.append(std::move(result));
      } else {
        StandingRow row;
        const std::string id = "call_" + std::to_string(random.below(5));
        const KnownResults known = known_results(conversation);
        const KnownResult* found = known.find(id);
        row.result = found == nullptr ? ResultRef(id) : found->result;
        row.standing = kStandings[random.below(4)];
        ledger.record({row});
      }
      served.sync(conversation);
      served.sync(ledger.fold(), ledger.rows());
      ASSERT_EQ(offered_result_ids(conversation, ledger.fold()), served.offer());
      std::vector<std::string> undeclared;
      for (const ServedResult* one : served.undeclared()) {
        EXPECT_EQ(ledger.fold().standing_of(one->result), nullptr);
        undeclared.push_back(one->result.tool_call_id);
      }
      std::size_t want = 0;
      for (const ServedResult& one : served.results()) {
        want += ledger.fold().standing_of(one.result) == nullptr ? 1 : 0;
      }
      EXPECT_EQ(want, undeclared.size());
      // Every offered id resolves.
      for (const std::string& id : served.offer()) {
        EXPECT_NE(known_results(conversation).find(id), nullptr);
      }
    }
  }
}

}  // namespace
}  // namespace agentfootprint::findings
