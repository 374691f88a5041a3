// The planted argument: constant, recognisable, and gone again without a trace.
#include "agentfootprint/findings/argument_schema.hpp"

#include <gtest/gtest.h>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/schema.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::findings {
namespace {

json::Value tool_schema() {
  return json::parse_or_throw(
      R"({"type":"object","properties":{"port":{"type":"string"}},"required":["port"],)"
      R"("additionalProperties":false})");
}

std::vector<std::string> ids(std::size_t count) {
  std::vector<std::string> list;
  for (std::size_t at = count; at > 0; --at) list.push_back("c" + std::to_string(at));
  return list;
}

class Planted : public testing::TestWithParam<Declarations> {};

TEST_P(Planted, WithoutAnOfferTheConstantIsSharedByReference) {
  const json::Value served = with_findings_argument(tool_schema(), GetParam());
  const json::Value& planted = served.at("properties").at("_findings");
  EXPECT_TRUE(planted.same_storage(planted_schema(GetParam())));
  EXPECT_EQ(served.at("properties").members().back().key(), "_findings");
}

TEST_P(Planted, TheToolsOwnRulesStayAndTheRoundTripIsByteEqual) {
  const json::Value schema = tool_schema();
  const json::Value served = with_findings_argument(schema, GetParam(), ids(3));
  EXPECT_EQ(json::dump(served.at("required")), R"(["port"])");
  EXPECT_EQ(json::dump(served.at("additionalProperties")), "false");
  EXPECT_EQ(json::dump(without_findings_argument(served)), json::dump(schema));
}

TEST_P(Planted, IsAValidSchemaThatTakesADeclaration) {
  const auto compiled = json::Schema::compile(with_findings_argument(tool_schema(), GetParam()));
  ASSERT_TRUE(compiled.has_value());
  const auto call = json::parse_or_throw(
      R"({"port":"fc1/7","_findings":{"basis":"direct","previous":[{"toolCallId":"c1",)"
      R"("standing":"fact","assertions":[{"subject":{"kind":"port","id":"fc1/7"},)"
      R"("predicate":"state","value":null}]}]}})");
  EXPECT_TRUE((*compiled).check(call).empty());
  const auto wrong = json::parse_or_throw(
      R"({"port":"x","_findings":{"basis":"direct","previous":[{"standing":"fact"}]}})");
  EXPECT_FALSE((*compiled).check(wrong).empty());
}

INSTANTIATE_TEST_SUITE_P(Both, Planted,
                         testing::Values(Declarations::standings, Declarations::full));

TEST(ArgumentSchema, DecoratingTwiceChangesNothing) {
  const json::Value once = with_findings_argument(tool_schema(), Declarations::full, ids(2));
  const json::Value twice = with_findings_argument(once, Declarations::full, ids(5));
  EXPECT_TRUE(once.same_storage(twice));
}

TEST(ArgumentSchema, OnlyTheIdOfAnEntryDependsOnTheOffer) {
  const json::Value with = with_findings_argument(tool_schema(), Declarations::full, ids(2));
  json::Value planted = planted_schema(Declarations::full);
  const json::Value& offered = with.at("properties").at("_findings");
  EXPECT_EQ(json::dump(offered.at("required")), json::dump(planted.at("required")));
  std::vector<std::string> keys;
  for (const json::Member& one :
       offered.at("properties").at("previous").at("items").at("properties").members()) {
    keys.emplace_back(one.key());
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"toolCallId", "standing", "sought", "assertions",
                                            "settles", "line"}));
}

TEST(ArgumentSchema, OwnersOfTheNameAreLeftAlone) {
  const json::Value own = json::parse_or_throw(R"({"properties":{"_findings":{"type":"string"}}})");
  EXPECT_TRUE(owns_findings_name(own));
  EXPECT_TRUE(with_findings_argument(own, Declarations::full, ids(2)).same_storage(own));
  EXPECT_TRUE(without_findings_argument(own).same_storage(own));
  EXPECT_FALSE(owns_findings_name(with_findings_argument(tool_schema(), Declarations::full)));
}

TEST(ArgumentSchema, ACopyOfTheDecorationIsRecognised) {
  const json::Value served = with_findings_argument(tool_schema(), Declarations::standings, ids(9));
  const json::Value copy = json::parse_or_throw(json::dump(served));
  EXPECT_EQ(json::dump(without_findings_argument(copy)), json::dump(tool_schema()));
  EXPECT_FALSE(owns_findings_name(copy));
}

TEST(ArgumentSchema, WhatIsNoSchemaComesBack) {
  for (const char* text : {"null", "7", "[]", "{}", R"({"properties":3})"}) {
    const json::Value value = json::parse_or_throw(text);
    EXPECT_TRUE(without_findings_argument(value) == value) << text;
    EXPECT_FALSE(declares_findings(value)) << text;
  }
}

TEST(OfferText, StatesWhatItLeavesOut) {
  EXPECT_EQ(offer_text({}), "");
  EXPECT_EQ(offer_text({"c2", "c1"}).find("cap"), std::string::npos);
  EXPECT_NE(offer_text(ids(33)).find("1 older is not (cap 32)"), std::string::npos);
  EXPECT_NE(offer_text(ids(40)).find("8 older are not (cap 32)"), std::string::npos);
  EXPECT_EQ(offer_text(ids(40)).find("c8,"), std::string::npos);
}

}  // namespace
}  // namespace agentfootprint::findings
