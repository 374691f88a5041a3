// Reading: errors with their place, the lenient, leading and prefix readers, limits and depth.
#include "agentfootprint/json/parse.hpp"

#include <gtest/gtest.h>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::json {
namespace {

struct ErrorCase {
  const char* text;
  const char* code;
  const char* message;
};

TEST(Parse, ErrorsNameLineColumnAndByte) {
  const ErrorCase cases[] = {
      {"", "json-cut", "line 1, column 1 (byte 0): the text ends inside a value"},
      {"[1,\n 2,\n x]", "json-syntax", "line 3, column 2 (byte 9): expected a value"},
      {"{\"\xC3\xA9\xE2\x82\xAC\": x}", "json-syntax",
       "line 1, column 8 (byte 10): expected a value"},
      {"[1 2]", "json-syntax", "line 1, column 4 (byte 3): expected ',' or ']'"},
      {"{\"a\":1 2}", "json-syntax", "line 1, column 8 (byte 7): expected ',' or '}'"},
      {"{a:1}", "json-syntax", "line 1, column 2 (byte 1): expected a key in quotes or '}'"},
      {"{\"a\" 1}", "json-syntax", "line 1, column 6 (byte 5): expected ':' after a key"},
      {"[1] 2", "json-syntax",
       "line 1, column 5 (byte 4): expected the end of the text behind the value"},
      {"01", "json-syntax", "line 1, column 2 (byte 1): a number has a leading zero"},
      {"[1.x]", "json-syntax",
       "line 1, column 4 (byte 3): expected a digit after the decimal point"},
      {"[1ex]", "json-syntax", "line 1, column 4 (byte 3): expected a digit in the exponent"},
      {"[-x]", "json-syntax", "line 1, column 3 (byte 2): expected a digit after '-'"},
      {"[\"a\\q\"]", "json-syntax", "line 1, column 4 (byte 3): JSON has no such escape"},
      {"[\"\\ud800\"]", "json-syntax",
       "line 1, column 3 (byte 2): a surrogate escape stands alone"},
      {"[\"a\x80\"]", "json-syntax", "line 1, column 4 (byte 3): the string is not valid UTF-8"},
      {"[\"a\nb\"]", "json-syntax",
       "line 1, column 4 (byte 3): a control character in a string must be escaped"},
      {"{\"a\":[1,", "json-cut", "line 1, column 9 (byte 8): the text ends inside a value"},
  };
  for (const ErrorCase& test : cases) {
    const auto parsed = parse(test.text);
    ASSERT_FALSE(parsed) << test.text;
    EXPECT_EQ(parsed.error().code, test.code) << test.text;
    EXPECT_EQ(parsed.error().message(), test.message) << test.text;
  }
}

TEST(Parse, ThrowsWithTheSameCodeAndMessage) {
  try {
    (void)parse_or_throw("[1,]");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "json-syntax");
    EXPECT_STREQ(error.what(), "line 1, column 4 (byte 3): expected a value");
  }
}

TEST(Parse, KeepsLimits) {
  ParseOptions options;
  options.max_depth = 3;
  EXPECT_TRUE(parse("[[[]]]", options));
  const auto deep = parse("[[[[]]]]", options);
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().code, "json-depth");
  EXPECT_EQ(deep.error().byte, 3U);
  options.max_bytes = 4;
  const auto large = parse("[1,2]", options);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, "json-size");
  EXPECT_EQ(large.error().reason, "the text has 5 bytes, the limit is 4");
  EXPECT_EQ(parse(std::string(20'000, '[')).error().code, "json-depth");
}

TEST(Parse, HundredThousandBracketsNeedNoStack) {
  ParseOptions options;
  options.max_depth = 200'000;
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{\"a\":", "}")}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += open;
    text += "1";
    for (int i = 0; i < 100'000; ++i) text += close;
    auto parsed = parse(text, options);
    ASSERT_TRUE(parsed);
    const Value copy = *parsed;
    EXPECT_EQ(dump(copy), text);
    EXPECT_EQ(dump_canonical(copy), text);
    EXPECT_EQ(copy.detach(), *parsed);
    EXPECT_EQ(copy, parse_or_throw(text, options));
    EXPECT_EQ(dump_pretty(copy, 0).size(),
              text.size() + 200'000U + (open[0] == '{' ? 100'000U : 0U));
    EXPECT_EQ(parse_leading(text + text, options).values.size(), 2U);
    const auto half = parse_prefix(std::string_view(text).substr(0, text.size() / 2), options);
    ASSERT_TRUE(half);
    EXPECT_TRUE(half->cut);
  }
}

struct LenientCase {
  const char* text;
  const char* dump;
  const char* tolerated;  // "what@byte*count …"
};

std::string described(const std::vector<Tolerated>& all) {
  std::string out;
  for (const Tolerated& one : all) {
    if (!out.empty()) out += ' ';
    out += one.what + "@" + std::to_string(one.byte) + "*" + std::to_string(one.count);
  }
  return out;
}

TEST(ParseLenient, SaysWhatItTolerated) {
  const LenientCase cases[] = {
      {"[1, 2]", "[1,2]", ""},
      {"[NaN, Infinity, -Infinity, nan, inf, -inf, -1]",
       R"(["NaN","Infinity","-Infinity","nan","inf","-inf",-1])", "nan@1*6"},
      {"{'a': 'it\\'s', \"b\": 'say \"x\"'}", R"({"a":"it's","b":"say \"x\""})",
       "single-quotes@1*3 foreign-escape@9*1"},
      {"{'ok': True, 'no': False, 'none': None, 'n': null}",
       R"({"ok":true,"no":false,"none":null,"n":null})", "single-quotes@1*4 python-literal@7*3"},
      {"[1, 2, ]", "[1,2]", "trailing-comma@5*1"},
      {"{\"a\": 1,}", R"({"a":1})", "trailing-comma@7*1"},
      {"[1, // one\n 2 /* two */, 3] // end", "[1,2,3]", "comment@4*3"},
      {"/* a */ {} ", "{}", "comment@0*1"},
      {"\"caf\xE9 \x97\"", "\"caf\xEF\xBF\xBD \xEF\xBF\xBD\"", "invalid-utf8@4*2"},
      {"\"a\nb\tc\"", R"("a\nb\tc")", "control-character@2*2"},
      {R"("\ud83d x \ude00")", "\"\xEF\xBF\xBD x \xEF\xBF\xBD\"", "lone-surrogate@1*2"},
      {R"("\x41\q\'")", R"("A\\q'")", "foreign-escape@1*3"},
      {"\xEF\xBB\xBF[1]", "[1]", "byte-order-mark@0*1"},
  };
  for (const LenientCase& test : cases) {
    const auto parsed = parse_lenient(test.text);
    ASSERT_TRUE(parsed) << test.text << ": " << parsed.error().message();
    EXPECT_EQ(dump(parsed->value), test.dump) << test.text;
    EXPECT_EQ(described(parsed->tolerated), test.tolerated) << test.text;
  }
}

TEST(ParseLenient, StillRefusesWhatIsNotJson) {
  for (const char* text :
       {"hello", "[1 2]", "{a: 1}", "[1,,2]", "{'a' 1}", "[+1]", "(1, 2)", "[nope]", "[1] x", "/",
        "[ / ]", "<b>", "Nothing", "[0x10]", "{,}", "[,]", "- 1"}) {
    EXPECT_FALSE(parse_lenient(text)) << text;
  }
  for (const char* text : {"['a", "[/* a", "[Tru", "[-In", "[1, //"}) {
    EXPECT_EQ(parse_lenient(text).error().code, "json-cut") << text;
  }
}

TEST(ParseLenient, KeepsBytesThatAreNotUtf8) {
  const auto parsed = parse_lenient("[\"caf\xE9\"]");
  EXPECT_EQ(parsed->value.at(0).as_string(), "caf\xE9");
}

TEST(ParseLeading, ReadsValuesUntilSomethingElse) {
  const auto check = [](std::string_view text, std::string_view values, std::size_t end) {
    const LeadingValues leading = parse_leading(text);
    EXPECT_EQ(dump(array(leading.values)), values) << text;
    EXPECT_EQ(leading.end, end) << text;
  };
  check("", "[]", 0);
  check("hello {}", "[]", 0);
  check("{}", "[{}]", 2);
  check("{\"a\":1} [2]\n{\"b\":3} and text", "[{\"a\":1},[2],{\"b\":3}]", 19);
  check("  [1][2]x", "[[1],[2]]", 8);
  check("[1] 2 [3]", "[[1]]", 3);
  check("{\"a\":1} {\"b\":", "[{\"a\":1}]", 7);
  check("1 [2]", "[]", 0);
}

struct PrefixCase {
  const char* text;
  const char* dump;
  const char* words;
  bool cut;
};

TEST(ParsePrefix, KeepsCompleteLeavesAndWholeWords) {
  const PrefixCase cases[] = {
      {"[1, 2]", "[1,2]", "", false},
      {"", "null", "", true},
      {"[1, 2", "[1]", "", true},
      {"[1, 2 ", "[1,2]", "", true},
      {"[1, 2,", "[1,2]", "", true},
      {"[tru", "[]", "", true},
      {"[true", "[true]", "", true},
      {"{\"a\": 1, \"b", R"({"a":1})", "", true},
      {"{\"a\": 1, \"b\"", R"({"a":1})", "", true},
      {"{\"a\": 1, \"b\":", R"({"a":1})", "", true},
      {"{\"a\": {\"b\": [1, {\"c\": -", R"({"a":{"b":[1,{}]}})", "", true},
      {"{\"rows\": [{\"id\": 7}, {\"id\": 8", R"({"rows":[{"id":7},{}]})", "", true},
      {"{\"log\": \"link down on fc1", R"({})", "link down on", true},
      {"{\"log\": \"link down on ", R"({})", "link down on", true},
      {"{\"log\": \"one", R"({})", "", true},
      {"[\"a b\\nc d\\", "[]", "a b\nc", true},
      {"[\"a b\\u00", "[]", "a", true},
      {"[\"na\\u00efve caf\xC3\xA9 \xE2\x82", "[]", "na\xC3\xAFve caf\xC3\xA9", true},
      {"[\"a \\ud83d", "[]", "a", true},
  };
  for (const PrefixCase& test : cases) {
    const auto parsed = parse_prefix(test.text);
    ASSERT_TRUE(parsed) << test.text << ": " << parsed.error().message();
    EXPECT_EQ(dump(parsed->value), test.dump) << test.text;
    EXPECT_EQ(parsed->cut_words, test.words) << test.text;
    EXPECT_EQ(parsed->cut, test.cut) << test.text;
  }
  for (const char* text : {"hello", "[1}", "{\"a\":x", "[1] [", "[\"\x80", "{'a': 1", "[1] tail"}) {
    EXPECT_FALSE(parse_prefix(text)) << text;
  }
}

TEST(Parse, RowsOfManySizesKeepEveryText) {
  // Strings and numbers around the inline length, in containers around the sizes where storage
  // changes.
  for (const std::size_t count : {1U, 2U, 15U, 16U, 17U, 63U, 64U, 65U, 1000U}) {
    std::string text = "{";
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) text += ',';
      const std::size_t length = i % 40;
      text += "\"" + std::string(length, 'k') + std::to_string(i) + "\":[\"" +
              std::string(length, 'v') + "\"," + std::string(length + 1, '7') + "]";
    }
    text += "}";
    const Value value = parse_or_throw(text);
    EXPECT_EQ(dump(value), text);
    EXPECT_EQ(value.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string key = std::string(i % 40, 'k') + std::to_string(i);
      const Value* found = value.find(key);
      ASSERT_NE(found, nullptr) << key;
      EXPECT_EQ(found->at(0).as_string(), std::string(i % 40, 'v'));
    }
    EXPECT_EQ(value.find("none"), nullptr);
  }
}

}  // namespace
}  // namespace agentfootprint::json
