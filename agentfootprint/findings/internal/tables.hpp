// Small open tables for the fold: results by call, by the id a row named them with, and by place.
//
// What: `CallTable` maps a packed call key, `IdTable` an id, to the number of a slot. One look-up
// is one place in memory, and growth copies numbers instead of moving nodes, so that a write costs
// much the same at row one hundred thousand as at row one hundred. `PlaceSet` holds small numbers,
// a bit each, and visits them in order; the first of them are found 64 places at a look.
//
// When to use: fold.hpp. Not guaranteed: removal from the tables; only a `PlaceSet` forgets.
//
// Lifetime: an `IdTable` keeps views of the ids it was given, which must outlive it.
//
// Example:
//   findings::internal::IdTable table;
//   std::string id = "c1";
//   table.set(id, 3);
//   (void)table.find("c1");   // 3
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "agentfootprint/base/hash.hpp"

namespace agentfootprint::findings::internal {

class IdTable {
 public:
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view id) const noexcept {
    if (entries_.empty()) return std::nullopt;
    const Entry& entry = entries_[place_of(entries_, id, hash_of(id))];
    if (entry.hash == 0) return std::nullopt;
    return entry.slot;
  }
  // Sets or replaces.
  void set(std::string_view id, std::uint32_t slot) {
    if (2 * (count_ + 1) > entries_.size()) grow();
    const std::uint64_t hash = hash_of(id);
    Entry& entry = entries_[place_of(entries_, id, hash)];
    if (entry.hash == 0) {
      ++count_;
      entry.hash = hash;
      entry.id = id;
    }
    entry.slot = slot;
  }

 private:
  struct Entry {
    std::uint64_t hash = 0;  // 0: free
    std::string_view id;
    std::uint32_t slot = 0;
  };

  static std::uint64_t hash_of(std::string_view id) noexcept { return hash64(id) | 1; }
  static std::size_t place_of(const std::vector<Entry>& entries, std::string_view id,
                              std::uint64_t hash) noexcept {
    const std::size_t mask = entries.size() - 1;
    std::size_t at = (hash >> 1) & mask;
    while (entries[at].hash != 0 && (entries[at].hash != hash || entries[at].id != id)) {
      at = (at + 1) & mask;
    }
    return at;
  }
  void grow() {
    std::vector<Entry> larger(entries_.empty() ? 16 : entries_.size() * 2);
    for (const Entry& entry : entries_) {
      if (entry.hash != 0) larger[place_of(larger, entry.id, entry.hash)] = entry;
    }
    entries_ = std::move(larger);
  }

  std::vector<Entry> entries_;
  std::size_t count_ = 0;
};

class CallTable {
 public:
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t call) const noexcept {
    if (entries_.empty()) return std::nullopt;
    const Entry& entry = entries_[place_of(entries_, call)];
    if (!entry.used) return std::nullopt;
    return entry.slot;
  }
  // The slot of a call; `fresh` becomes that of a new one.
  std::uint32_t find_or_add(std::uint64_t call, std::uint32_t fresh) {
    if (2 * (count_ + 1) > entries_.size()) grow();
    Entry& entry = entries_[place_of(entries_, call)];
    if (entry.used) return entry.slot;
    entry = {call, fresh, true};
    ++count_;
    return fresh;
  }

 private:
  struct Entry {
    std::uint64_t call = 0;
    std::uint32_t slot = 0;
    bool used = false;
  };

  static std::size_t place_of(const std::vector<Entry>& entries, std::uint64_t call) noexcept {
    const std::size_t mask = entries.size() - 1;
    // A packed key holds the message in its upper half and a small ordinal in its lower one: both
    // must reach the bits that the mask keeps.
    const std::uint64_t mixed = (call ^ (call >> 32)) * 0x9E3779B97F4A7C15ULL;
    std::size_t at = static_cast<std::size_t>(mixed >> 32) & mask;
    while (entries[at].used && entries[at].call != call) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Entry> larger(entries_.empty() ? 16 : entries_.size() * 2);
    for (const Entry& entry : entries_) {
      if (entry.used) larger[place_of(larger, entry.call)] = entry;
    }
    entries_ = std::move(larger);
  }

  std::vector<Entry> entries_;
  std::size_t count_ = 0;
};

class PlaceSet {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  // Each returns whether it changed anything.
  bool insert(std::uint32_t place) {
    if (place / 64 >= words_.size()) words_.resize(place / 64 + 1, 0);
    std::uint64_t& word = words_[place / 64];
    const std::uint64_t before = word;
    word |= bit(place);
    if (word == before) return false;
    ++count_;
    return true;
  }
  bool erase(std::uint32_t place) noexcept {
    if (place / 64 >= words_.size()) return false;
    std::uint64_t& word = words_[place / 64];
    const std::uint64_t before = word;
    word &= ~bit(place);
    if (word == before) return false;
    --count_;
    return true;
  }
  // In ascending order, while `visit` returns true.
  template <class Visit>
  void each(Visit visit) const {
    std::size_t left = count_;
    for (std::size_t at = 0; left > 0; ++at) {
      for (std::uint64_t word = words_[at]; word != 0; word &= word - 1, --left) {
        if (!visit(static_cast<std::uint32_t>(at * 64) +
                   static_cast<std::uint32_t>(std::countr_zero(word)))) {
          return;
        }
      }
    }
  }

 private:
  static std::uint64_t bit(std::uint32_t place) noexcept {
    return std::uint64_t{1} << (place % 64);
  }

  std::vector<std::uint64_t> words_;
  std::size_t count_ = 0;
};

}  // namespace agentfootprint::findings::internal
