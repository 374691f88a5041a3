// Small text helpers of the artifacts folder.
#pragma once

#include <string_view>

namespace agentfootprint::artifacts_internal {

// Nothing but white space (ASCII, the Unicode space separators, line and paragraph separators,
// BOM).
[[nodiscard]] bool is_blank(std::string_view text) noexcept;

// A signed decimal number that is the whole text; false leaves `out` alone.
[[nodiscard]] bool parse_int64(std::string_view text, long long& out) noexcept;

}  // namespace agentfootprint::artifacts_internal
