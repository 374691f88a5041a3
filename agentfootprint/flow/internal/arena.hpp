// A bump arena for the trivially destructible nodes of a run's state. Freed as a whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace agentfootprint::flow::internal {

class Arena {
 public:
  template <class T>
  T* make(const T& value) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= alignof(std::max_align_t));
    return ::new (take(sizeof(T))) T(value);
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  void* take(std::size_t size) {
    size = (size + alignof(void*) - 1) / alignof(void*) * alignof(void*);
    if (size > left_) refill(size);
    void* const at = next_;
    next_ += size;
    left_ -= size;
    return at;
  }
  // Blocks grow from half a kilobyte, so that a short run stays small, to 256 kB.
  void refill(std::size_t size) {
    block_ = std::clamp<std::size_t>(block_ * 2, std::max<std::size_t>(size, 512), 256 * 1024);
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block_));
    next_ = blocks_.back().get();
    left_ = block_;
    bytes_ += block_;
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t block_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace agentfootprint::flow::internal
