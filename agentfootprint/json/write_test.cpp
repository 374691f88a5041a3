// Writers: bytes kept, escapes, canonical form, doubles as ECMAScript prints them.
#include "agentfootprint/json/write.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "agentfootprint/base/random.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint::json {
namespace {

TEST(Write, NumbersComeBackByteForByte) {
  for (const char* text :
       {"0", "-0", "1.50", "2.500000", "1e3", "1E+03", "-1.0e-00", "9007199254740993",
        "123456789012345678901234567890.000", "0.1000000000000000055511151231257827", "1e400"}) {
    EXPECT_EQ(dump(parse_or_throw(text)), text);
    EXPECT_EQ(dump(Value::number(text)), text);
  }
}

TEST(Write, EscapesOnlyWhatMustBe) {
  const std::pair<std::string, std::string> cases[] = {
      {"plain", "\"plain\""},
      {"a\"b\\c/d", R"("a\"b\\c/d")"},
      {std::string("\b\f\n\r\t\0\x1f\x7f", 8),
       std::string("\"\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\"")},
      {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""},
      {"bad \x97 byte", "\"bad \xEF\xBF\xBD byte\""},
      {"cut \xE2\x82", "\"cut \xEF\xBF\xBD\xEF\xBF\xBD\""},
      {fmt::format("{:x>40}\"{:y>40}", "", ""), fmt::format("\"{:x>40}\\\"{:y>40}\"", "", "")},
  };
  for (const auto& [text, quoted] : cases) {
    std::string out = ">";
    append_quoted(out, text);
    EXPECT_EQ(out, ">" + quoted);
    EXPECT_TRUE(parse(dump(Value(text))));
  }
}

TEST(Write, CanonicalFormSortsAndShortens) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"b":1,"a":2.50,"B":3})", R"({"B":3,"a":2.5,"b":1})"},
      {R"({"a":1,"a":2,"A":0,"a":1})", R"({"A":0,"a":1,"a":2,"a":1})"},
      {"[1.0, 1e2, 0.10, -0, -0.0e5, 12e-1]", "[1,100,0.1,0,0,1.2]"},
      {"1e21", "1e+21"},
      {"1e20", "100000000000000000000"},
      {"123456789012345678901234567890", "1.2345678901234567890123456789e+29"},
      {"0.000001", "0.000001"},
      {"0.0000001", "1e-7"},
      {"1.25e-9", "1.25e-9"},
      {"1e400", "1e+400"},
      {R"("\u0041\/\u00e9")", "\"A/\xC3\xA9\""},
      {"{\"\xEF\xBF\xBD\":1,\"\xF0\x90\x80\x80\":2,\"z\":3}",
       "{\"z\":3,\"\xEF\xBF\xBD\":1,\"\xF0\x90\x80\x80\":2}"},
  };
  for (const auto& [text, canonical] : cases) {
    EXPECT_EQ(dump_canonical(parse_or_throw(text)), canonical) << text;
    EXPECT_EQ(dump_canonical(parse_or_throw(canonical)), canonical) << text;
  }
}

TEST(Write, CanonicalFormSortsKeysAsTheyAreWritten) {
  const Value value = object({{"\xF0\x90\x80\x80", 1}, {"\xFF", 2}, {"z", 3}});
  const std::string canonical = dump_canonical(value);
  EXPECT_EQ(canonical, "{\"z\":3,\"\xEF\xBF\xBD\":2,\"\xF0\x90\x80\x80\":1}");
  EXPECT_EQ(dump_canonical(parse_or_throw(canonical)), canonical);
}

TEST(Write, PrettyForPeople) {
  EXPECT_EQ(
      dump_pretty(parse_or_throw(R"({"a":[1,{"b":2}],"c":[],"d":{}})")),
      "{\n  \"a\": [\n    1,\n    {\n      \"b\": 2\n    }\n  ],\n  \"c\": [],\n  \"d\": {}\n}");
  EXPECT_EQ(dump_pretty(array({1}), 0), "[\n1\n]");
  EXPECT_EQ(dump_pretty(Value("x")), "\"x\"");
}

TEST(Write, AppendsToWhatIsThere) {
  std::string out = "data: ";
  dump_to(out, array({1, "x"}));
  EXPECT_EQ(out, R"(data: [1,"x"])");
}

TEST(Write, DoublesAsEcmaScriptPrintsThem) {
  const std::pair<double, const char*> cases[] = {
      {0.0, "0"},
      {-0.0, "0"},
      {1.0, "1"},
      {-1.5, "-1.5"},
      {0.1, "0.1"},
      {0.1 + 0.2, "0.30000000000000004"},
      {1e21, "1e+21"},
      {1e20, "100000000000000000000"},
      {123456789012345680000.0, "123456789012345680000"},
      {1e-6, "0.000001"},
      {1e-7, "1e-7"},
      {1.5e-7, "1.5e-7"},
      {5e-324, "5e-324"},
      {std::numeric_limits<double>::max(), "1.7976931348623157e+308"},
      {4294967295.0, "4294967295"},
      {100.0, "100"},
      {3.14, "3.14"},
  };
  for (const auto& [value, text] : cases) {
    EXPECT_EQ(number_text(value), text);
    EXPECT_EQ(dump(Value(value)), text);
  }
}

TEST(Write, PrintedDoublesReadBackTheSame) {
  SeededRandom random(11);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = random.next();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(parse_or_throw(number_text(value)).as_double(), value);
  }
}

}  // namespace
}  // namespace agentfootprint::json
