// UTF-8: what is valid, what decodes to what, and the operations built on it.
#include "agentfootprint/base/utf8.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace agentfootprint::utf8 {
namespace {

struct DecodeCase {
  std::string bytes;
  char32_t point;
  std::uint32_t length;
  bool valid;
};

TEST(Utf8, DecodesBySequencesOfTheStandard) {
  const DecodeCase cases[] = {
      {"A", 0x41, 1, true},
      {std::string(1, '\0'), 0, 1, true},
      {"\x7f", 0x7F, 1, true},
      {"\xC2\x80", 0x80, 2, true},
      {"\xDF\xBF", 0x7FF, 2, true},
      {"\xE0\xA0\x80", 0x800, 3, true},
      {"\xED\x9F\xBF", 0xD7FF, 3, true},
      {"\xEE\x80\x80", 0xE000, 3, true},
      {"\xEF\xBF\xBF", 0xFFFF, 3, true},
      {"\xF0\x90\x80\x80", 0x10000, 4, true},
      {"\xF4\x8F\xBF\xBF", 0x10FFFF, 4, true},
      // Not UTF-8: one byte each.
      {"\x80", 0xFFFD, 1, false},
      {"\xBF", 0xFFFD, 1, false},
      {"\xC0\x80", 0xFFFD, 1, false},
      {"\xC1\xBF", 0xFFFD, 1, false},
      {"\xC3", 0xFFFD, 1, false},
      {"\xC3"
       "A",
       0xFFFD, 1, false},
      {"\xE0\x9F\xBF", 0xFFFD, 1, false},
      {"\xED\xA0\x80", 0xFFFD, 1, false},
      {"\xED\xBF\xBF", 0xFFFD, 1, false},
      {"\xE2\x82", 0xFFFD, 1, false},
      {"\xE2\x82"
       "A",
       0xFFFD, 1, false},
      {"\xF0\x8F\xBF\xBF", 0xFFFD, 1, false},
      {"\xF4\x90\x80\x80", 0xFFFD, 1, false},
      {"\xF5\x80\x80\x80", 0xFFFD, 1, false},
      {"\xFF", 0xFFFD, 1, false},
  };
  for (const DecodeCase& test : cases) {
    const Decoded found = decode(test.bytes, 0);
    EXPECT_EQ(found.code_point, test.point) << ::testing::PrintToString(test.bytes);
    EXPECT_EQ(found.length, test.length) << ::testing::PrintToString(test.bytes);
    EXPECT_EQ(found.valid, test.valid) << ::testing::PrintToString(test.bytes);
    EXPECT_EQ(is_valid(test.bytes), test.valid) << ::testing::PrintToString(test.bytes);
  }
  EXPECT_EQ(decode("", 0).length, 0U);
  EXPECT_EQ(decode("a", 5).length, 0U);
}

TEST(Utf8, EveryCodePointComesBack) {
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    if (point >= 0xD800 && point <= 0xDFFF) continue;
    std::string text;
    append(text, point);
    const Decoded forward = decode(text, 0);
    ASSERT_TRUE(forward.valid && forward.code_point == point && forward.length == text.size());
    const Decoded backward = decode_before(text, text.size());
    ASSERT_TRUE(backward.valid && backward.code_point == point && backward.length == text.size());
  }
}

TEST(Utf8, AppendsTheReplacementForWhatIsNoCharacter) {
  for (const char32_t point : {char32_t{0xD800}, char32_t{0xDFFF}, char32_t{0x110000}}) {
    std::string text;
    append(text, point);
    EXPECT_EQ(text, "\xEF\xBF\xBD");
  }
}

TEST(Utf8, DecodesBackwards) {
  const std::string text = "a\xC3\xA9\x80\xE2\x82\xAC";
  EXPECT_EQ(decode_before(text, 7).code_point, 0x20ACU);
  EXPECT_FALSE(decode_before(text, 4).valid);
  EXPECT_EQ(decode_before(text, 4).length, 1U);
  EXPECT_EQ(decode_before(text, 3).code_point, 0xE9U);
  EXPECT_EQ(decode_before(text, 1).code_point, U'a');
  EXPECT_EQ(decode_before(text, 0).length, 0U);
  EXPECT_EQ(decode_before(text, 99).length, 0U);
}

TEST(Utf8, ValidityAtEveryOffsetOfAWord) {
  for (std::size_t lead = 0; lead < 20; ++lead) {
    EXPECT_TRUE(is_valid(std::string(lead, 'a') + "\xC3\xA9" + std::string(9, 'b')));
    EXPECT_FALSE(is_valid(std::string(lead, 'a') + "\xC3" + std::string(9, 'b')));
    EXPECT_TRUE(is_ascii(std::string(lead, 'a')));
    EXPECT_FALSE(is_ascii(std::string(lead, 'a') + "\xC3\xA9"));
  }
}

TEST(Utf8, CountsAndClipsCodePoints) {
  const std::string text = "caf\xC3\xA9 \xF0\x9F\x98\x80\x97!";
  EXPECT_EQ(count(text), 8U);
  EXPECT_EQ(clip(text, 0), "");
  EXPECT_EQ(clip(text, 4), "caf\xC3\xA9");
  EXPECT_EQ(clip(text, 6), "caf\xC3\xA9 \xF0\x9F\x98\x80");
  EXPECT_EQ(clip(text, 7), "caf\xC3\xA9 \xF0\x9F\x98\x80\x97");
  EXPECT_EQ(clip(text, 8), text);
  EXPECT_EQ(clip(text, 1'000), text);
  for (std::size_t n = 0; n <= 9; ++n) EXPECT_LE(count(clip(text, n)), n);
}

TEST(Utf8, SanitizesEveryBadByte) {
  EXPECT_EQ(sanitize("plain"), "plain");
  EXPECT_EQ(sanitize("a\x97z\xE2\x82"), "a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_TRUE(is_valid(sanitize("\xFF\xFE\xC3\x28\xED\xA0\x80")));
}

TEST(Utf8, PrintableTextCannotFakeALine) {
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable("a\nb\tc\rd", true), "a\nb\tc\\rd");
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m"), "\\x1b[31mred\\x1b[0m");
  EXPECT_EQ(printable(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(printable("\xC2\x85\xC2\x9B"), "\\x85\\x9b");
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "evil\xE2\x80\xA8"),
            "\\u202eevil\\u2028");
  EXPECT_EQ(printable("caf\xC3\xA9 \xE4\xBA\xA4 \x97"), "caf\xC3\xA9 \xE4\xBA\xA4 \\x97");
}

}  // namespace
}  // namespace agentfootprint::utf8
