// Gathering keys and putting them in order. Not for direct use.
//
// Keys of one kind share their upper bits, so each kind is gathered and sorted apart: fewer bits
// differ, and fewer passes are needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace agentfootprint::evidence::internal {

// Keys in ascending order, each with the place it leads to; equal keys in order of their places.
struct SortedKeys {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> places;
};

class KeyBag {
 public:
  struct Entry {
    std::uint32_t high = 0;
    std::uint32_t low = 0;
    std::uint32_t place = 0;
    [[nodiscard]] std::uint64_t key() const noexcept { return std::uint64_t{high} << 32 | low; }
  };
  static constexpr std::size_t kKinds = 16;  // the upper four bits of a key
  using Sizes = std::array<std::size_t, kKinds>;

  // Places come in ascending order.
  void add(std::uint64_t key, std::uint32_t place) {
    lists_[key >> 60].push_back(
        {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), place});
  }
  // Room for the keys of a text of so many bytes.
  void expect(std::size_t bytes);
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] Sizes sizes() const noexcept;
  // Forgets what was added since `sizes` was asked.
  void cut_to(const Sizes& sizes);
  template <class Gone>
  void erase_if(const Gone& gone) {
    for (auto& list : lists_) {
      std::erase_if(list, [&](const Entry& entry) { return gone(entry.place); });
    }
  }
  // Everything that was added, in order; the bag is empty afterwards.
  [[nodiscard]] SortedKeys take_sorted();

 private:
  void sort(std::vector<Entry>& list, bool hashes);

  std::array<std::vector<Entry>, kKinds> lists_;
  std::vector<Entry> other_;  // where passes write to
};

}  // namespace agentfootprint::evidence::internal
