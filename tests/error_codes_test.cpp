// Every code the sources spell in an Error, a Refusal or an Issue stands in base/error_codes.hpp.
#include "agentfootprint/base/error_codes.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace agentfootprint {
namespace {

bool is_library_source(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (path.extension() != ".cpp" && path.extension() != ".hpp") return false;
  for (const char* ending : {"_test.cpp", "_bench.cpp", "_fuzz.cpp", "_oracle.cpp"}) {
    if (name.find(ending) != std::string::npos) return false;
  }
  return true;
}

std::string without_comments(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line.compare(first, 2, "//") == 0) continue;
    out << line << '\n';
  }
  return out.str();
}

TEST(ErrorCodes, EveryCodeOfTheSourcesIsListed) {
  std::set<std::string> listed;
  for (const ErrorCode& row : kErrorCodes) listed.emplace(row.code);
  // `throw Error("code"`, `Refusal("code"`, `Refusal({{"code"`, `Issue{"code"`, `error.code =
  // "code"`.
  const std::regex spelled(
      R"re((?:\b(?:Error|Refusal|Issue)\s*[({]+\s*|\.code\s*=\s*)"([A-Za-z0-9_.-]+)")re");
  int found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(AGENTFOOTPRINT_SOURCE_DIR) / "agentfootprint")) {
    if (!entry.is_regular_file() || !is_library_source(entry.path())) continue;
    const std::string text = without_comments(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), spelled), end; at != end; ++at) {
      ++found;
      EXPECT_TRUE(listed.contains((*at)[1].str()))
          << entry.path().filename().string() << " spells the code \"" << (*at)[1].str()
          << "\", which base/error_codes.hpp does not list";
    }
  }
  EXPECT_GT(found, 10);
}

}  // namespace
}  // namespace agentfootprint
