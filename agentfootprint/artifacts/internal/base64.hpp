// Base64 of RFC 4648 with padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace agentfootprint::artifacts_internal {

[[nodiscard]] std::string base64_encode(std::string_view bytes);
// Empty when the text is not base64 with correct padding.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);

}  // namespace agentfootprint::artifacts_internal
