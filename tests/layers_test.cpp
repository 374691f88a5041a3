// Holds the includes of the tree against layers.txt: dependencies point one way.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;
using Layers = std::map<std::string, std::set<std::string>>;

// Reads `folder: other other` lines; `all` stands for every folder named so far.
Layers read_layers(std::istream& in) {
  Layers layers;
  std::set<std::string> seen;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto colon = line.find(':');
    if (colon == std::string::npos) throw std::runtime_error("layers.txt: no colon in: " + line);
    const std::string folder = line.substr(0, colon);
    std::set<std::string>& allowed = layers[folder];
    std::istringstream words(line.substr(colon + 1));
    for (std::string word; words >> word;) {
      if (word == "all") {
        allowed.insert(seen.begin(), seen.end());
      } else {
        allowed.insert(word);
      }
    }
    seen.insert(folder);
    allowed.insert(folder);
  }
  return layers;
}

// The folder an include line names, "" when it is none of ours.
std::string included_folder(const std::string& line) {
  static const std::string kPrefix = "#include \"agentfootprint/";
  if (line.rfind(kPrefix, 0) != 0) return "";
  return line.substr(kPrefix.size(), line.find('/', kPrefix.size()) - kPrefix.size());
}

bool is_source(const fs::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".hpp";
}

// Tests, oracles and benchmarks look from outside and may use any folder.
bool is_outside_view(const fs::path& path) {
  const std::string stem = path.stem().string();
  for (const char* suffix : {"_test", "_bench", "_fuzz", "_oracle"}) {
    const std::string_view ending = suffix;
    if (stem.size() > ending.size() && stem.ends_with(ending)) return true;
  }
  return false;
}

Layers project_layers() {
  std::ifstream in(fs::path(AGENTFOOTPRINT_SOURCE_DIR) / "layers.txt");
  return read_layers(in);
}

TEST(Layers, EveryIncludePointsDownwards) {
  const Layers layers = project_layers();
  const fs::path root = fs::path(AGENTFOOTPRINT_SOURCE_DIR) / "agentfootprint";
  int checked = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    const std::string folder = fs::relative(entry.path(), root).begin()->string();
    ASSERT_TRUE(layers.contains(folder)) << folder << " is not in layers.txt: add its line";
    if (is_outside_view(entry.path())) continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      const std::string other = included_folder(line);
      if (other.empty()) continue;
      ++checked;
      EXPECT_TRUE(layers.at(folder).contains(other))
          << entry.path() << " includes " << other << ", which layers.txt does not allow "
          << folder;
    }
  }
  EXPECT_GT(checked, 20);
}

TEST(Layers, NoTwoFoldersMayIncludeEachOther) {
  const Layers layers = project_layers();
  for (const auto& [folder, allowed] : layers) {
    for (const std::string& other : allowed) {
      if (other == folder) continue;
      ASSERT_TRUE(layers.contains(other))
          << folder << " may include " << other << ", which has no line";
      EXPECT_FALSE(layers.at(other).contains(folder)) << folder << " and " << other;
    }
  }
}

TEST(Layers, ReaderExpandsAll) {
  std::istringstream text("# comment\nbase:\njson: base\ncli: all\n");
  const Layers layers = read_layers(text);
  EXPECT_EQ(layers.at("cli"), (std::set<std::string>{"base", "json", "cli"}));
  EXPECT_EQ(included_folder("#include \"agentfootprint/json/value.hpp\""), "json");
  EXPECT_EQ(included_folder("#include <vector>"), "");
}

}  // namespace
