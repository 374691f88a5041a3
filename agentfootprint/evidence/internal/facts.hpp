// What derivations keep of one result: its tables, the running totals of its turn, and group sums.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agentfootprint/evidence/derivation.hpp"
#include "agentfootprint/evidence/internal/directory.hpp"
#include "agentfootprint/evidence/internal/tables.hpp"

namespace agentfootprint::evidence {

namespace internal {

// The sum of one pointer over the results of one tool, from the first result of a turn up to one of
// them.
struct TurnTotal {
  Total total;
  std::string unit;
  bool mixed = false;
  std::uint32_t results = 0;  // that have it
  std::string pointer;
};
using TurnTotals = std::unordered_map<std::uint64_t, TurnTotal>;

// The rows of a group summed by column.
struct GroupSums {
  std::uint32_t rows = 0;
  std::vector<std::pair<std::uint32_t, Total>> columns;  // node, total
};

}  // namespace internal

struct DerivationFacts {
  std::shared_ptr<const internal::Tables> tables;
  // The numbers of the object at the top, for pointers over several results.
  std::vector<std::pair<std::uint32_t, internal::PlainAmount>> top_numbers;

  mutable std::mutex mutex;
  mutable std::map<std::pair<std::uint32_t, std::uint64_t>, internal::GroupSums> groups;
  mutable std::shared_ptr<const internal::TurnTotals> totals;
  // Valid for one place only: the result before it in the turn, and the tool.
  mutable const DerivationFacts* totals_before = nullptr;
  mutable std::string totals_tool;
  mutable std::shared_ptr<const internal::Directory> directory;  // of the results up to this one
  mutable const DerivationFacts* directory_before = nullptr;
  mutable std::size_t directory_size = 0;
};

namespace internal {

// The sums of the rows whose field `node` has the text with this hash; computed once.
[[nodiscard]] const GroupSums& group_sums(const DerivationResult& result, const TextPosting* first,
                                          const TextPosting* last);

// The totals of a tool's pointers over the results of `turn`, the last of them included; kept with
// the last result, so that each further result of the turn adds only its own.
[[nodiscard]] std::shared_ptr<const TurnTotals> turn_totals(const DerivationResults& results,
                                                            std::uint32_t turn);

// The pointer's total of one result, and the key it has in `TurnTotals`.
[[nodiscard]] std::uint64_t total_key(const DerivationResult& result, std::uint32_t node);

}  // namespace internal
}  // namespace agentfootprint::evidence
