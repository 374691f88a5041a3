// Claude Code session files: lines that form a tree, one API message spread over several lines.
//
// What: lines go in one by one; `finish` gives the main conversation and one for each sidechain.
// The active branch is the chain of the newest leaf, with the lines that share an API message with
// it and the results of its calls; what stands on another branch is left out and counted. A parent
// that is not in the file (after a compaction) makes the reader fall back to the order of the file.
//
// When to use: the transcript reader. Not guaranteed: that a session is whole; see the gaps.
//
// Example:
//   transcript::internal::ClaudeCodeReader reader;
//   json::Value message = json::object({{"role", "user"}, {"content", "go"}});
//   reader.add(json::object({{"type", "user"}, {"message", message}}), 1);
//   auto transcripts = reader.finish();
//   (void)transcripts.size();   // 1
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "agentfootprint/transcript/internal/assembler.hpp"

namespace agentfootprint::transcript::internal {

// Does an object look like a line of such a session?
[[nodiscard]] bool is_claude_code_line(const json::Value& line);

class ClaudeCodeReader {
 public:
  void add(const json::Value& line, std::uint64_t line_number);
  void gap(Gap gap) { add_gap(gaps_, std::move(gap)); }
  [[nodiscard]] std::vector<Transcript> finish();

 private:
  struct Line {
    std::string uuid;
    std::string parent;
    std::string timestamp;
    std::string message_id;
    std::string thread;  // "" for the main conversation
    json::Value content;
    std::uint64_t number = 0;
    bool spoken = false;  // a user or assistant line with a message
    bool assistant = false;
    bool meta = false;       // said by the app
    bool synthetic = false;  // an error message the program wrote in the model's place
    bool summary = false;
  };
  using Indices = std::vector<std::size_t>;

  void note_odd_line(const json::Value& line, std::uint64_t number);
  [[nodiscard]] Transcript read_thread(const std::string& thread);
  [[nodiscard]] Indices active(const Indices& spoken, Assembler& assembler) const;
  [[nodiscard]] std::vector<Indices> trees(const Indices& spoken) const;
  void note_abandoned(const Indices& spoken, const Indices& order, Assembler& assembler) const;
  [[nodiscard]] Indices chain(const Indices& spoken, bool& dangling) const;
  [[nodiscard]] std::size_t newest_leaf(const Indices& spoken) const;
  [[nodiscard]] Indices with_relatives(const Indices& spoken, const Indices& chain) const;
  [[nodiscard]] const Line* parent_of(const Line& line) const;
  void add_spoken(const Indices& order, Assembler& assembler) const;
  [[nodiscard]] json::Value merged(const Indices& lines) const;

  std::vector<Line> lines_;
  std::unordered_map<std::string, std::size_t> by_uuid_;
  std::vector<std::string> threads_;  // in order of appearance
  std::vector<Gap> gaps_;
};

}  // namespace agentfootprint::transcript::internal
