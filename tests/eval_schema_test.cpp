// The answers of the eval functions against docs/schemas/eval.schema.json (every function has an
// entry, and the answer of every text case fits it), and against docs/eval.md.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "agentfootprint/cli/eval.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/schema.hpp"
#include "agentfootprint/json/write.hpp"
#include "tests/source_tree.hpp"
#include "tests/text_cases.hpp"

namespace agentfootprint {
namespace {

json::Value published() {
  std::ifstream in("docs/schemas/eval.schema.json", std::ios::binary);
  return json::parse_or_throw(std::string{std::istreambuf_iterator<char>(in), {}});
}

// A whole answer whose `out` has the shape of NAME.
json::Schema schema_of(const json::Value& document, std::string_view name) {
  json::ObjectBuilder schema;
  for (const json::Member& member : document.members()) {
    if (member.key() != "properties" && member.key() != "functions") {
      schema.add(member.key(), member.value);
    }
  }
  json::ObjectBuilder properties;
  for (const json::Member& member : document.at("properties").members()) {
    properties.add(member.key(),
                   member.key() == "out" ? document.at("functions").at(name) : member.value);
  }
  auto compiled = json::Schema::compile(schema.add("properties", properties.build()).build());
  if (!compiled) throw std::runtime_error(std::string(name) + ": " + compiled.error());
  return std::move(*compiled);
}

class EvalSchema : public testing::Test {
 private:
  source_tree::Inside inside_;
};

TEST_F(EvalSchema, HasAnEntryForEachFunctionAndNoOther) {
  const json::Value document = published();
  for (const EvalFunction& function : eval_functions()) {
    EXPECT_NE(document.at("functions").find(function.name), nullptr) << function.name;
  }
  EXPECT_EQ(document.at("functions").size(), eval_functions().size());
}

TEST_F(EvalSchema, EveryAnswerOfATextCaseFits) {
  const json::Value document = published();
  std::map<std::string, json::Schema> schemas;
  std::size_t answers = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("tests/cases")) {
    if (entry.path().extension() != ".jsonl") continue;
    for (const auto& one : text_cases::read_cases(entry.path().string())) {
      const EvalFunction* function = find_eval_function(one.function);
      if (function == nullptr) continue;  // a function of the tests alone
      if (!schemas.contains(one.function)) {
        schemas.emplace(one.function, schema_of(document, one.function));
      }
      const json::Value answer = eval_answer(*function, one.in);
      const auto issues = schemas.at(one.function).check(answer, 3);
      EXPECT_TRUE(issues.empty()) << one.function << " " << one.id << ": " << issues.front().path
                                  << " " << issues.front().message << "\n"
                                  << json::dump(answer).substr(0, 400);
      ++answers;
    }
  }
  EXPECT_GT(answers, 1000U);
}

TEST_F(EvalSchema, AWrongAnswerDoesNotFit) {
  const json::Schema schema = schema_of(published(), "findings.set_aside");
  const auto fits = [&schema](const char* text) {
    return schema.check(json::parse_or_throw(text), 3).empty();
  };
  EXPECT_TRUE(fits(R"({"out":{"any":true}})"));
  EXPECT_FALSE(fits(R"({"out":{"any":1}})"));
  EXPECT_FALSE(fits(R"({"out":{}})"));
  EXPECT_FALSE(fits(R"({"out":{"any":true,"more":1}})"));
  EXPECT_FALSE(fits(R"({"id":1})"));
}

// docs/eval.md: a block starts with the command, then `< ` an input and `> ` its answer.
TEST_F(EvalSchema, ThePageShowsRealAnswersAndEveryFunction) {
  std::ifstream page("docs/eval.md");
  const EvalFunction* function = nullptr;
  std::string line;
  std::string input;
  std::string rows;
  std::size_t answers = 0;
  const std::string command = "agentfootprint eval ";
  while (std::getline(page, line)) {
    if (line.starts_with(command)) function = find_eval_function(line.substr(command.size()));
    if (line.starts_with("< ")) input = line.substr(2);
    if (line.starts_with("| `")) rows.append(line).append("\n");
    if (!line.starts_with("> ")) continue;
    ASSERT_NE(function, nullptr);
    EXPECT_EQ(json::dump(eval_answer(*function, json::parse_or_throw(input))), line.substr(2));
    ++answers;
  }
  EXPECT_EQ(answers, 4U);
  for (const EvalFunction& one : eval_functions()) {
    EXPECT_NE(rows.find("| `" + std::string(one.name) + "` |"), std::string::npos) << one.name;
  }
}

}  // namespace
}  // namespace agentfootprint
