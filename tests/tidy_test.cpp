// Rules of the tree that no compiler checks: line length, banned patterns, files that explain
// themselves, dead files, and what must not stand in a co_await expression.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "agentfootprint/base/utf8.hpp"

namespace {

namespace fs = std::filesystem;

struct File {
  fs::path path;  // relative to the project
  std::string text;
  std::vector<std::string> lines;
};

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t from = 0;
  while (from < text.size()) {
    std::size_t to = text.find('\n', from);
    if (to == std::string::npos) to = text.size();
    lines.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return lines;
}

std::vector<File> sources(const std::set<std::string>& extensions) {
  const fs::path root = AGENTFOOTPRINT_SOURCE_DIR;
  std::vector<File> files;
  for (const char* folder : {"agentfootprint", "tests", "examples", "cmake", "bench"}) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !extensions.contains(entry.path().extension().string()))
        continue;
      const fs::path path = fs::relative(entry.path(), root);
      if (path.string().find("node_modules") != std::string::npos) continue;
      if (path.string().find("tests/corpus") != std::string::npos) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      File file{path, {std::istreambuf_iterator<char>(in), {}}, {}};
      file.lines = split_lines(file.text);
      files.push_back(std::move(file));
    }
  }
  return files;
}

// The text of the co_await expression that starts at `at`, up to its `;` at bracket depth 0.
std::string awaited_expression(const std::string& text, std::size_t at) {
  int depth = 0;
  std::size_t end = at;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') {
      if (depth == 0) break;
      --depth;
    }
    if (c == ';' && depth == 0) break;
  }
  return text.substr(at, end - at);
}

// Line comments blanked, so that prose about co_await is not code.
std::string without_line_comments(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    const std::size_t comment = line.find("//");
    text += comment == std::string::npos ? line : line.substr(0, comment);
    text += '\n';
  }
  return text;
}

// GCC 12.2 destroys aggregate temporaries of a co_await expression twice; braces and capturing
// lambdas make such temporaries.
std::vector<std::string> unsafe_awaits(const std::vector<std::string>& lines) {
  const std::string text = without_line_comments(lines);
  static const std::regex kCapturing(R"(\[[^\]\[]*[A-Za-z&=][^\]\[]*\]\s*(\(|\{|mutable))");
  std::vector<std::string> found;
  for (std::size_t at = text.find("co_await"); at != std::string::npos;
       at = text.find("co_await", at + 8)) {
    const std::string expression = awaited_expression(text, at + 8);
    if (expression.find('{') != std::string::npos || std::regex_search(expression, kCapturing)) {
      found.push_back(expression);
    }
  }
  return found;
}

TEST(Tidy, LinesAreAtMostOneHundredColumns) {
  for (const File& file : sources({".cpp", ".hpp"})) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      EXPECT_LE(agentfootprint::utf8::count(file.lines[i]), 100u) << file.path << ":" << i + 1;
    }
  }
}

TEST(Tidy, EveryFileOpensWithAComment) {
  for (const File& file : sources({".cpp", ".hpp"})) {
    ASSERT_FALSE(file.lines.empty()) << file.path;
    EXPECT_EQ(file.lines[0].rfind("//", 0), 0u) << file.path << " says nothing about itself";
  }
  for (const File& file : sources({".cmake", ".awk", ".sh"})) {
    const bool shebang = file.lines.at(0).rfind("#!", 0) == 0;
    EXPECT_EQ(file.lines.at(shebang ? 1 : 0).rfind("#", 0), 0u) << file.path;
  }
}

TEST(Tidy, PublicHeadersAreManuals) {
  int with_example = 0;
  for (const File& file : sources({".hpp"})) {
    if (file.path.string().find("agentfootprint/") != 0) continue;
    if (file.path.string().find("/internal/") != std::string::npos) continue;
    EXPECT_NE(file.text.find("#pragma once"), std::string::npos) << file.path;
    if (file.text.find("// Example") != std::string::npos) ++with_example;
    const bool program = file.path.string().find("agentfootprint/cli/") == 0 ||
                         file.path.string().ends_with("_oracle.hpp");
    if (!program) {
      EXPECT_NE(file.text.find("// Example"), std::string::npos)
          << file.path << " has no example that a test could compile";
    }
  }
  EXPECT_GT(with_example, 10);
}

TEST(Tidy, BannedPatterns) {
  struct Banned {
    std::string pattern;
    std::string why;
  };
  // Spelled in two pieces so that this file does not name what it bans.
  const std::vector<Banned> banned = {
      {std::string("TO") + "DO", "finish it or write it down in the issue"},
      {std::string("FIX") + "ME", "finish it or write it down in the issue"},
      {std::string("using name") + "space std;", "name what is used"},
      {std::string("std::end") + "l", "use \\n"},
      {std::string("GTEST") + "_SKIP", "a skipped test is a defect"},
      {std::string("DIS") + "ABLED_", "a disabled test is a defect"},
      {std::string("std::re") + "gex_match", "use RE2 on text from outside"},
  };
  for (const File& file : sources({".cpp", ".hpp"})) {
    for (const Banned& rule : banned) {
      EXPECT_EQ(file.text.find(rule.pattern), std::string::npos)
          << file.path << " has " << rule.pattern << ": " << rule.why;
    }
    static const std::regex kRawNew(R"([=(,]\s*new [A-Za-z_])");
    if (file.path.string().find("agentfootprint/") == 0) {
      for (const std::string& line : file.lines) {
        EXPECT_FALSE(std::regex_search(line, kRawNew) && line.find("NOLINT") == std::string::npos)
            << file.path << ": raw new in: " << line;
      }
    }
  }
}

TEST(Tidy, FilesHoldOneIdea) {
  for (const File& file : sources({".cpp", ".hpp"})) {
    EXPECT_LE(file.lines.size(), 800u) << file.path << " may hold more than one idea";
  }
}

// A header nobody includes, and that has no source or test of its own, is dead.
TEST(Tidy, NoDeadHeaders) {
  const std::vector<File> files = sources({".cpp", ".hpp"});
  for (const File& header : files) {
    if (header.path.extension() != ".hpp" || header.path.string().find("agentfootprint/") != 0)
      continue;
    bool used = false;
    for (const File& other : files) {
      if (other.path == header.path) continue;
      if (other.text.find("#include \"" + header.path.string() + "\"") != std::string::npos)
        used = true;
    }
    EXPECT_TRUE(used) << header.path << " is included nowhere";
  }
}

TEST(Tidy, NothingUnsafeInsideCoAwait) {
  for (const File& file : sources({".cpp", ".hpp"})) {
    if (file.path == fs::path("tests/tidy_test.cpp")) continue;
    // Proves that declarations of trivially copyable views are safe there all the same.
    if (file.path == fs::path("agentfootprint/semantics/await_test.cpp")) continue;
    for (const std::string& expression : unsafe_awaits(file.lines)) {
      ADD_FAILURE() << file.path << ": braces or a capturing lambda inside co_await" << expression;
    }
  }
}

TEST(Tidy, UnsafeAwaitsAreSeen) {
  EXPECT_EQ(unsafe_awaits({"  co_await store.put(Options{1, 2});"}).size(), 1u);
  EXPECT_EQ(unsafe_awaits({"  co_await put({1, 2});"}).size(), 1u);
  EXPECT_EQ(unsafe_awaits({"  co_await f([x] (int) { return x; });"}).size(), 1u);
  EXPECT_EQ(unsafe_awaits({"  if (co_await next()) {"}).size(), 0u);
  EXPECT_EQ(unsafe_awaits({"  auto v = co_await next(table[i]);", "  use({1});"}).size(), 0u);
  EXPECT_EQ(unsafe_awaits({"  // co_await f({1}) is unsafe"}).size(), 0u);
}

}  // namespace
