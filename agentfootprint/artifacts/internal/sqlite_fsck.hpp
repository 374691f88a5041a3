// Looking into an SQLite store across scopes.
#pragma once

#include "agentfootprint/artifacts/internal/sqlite_core.hpp"

namespace agentfootprint::artifacts_internal {

class SqliteInspection final : public StoreInspection {
 public:
  explicit SqliteInspection(SqliteCore& core) : core_(core) {}
  [[nodiscard]] std::vector<ScopeUsage> usage() override;
  [[nodiscard]] std::vector<StoreProblem> fsck(
      bool mend, const std::function<void(std::uint64_t)>& progress) override;

 private:
  void check_rows(std::vector<StoreProblem>& found,
                  const std::function<void(std::uint64_t)>& progress);
  void check_stages(bool mend, std::vector<StoreProblem>& found);
  SqliteCore& core_;
};

}  // namespace agentfootprint::artifacts_internal
