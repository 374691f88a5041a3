// Base64 by table.
#include "agentfootprint/record/internal/base64.hpp"

#include <array>
#include <cstdint>

namespace agentfootprint::record::internal {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::optional<std::uint32_t> letter_value(char letter) {
  const std::size_t found = kLetters.find(letter);
  if (found == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint32_t>(found);
}

std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<std::uint8_t>(bytes[at]) : 0U;
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::uint32_t group =
        byte_at(bytes, at) << 16 | byte_at(bytes, at + 1) << 8 | byte_at(bytes, at + 2);
    text += kLetters[group >> 18 & 63];
    text += kLetters[group >> 12 & 63];
    text += at + 1 < bytes.size() ? kLetters[group >> 6 & 63] : '=';
    text += at + 2 < bytes.size() ? kLetters[group & 63] : '=';
  }
  return text;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const bool last = at + 4 == text.size();
    const std::size_t pads = !last ? 0 : text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto value =
          i >= 4 - pads ? std::optional<std::uint32_t>(0) : letter_value(text[at + i]);
      if (!value) return std::nullopt;
      group = group << 6 | *value;
    }
    bytes += static_cast<char>(group >> 16 & 255);
    if (pads < 2) bytes += static_cast<char>(group >> 8 & 255);
    if (pads < 1) bytes += static_cast<char>(group & 255);
  }
  return bytes;
}

}  // namespace agentfootprint::record::internal
