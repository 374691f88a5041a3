// The keys of many results in a handful of sorted tables. Not for direct use.
//
// Each table is at least eight times the next one: adding a result merges the small ones, so a
// look-up touches a handful of tables at any number of results. Tables are immutable and shared by
// copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "agentfootprint/evidence/result_index.hpp"

namespace agentfootprint::evidence::internal {

class Segment {
 public:
  // The keys of one result, not copied.
  Segment(std::shared_ptr<const ResultIndex> single, std::uint32_t result);
  Segment(const Segment& a, const Segment& b);  // merged; results of `a` come before those of `b`
  Segment& operator=(const Segment&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept;
  [[nodiscard]] std::uint64_t key(std::size_t i) const noexcept { return keys_[i]; }
  [[nodiscard]] std::uint32_t result(std::size_t i) const noexcept {
    return results_.empty() ? result_ : results_[i];
  }
  [[nodiscard]] std::uint32_t item(std::size_t i) const noexcept { return items_[i]; }
  // The first position whose key is `key` or more.
  [[nodiscard]] std::size_t lower_bound(std::uint64_t key) const noexcept;

 private:
  void sample();

  std::shared_ptr<const ResultIndex> single_;
  std::uint32_t result_ = 0;
  std::vector<std::uint64_t> own_keys_;
  std::vector<std::uint32_t> own_items_;
  std::vector<std::uint32_t> results_;
  const std::uint64_t* keys_ = nullptr;
  const std::uint32_t* items_ = nullptr;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> samples_;  // every sixteenth key
  std::vector<std::uint64_t> tops_;     // every sixteenth sample
};

class MergedIndex {
 public:
  void add(std::shared_ptr<const ResultIndex> index, std::uint32_t result);

  // Calls `visit(result, item)` for every key in [low, high], table by table.
  template <class Visit>
  void visit(std::uint64_t low, std::uint64_t high, Visit&& visit) const {
    for (const auto& segment : segments_) {
      for (std::size_t i = segment->lower_bound(low);
           i < segment->size() && segment->key(i) <= high; ++i) {
        visit(segment->result(i), segment->item(i));
      }
    }
  }
  [[nodiscard]] std::size_t keys() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;
  [[nodiscard]] std::size_t tables() const noexcept { return segments_.size(); }
  // First and last key in [low, high]; false when there is none.
  [[nodiscard]] bool extremes(std::uint64_t low, std::uint64_t high, std::uint64_t& first,
                              std::uint64_t& last) const noexcept;

 private:
  std::vector<std::shared_ptr<const Segment>> segments_;  // largest first
};

}  // namespace agentfootprint::evidence::internal
