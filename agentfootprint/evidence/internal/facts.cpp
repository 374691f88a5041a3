// Reading and summing what derivations keep of a result.
#include "agentfootprint/evidence/internal/facts.hpp"

#include <algorithm>

#include "agentfootprint/base/hash.hpp"

namespace agentfootprint::evidence {

const DerivationFacts& DerivationSlot::read(std::string_view text) const {
  std::call_once(once_, [this, text] {
    auto facts = std::make_shared<DerivationFacts>();
    facts->tables = internal::Tables::read(text);
    const auto& records = facts->tables->records();
    if (!records.empty() && records[0].node == 0) {
      if (const auto members = facts->tables->members(text, 0)) {
        for (const internal::TableLeaf& leaf : *members) {
          if (leaf.escaped) continue;
          if (auto amount = internal::plain_amount(leaf.span.in(text))) {
            facts->top_numbers.emplace_back(leaf.node, std::move(*amount));
          }
        }
      }
    }
    facts_ = std::move(facts);
  });
  return *facts_;
}

namespace internal {
namespace {

void add_number(GroupSums& sums, std::uint32_t node, const PlainAmount& amount) {
  for (auto& [at, total] : sums.columns) {
    if (at != node) continue;
    total.add(amount.number);
    return;
  }
  sums.columns.emplace_back(node, Total());
  sums.columns.back().second.add(amount.number);
}

void add_result(TurnTotals& totals, const DerivationResult& result) {
  const DerivationFacts& facts = result.facts();
  std::vector<std::uint64_t> seen;
  const auto entry = [&](std::uint32_t node, const std::string& unit) -> TurnTotal& {
    const std::uint64_t key = total_key(result, node);
    TurnTotal& total = totals[key];
    if (total.results == 0) {
      total.unit = unit;
      total.pointer = facts.tables->pointer_of(node);
    } else if (total.unit != unit) {
      total.mixed = true;
    }
    if (std::find(seen.begin(), seen.end(), key) == seen.end()) {
      ++total.results;
      seen.push_back(key);
    }
    return total;
  };
  for (const TableColumn& column : facts.tables->columns()) {
    if (column.row != kNone) continue;
    TurnTotal& total = entry(column.node, column.unit);
    total.total.add_sum(column.sum, column.rows, column.integers);
  }
  for (const auto& [node, amount] : facts.top_numbers) {
    TurnTotal& total = entry(node, amount.unit);
    if (!total.total.add(amount.number)) total.mixed = true;
  }
}

}  // namespace

std::uint64_t total_key(const DerivationResult& result, std::uint32_t node) {
  return hash64(result.tool, result.facts().tables->path_hash(node));
}

const GroupSums& group_sums(const DerivationResult& result, const TextPosting* first,
                            const TextPosting* last) {
  const DerivationFacts& facts = result.facts();
  const std::lock_guard lock(facts.mutex);
  const auto [at, made] = facts.groups.try_emplace({first->node, first->hash});
  GroupSums& sums = at->second;
  if (!made) return sums;
  for (const TextPosting* row = first; row != last; ++row) {
    const auto members = facts.tables->members(result.text, row->record);
    if (!members) continue;
    ++sums.rows;
    for (const TableLeaf& leaf : *members) {
      if (leaf.escaped) continue;
      if (const auto amount = plain_amount(leaf.span.in(result.text))) {
        add_number(sums, leaf.node, *amount);
      }
    }
  }
  return sums;
}

std::shared_ptr<const TurnTotals> turn_totals(const DerivationResults& results,
                                              std::uint32_t turn) {
  const std::size_t size = results.size();
  std::size_t first = size;  // the turn's results
  while (first > 0 && results[first - 1].turn == turn) --first;
  auto totals = std::make_shared<TurnTotals>();
  std::size_t known = size;  // the totals up to this one are known
  for (; known > first; --known) {
    const DerivationResult& last = results[known - 1];
    const DerivationFacts* before = known - 1 > first ? &results[known - 2].facts() : nullptr;
    const DerivationFacts& facts = last.facts();
    const std::lock_guard lock(facts.mutex);
    if (!facts.totals || facts.totals_before != before || facts.totals_tool != last.tool) continue;
    if (known == size) return facts.totals;
    *totals = *facts.totals;
    break;
  }
  for (std::size_t i = known; i < size; ++i) add_result(*totals, results[i]);
  if (size == first) return totals;
  const DerivationFacts& facts = results[size - 1].facts();
  const std::lock_guard lock(facts.mutex);
  facts.totals = totals;
  facts.totals_before = size - 1 > first ? &results[size - 2].facts() : nullptr;
  facts.totals_tool = results[size - 1].tool;
  return totals;
}

}  // namespace internal
}  // namespace agentfootprint::evidence
