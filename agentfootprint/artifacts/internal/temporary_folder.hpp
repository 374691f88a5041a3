// A private folder that is removed with everything in it.
#pragma once

#include <string>
#include <string_view>

namespace agentfootprint::artifacts_internal {

class TemporaryFolder {
 public:
  // In the system's place for temporary files; throws ArtifactStoreError "artifact-store-io".
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string path(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }

 private:
  std::string path_;
};

}  // namespace agentfootprint::artifacts_internal
