// Cleanups that tools registered: run once, newest first.
#pragma once

#include <functional>
#include <vector>

namespace agentfootprint::internal {

class TeardownList {
 public:
  void add(std::function<void()> cleanup) { cleanups_.push_back(std::move(cleanup)); }
  [[nodiscard]] bool empty() const noexcept { return cleanups_.empty(); }
  // Runs what is there, newest first; what one throws is kept from the others. Returns how many
  // threw.
  std::size_t run() noexcept {
    std::size_t failed = 0;
    while (!cleanups_.empty()) {
      const std::function<void()> cleanup = std::move(cleanups_.back());
      cleanups_.pop_back();
      try {
        cleanup();
      } catch (...) {
        ++failed;
      }
    }
    return failed;
  }

 private:
  std::vector<std::function<void()>> cleanups_;
};

}  // namespace agentfootprint::internal
