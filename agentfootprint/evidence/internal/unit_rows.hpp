// The rows of the standard unit table. Not for direct use.
#pragma once

#include <span>
#include <string_view>

namespace agentfootprint::evidence::internal {

struct StandardUnit {
  std::string_view spelling;
  std::string_view dimension;
  std::string_view factor = "1";
  std::string_view canonical = "";
  bool spaced = true;
  std::string_view offset = "";
  std::string_view other_factor = "";
};

[[nodiscard]] std::span<const StandardUnit> standard_units() noexcept;

}  // namespace agentfootprint::evidence::internal
