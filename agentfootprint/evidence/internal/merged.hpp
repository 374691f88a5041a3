// The keys of many results in a handful of sorted tables. Not for direct use.
//
// The values of all sources are numbered through (a *place*). Each table is at least eight times
// the next one: adding sources merges the small ones, so a look-up touches a handful of tables at
// any number of results. Sources that are added together are sorted together. Tables are immutable
// and shared by copies.
//
// Limits: 2^32 - 1 places.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "agentfootprint/evidence/internal/key_bag.hpp"
#include "agentfootprint/evidence/result_index.hpp"

namespace agentfootprint::evidence::internal {

class Segment {
 public:
  explicit Segment(SortedKeys keys);
  Segment(const Segment& a, const Segment& b);  // merged; places of `a` come before those of `b`
  Segment& operator=(const Segment&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return sorted_.keys.size(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept;
  [[nodiscard]] std::uint64_t key(std::size_t i) const noexcept { return sorted_.keys[i]; }
  [[nodiscard]] std::uint32_t place(std::size_t i) const noexcept { return sorted_.places[i]; }
  // The first position whose key is `key` or more, in three steps, so that the memory of the next
  // one can be on its way while other tables are asked.
  [[nodiscard]] std::size_t lower_bound(std::uint64_t key) const noexcept {
    return in_block(key, in_samples(key, in_tops(key)));
  }
  [[nodiscard]] std::size_t in_tops(std::uint64_t key) const noexcept;
  [[nodiscard]] std::size_t in_samples(std::uint64_t key, std::size_t sample) const noexcept;
  [[nodiscard]] std::size_t in_block(std::uint64_t key, std::size_t at) const noexcept;

 private:
  void sample();

  SortedKeys sorted_;
  std::vector<std::uint64_t> samples_;  // every sixteenth key
  std::vector<std::uint64_t> tops_;     // every sixteenth sample
};

class MergedIndex {
 public:
  // A text that was indexed: the number of its first value, and where to read its values.
  struct Source {
    std::uint32_t first = 0;
    std::uint32_t size = 0;
    const ResultIndex* index = nullptr;  // kept alive by the owner of the merged index
    const Item* items = nullptr;
    std::string_view text;
  };

  // To add a source: build it with `pending()` and `places()`, then `add` it; when all were added,
  // `settle`.
  [[nodiscard]] KeyBag& pending();
  [[nodiscard]] std::uint32_t places() const noexcept { return places_; }
  // False when there is no room for its values.
  [[nodiscard]] bool add(const ResultIndex& index);
  void settle();

  // Calls `visit(place)` for every key in [low, high], table by table.
  template <class Visit>
  void visit(std::uint64_t low, std::uint64_t high, Visit&& visit) const {
    constexpr std::size_t kTogether = 8;
    std::array<std::size_t, kTogether> at{};
    for (std::size_t from = 0; from < segments_.size(); from += kTogether) {
      const std::size_t count = std::min(kTogether, segments_.size() - from);
      for (std::size_t i = 0; i < count; ++i) at[i] = segments_[from + i]->in_tops(low);
      for (std::size_t i = 0; i < count; ++i) at[i] = segments_[from + i]->in_samples(low, at[i]);
      for (std::size_t i = 0; i < count; ++i) {
        const Segment& segment = *segments_[from + i];
        for (std::size_t k = segment.in_block(low, at[i]);
             k < segment.size() && segment.key(k) <= high; ++k) {
          visit(segment.place(k));
        }
      }
    }
  }
  // Calls `visit(place)` for at most `count` keys on each side of `key` within [low, high], table
  // by table.
  template <class Visit>
  void visit_around(std::uint64_t key, std::uint64_t low, std::uint64_t high, std::size_t count,
                    Visit&& visit) const {
    for (const auto& segment : segments_) {
      const std::size_t at = segment->lower_bound(key);
      for (std::size_t i = at; i < segment->size() && i < at + count; ++i) {
        if (segment->key(i) > high) break;
        visit(segment->place(i));
      }
      for (std::size_t i = at; i > 0 && i + count > at; --i) {
        if (segment->key(i - 1) < low) break;
        visit(segment->place(i - 1));
      }
    }
  }
  // The source a place is in, by its number.
  [[nodiscard]] std::uint32_t source_of(std::uint32_t place) const noexcept;
  [[nodiscard]] const Source& source(std::uint32_t number) const noexcept {
    return sources_[number];
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept;
  [[nodiscard]] std::size_t tables() const noexcept { return segments_.size(); }
  // First and last key in [low, high]; false when there is none.
  [[nodiscard]] bool extremes(std::uint64_t low, std::uint64_t high, std::uint64_t& first,
                              std::uint64_t& last) const noexcept;

  MergedIndex();
  MergedIndex(const MergedIndex& other);  // settled ones only
  MergedIndex& operator=(const MergedIndex&) = delete;
  ~MergedIndex();

 private:
  std::vector<std::shared_ptr<const Segment>> segments_;  // largest first
  std::vector<Source> sources_;
  std::unique_ptr<KeyBag> pending_;  // null while nothing was ever added
  std::uint32_t places_ = 0;
};

}  // namespace agentfootprint::evidence::internal
