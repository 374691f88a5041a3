// Cleanups that tools registered: run once, newest first, each bounded in time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/base/task.hpp"

namespace agentfootprint::internal {

// A cleanup that did not work, for whoever tells of it.
struct TeardownFault {
  std::string tool;
  bool timed_out = false;  // else it threw
};

class TeardownList {
 public:
  void add(std::string tool, std::function<void()> cleanup) {
    cleanups_.push_back({std::move(tool), std::move(cleanup), nullptr});
  }
  void add_task(std::string tool, std::function<Task<void>()> cleanup) {
    cleanups_.push_back({std::move(tool), nullptr, std::move(cleanup)});
  }
  [[nodiscard]] bool empty() const noexcept { return cleanups_.empty(); }
  // Runs what is there; what one throws is kept from the others, and one that is not done in time
  // is left behind. Not stopped by the run's own cancellation.
  [[nodiscard]] Task<std::vector<TeardownFault>> run(const Clock& clock, std::int64_t limit_ms);

 private:
  struct Cleanup {
    std::string tool;
    std::function<void()> plain;
    std::function<Task<void>()> task;
  };
  std::vector<Cleanup> cleanups_;
};

class RunState;

// Runs the list and tells of what did not work.
[[nodiscard]] Task<void> tear_down(RunState& run, TeardownList& list);

}  // namespace agentfootprint::internal
