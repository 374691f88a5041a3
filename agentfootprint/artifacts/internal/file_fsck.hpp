// Looking into a file store across scopes.
#pragma once

#include "agentfootprint/artifacts/internal/file_core.hpp"

namespace agentfootprint::artifacts_internal {

class FileInspection final : public StoreInspection {
 public:
  explicit FileInspection(FileCore& core) : core_(core) {}
  [[nodiscard]] std::vector<ScopeUsage> usage() override;
  [[nodiscard]] std::vector<StoreProblem> fsck(
      bool mend, const std::function<void(std::uint64_t)>& progress) override;

 private:
  FileCore& core_;
};

}  // namespace agentfootprint::artifacts_internal
