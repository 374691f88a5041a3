// Schema checks: what compiles, what is reported, and that nothing crashes.
#include "agentfootprint/json/schema.hpp"

#include <gtest/gtest.h>

#include "agentfootprint/json/parse.hpp"

namespace agentfootprint::json {
namespace {

Schema compiled(std::string_view text) {
  auto schema = Schema::compile(parse_or_throw(text));
  if (!schema) throw std::runtime_error(schema.error());
  return *schema;
}

// "path: message" of the first issue, "" when there is none.
std::string first_issue(std::string_view schema, std::string_view value) {
  const auto issues = compiled(schema).check(parse_or_throw(value));
  return issues.empty() ? "" : issues.front().path + ": " + issues.front().message;
}

std::string compile_error(std::string_view text) {
  auto schema = Schema::compile(parse_or_throw(text));
  return schema ? "" : schema.error();
}

struct Case {
  const char* schema;
  const char* value;
  const char* issue;
};

TEST(Schema, ReportsPathsAndTypesAndNeverValues) {
  const Case cases[] = {
      {R"({"type":"object"})", "[1]", ": must be an object, is an array"},
      {R"({"type":"object"})", "{}", ""},
      {R"({"properties":{"a/b":{"type":["string","null"]}}})", R"({"a/b":1})",
       "/a~1b: must be a string or null, is an integer"},
      {R"({"required":["x"]})", "{}", ": must have the member 'x'"},
      {R"({"properties":{"a":true},"additionalProperties":false})", R"({"b":1})",
       ": has a member the schema does not allow: 'b'"},
      {R"({"items":{"type":"integer"}})", R"([1,2,"x"])", "/2: must be an integer, is a string"},
      {R"({"type":"integer"})", "1.0", ""},
      {R"({"type":"integer"})", "1.5", ": must be an integer, is a number"},
      {R"({"type":"integer"})", "123456789012345678901234567890", ""},
      {R"({"type":"number"})", "1e400", ""},
      {R"({"minimum":0.1})", "0.1", ""},
      {R"({"exclusiveMinimum":0.1})", "0.1", ": must be above 0.1"},
      {R"({"maximum":9007199254740993})", "9007199254740994", ": must be at most 9007199254740993"},
      {R"({"exclusiveMaximum":10})", "10", ": must be below 10"},
      {R"({"multipleOf":0.01})", "0.07", ""},
      {R"({"multipleOf":0.01})", "0.075", ": must be a multiple of 0.01"},
      {R"({"multipleOf":3})", "1e30", ": must be a multiple of 3"},
      {R"({"minLength":3})", "\"\xC3\xA9\xC3\xA9\"", ": must have at least 3 characters"},
      {R"({"maxLength":2})", "\"\xC3\xA9\xC3\xA9\"", ""},
      {R"({"pattern":"^fc[0-9]+/[0-9]+$"})", R"("fc1/3")", ""},
      {R"({"pattern":"^a"})", R"("secret")", ": must match the pattern ^a"},
      {R"({"pattern":"\\u0041"})", R"("A")", ""},
      {R"({"patternProperties":{"^x":{"type":"string"}}})", R"({"xa":1})",
       "/xa: must be a string, is an integer"},
      {R"({"patternProperties":{"^x":true},"additionalProperties":false})", R"({"xa":1,"xb":2})",
       ""},
      {R"({"enum":[1,"a",null]})", "1.0", ""},
      {R"({"enum":[1,"a",null]})", "2", ": must be one of the values the schema lists"},
      {R"({"const":{"a":[1,2]}})", R"({"a":[1,2.0]})", ""},
      {R"({"const":0.1})", "0.10000000000000001", ": must be the one value the schema names"},
      {R"({"uniqueItems":true})", "[1,1.0]", ": must not have two equal elements"},
      {R"({"uniqueItems":true})", R"([{"a":1},{"a":2}])", ""},
      {R"({"minItems":2})", "[1]", ": must have no fewer than 2 elements"},
      {R"({"maxItems":2})", "[1,2,3]", ": must have no more than 2 elements"},
      {R"({"minProperties":1})", "{}", ": must have no fewer than 1 properties"},
      {R"({"contains":{"type":"string"}})", "[1]", ": has no element of the kind asked for"},
      {R"({"not":{"type":"string"}})", R"("x")", ": matches what the schema rules out"},
      {R"({"propertyNames":{"maxLength":1}})", R"({"ab":1})", ": does not match the schema"},
      {R"({"dependencies":{"a":["b"]}})", R"({"a":1})",
       ": must have the member 'b', which another member asks for"},
      {R"({"if":{"required":["a"]},"then":{"required":["b"]}})", R"({"a":1})",
       ": must have the member 'b'"},
      {R"({"properties":{"a":false}})", R"({"a":1})", ": does not match the schema"},
      {"true", "1", ""},
      {"false", "1", ": does not match the schema"},
      {R"({"format":"date-time","type":"string"})", R"("yesterday")", ""},
      {R"({"definitions":{"p":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/p"}}})",
       R"({"a":1})", "/a: must be a string, is an integer"},
      {R"({"$defs":{"p":{"minimum":3}},"items":{"$ref":"#/$defs/p"}})", "[4,2]",
       "/1: must be at least 3"},
      {R"({"properties":{"next":{"$ref":"#"},"v":{"type":"null"}}})",
       R"({"next":{"next":{"v":1}}})", "/next/next/v: must be null, is an integer"},
      {R"({"properties":{"pattern":{"type":"string"},"enum":{"type":"string"}}})",
       R"-({"pattern":"(","enum":1})-", "/enum: must be a string, is an integer"},
      // The last of two members with one key counts, as JSON.parse has it.
      {R"({"properties":{"a":{"type":"string"}},"additionalProperties":false})",
       R"({"a":1,"a":"x"})", ""},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(first_issue(test.schema, test.value), test.issue) << test.schema << " " << test.value;
  }
}

TEST(Schema, SaysWhyAnAlternativeFailed) {
  const Schema any = compiled(R"({"anyOf":[{"type":"string"},{"type":"null"}]})");
  const auto issues = any.check(Value(1));
  ASSERT_FALSE(issues.empty());
  EXPECT_EQ(issues.back().message, "matches none of the alternatives");
  const Schema one = compiled(R"({"oneOf":[{"type":"number"},{"type":"integer"}]})");
  EXPECT_TRUE(one.check(Value::number("1.5")).empty());
  EXPECT_EQ(one.check(Value(1)).back().message,
            "matches more than one of the alternatives, must match one");
}

TEST(Schema, ReportsNoMoreIssuesThanAsked) {
  const Schema schema = compiled(R"({"items":{"type":"string"}})");
  const Value value = parse_or_throw("[1,2,3,4,5,6,7,8,9,10,11,12]");
  EXPECT_EQ(schema.check(value).size(), 10U);
  EXPECT_EQ(schema.check(value, 3).size(), 3U);
  EXPECT_EQ(schema.check(value, 100).size(), 12U);
}

TEST(Schema, RefusesWhatCannotBeChecked) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "a schema must be an object or a boolean, is an array"},
      {R"({"$ref":"#/definitions/none"})", "leads nowhere"},
      {R"({"$ref":"https://example.org/s.json"})", "another document"},
      {R"({"$ref":"#"})", "refers to itself without end"},
      {R"({"allOf":[{"$ref":"#"}]})", "refers to itself without end"},
      {R"({"definitions":{"a":{"$ref":"#/definitions/b"},"b":{"$ref":"#/definitions/a"}}})",
       "refers to itself without end"},
      {R"-({"pattern":"(?=x)"})-", "/pattern is not a pattern RE2 can compile"},
      {R"-({"patternProperties":{"(":{}}})-", "is not a pattern RE2 can compile"},
      {R"({"type":"date"})", "/type names a type JSON Schema does not have"},
      {R"({"minimum":"1"})", "/minimum must be a number"},
      {R"({"multipleOf":0})", "/multipleOf must be a number above 0"},
      {R"({"minLength":-1})", "/minLength must be a whole number"},
      {R"({"required":"x"})", ""},
      {R"({"properties":[]})", ""},
  };
  for (const auto& [schema, reason] : cases) {
    const std::string error = compile_error(schema);
    EXPECT_NE(error, "") << schema;
    EXPECT_NE(error.find(reason), std::string::npos) << schema << ": " << error;
  }
}

TEST(Schema, SurvivesDepthAndLongTexts) {
  const Schema recursive = compiled(R"({"properties":{"a":{"$ref":"#"}}})");
  Value deep = Value(1);
  for (int i = 0; i < 100'000; ++i) deep = object({{"a", deep}});
  const auto issues = recursive.check(deep);
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_NE(issues[0].message.find("nests deeper than"), std::string::npos);
  Value schema = object({{"type", "object"}});
  for (int i = 0; i < 100'000; ++i) schema = object({{"items", schema}});
  EXPECT_FALSE(Schema::compile(schema));
  const Schema pattern =
      compiled(R"-({"pattern":"^(a|b)*$","patternProperties":{"^(a|b)*$":{}}})-");
  EXPECT_TRUE(pattern.check(Value(std::string(1'000'000, 'a'))).empty());
  EXPECT_TRUE(pattern.check(object({{std::string(1'000'000, 'a'), 1}})).empty());
  // Doubling alternatives would take 2^40 steps.
  std::string doubling = R"({"definitions":{"s0":{"type":"null"})";
  for (int i = 1; i < 40; ++i) {
    const std::string ref = R"({"$ref":"#/definitions/s)" + std::to_string(i - 1) + R"("})";
    doubling += ",\"s" + std::to_string(i) + R"(":{"anyOf":[)" + ref + "," + ref + "]}";
  }
  doubling += R"(},"$ref":"#/definitions/s39"})";
  EXPECT_NE(compile_error(doubling).find("combines too many schemas"), std::string::npos);
}

}  // namespace
}  // namespace agentfootprint::json
