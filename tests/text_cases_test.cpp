// Runs every text case under tests/cases through its function, in process, and holds the list of
// known failures to the truth: a listed case that passes is as red as one that fails and is not
// listed. Every row of the tables D1 to D5 has a case.
#include "tests/text_cases.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/cli/eval.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "tests/functions/functions.hpp"
#include "tests/source_tree.hpp"

namespace agentfootprint::text_cases {
namespace {

const std::filesystem::path kSource = AGENTFOOTPRINT_SOURCE_DIR;

std::string shown(const json::Value& value) {
  std::string text = json::dump(value);
  if (text.size() > 200) {
    text.resize(200);
    text.append("…");
  }
  return text;
}

std::string text_of(const json::Value& value) {
  return std::string(value.as_string().value_or(std::string_view()));
}

bool is_absent_mark(const json::Value& value) {
  return value.as_string() == "$absent";
}

std::optional<std::string> compare_objects(const json::Value& want, const json::Value& got,
                                           const Refs& refs, const std::string& path) {
  if (!got.is_object()) return path + ": wanted an object, got " + shown(got);
  for (const json::Member& member : want.members()) {
    const std::string at = path + "." + std::string(member.key());
    const json::Value* found = got.find(member.key());
    if (is_absent_mark(member.value)) {
      if (found != nullptr) return at + ": must be absent, got " + shown(*found);
      continue;
    }
    if (found == nullptr) return at + ": missing";
    if (auto difference = compare(member.value, *found, refs, at)) return difference;
  }
  return std::nullopt;
}

std::optional<std::string> compare_arrays(const json::Value& want, const json::Value& got,
                                          const Refs& refs, const std::string& path) {
  if (!got.is_array() || got.size() != want.size()) {
    return path + ": wanted " + shown(want) + ", got " + shown(got);
  }
  for (std::size_t i = 0; i < want.size(); ++i) {
    const std::string at = path + "[" + std::to_string(i) + "]";
    if (auto difference = compare(want.elements()[i], got.elements()[i], refs, at))
      return difference;
  }
  return std::nullopt;
}

struct Outcome {
  std::size_t ran = 0;
  std::size_t known = 0;
  std::vector<std::string> wrong;
};

void run_case(const Case& one, const std::set<std::string>& known, Outcome& outcome) {
  const EvalFunction* function = find_function(one.function);
  const std::string place = one.file + ":" + std::to_string(one.line) + " " + one.id;
  if (function == nullptr) {
    outcome.wrong.push_back(place + ": there is no function " + one.function);
    return;
  }
  ++outcome.ran;
  const json::Value answer = eval_answer(*function, one.in);
  const auto difference = compare(one.want, answer, refs_of(answer), "");
  if (known.contains(one.id)) {
    ++outcome.known;
    if (!difference)
      outcome.wrong.push_back(place + ": passes; take it off tests/known-failures.txt");
  } else if (difference) {
    outcome.wrong.push_back(place + " [" + one.function + "] " + *difference);
  }
}

std::vector<std::filesystem::path> case_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource / "tests/cases")) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Cases read files of the repository by paths relative to its top.
class TextCases : public ::testing::Test {
 private:
  source_tree::Inside inside_;
};

TEST_F(TextCases, AllAnswersAgree) {
  const auto known = read_known_failures((kSource / "tests/known-failures.txt").string());
  std::set<std::string> ids;
  Outcome outcome;
  for (const auto& path : case_files()) {
    for (const Case& one : read_cases(path.string())) {
      EXPECT_TRUE(ids.insert(one.id).second) << one.file << ": " << one.id << " stands twice";
      run_case(one, known, outcome);
    }
  }
  for (const std::string& wrong : outcome.wrong) ADD_FAILURE() << wrong;
  EXPECT_GT(outcome.ran, 0U);
  RecordProperty("cases", static_cast<int>(outcome.ran));
}

// The rows of the tables D1 (tickets), D2 (retention), D3 (stores), D4 (dispatch) and D5 (datasets)
// of the artifacts' rules, numbered through. A case of row 31 is called `d3-31-…`; a row that is no
// text case stands in not-text-cases.txt with its reason.
TEST_F(TextCases, EveryRowOfTheArtifactTablesHasACase) {
  const std::vector<std::pair<int, int>> tables{{1, 15}, {16, 30}, {31, 46}, {47, 70}, {71, 85}};
  std::string ids = "\n";
  for (const auto& path : case_files()) {
    if (path.parent_path().filename() != "artifacts") continue;
    for (const Case& one : read_cases(path.string())) ids += one.id + "-\n";
  }
  const auto reasons =
      read_known_failures((kSource / "tests/cases/artifacts/not-text-cases.txt").string());
  for (std::size_t table = 0; table < tables.size(); ++table) {
    for (int row = tables[table].first; row <= tables[table].second; ++row) {
      const std::string name = fmt::format("d{}-{:02}", table + 1, row);
      const bool has_case = ids.find("\n" + name + "-") != std::string::npos;
      EXPECT_NE(has_case, reasons.contains(name))
          << name << (has_case ? " has a case and is listed without one" : " has no case");
    }
  }
}

TEST(TextCaseRunner, ComparesAsASubset) {
  const auto differs = [](const char* want, const char* got) {
    return compare(json::parse_or_throw(want), json::parse_or_throw(got), {}, "").has_value();
  };
  EXPECT_FALSE(differs(R"({"a":1})", R"({"a":1,"b":2})"));
  EXPECT_TRUE(differs(R"({"a":1})", R"({"a":2})"));
  EXPECT_TRUE(differs(R"({"a":1})", R"({"b":1})"));
  EXPECT_TRUE(differs(R"({"a":"1"})", R"({"a":1})"));
  EXPECT_TRUE(differs(R"({"a":[]})", R"({"a":[1]})"));
  EXPECT_FALSE(differs(R"({"a":[{"b":1}]})", R"({"a":[{"b":1,"c":2}]})"));
  EXPECT_FALSE(differs(R"({"a":"$absent"})", R"({"b":1})"));
  EXPECT_TRUE(differs(R"({"a":"$absent"})", R"({"a":null})"));
  EXPECT_TRUE(differs(R"({"a":{}})", R"({"a":[]})"));
}

TEST(TextCaseRunner, ResolvesRefsOfSteps) {
  const json::Value answer =
      json::parse_or_throw(R"({"out":{"results":[{"meta":{"ref":"r-1"}},null,{"refused":{}}]}})");
  const Refs refs = refs_of(answer);
  EXPECT_EQ(compare("$0", "r-1", refs, ""), std::nullopt);
  EXPECT_NE(compare("$0", "r-2", refs, ""), std::nullopt);
  EXPECT_NE(compare("$1", "r-1", refs, ""), std::nullopt);
}

}  // namespace

std::vector<Case> read_cases(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<Case> cases;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Case one;
    one.file = std::filesystem::relative(path, kSource).string();
    one.line = number;
    const json::Value value = json::parse_or_throw(line);
    one.id = text_of(value.at("id"));
    one.function = text_of(value.at("fn"));
    one.in = value.at("in");
    one.want = value.at("want");
    cases.push_back(std::move(one));
  }
  return cases;
}

std::set<std::string> read_known_failures(const std::string& path) {
  std::ifstream file(path);
  std::set<std::string> ids;
  std::string line;
  while (std::getline(file, line)) {
    line = line.substr(0, line.find('#'));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) continue;
    ids.insert(line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1));
  }
  return ids;
}

Refs refs_of(const json::Value& answer) {
  Refs refs;
  const json::Value* results = answer.find_pointer("/out/results");
  if (results == nullptr) return refs;
  for (std::size_t i = 0; i < results->size(); ++i) {
    const json::Value* ref = results->elements()[i].find_pointer("/meta/ref");
    if (ref != nullptr) refs.emplace("$" + std::to_string(i), *ref);
  }
  return refs;
}

std::optional<std::string> compare(const json::Value& want, const json::Value& got,
                                   const Refs& refs, const std::string& path) {
  if (want.is_object()) return compare_objects(want, got, refs, path);
  if (want.is_array()) return compare_arrays(want, got, refs, path);
  const auto ref = want.is_string() ? refs.find(text_of(want)) : refs.end();
  const json::Value& wanted = ref == refs.end() ? want : ref->second;
  if (wanted == got) return std::nullopt;
  return path + ": wanted " + shown(wanted) + ", got " + shown(got);
}

}  // namespace agentfootprint::text_cases
