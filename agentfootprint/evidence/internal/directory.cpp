// Building the directory of columns step by step.
#include "agentfootprint/evidence/internal/directory.hpp"

#include <algorithm>
#include <iterator>

#include "agentfootprint/evidence/internal/facts.hpp"

namespace agentfootprint::evidence::internal {
namespace {

bool by_value(const ColumnEntry& a, const ColumnEntry& b) {
  return a.value < b.value;
}

bool by_hash(const TextRun& a, const TextRun& b) {
  return a.hash < b.hash;
}

std::shared_ptr<const DirectorySegment> segment_of(const DerivationResults& results,
                                                   std::uint32_t at) {
  auto segment = std::make_shared<DirectorySegment>();
  const Tables& tables = *results[at].facts().tables;
  const std::vector<TableColumn>& columns = tables.columns();
  for (std::uint32_t k = 0; k < columns.size(); ++k) {
    const double sum = columns[k].sum.to_double();
    segment->entries.push_back({sum, at, k, Yield::sum});
    segment->entries.push_back({sum / columns[k].rows, at, k, Yield::mean});
  }
  const std::vector<RowCount>& counts = tables.row_counts();
  for (std::uint32_t k = 0; k < counts.size(); ++k) {
    segment->entries.push_back({static_cast<double>(counts[k].count), at, k, Yield::count});
  }
  std::sort(segment->entries.begin(), segment->entries.end(), by_value);
  const std::vector<TextPosting>& postings = tables.postings();
  for (std::uint32_t k = 0; k < postings.size(); ++k) {
    if (k == 0 || postings[k].hash != postings[k - 1].hash) {
      segment->texts.push_back({postings[k].hash, at, k});
    }
  }
  if (tables.lone_record()) segment->lone.push_back(at);
  segment->clipped = tables.clipped();
  return segment;
}

std::shared_ptr<const DirectorySegment> merged(const DirectorySegment& a,
                                               const DirectorySegment& b) {
  auto segment = std::make_shared<DirectorySegment>();
  segment->entries.reserve(a.entries.size() + b.entries.size());
  std::merge(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
             std::back_inserter(segment->entries), by_value);
  segment->texts.reserve(a.texts.size() + b.texts.size());
  std::merge(a.texts.begin(), a.texts.end(), b.texts.begin(), b.texts.end(),
             std::back_inserter(segment->texts), by_hash);
  segment->lone = a.lone;
  segment->lone.insert(segment->lone.end(), b.lone.begin(), b.lone.end());
  segment->clipped = a.clipped || b.clipped;
  return segment;
}

std::size_t weight(const DirectorySegment& segment) {
  return segment.entries.size() + segment.texts.size() + segment.lone.size();
}

void append(Directory& directory, std::shared_ptr<const DirectorySegment> segment) {
  if (weight(*segment) == 0 && !segment->clipped) return;
  directory.push_back(std::move(segment));
  while (directory.size() > 1) {
    const auto& last = *directory[directory.size() - 1];
    const auto& before = *directory[directory.size() - 2];
    if (weight(before) >= 2 * weight(last)) break;
    auto both = merged(before, last);
    directory.pop_back();
    directory.back() = std::move(both);
  }
}

}  // namespace

std::shared_ptr<const Directory> directory_of(const DerivationResults& results) {
  auto directory = std::make_shared<Directory>();
  std::size_t known = results.size();  // the directory of the first `known` results is at hand
  for (; known > 0; --known) {
    const DerivationFacts& facts = results[known - 1].facts();
    const DerivationFacts* before = known > 1 ? &results[known - 2].facts() : nullptr;
    const std::lock_guard lock(facts.mutex);
    if (!facts.directory || facts.directory_size != known || facts.directory_before != before) {
      continue;
    }
    if (known == results.size()) return facts.directory;
    *directory = *facts.directory;
    break;
  }
  for (std::size_t i = known; i < results.size(); ++i) {
    append(*directory, segment_of(results, static_cast<std::uint32_t>(i)));
  }
  if (results.empty()) return directory;
  const DerivationFacts& facts = results.back().facts();
  const std::lock_guard lock(facts.mutex);
  facts.directory = directory;
  facts.directory_size = results.size();
  facts.directory_before = results.size() > 1 ? &results[results.size() - 2].facts() : nullptr;
  return directory;
}

}  // namespace agentfootprint::evidence::internal
