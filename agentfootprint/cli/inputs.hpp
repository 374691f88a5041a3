// The inputs of a command that reads transcripts: files, folders and standard input.
//
// What: `expand_inputs` turns the names on the command line into inputs in a fixed order. A folder
// stands for the transcripts in it (`.json .jsonl .ndjson .traj`, sorted by path); `-` is standard
// input.
//
// `read_text_file` and `read_standard_input` read whole texts that are no transcripts.
//
// When to use: `audit`, `why`, `check-semantics`. Not guaranteed: that an input exists; reading it
// says so.
//
// Example:
//   std::vector<CommandInput> inputs = expand_inputs({"-"});
//   (void)inputs[0].standard_input;   // true
#pragma once

#include <string>
#include <vector>

#include "agentfootprint/findings/imported.hpp"

namespace agentfootprint {

struct CommandInput {
  std::string path;
  bool standard_input = false;
  bool from_folder = false;  // a file that is no transcript is skipped, not an error
};

// Throws Error "cli-input" for a folder that cannot be listed or holds no transcript.
[[nodiscard]] std::vector<CommandInput> expand_inputs(const std::vector<std::string>& names);

// The whole text, without a byte order mark in front. Throws Error "cli-input" that says why it
// cannot be read (a folder, no permission).
[[nodiscard]] std::string read_text_file(const std::string& path);
[[nodiscard]] std::string read_standard_input();

// A person's standings for one conversation, from a side file; none for an empty path. Throws Error
// "cli-input" when the file cannot be read and "cli-option" when a line of it fits nothing.
[[nodiscard]] std::vector<findings::Row> read_standings_file(const std::string& path,
                                                             const Conversation& conversation);

}  // namespace agentfootprint
