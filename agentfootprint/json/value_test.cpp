// Values: construction, getters, look-up, sharing, equality.
#include "agentfootprint/json/value.hpp"

#include <gtest/gtest.h>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::json {
namespace {

TEST(Value, BuildsAndReadsByHand) {
  const Value value = object({
      {"name", "alpha-01"},
      {"ports", array({1, 2, 3})},
      {"ratio", Value::number("0.6110")},
      {"long", "a text of more than fourteen bytes"},
      {"none", nullptr},
      {"yes", true},
  });
  EXPECT_EQ(dump(value), R"({"name":"alpha-01","ports":[1,2,3],"ratio":0.6110,)"
                         R"("long":"a text of more than fourteen bytes","none":null,"yes":true})");
  EXPECT_EQ(value.at("ports").at(2).as_int64(), 3);
  EXPECT_EQ(value.find("nothing"), nullptr);
  EXPECT_EQ(value.find_pointer("/ports/1")->as_int64(), 2);
}

TEST(Value, ParsesAndPrintsBack) {
  const std::string text =
      R"({"a":[1,2.50,"x",{"b":null}],"c":"a longer text with \"quotes\" in it"})";
  const Value value = parse_or_throw(text);
  EXPECT_EQ(dump(value), text);
  const Value copy = value.at("a");
  EXPECT_EQ(dump(copy), R"([1,2.50,"x",{"b":null}])");
  EXPECT_EQ(value, parse_or_throw(text));
  EXPECT_EQ(value.detach(), value);
}

}  // namespace
}  // namespace agentfootprint::json
