// A test that reads files of the repository by paths relative to its top.
//
// Example:
//   source_tree::Inside inside;   // the working directory is the repository until it is gone
#pragma once

#include <filesystem>

namespace agentfootprint::source_tree {

class Inside {
 public:
  Inside() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(AGENTFOOTPRINT_SOURCE_DIR);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_;
};

}  // namespace agentfootprint::source_tree
