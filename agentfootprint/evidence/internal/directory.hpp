// The columns of many results, sorted by what they yield, and their texts, sorted by their hashes,
// so that a value or a name is looked up instead of compared with everything.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "agentfootprint/evidence/derivation.hpp"

namespace agentfootprint::evidence::internal {

enum class Yield : std::uint8_t { sum, mean, count };

struct ColumnEntry {
  double value = 0;
  std::uint32_t result = 0;  // position in the results
  std::uint32_t column = 0;  // in Tables::columns(), for a count in Tables::row_counts()
  Yield yield = Yield::sum;
};

// A text that stands in a result: where its postings begin (Tables::postings()).
struct TextRun {
  std::uint64_t hash = 0;
  std::uint32_t result = 0;  // position in the results
  std::uint32_t first = 0;
};

// Some results in a row.
struct DirectorySegment {
  std::vector<ColumnEntry> entries;  // by value
  std::vector<TextRun> texts;        // by hash, then by result
  std::vector<std::uint32_t> lone;   // results that are one record
  bool clipped = false;
};

// Segments grow by merging with a neighbour of their own size, so there are few of them.
using Directory = std::vector<std::shared_ptr<const DirectorySegment>>;

// The directory of all results. Kept with the last of them: one more result costs its own columns
// and a share of the merging.
[[nodiscard]] std::shared_ptr<const Directory> directory_of(const DerivationResults& results);

}  // namespace agentfootprint::evidence::internal
