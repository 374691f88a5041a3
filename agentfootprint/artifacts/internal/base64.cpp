// Base64 of RFC 4648 with padding.
#include "agentfootprint/artifacts/internal/base64.hpp"

#include <cstdint>

namespace agentfootprint::artifacts_internal {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int value_of(char c) noexcept {
  const std::size_t at = kLetters.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = (word << 8) | (k < have ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= have ? kLetters[(word >> (18 - 6 * k)) & 63] : '=';
    }
  }
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t word = 0;
    std::size_t pads = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const char c = text[i + k];
      const bool last = i + 4 == text.size();
      if (c == '=' && last && k >= 2) {
        ++pads;
        word <<= 6;
        continue;
      }
      const int six = value_of(c);
      if (six < 0 || pads > 0) return std::nullopt;
      word = (word << 6) | static_cast<std::uint32_t>(six);
    }
    for (std::size_t k = 0; k < 3 - pads; ++k) {
      out += static_cast<char>((word >> (16 - 8 * k)) & 0xFF);
    }
  }
  return out;
}

}  // namespace agentfootprint::artifacts_internal
