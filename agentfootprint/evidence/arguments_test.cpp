// Arguments: paths, classes, numbers, and what the schema declares.
#include "agentfootprint/evidence/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace agentfootprint::evidence {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// `path raw level` of each value.
std::vector<std::string> told(const char* arguments, const ArgumentOptions& options = {}) {
  Conversation conversation;
  conversation.append(Message::user("go"));
  conversation.append(Message::tool_result("c1", "find", R"({"id":"C-4471","n":41200})"));
  const auto index = ConversationIndex::of(conversation);
  const Judge judge(index, JudgeOptions());
  std::vector<std::string> out;
  for (const ArgumentValue& value :
       check_arguments(judge, json::parse_or_throw(arguments), options).values) {
    out.push_back(value.path + " " + value.judged.value.raw + " " +
                  std::string(name_of(value.judged.level)));
  }
  return out;
}

TEST(Arguments, LeavesCarryTheirPointer) {
  EXPECT_THAT(told(R"({"id":"C-4471","to":{"hosts":["srv-7719x"],"a/b":"C-4471"}})"),
              ElementsAre("/id C-4471 exact", "/to/hosts/0 srv-7719x unsupported",
                          "/to/a~1b C-4471 exact"));
}

TEST(Arguments, NumbersOnlyWhenAsked) {
  EXPECT_THAT(told(R"({"n":41200})"), IsEmpty());
  ArgumentOptions options;
  options.numbers = true;
  EXPECT_THAT(told(R"({"n":41200,"m":41201})", options),
              ElementsAre("/n 41200 exact", "/m 41201 unsupported"));
}

TEST(Arguments, TheClassIsDeclaredOrToldByTheSchema) {
  ArgumentOptions options;
  options.classes["query"] = ParameterClass::text;
  EXPECT_THAT(told(R"({"query":"srv-7719x"})", options), IsEmpty());
  options.classes = {{"/to/body", ParameterClass::text}};
  EXPECT_THAT(told(R"({"to":{"body":"srv-7719x","id":"srv-7719x"}})", options),
              ElementsAre("/to/id srv-7719x unsupported"));
  options.classes.clear();
  options.schema = json::parse_or_throw(
      R"({"properties":{"sql":{"format":"sql"},"note":{"x-evidence":"text"},)"
      R"("host":{"format":"hostname"},)"
      R"("query":{"description":"a free text query"},"mode":{"enum":["fast-1001"]},)"
      R"("page":{"default":"p-1001"}}})");
  EXPECT_THAT(told(R"({"sql":"srv-7719x","note":"srv-7719x"})", options), IsEmpty());
  EXPECT_THAT(told(R"({"mode":"fast-1001","page":"p-1001"})", options), IsEmpty());
  EXPECT_THAT(told(R"({"mode":"fast-1002","host":"srv-7719x"})", options),
              ElementsAre("/mode fast-1002 unsupported", "/host srv-7719x unsupported"));
  // Nothing is inferred from a name or a description.
  EXPECT_THAT(told(R"({"query":"srv-7719x"})", options),
              ElementsAre("/query srv-7719x unsupported"));
}

TEST(Arguments, ADeclaredIdentifierIsJudgedHoweverShort) {
  ArgumentOptions options;
  options.classes["port"] = ParameterClass::identifier;
  EXPECT_THAT(told(R"({"port":"p7"})", options), ElementsAre("/port p7 unsupported"));
  EXPECT_THAT(told(R"({"port":"p7"})"), IsEmpty());
}

TEST(Arguments, ClassNamesGoBothWays) {
  for (const char* name : {"value", "identifier", "text"}) {
    EXPECT_EQ(name_of(*parse_parameter_class(name)), name);
  }
  EXPECT_FALSE(parse_parameter_class("prose").has_value());
  EXPECT_FALSE(class_of_schema(json::object({{"type", "string"}})).has_value());
}

}  // namespace
}  // namespace agentfootprint::evidence
