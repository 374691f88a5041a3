// Base64 (RFC 4648, with padding) for items that are not UTF-8.
//
// What: `encode` and a strict `decode`. When to use: the record's writer and reader. Not
// guaranteed: that anything but canonical base64 decodes.
//
// Example:
//   std::string text = record::internal::base64_encode("\xff");      // "/w=="
//   auto bytes = record::internal::base64_decode(text);
//   (void)bytes->size();   // 1
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace agentfootprint::record::internal {

[[nodiscard]] std::string base64_encode(std::string_view bytes);
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);

}  // namespace agentfootprint::record::internal
