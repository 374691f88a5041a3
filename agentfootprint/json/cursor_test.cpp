// Cursor: getters, and errors that name the path.
#include "agentfootprint/json/cursor.hpp"

#include <gtest/gtest.h>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint::json {
namespace {

TEST(Cursor, ReadsWhatIsThere) {
  const Value value =
      parse_or_throw(R"({"model":{"name":"small","on":true,"t":0.5},"list":[{"n":7},8]})");
  const Cursor root(value);
  EXPECT_EQ(root["model"]["name"].string(), "small");
  EXPECT_TRUE(root["model"]["on"].boolean());
  EXPECT_EQ(root["model"]["t"].number(), 0.5);
  EXPECT_EQ(root["list"][0]["n"].int64(), 7);
  EXPECT_EQ(root["list"][1].uint32(), 8U);
  EXPECT_EQ(root["list"].array_size(), 2U);
  EXPECT_EQ(root["list"].elements()[1].path(), "/list/1");
  EXPECT_EQ(root["model"].keys(), (std::vector<std::string>{"name", "on", "t"}));
  EXPECT_TRUE(root.has("model"));
  EXPECT_FALSE(root.has("other"));
  EXPECT_FALSE(root["list"].has("n"));
  EXPECT_EQ(root.path(), "");
  EXPECT_EQ(&root.value(), &value);
}

template <class Run>
std::string failure(Run run) {
  try {
    run();
  } catch (const Error& error) {
    return error.code() + ": " + error.what();
  }
  return "";
}

TEST(Cursor, ErrorsNameThePathAndBothTypes) {
  const Value value = parse_or_throw(R"({"a/b":[1,2.5,"x"],"n":null})");
  const Cursor root(value);
  EXPECT_EQ(failure([&] { (void)root["c"]; }), "json-missing: /c is missing");
  EXPECT_EQ(failure([&] { (void)root["a/b"][3]; }),
            "json-missing: /a~1b/3 is missing: the array has 3 elements");
  EXPECT_EQ(failure([&] { (void)root["a/b"]["x"]; }),
            "json-type: /a~1b must be an object, is array");
  EXPECT_EQ(failure([&] { (void)root["n"].string(); }), "json-type: /n must be a string, is null");
  EXPECT_EQ(failure([&] { (void)root["n"].boolean(); }),
            "json-type: /n must be a boolean, is null");
  EXPECT_EQ(failure([&] { (void)root["n"].number(); }), "json-type: /n must be a number, is null");
  EXPECT_EQ(failure([&] { (void)root["n"].elements(); }),
            "json-type: /n must be an array, is null");
  EXPECT_EQ(failure([&] { (void)root["n"].keys(); }), "json-type: /n must be an object, is null");
  EXPECT_EQ(failure([&] { (void)root["a/b"][1].int64(); }),
            "json-number: /a~1b/1 must be an integer within 64 bits, is another number");
  EXPECT_EQ(failure([&] { (void)root["a/b"][2].int64(); }),
            "json-type: /a~1b/2 must be an integer, is string");
  for (const char* wrong : {"-1", "4294967296", "0.5", "1e99"}) {
    const Value number = parse_or_throw(wrong);
    EXPECT_EQ(failure([&] { (void)Cursor(number).uint32(); }),
              "json-number: the value must be an integer from 0 to 4294967295, is another number");
  }
  EXPECT_EQ(failure([&] { (void)root["n"].uint32(); }),
            "json-type: /n must be an integer, is null");
  EXPECT_EQ(failure([&] { (void)root.string(); }),
            "json-type: the value must be a string, is object");
}

TEST(Cursor, PointerTokensAreEscaped) {
  EXPECT_EQ(pointer_token("a/b~c"), "a~1b~0c");
  EXPECT_EQ(pointer_token(""), "");
}

}  // namespace
}  // namespace agentfootprint::json
