// Places: pointers and spans of every value.
#include "agentfootprint/json/places.hpp"

#include <gtest/gtest.h>

#include <string>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::json {
namespace {

std::string places_of(std::string_view text, const ScanOptions& options = {}) {
  std::string out;
  for_each_place(text, options, [&](const Place& place) {
    out += std::string(place.pointer) + "=" + std::string(name_of(place.kind)).substr(0, 3) + ":" +
           std::string(place.span.in(text));
    if (place.is_member) out += "<" + std::string(place.key.in(text));
    if (place.escaped) out += "!";
    if (place.cut) out += "~";
    out += ' ';
  });
  return out;
}

TEST(Places, NamesPointersKeysAndSpans) {
  EXPECT_EQ(places_of("7"), "=num:7 ");
  EXPECT_EQ(places_of(R"({"a/b": [1, {"c": null}], "d": true, "d": "x\n"})"),
            R"(=obj:{ /a~1b=arr:[<a/b /a~1b/0=num:1 /a~1b/1=obj:{ /a~1b/1/c=nul:null<c )"
            R"(/d=boo:true<d /d=str:x\n<d! )");
  EXPECT_EQ(places_of("[[],[[2]],3]"),
            "=arr:[ /0=arr:[ /1=arr:[ /1/0=arr:[ /1/0/0=num:2 /2=num:3 ");
  EXPECT_EQ(places_of(R"({"\u0061~": "cut he)"), R"(=obj:{ /a~0=str:cut he<\u0061~~ )");
  ScanOptions lenient;
  lenient.lenient = true;
  EXPECT_EQ(places_of("[None, NaN, nan, True]", lenient),
            "=arr:[ /0=nul:None /1=str:NaN /2=str:nan /3=boo:True ");
}

// Every place of a document leads, by its pointer, to the value its span spells.
TEST(Places, AgreeWithTheDocument) {
  const std::string text =
      R"( {"rows": [{"id": 12345678901234567890, "note": "tab\tand \"quotes\"", "k~/": [[], {}]},)"
      R"( {"id": -1.50e3, "note": "", "": {"": false}}], "n": null} )";
  const Value document = parse_or_throw(text);
  int leaves = 0;
  for_each_place(text, ScanOptions(), [&](const Place& place) {
    const Value* value = document.find_pointer(place.pointer);
    ASSERT_NE(value, nullptr) << place.pointer;
    EXPECT_EQ(value->kind(), place.kind) << place.pointer;
    const std::string raw(place.span.in(text));
    if (place.kind == Kind::array || place.kind == Kind::object) return;
    ++leaves;
    EXPECT_EQ(dump(*value), place.kind == Kind::string ? "\"" + raw + "\"" : raw);
  });
  EXPECT_EQ(leaves, 6);
}

}  // namespace
}  // namespace agentfootprint::json
