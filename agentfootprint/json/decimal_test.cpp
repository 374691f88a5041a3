// Exact decimals: reading, spelling, order, the four operations, rounding, limits.
#include "agentfootprint/json/decimal.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "agentfootprint/base/random.hpp"

namespace agentfootprint::json {
namespace {

Decimal dec(std::string_view text) {
  const std::optional<Decimal> found = Decimal::parse(text);
  EXPECT_TRUE(found) << text;
  return found.value_or(Decimal());
}

std::string shown(const std::optional<Decimal>& value) {
  return value ? value->to_string() : "none";
}

TEST(Decimal, ReadsAndSpells) {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "0"},
      {"-0", "0"},
      {"0.000", "0"},
      {"0e99", "0"},
      {"+1.50", "1.5"},
      {"15e-1", "1.5"},
      {".5", "0.5"},
      {"5.", "5"},
      {"007", "7"},
      {"-12.3400", "-12.34"},
      {"1e20", "100000000000000000000"},
      {"1e21", "1e+21"},
      {"0.000001", "0.000001"},
      {"1E-7", "1e-7"},
      {"18446744073709551616", "18446744073709551616"},
      {"9999999999999999999", "9999999999999999999"},
      {"123456789012345678901234567890", "1.2345678901234567890123456789e+29"},
      {"1e100000", "1e+100000"},
      {"1e-100000", "1e-100000"}};
  for (const auto& [text, spelled] : cases) EXPECT_EQ(dec(text).to_string(), spelled) << text;
}

TEST(Decimal, RefusesOtherTexts) {
  for (const char* text :
       {"", "+", "-", ".", "e5", "1e", "1e+", "1 ", " 1", "1,000", "0x1", "1.2.3", "--1", "1e1.5",
        "NaN", "1e100001", "1e-100001", "1e999999999999999999999"}) {
    EXPECT_FALSE(Decimal::parse(text)) << text;
  }
  EXPECT_TRUE(Decimal::parse(std::string(4096, '7')));
  EXPECT_FALSE(Decimal::parse(std::string(4097, '7')));
  EXPECT_TRUE(Decimal::parse("1" + std::string(5000, '0')));
}

TEST(Decimal, Compares) {
  // In order.
  const char* sorted[] = {"-1e100000",
                          "-123456789012345678901234567890",
                          "-18446744073709551616",
                          "-2",
                          "-1.5",
                          "-1.0000000000000000000000001",
                          "-1",
                          "-1e-100000",
                          "0",
                          "1e-100000",
                          "0.0999999999999999999999",
                          "0.1",
                          "0.10000000000000000000001",
                          "1",
                          "1.000000000000000000001",
                          "9",
                          "10",
                          "9999999999999999999",
                          "10000000000000000000",
                          "18446744073709551615",
                          "18446744073709551616",
                          "123456789012345678901234567889",
                          "123456789012345678901234567890",
                          "1e100000"};
  for (std::size_t i = 0; i < std::size(sorted); ++i) {
    for (std::size_t k = 0; k < std::size(sorted); ++k) {
      EXPECT_EQ(dec(sorted[i]) <=> dec(sorted[k]), i <=> k) << sorted[i] << " " << sorted[k];
      EXPECT_EQ(dec(sorted[i]) == dec(sorted[k]), i == k);
    }
  }
  EXPECT_EQ(dec("1.0"), dec("1e0"));
  EXPECT_EQ(dec("1.0").hash(), dec("10e-1").hash());
  EXPECT_NE(dec("1").hash(), dec("-1").hash());
  EXPECT_NE(dec("1").hash(), dec("10").hash());
}

struct Operation {
  const char* a;
  const char* b;
  const char* plus;
  const char* minus;
  const char* times;
  const char* over;  // 4 decimals
};

TEST(Decimal, ComputesExactly) {
  const Operation cases[] = {
      {"0.1", "0.2", "0.3", "-0.1", "0.02", "0.5"},
      {"1.50", "15e-1", "3", "0", "2.25", "1"},
      {"1.5", "9", "10.5", "-7.5", "13.5", "0.1667"},
      {"-7", "2", "-5", "-9", "-14", "-3.5"},
      {"0", "5", "5", "-5", "0", "0"},
      {"5", "0", "5", "5", "0", "none"},
      {"1", "3", "4", "-2", "3", "0.3333"},
      {"2", "3", "5", "-1", "6", "0.6667"},
      {"1", "-8", "-7", "9", "-8", "-0.125"},
      {"1", "16", "17", "-15", "16", "0.0625"},
      {"1", "32000", "32001", "-31999", "32000", "0"},
      {"1", "20000", "20001", "-19999", "20000", "0.0001"},
      {"9999999999999999999", "1", "10000000000000000000", "9999999999999999998",
       "9999999999999999999", "9999999999999999999"},
      {"18446744073709551615", "18446744073709551615", "36893488147419103230", "0",
       "3.40282366920938463426481119284349108225e+38", "1"},
      {"123456789012345678901234567890", "-123456789012345678901234567889", "1",
       "2.46913578024691357802469135779e+29",
       "-1.524157875323883675049535156241274199848955952097378448421e+58", "-1"},
      {"1e100000", "1", "none", "none", "1e+100000", "none"},
      {"1e100000", "1e100000", "2e+100000", "0", "none", "1"},
      {"1e-100000", "1e-100000", "2e-100000", "0", "none", "1"},
      {"1e100000", "1e-1", "none", "none", "1e+99999", "none"},
  };
  for (const Operation& test : cases) {
    const Decimal a = dec(test.a);
    const Decimal b = dec(test.b);
    EXPECT_EQ(shown(a.plus(b)), test.plus) << test.a << " + " << test.b;
    EXPECT_EQ(shown(a.minus(b)), test.minus) << test.a << " - " << test.b;
    EXPECT_EQ(shown(a.times(b)), test.times) << test.a << " * " << test.b;
    EXPECT_EQ(shown(a.divide(b, 4)), test.over) << test.a << " / " << test.b;
  }
}

struct Rounding {
  const char* text;
  int decimals;
  const char* rounded;
  const char* truncated;
};

TEST(Decimal, RoundsHalfAwayFromZeroAndCuts) {
  const Rounding cases[] = {
      {"1.5", 0, "2", "1"},
      {"-1.5", 0, "-2", "-1"},
      {"2.5", 0, "3", "2"},
      {"1.4999999999999999999999", 0, "1", "1"},
      {"0.05", 1, "0.1", "0"},
      {"0.04", 1, "0", "0"},
      {"0.5", 0, "1", "0"},
      {"0.5", -1, "0", "0"},
      {"8234", -3, "8000", "8000"},
      {"8500", -3, "9000", "8000"},
      {"9999.5", 0, "10000", "9999"},
      {"4", -1, "0", "0"},
      {"5", -1, "10", "0"},
      {"5", -2, "0", "0"},
      {"1.25", 5, "1.25", "1.25"},
      {"1e30", 2, "1e+30", "1e+30"},
      {"123456789012345678901234567890.5", 0, "1.23456789012345678901234567891e+29",
       "1.2345678901234567890123456789e+29"},
      {"0.99999999999999999999999999", 3, "1", "0.999"},
      {"18446744073709551615", -1, "18446744073709551620", "18446744073709551610"},
      {"-0.04", 1, "0", "0"},
      {"1e-100000", 10, "0", "0"},
      {"9999999999999999999", -19, "10000000000000000000", "0"},
  };
  for (const Rounding& test : cases) {
    EXPECT_EQ(dec(test.text).rounded(test.decimals).to_string(), test.rounded) << test.text;
    EXPECT_EQ(dec(test.text).truncated(test.decimals).to_string(), test.truncated) << test.text;
  }
}

TEST(Decimal, Converts) {
  EXPECT_EQ(dec("1e3").to_int64(), 1000);
  EXPECT_EQ(dec("-9223372036854775808").to_int64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(dec("9223372036854775807").to_int64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(dec("9223372036854775808").to_int64(), std::nullopt);
  EXPECT_EQ(dec("1.5").to_int64(), std::nullopt);
  EXPECT_EQ(dec("1e19").to_int64(), std::nullopt);
  EXPECT_EQ(dec("0").to_int64(), 0);
  EXPECT_EQ(dec("0.1").to_double(), 0.1);
  EXPECT_EQ(dec("-1e400").to_double(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(dec("1e-400").to_double(), 0.0);
  EXPECT_EQ(Decimal(std::numeric_limits<std::int64_t>::min()).to_string(), "-9223372036854775808");
  EXPECT_EQ(Decimal::scaled(125, -2).to_string(), "1.25");
  EXPECT_EQ(Decimal::scaled(-1200, 1).to_string(), "-12000");
  EXPECT_EQ(shown(dec("1.25").shifted(2)), "125");
  EXPECT_EQ(shown(dec("1e99999").shifted(2)), "none");
}

TEST(Decimal, TellsWhatItIs) {
  EXPECT_TRUE(dec("0").is_zero());
  EXPECT_FALSE(dec("-0").is_negative());
  EXPECT_TRUE(dec("-0.1").is_negative());
  EXPECT_TRUE(dec("1e5").is_integer());
  EXPECT_TRUE(dec("1.0").is_integer());
  EXPECT_FALSE(dec("1.5").is_integer());
  EXPECT_EQ(dec("-1.5").negated().to_string(), "1.5");
  EXPECT_EQ(dec("0").negated(), dec("0"));
  EXPECT_EQ(dec("-1.5").abs().to_string(), "1.5");
  EXPECT_EQ(dec("0").digits(), 1);
  EXPECT_EQ(dec("1200").digits(), 2);
  EXPECT_EQ(dec("0.00123").digits(), 3);
  EXPECT_EQ(dec("123456789012345678901").digits(), 21);
}

// Random numbers of a few digits on both sides of the one-word path, against 128-bit arithmetic.
TEST(Decimal, AgreesWithWideIntegers) {
  __extension__ using Wide = __int128;
  const auto text = [](Wide value) {
    if (value == 0) return std::string("0");
    std::string digits;
    const bool negative = value < 0;
    for (Wide left = negative ? -value : value; left != 0; left /= 10) {
      digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(left % 10)));
    }
    return (negative ? "-" : "") + digits;
  };
  SeededRandom random(3);
  for (int i = 0; i < 5'000; ++i) {
    const auto draw = [&] {
      const auto word = static_cast<std::int64_t>(random.next() >> random.below(63));
      return word >> random.below(2);
    };
    const std::int64_t a = draw();
    const std::int64_t b = draw();
    const Decimal x = dec(text(a));
    const Decimal y = dec(text(b));
    EXPECT_EQ(x.plus(y), dec(text(Wide{a} + b)));
    EXPECT_EQ(x.minus(y), dec(text(Wide{a} - b)));
    EXPECT_EQ(x.times(y), dec(text(Wide{a} * b)));
    EXPECT_EQ(x <=> y, a <=> b);
    EXPECT_EQ(x.to_int64(), a);
    if (b != 0) {
      const Wide doubled = (a < 0 ? -Wide{a} : Wide{a}) * 2;
      const Wide divisor = b < 0 ? -Wide{b} : Wide{b};
      Wide quotient = (doubled + divisor) / (divisor * 2);
      if ((a < 0) != (b < 0)) quotient = -quotient;
      EXPECT_EQ(x.divide(y, 0), dec(text(quotient))) << a << " / " << b;
    }
  }
}

}  // namespace
}  // namespace agentfootprint::json
