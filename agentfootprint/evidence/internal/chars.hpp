// The alphabet of folded text: what each byte is to the reader. Not for direct use.
//
// Folded text keeps ASCII as written. Letters beyond ASCII stand as folded UTF-8, so every byte
// from 0x80 on is part of a letter; every other character beyond ASCII is one of the control codes
// below.
#pragma once

#include <array>
#include <cstdint>

namespace agentfootprint::evidence::internal {

inline constexpr char kOther =
    0x02;  // a sign without meaning here; also letters of scripts without spaces
inline constexpr char kPoison =
    0x03;  // a super- or subscript digit, a fraction: its token is not read
inline constexpr char kDegree = 0x04;
inline constexpr char kPermille = 0x05;
inline constexpr char kEuro = 0x06;
inline constexpr char kPound = 0x07;
inline constexpr char kYen = 0x0E;
inline constexpr char kRupee = 0x0F;
inline constexpr char kWon = 0x10;
inline constexpr char kRouble = 0x11;
inline constexpr char kLongDash = 0x12;  // an em dash: `-` between digits, else a boundary
inline constexpr char kBitcoin = 0x14;
inline constexpr char kLira = 0x15;
inline constexpr char kHryvnia = 0x16;
inline constexpr char kCent = 0x17;
inline constexpr char kOtherCurrency = 0x18;
inline constexpr char kGroupSpace = 0x1E;  // no-break, figure, thin and narrow no-break space

enum CharClass : std::uint8_t {
  kIsDigit = 1,
  kIsLetter = 2,
  kIsJoiner = 4,  // : / - . _
  kIsSpace = 8,   // white space, group spaces included
  kIsCurrency = 16,
  kIsOdd = 32,  // needs folding: beyond ASCII, or a control code
  kIsBase64 = 64,
  kIsWord = 3
};

inline constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> table{};
  for (int c = 0; c < 256; ++c) {
    std::uint8_t k = 0;
    if (c >= '0' && c <= '9') k |= kIsDigit | kIsBase64;
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) k |= kIsLetter | kIsBase64;
    if (c >= 0x80 || c == kPoison) k |= kIsLetter;
    if (c == ':' || c == '/' || c == '-' || c == '.' || c == '_') k |= kIsJoiner;
    if (c == '+' || c == '/') k |= kIsBase64;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == kGroupSpace) k |= kIsSpace;
    if (c == '$' || c == kEuro || c == kPound || (c >= kYen && c <= kRouble) ||
        (c >= kBitcoin && c <= kHryvnia) || c == kOtherCurrency) {
      k |= kIsCurrency;
    }
    if (c >= 0x7F || (c < 0x20 && c != '\t' && c != '\n' && c != '\r')) k |= kIsOdd;
    table[static_cast<std::size_t>(c)] = k;
  }
  return table;
}();

[[nodiscard]] inline std::uint8_t class_of(char c) noexcept {
  return kClasses[static_cast<unsigned char>(c)];
}
[[nodiscard]] inline bool is_digit(char c) noexcept {
  return static_cast<unsigned char>(c - '0') < 10;
}
[[nodiscard]] inline bool is_letter(char c) noexcept {
  return (class_of(c) & kIsLetter) != 0;
}
[[nodiscard]] inline bool is_word(char c) noexcept {
  return (class_of(c) & kIsWord) != 0;
}
[[nodiscard]] inline bool is_joiner(char c) noexcept {
  return (class_of(c) & kIsJoiner) != 0;
}
[[nodiscard]] inline bool is_currency(char c) noexcept {
  return (class_of(c) & kIsCurrency) != 0;
}
[[nodiscard]] inline char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

}  // namespace agentfootprint::evidence::internal
