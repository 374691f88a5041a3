// A document built piece by piece is the document that would have been parsed.
#include "agentfootprint/json/stream_builder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::json {
namespace {

TEST(StreamBuilder, BuildsEveryKind) {
  StreamBuilder builder;
  const auto short_key = builder.intern("k");
  const auto long_key = builder.intern("a key that is longer than a value can hold");
  builder.begin_array();
  for (int i = 0; i < 2; ++i) {
    builder.begin_object();
    builder.key(short_key);
    builder.text(i == 0 ? "" : "a text that is longer than a value can hold");
    builder.key(long_key);
    builder.value(parse_or_throw(R"({"n":1.50,"deep":[[],{},[null,true]]})"));
    builder.end_object();
  }
  builder.number(std::int64_t{-7});
  builder.number(std::numeric_limits<std::uint64_t>::max());
  builder.number(0.1);
  builder.number(-0.0);
  builder.number(1e21);
  builder.number(2251799813685248.5);
  builder.boolean(false);
  builder.null();
  builder.end_array();
  const Value value = builder.finish();
  EXPECT_EQ(dump(value), R"([{"k":"","a key that is longer than a value can hold":)"
                         R"({"n":1.50,"deep":[[],{},[null,true]]}},)"
                         R"({"k":"a text that is longer than a value can hold",)"
                         R"("a key that is longer than a value can hold":)"
                         R"({"n":1.50,"deep":[[],{},[null,true]]}},)"
                         R"(-7,18446744073709551615,0.1,0,1e+21,2251799813685248.5,false,null])");
  EXPECT_TRUE(value == parse_or_throw(dump(value)));
  EXPECT_NE(value.at(1).find("a key that is longer than a value can hold"), nullptr);
}

TEST(StreamBuilder, PrintsDoublesAsTheValueDoes) {
  for (const double number : {0.0, 1.0, -1.0, 0.5, 1e15, 1e16, 9007199254740991.0,
                              9007199254740992.0, -9007199254740993.0, 1e-7, 123456.789, 5e-324}) {
    StreamBuilder builder;
    builder.number(number);
    EXPECT_EQ(dump(builder.finish()), dump(Value(number)));
  }
  StreamBuilder builder;
  EXPECT_THROW(builder.number(std::nan("")), Error);
}

TEST(StreamBuilder, ValuesOutliveTheBuilderAndItsSources) {
  Value kept;
  {
    StreamBuilder builder;
    builder.begin_array();
    for (int i = 0; i < 10'000; ++i) {
      builder.value(Value(std::string(40, static_cast<char>('a' + i % 26))));
    }
    builder.end_array();
    const Value whole = builder.finish();
    kept = whole.at(9'999);
  }
  EXPECT_EQ(*kept.as_string(), std::string(40, static_cast<char>('a' + 9'999 % 26)));
}

TEST(StreamBuilder, IsEmptyAfterItsEnd) {
  StreamBuilder builder;
  EXPECT_TRUE(builder.finish().is_null());
  builder.text("x");
  EXPECT_EQ(dump(builder.finish()), R"("x")");
  EXPECT_TRUE(builder.finish().is_null());
  builder.begin_array();
  builder.text("open");
  EXPECT_EQ(dump(builder.finish()), R"(["open"])");
}

}  // namespace
}  // namespace agentfootprint::json
