// Radix passes over the bits that differ.
#include "agentfootprint/evidence/internal/key_bag.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "agentfootprint/evidence/internal/keys.hpp"

namespace agentfootprint::evidence::internal {
namespace {

constexpr std::size_t kFew = 200;         // sorted by comparing
constexpr std::size_t kTwoPasses = 4096;  // so many need no third pass
constexpr unsigned kBits = 11;
constexpr std::size_t kBuckets = std::size_t{1} << kBits;
constexpr unsigned kMostPasses = 3;

bool before(const KeyBag::Entry& a, const KeyBag::Entry& b) noexcept {
  const std::uint64_t x = a.key();
  const std::uint64_t y = b.key();
  return x != y ? x < y : a.place < b.place;
}

// Puts entries in order that agree in all bits from `shift` on.
void order_groups(std::vector<KeyBag::Entry>& list, unsigned shift) {
  for (std::size_t begin = 0; begin < list.size();) {
    std::size_t end = begin + 1;
    bool ordered = true;
    const std::uint64_t group = list[begin].key() >> shift;
    while (end < list.size() && list[end].key() >> shift == group) {
      ordered = ordered && list[end - 1].key() <= list[end].key();
      ++end;
    }
    if (!ordered) {
      std::sort(list.begin() + static_cast<std::ptrdiff_t>(begin),
                list.begin() + static_cast<std::ptrdiff_t>(end), before);
    }
    begin = end;
  }
}

}  // namespace

void KeyBag::expect(std::size_t bytes) {
  constexpr std::size_t kBytesPerNumber = 40;
  constexpr std::size_t kBytesPerMoment = 120;
  const auto room = [&](KeyTag tag, std::size_t bytes_each) {
    auto& list = lists_[static_cast<std::size_t>(tag)];
    if (list.empty()) list.reserve(bytes / bytes_each + 8);
  };
  room(KeyTag::number, kBytesPerNumber);
  room(KeyTag::identifier, kBytesPerNumber);
  room(KeyTag::civil, kBytesPerMoment);
  room(KeyTag::clock, kBytesPerMoment);
  room(KeyTag::utc, kBytesPerMoment);
}

std::size_t KeyBag::size() const noexcept {
  std::size_t sum = 0;
  for (const auto& list : lists_) sum += list.size();
  return sum;
}

KeyBag::Sizes KeyBag::sizes() const noexcept {
  Sizes out{};
  for (std::size_t i = 0; i < kKinds; ++i) out[i] = lists_[i].size();
  return out;
}

void KeyBag::cut_to(const Sizes& sizes) {
  for (std::size_t i = 0; i < kKinds; ++i) lists_[i].resize(sizes[i]);
}

void KeyBag::sort(std::vector<Entry>& list, bool hashes) {
  if (list.size() < kFew) {
    std::sort(list.begin(), list.end(), before);
    return;
  }
  std::uint64_t differ = 0;
  for (const Entry& entry : list) differ |= entry.key() ^ list.front().key();
  if (differ == 0) return;
  const unsigned top = static_cast<unsigned>(std::bit_width(differ));
  const unsigned wanted = hashes || list.size() < kTwoPasses ? 2 : kMostPasses;
  const unsigned passes = std::min(wanted, (top + kBits - 1) / kBits);
  const unsigned shift = top > passes * kBits ? top - passes * kBits : 0;
  std::array<std::array<std::uint32_t, kBuckets>, kMostPasses> counts{};
  for (const Entry& entry : list) {
    const std::uint64_t key = entry.key() >> shift;
    for (unsigned pass = 0; pass < passes; ++pass) {
      ++counts[pass][(key >> (pass * kBits)) & (kBuckets - 1)];
    }
  }
  other_.resize(list.size());
  for (unsigned pass = 0; pass < passes; ++pass) {
    auto& count = counts[pass];
    std::uint32_t sum = 0;
    for (std::uint32_t& c : count) sum += std::exchange(c, sum);
    const unsigned down = shift + pass * kBits;
    for (const Entry& entry : list) {
      other_[count[(entry.key() >> down) & (kBuckets - 1)]++] = entry;
    }
    list.swap(other_);
  }
  if (shift != 0) order_groups(list, shift);
}

SortedKeys KeyBag::take_sorted() {
  SortedKeys out;
  const std::size_t total = size();
  out.keys.reserve(total);
  out.places.reserve(total);
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    auto& list = lists_[kind];
    sort(list, kind == static_cast<std::size_t>(KeyTag::identifier));
    for (const Entry& entry : list) {
      out.keys.push_back(entry.key());
      out.places.push_back(entry.place);
    }
    list.clear();
  }
  return out;
}

}  // namespace agentfootprint::evidence::internal
