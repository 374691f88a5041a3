// Errors, refusals and the documented list of codes.
#include "agentfootprint/base/error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "agentfootprint/base/error_codes.hpp"

namespace agentfootprint {
namespace {

TEST(Error, CarriesCodeAndMessage) {
  const Error error("json-type", "the value is no array");
  EXPECT_EQ(error.code(), "json-type");
  EXPECT_STREQ(error.what(), "the value is no array");
}

TEST(Refusal, CarriesEveryIssueAndNamesTheFirst) {
  const Refusal refusal({{"blank-field", "title", "title is blank: give the result a title"},
                         {"bad-number", "limit", ""}});
  EXPECT_EQ(refusal.code(), "blank-field");
  EXPECT_EQ(refusal.field(), "title");
  EXPECT_EQ(refusal.issues().size(), 2U);
  EXPECT_STREQ(refusal.what(), "refused: title is blank: give the result a title; bad-number");
  const Refusal single("x-code", "field", "message");
  EXPECT_EQ(single.issues(), (std::vector<Issue>{{"x-code", "field", "message"}}));
  EXPECT_THROW(throw Refusal("a", "b", "c"), Error);
}

TEST(Refusal, WithoutIssuesIsAMistakeOfTheProgram) {
  EXPECT_THROW(Refusal(std::vector<Issue>()), std::invalid_argument);
}

TEST(ErrorCodes, AreUniqueAndExplained) {
  std::set<std::string_view> seen;
  for (const ErrorCode& row : kErrorCodes) {
    EXPECT_TRUE(seen.insert(row.code).second) << row.code;
    EXPECT_FALSE(row.code.empty());
    EXPECT_FALSE(row.area.empty()) << row.code;
    EXPECT_GT(row.meaning.size(), 10U) << row.code;
    EXPECT_EQ(row.code.find_first_of(" \t\n"), std::string_view::npos) << row.code;
  }
}

}  // namespace
}  // namespace agentfootprint
