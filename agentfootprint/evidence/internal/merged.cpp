// Sorted tables merged by size.
#include "agentfootprint/evidence/internal/merged.hpp"

#include <algorithm>

namespace agentfootprint::evidence::internal {
namespace {
constexpr std::size_t kGrowth = 8;
constexpr std::size_t kStep = 16;  // keys between samples: two cache lines
}  // namespace

Segment::Segment(std::shared_ptr<const ResultIndex> single, std::uint32_t result)
    : single_(std::move(single)), result_(result) {
  const SortedKeys& sorted = single_->sorted();
  keys_ = sorted.keys.data();
  items_ = sorted.items.data();
  size_ = sorted.keys.size();
  sample();
}

Segment::Segment(const Segment& a, const Segment& b) {
  const std::size_t total = a.size_ + b.size_;
  own_keys_.resize(total);
  own_items_.resize(total);
  results_.resize(total);
  std::size_t i = 0;
  std::size_t j = 0;
  for (std::size_t out = 0; out < total; ++out) {
    // Equal keys: the earlier results first.
    const bool from_a = j == b.size_ || (i < a.size_ && a.keys_[i] <= b.keys_[j]);
    const Segment& source = from_a ? a : b;
    const std::size_t at = from_a ? i++ : j++;
    own_keys_[out] = source.keys_[at];
    own_items_[out] = source.items_[at];
    results_[out] = source.result(at);
  }
  keys_ = own_keys_.data();
  items_ = own_items_.data();
  size_ = total;
  sample();
}

void Segment::sample() {
  samples_.reserve(size_ / kStep + 1);
  for (std::size_t i = 0; i < size_; i += kStep) samples_.push_back(keys_[i]);
  tops_.reserve(samples_.size() / kStep + 1);
  for (std::size_t i = 0; i < samples_.size(); i += kStep) tops_.push_back(samples_[i]);
}

std::size_t Segment::memory_bytes() const noexcept {
  return own_keys_.capacity() * sizeof(std::uint64_t) +
         (own_items_.capacity() + results_.capacity()) * sizeof(std::uint32_t) +
         (samples_.capacity() + tops_.capacity()) * sizeof(std::uint64_t);
}

std::size_t Segment::lower_bound(std::uint64_t key) const noexcept {
  // The block before the first sample that is not below the key holds the place.
  const auto top =
      static_cast<std::size_t>(std::lower_bound(tops_.begin(), tops_.end(), key) - tops_.begin());
  std::size_t sample = top == 0 ? 0 : (top - 1) * kStep;
  const std::size_t sample_end = std::min(samples_.size(), sample + kStep);
  while (sample < sample_end && samples_[sample] < key) ++sample;
  if (sample == 0) return 0;
  std::size_t at = (sample - 1) * kStep;
  const std::size_t end = std::min(size_, at + kStep);
  while (at < end && keys_[at] < key) ++at;
  return at;
}

void MergedIndex::add(std::shared_ptr<const ResultIndex> index, std::uint32_t result) {
  if (index->sorted().keys.empty()) return;
  segments_.push_back(std::make_shared<const Segment>(std::move(index), result));
  while (segments_.size() > 1) {
    const auto& last = segments_[segments_.size() - 1];
    const auto& before = segments_[segments_.size() - 2];
    if (before->size() >= kGrowth * last->size()) break;
    auto merged = std::make_shared<const Segment>(*before, *last);
    segments_.pop_back();
    segments_.back() = std::move(merged);
  }
}

std::size_t MergedIndex::keys() const noexcept {
  std::size_t sum = 0;
  for (const auto& segment : segments_) sum += segment->size();
  return sum;
}

std::size_t MergedIndex::memory_bytes() const noexcept {
  std::size_t sum = 0;
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
