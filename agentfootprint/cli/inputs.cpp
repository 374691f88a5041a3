// Files, folders and standard input.
#include "agentfootprint/cli/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint {
namespace {

namespace fs = std::filesystem;

bool names_transcript(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".json" || ending == ".jsonl" || ending == ".ndjson" || ending == ".traj";
}

void add_folder(const std::string& name, std::vector<CommandInput>& inputs) {
  std::vector<std::string> found;
  std::string other;
  std::size_t others = 0;
  std::error_code error;
  fs::recursive_directory_iterator at(name, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored)) continue;
    if (names_transcript(at->path())) {
      found.push_back(at->path().string());
    } else if (others++ == 0 || at->path().string() < other) {
      other = at->path().string();
    }
  }
  if (error) {
    throw Error("cli-input",
                fmt::format("cannot list {}: {}", utf8::printable(name), error.message()));
  }
  if (found.empty()) {
    throw Error("cli-input", fmt::format("{} holds no .json, .jsonl, .ndjson or .traj file",
                                         utf8::printable(name)));
  }
  if (others > 0) {
    fmt::print(stderr, "agentfootprint: {}: {} of other endings {} not looked at, the first: {}\n",
               utf8::printable(name), others == 1 ? "1 file" : fmt::format("{} files", others),
               others == 1 ? "was" : "were", utf8::printable(other));
  }
  std::sort(found.begin(), found.end());
  for (std::string& path : found) inputs.push_back({std::move(path), false, true});
}

[[noreturn]] void unreadable(const std::string& name) {
  const std::error_code error(errno, std::generic_category());
  throw Error("cli-input",
              fmt::format("cannot read {}: {}", utf8::printable(name), error.message()));
}

std::string read_text(std::FILE* file, const std::string& name) {
  std::string text;
  char piece[65536];
  for (std::size_t n = 0; (n = std::fread(piece, 1, sizeof piece, file)) > 0;) {
    text.append(piece, n);
  }
  if (std::ferror(file) != 0) unreadable(name);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

}  // namespace

std::vector<CommandInput> expand_inputs(const std::vector<std::string>& names) {
  std::vector<CommandInput> inputs;
  for (const std::string& name : names) {
    std::error_code ignored;
    if (name == "-") {
      inputs.push_back({"standard input", true, false});
    } else if (fs::is_directory(name, ignored)) {
      add_folder(name, inputs);
    } else {
      inputs.push_back({name, false, false});
    }
  }
  return inputs;
}

std::string read_text_file(const std::string& path) {
  struct Close {
    void operator()(std::FILE* open) const noexcept { (void)std::fclose(open); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) unreadable(path);
  return read_text(file.get(), path);
}

std::string read_standard_input() {
  return read_text(stdin, "standard input");
}

std::vector<findings::Row> read_standings_file(const std::string& path,
                                               const Conversation& conversation) {
  if (path.empty()) return {};
  auto rows = findings::read_standings(read_text_file(path), conversation);
  if (!rows) {
    throw Error("cli-option",
                fmt::format("{}: {}", utf8::printable(path), utf8::printable(rows.error())));
  }
  return std::move(*rows);
}

}  // namespace agentfootprint
