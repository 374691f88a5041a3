// Small text helpers of the artifacts folder.
#include "agentfootprint/artifacts/internal/text.hpp"

#include <charconv>

#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

bool is_space(char32_t c) noexcept {
  if (c == ' ' || (c >= 0x09 && c <= 0x0D) || c == 0xA0 || c == 0x1680) return true;
  if (c >= 0x2000 && c <= 0x200A) return true;
  return c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

}  // namespace

bool is_blank(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Decoded next = utf8::decode(text, at);
    if (next.length == 0) break;
    if (!next.valid || !is_space(next.code_point)) return false;
    at += next.length;
  }
  return true;
}

bool parse_int64(std::string_view text, long long& out) noexcept {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return false;
  out = value;
  return true;
}

}  // namespace agentfootprint::artifacts_internal
