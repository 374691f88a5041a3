// A private folder that is removed with everything in it.
#include "agentfootprint/artifacts/internal/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "agentfootprint/artifacts/internal/private_files.hpp"

namespace agentfootprint::artifacts_internal {

TemporaryFolder::TemporaryFolder() {
  path_ = (std::filesystem::temp_directory_path() / "agentfootprint-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) throw_io("making a temporary folder", errno);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace agentfootprint::artifacts_internal
