// Running the built program in tests.
//
// What: `run_program` runs the command of this build with a shell line of arguments and an input,
// and gives its exit code and what it printed; `run_built` does it for any program of the build and
// `run_shell` for a whole line.
// When to use: tests of exit codes, help, bad inputs, examples. Not guaranteed: outputs above a few
// megabytes are slow.
//
// Example:
//   (void)cli_test::quoted("a b");   // 'a b'
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace agentfootprint::cli_test {

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

inline std::string quoted(const std::string& text) {
  std::string shell = "'";
  for (const char c : text) shell += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return shell + "'";
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A folder of its own for one test, removed behind it.
class Folder {
 public:
  Folder() {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("agentfootprint-cli-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

// A shell line; the working folder is the top of the sources, the programs of the build come first.
inline Outcome run_shell(const std::string& command, const std::string& input = "") {
  const Folder folder;
  const std::string in = folder.write("in", input);
  const std::string out = (folder.path() / "out").string();
  const std::string err = (folder.path() / "err").string();
  const std::string programs = std::string(AGENTFOOTPRINT_BINARY_DIR) + "/bin";
  const std::string line = "cd " + quoted(AGENTFOOTPRINT_SOURCE_DIR) +
                           " && PATH=" + quoted(programs) + ":$PATH && { " + command + "\n} <" +
                           quoted(in) + " >" + quoted(out) + " 2>" + quoted(err);
  const int status = std::system(line.c_str());
  Outcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.out = read_file(out);
  outcome.err = read_file(err);
  return outcome;
}

// `arguments` is a piece of a shell line.
inline Outcome run_built(const std::string& name, const std::string& arguments,
                         const std::string& input = "") {
  return run_shell(name + " " + arguments, input);
}

inline Outcome run_program(const std::string& arguments, const std::string& input = "") {
  return run_built("agentfootprint", arguments, input);
}

}  // namespace agentfootprint::cli_test
