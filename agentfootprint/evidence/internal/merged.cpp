// Sorted tables merged by size.
#include "agentfootprint/evidence/internal/merged.hpp"

#include <algorithm>

namespace agentfootprint::evidence::internal {
namespace {
constexpr std::size_t kGrowth = 8;
constexpr std::size_t kStep = 16;                // keys between samples: two cache lines
constexpr std::size_t kMostPending = 1'000'000;  // keys that are sorted at once

void fetch(const void* memory) noexcept {
  __builtin_prefetch(memory);
}
}  // namespace

Segment::Segment(SortedKeys keys) : sorted_(std::move(keys)) {
  sample();
}

Segment::Segment(const Segment& a, const Segment& b) {
  const std::size_t total = a.size() + b.size();
  sorted_.keys.resize(total);
  sorted_.places.resize(total);
  std::size_t i = 0;
  std::size_t j = 0;
  for (std::size_t out = 0; out < total; ++out) {
    // Equal keys: the earlier places first.
    const bool from_a = j == b.size() || (i < a.size() && a.key(i) <= b.key(j));
    const Segment& source = from_a ? a : b;
    const std::size_t at = from_a ? i++ : j++;
    sorted_.keys[out] = source.key(at);
    sorted_.places[out] = source.place(at);
  }
  sample();
}

void Segment::sample() {
  samples_.reserve(size() / kStep + 1);
  for (std::size_t i = 0; i < size(); i += kStep) samples_.push_back(key(i));
  tops_.reserve(samples_.size() / kStep + 1);
  for (std::size_t i = 0; i < samples_.size(); i += kStep) tops_.push_back(samples_[i]);
}

std::size_t Segment::memory_bytes() const noexcept {
  return sorted_.places.capacity() * sizeof(std::uint32_t) +
         (sorted_.keys.capacity() + samples_.capacity() + tops_.capacity()) * sizeof(std::uint64_t);
}

// The block before the first sample that is not below the key holds the place.
std::size_t Segment::in_tops(std::uint64_t key) const noexcept {
  const auto top =
      static_cast<std::size_t>(std::lower_bound(tops_.begin(), tops_.end(), key) - tops_.begin());
  const std::size_t sample = top == 0 ? 0 : (top - 1) * kStep;
  fetch(samples_.data() + sample);
  fetch(samples_.data() + sample + kStep / 2);
  return sample;
}

std::size_t Segment::in_samples(std::uint64_t key, std::size_t sample) const noexcept {
  const std::size_t end = std::min(samples_.size(), sample + kStep);
  while (sample < end && samples_[sample] < key) ++sample;
  const std::size_t at = sample == 0 ? 0 : (sample - 1) * kStep;
  fetch(sorted_.keys.data() + at);
  fetch(sorted_.keys.data() + at + kStep / 2);
  fetch(sorted_.places.data() + at);
  return at;
}

std::size_t Segment::in_block(std::uint64_t key, std::size_t at) const noexcept {
  const std::size_t end = std::min(size(), at + kStep);
  while (at < end && sorted_.keys[at] < key) ++at;
  return at;
}

MergedIndex::MergedIndex() = default;
MergedIndex::MergedIndex(const MergedIndex& other)
    : segments_(other.segments_), sources_(other.sources_), places_(other.places_) {}
MergedIndex::~MergedIndex() = default;

KeyBag& MergedIndex::pending() {
  if (!pending_) pending_ = std::make_unique<KeyBag>();
  return *pending_;
}

bool MergedIndex::add(const ResultIndex& index) {
  if (index.size() > 0xFFFFFFFF - places_) return false;
  sources_.push_back({places_, static_cast<std::uint32_t>(index.size()), &index,
                      index.items().data(), index.text()});
  places_ += static_cast<std::uint32_t>(index.size());
  if (pending_ && pending_->size() >= kMostPending) settle();
  return true;
}

void MergedIndex::settle() {
  if (!pending_ || pending_->size() == 0) return;
  segments_.push_back(std::make_shared<const Segment>(pending_->take_sorted()));
  while (segments_.size() > 1) {
    const auto& last = segments_[segments_.size() - 1];
    const auto& before = segments_[segments_.size() - 2];
    if (before->size() >= kGrowth * last->size()) break;
    auto merged = std::make_shared<const Segment>(*before, *last);
    segments_.pop_back();
    segments_.back() = std::move(merged);
  }
}

std::uint32_t MergedIndex::source_of(std::uint32_t place) const noexcept {
  const auto behind =
      std::upper_bound(sources_.begin(), sources_.end(), place,
                       [](std::uint32_t at, const Source& source) { return at < source.first; });
  return static_cast<std::uint32_t>(behind - sources_.begin()) - 1;
}

std::size_t MergedIndex::memory_bytes() const noexcept {
  std::size_t sum = sources_.capacity() * sizeof(Source);
  for (const auto& segment : segments_) sum += segment->memory_bytes();
  return sum;
}

bool MergedIndex::extremes(std::uint64_t low, std::uint64_t high, std::uint64_t& first,
                           std::uint64_t& last) const noexcept {
  bool any = false;
  for (const auto& segment : segments_) {
    const std::size_t begin = segment->lower_bound(low);
    const std::size_t end = segment->lower_bound(high + 1);
    if (begin >= end) continue;
    first = any ? std::min(first, segment->key(begin)) : segment->key(begin);
    last = any ? std::max(last, segment->key(end - 1)) : segment->key(end - 1);
    any = true;
  }
  return any;
}

}  // namespace agentfootprint::evidence::internal
