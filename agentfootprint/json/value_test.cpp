// Values: construction, getters, look-up, sharing, equality.
#include "agentfootprint/json/value.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::json {
namespace {

std::string error_code(const auto& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.code();
  }
  return "";
}

TEST(Value, BuildsAndReadsByHand) {
  const Value value = object({
      {"name", "alpha-01"},
      {"ports", array({1, 2, 3})},
      {"ratio", Value::number("0.6110")},
      {"long", "a text of more than fourteen bytes"},
      {"none", nullptr},
      {"yes", true},
      {"empty", array({})},
      {"nothing", object({})},
  });
  EXPECT_EQ(dump(value), R"({"name":"alpha-01","ports":[1,2,3],"ratio":0.6110,)"
                         R"("long":"a text of more than fourteen bytes","none":null,"yes":true,)"
                         R"("empty":[],"nothing":{}})");
  EXPECT_EQ(value.size(), 8U);
  EXPECT_EQ(value.at("ports").at(2).as_int64(), 3);
  EXPECT_EQ(value.find("missing"), nullptr);
  EXPECT_TRUE(value.contains("none"));
  EXPECT_TRUE(value.at("none").is_null());
  EXPECT_EQ(value.at("yes").as_bool(), true);
  EXPECT_EQ(value.at("name").as_bool(), std::nullopt);
  EXPECT_EQ(value.as_string(), std::nullopt);
  EXPECT_EQ(value.number_text(), std::nullopt);
  EXPECT_TRUE(value.at("empty").empty());
  EXPECT_TRUE(value.elements().empty());
  EXPECT_EQ(value.members()[1].key(), "ports");
}

TEST(Value, KindsHaveNames) {
  const std::pair<Value, const char*> cases[] = {
      {Value(), "null"},      {Value(true), "boolean"}, {Value(1), "number"},
      {Value("x"), "string"}, {array({1}), "array"},    {object({{"a", 1}}), "object"}};
  for (const auto& [value, name] : cases) EXPECT_EQ(name_of(value.kind()), name);
}

TEST(Value, NumbersFromIntegersKeepEveryDigit) {
  EXPECT_EQ(dump(Value(std::numeric_limits<std::int64_t>::min())), "-9223372036854775808");
  EXPECT_EQ(dump(Value(std::numeric_limits<std::uint64_t>::max())), "18446744073709551615");
  EXPECT_EQ(dump(Value(std::uint8_t{200})), "200");
  EXPECT_EQ(dump(Value(-7)), "-7");
  EXPECT_EQ(dump(Value(0)), "0");
}

TEST(Value, TextsMayBeOfAnyLengthAndHoldZeros) {
  for (std::size_t length = 0; length < 40; ++length) {
    std::string text(length, '\0');
    for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<char>(i);
    const Value value(text);
    EXPECT_EQ(*value.as_string(), text);
    const Value copy = value;
    EXPECT_EQ(copy, Value(text));
    EXPECT_EQ(parse_or_throw(dump(value)), value);
  }
  EXPECT_NE(Value(std::string_view("a\0", 2)), Value("a"));
}

TEST(Value, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "01", "1.", ".5", "+1", "NaN", "1 ", "0x1", "1e"}) {
    EXPECT_EQ(error_code([&] { (void)Value::number(text); }), "json-number") << text;
  }
  EXPECT_EQ(error_code([] { (void)Value(std::numeric_limits<double>::infinity()); }),
            "json-number");
  EXPECT_EQ(error_code([] { (void)Value(std::numeric_limits<double>::quiet_NaN()); }),
            "json-number");
}

TEST(Value, IntegersAreExactOrEmpty) {
  struct Case {
    const char* text;
    std::optional<std::int64_t> as_signed;
    std::optional<std::uint64_t> as_unsigned;
  };
  const Case cases[] = {
      {"0", 0, 0},
      {"-0", 0, 0},
      {"-0.0", 0, 0},
      {"0e5", 0, 0},
      {"3.0", 3, 3},
      {"1e3", 1000, 1000},
      {"-1.5e1", -15, std::nullopt},
      {"1.5", std::nullopt, std::nullopt},
      {"1e-1", std::nullopt, std::nullopt},
      {"10e-1", 1, 1},
      {"9223372036854775807", std::numeric_limits<std::int64_t>::max(), 9223372036854775807U},
      {"9223372036854775808", std::nullopt, 9223372036854775808U},
      {"-9223372036854775808", std::numeric_limits<std::int64_t>::min(), std::nullopt},
      {"-9223372036854775809", std::nullopt, std::nullopt},
      {"18446744073709551615", std::nullopt, 18446744073709551615U},
      {"18446744073709551616", std::nullopt, std::nullopt},
      {"1e19", std::nullopt, 10000000000000000000U},
      {"1e20", std::nullopt, std::nullopt},
      {"1e400", std::nullopt, std::nullopt},
      {"1e99999999999999999999", std::nullopt, std::nullopt},
      {"0e99999999999999999999", std::nullopt, std::nullopt},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(Value::number(test.text).as_int64(), test.as_signed) << test.text;
    EXPECT_EQ(Value::number(test.text).as_uint64(), test.as_unsigned) << test.text;
  }
  EXPECT_EQ(Value("7").as_int64(), std::nullopt);
  EXPECT_EQ(Value(true).as_uint64(), std::nullopt);
}

TEST(Value, DoublesAreTheNearest) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::pair<const char*, double> cases[] = {{"0.1", 0.1},
                                                  {"1e400", kInfinity},
                                                  {"-1e400", -kInfinity},
                                                  {"1e-400", 0.0},
                                                  {"0.0000001e400", kInfinity},
                                                  {"1e99999999999999999999", kInfinity},
                                                  {"1e-99999999999999999999", 0.0},
                                                  {"123456789012345678", 123456789012345678.0}};
  for (const auto& [text, value] : cases) EXPECT_EQ(Value::number(text).as_double(), value) << text;
  EXPECT_EQ(Value("1").as_double(), std::nullopt);
}

TEST(Value, FindsTheLastOfSeveral) {
  const Value small = parse_or_throw(R"({"a":1,"b":2,"a":3})");
  EXPECT_EQ(small.size(), 3U);
  EXPECT_EQ(small.find("a")->as_int64(), 3);
  ObjectBuilder builder;
  for (int i = 0; i < 100; ++i) builder.add("key" + std::to_string(i % 50), i);
  const Value large = builder.build();
  EXPECT_TRUE(builder.empty());
  EXPECT_EQ(large.size(), 100U);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(large.find("key" + std::to_string(i))->as_int64(), i + 50);
  EXPECT_EQ(large.find("key"), nullptr);
  EXPECT_EQ(large.find(std::string(50, 'k')), nullptr);
}

TEST(Value, ErrorsOfAtNameWhatIsAskedFor) {
  const Value value = object({{"list", array({1})}});
  EXPECT_EQ(error_code([&] { (void)value.at("none"); }), "json-missing");
  EXPECT_EQ(error_code([&] { (void)value.at(0); }), "json-type");
  EXPECT_EQ(error_code([&] { (void)value.at("list").at(1); }), "json-missing");
  EXPECT_EQ(error_code([&] { (void)value.at("list").at("x"); }), "json-type");
  EXPECT_EQ(error_code([] { (void)Member(Value(1), Value(2)); }), "json-type");
  try {
    (void)value.at("none");
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no member \"none\"");
  }
}

TEST(Value, FollowsPointers) {
  const Value value =
      parse_or_throw(R"({"a":{"b":[10,{"c/d":1,"e~f":2,"":3,"0":4}]},"":{"":5},"x":1,"~1":6})");
  const std::pair<const char*, const char*> found[] = {
      {"/a/b/0", "10"},   {"/a/b/1/c~1d", "1"}, {"/a/b/1/e~0f", "2"},
      {"/a/b/1/", "3"},   {"/a/b/1/0", "4"},    {"//", "5"},
      {"/", R"({"":5})"}, {"/x", "1"},          {"/~01", "6"}};
  for (const auto& [pointer, text] : found) {
    const Value* at = value.find_pointer(pointer);
    ASSERT_NE(at, nullptr) << pointer;
    EXPECT_EQ(dump(*at), text) << pointer;
  }
  EXPECT_EQ(value.find_pointer(""), &value);
  for (const char* pointer : {"a", "/a/c", "/a/b/2", "/a/b/-", "/a/b/00", "/a/b/ 0", "/a/b/0/x",
                              "/a/b/18446744073709551616", "/~2", "/~", "/x/", "/a/b/+1"}) {
    EXPECT_EQ(value.find_pointer(pointer), nullptr) << pointer;
  }
}

struct EqualCase {
  const char* a;
  const char* b;
  bool equal;
};

TEST(Value, EqualityIsStructuralAndExact) {
  const EqualCase cases[] = {
      {"1.0", "1e0", true},
      {"100", "1e2", true},
      {"-0", "0", true},
      {"0.1", "0.10000000000000001", false},
      {"9007199254740993", "9007199254740992", false},
      {"1e400", "10e399", true},
      {"1e400", "1e401", false},
      {"1e99999999999999999999", "1e99999999999999999999", true},
      {"1", "\"1\"", false},
      {"1", "true", false},
      {"null", "false", false},
      {"[1,2]", "[2,1]", false},
      {"[1,2]", "[1,2,3]", false},
      {"[]", "{}", false},
      {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true},
      {"{\"a\":1}", "{\"a\":1,\"b\":2}", false},
      {"{\"a\":1,\"b\":2}", "{\"a\":1,\"c\":2}", false},
      {"{\"a\":1,\"a\":2}", "{\"a\":2,\"a\":1}", true},
      {"{\"a\":1,\"a\":1}", "{\"a\":1}", false},
      {"{\"a\":1,\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2,\"b\":2}", false},
      {"{\"b\":2,\"a\":1,\"a\":3}", "{\"a\":3,\"b\":2,\"a\":1.0}", true},
      {"{\"x\":{\"a\":[1,{}],\"a\":[]}}", "{\"x\":{\"a\":[],\"a\":[1.0,{}]}}", true},
      {"\"\\u00e9\"", "\"\xC3\xA9\"", true},
      {"\"e\\u0301\"", "\"\xC3\xA9\"", false},
  };
  for (const EqualCase& test : cases) {
    const Value a = parse_or_throw(test.a);
    const Value b = parse_or_throw(test.b);
    EXPECT_EQ(a == b, test.equal) << test.a << " " << test.b;
    EXPECT_EQ(b == a, test.equal) << test.b << " " << test.a;
    EXPECT_TRUE(a == a.detach());
  }
}

TEST(Value, NestedDuplicatesAreComparedInReasonableTime) {
  const auto nested = [](bool swapped) {
    Value value(1);
    for (int i = 0; i < 2'000; ++i) {
      Member first("a", value);
      Member second("a", i);
      value = swapped ? object({second, first}) : object({first, second});
    }
    return value;
  };
  EXPECT_EQ(nested(false), nested(true));
}

TEST(Value, CopiesShareAndOutliveTheDocument) {
  Value kept;
  Value detached;
  {
    const Value document = parse_or_throw(
        R"({"rows":[{"name":"a name beyond fourteen bytes","n":12345678901234567890}]})");
    kept = document.at("rows").at(0);
    EXPECT_TRUE(kept.same_storage(document.at("rows").at(0)));
    detached = kept.detach();
    EXPECT_FALSE(detached.same_storage(kept));
    EXPECT_EQ(detached, kept);
  }
  EXPECT_EQ(kept.at("name").as_string(), "a name beyond fourteen bytes");
  EXPECT_EQ(detached.at("n").number_text(), "12345678901234567890");
  Value moved = std::move(kept);
  EXPECT_TRUE(kept.is_null());  // NOLINT: the moved-from value is null by contract of this test
  kept = moved;
  moved = moved.at("name");  // a part of itself
  EXPECT_EQ(moved.as_string(), "a name beyond fourteen bytes");
  kept = array({kept, kept, moved});
  EXPECT_EQ(kept.size(), 3U);
}

TEST(Value, DeepValuesBuiltByHandNeedNoStack) {
  constexpr int kDepth = 100'000;
  const auto build = [] {
    Value value = "the innermost text, longer than fourteen";
    for (int i = 0; i < kDepth; ++i) {
      value = i % 2 == 0 ? array({value, i}) : object({{"a long key that needs a node", value}});
    }
    return value;
  };
  Value first = build();
  const Value second = build();
  EXPECT_EQ(first, second);
  EXPECT_EQ(dump(first), dump(second));
  EXPECT_EQ(first.detach(), second);
  EXPECT_EQ(dump_canonical(first).size(), dump(first).size());
  const Value inner = first.at("a long key that needs a node");
  first = Value();
  EXPECT_EQ(inner.size(), 2U);
}

TEST(Value, EditsCopies) {
  const Value value = parse_or_throw(R"({"a":1,"b":2,"a":3})");
  EXPECT_EQ(dump(with_member(value, "a", 9)), R"({"a":1,"b":2,"a":9})");
  EXPECT_EQ(dump(with_member(value, "c", "x")), R"({"a":1,"b":2,"a":3,"c":"x"})");
  EXPECT_EQ(dump(without_member(value, "a")), R"({"b":2})");
  EXPECT_EQ(dump(without_member(value, "z")), dump(value));
  EXPECT_EQ(error_code([] { (void)with_member(Value(1), "a", 1); }), "json-type");
  EXPECT_EQ(error_code([] { (void)without_member(array({}), "a"); }), "json-type");
}

TEST(Value, BuildersLeaveOutWhatIsAbsent) {
  ObjectBuilder object;
  object.add("a", 1).add("b", "x");
  object.add_if("c", std::optional<std::string>()).add_if("d", std::optional<int>(4));
  EXPECT_EQ(dump(object.build()), R"({"a":1,"b":"x","d":4})");
  EXPECT_EQ(dump(object.build()), "{}");
  EXPECT_EQ(dump(ObjectBuilder().add("k", true).build()), R"({"k":true})");
  ArrayBuilder array;
  array.add(1).add("x");
  EXPECT_EQ(array.size(), 2U);
  EXPECT_EQ(dump(array.build()), R"([1,"x"])");
  EXPECT_TRUE(array.empty());
}

TEST(Value, MisuseDoesNotCompile) {
  static_assert(!std::is_constructible_v<Value, char>);
  static_assert(!std::is_constructible_v<Value, void*>);
  static_assert(!std::is_constructible_v<Value, const int*>);
  static_assert(std::is_nothrow_move_constructible_v<Value>);
  static_assert(sizeof(Member) == 32);
}

}  // namespace
}  // namespace agentfootprint::json
