// Reading foreign transcripts into conversations, one at a time, with stated gaps.
//
// What: a `TranscriptReader` takes a file, standard input or a text, finds out which of the known
// shapes it has, and gives its conversations one by one, so that a file of many conversations needs
// the memory of the largest. What the shape could not tell, and what was damaged, comes back as
// gaps: a reader never guesses and never drops anything silently. docs/transcripts.md lists the
// shapes.
//
// When to use: everything that looks at what an agent did without running it: `audit`, `why`,
// accuracy measurements. A record of our own (`*.footprint.jsonl`) is one of the shapes; its lines
// beside the messages come along.
//
// Not guaranteed: that a conversation is complete. Look at `incomplete` before calling it clean,
// and at `structured`: a log without tool results as such holds no evidence to check against.
//
// Units and limits: 10,000 brackets deep. Memory is about three times the largest conversation.
//
// Example:
//   TranscriptReader reader = TranscriptReader::from_text(
//       R"([{"role":"user","content":"is fc1/3 down?"},{"role":"assistant","content":"yes"}])");
//   while (auto transcript = reader.next()) {
//     (void)transcript->conversation.size();   // 2
//     (void)transcript->format;                // "openai-chat"
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/record/reader.hpp"

namespace agentfootprint {

// Something a reader could not tell or had to leave out.
struct Gap {
  std::string code;     // kebab-case; see docs/transcripts.md
  std::string message;  // for people
  std::string where;    // "line 12", "message 3", "byte 90"; of the first occurrence
  std::uint64_t count = 1;
  // Something is missing that was there: the conversation cannot be called complete.
  bool damage = false;
};

// "damage: lines that are not JSON (3 times), first at line 12": a gap for people, with control
// characters made visible.
[[nodiscard]] std::string gap_text(const Gap& gap);

// A known shape.
struct TranscriptFormat {
  std::string_view name;
  std::string_view shape;  // one line for people
};
[[nodiscard]] const std::vector<TranscriptFormat>& transcript_formats();

struct Transcript {
  std::string format;  // a name of transcript_formats()
  std::string label;   // "#3", "task 12"; "" for the only conversation of a file
  Conversation conversation;
  std::vector<Gap> gaps;
  // Of a record: the rows, verdicts and events beside the messages, as they were written.
  std::vector<RecordedLine> lines;
  bool structured = true;   // the shape carries tool results as such
  bool incomplete = false;  // some gap is damage

  [[nodiscard]] std::size_t call_count() const;
  [[nodiscard]] std::size_t result_count() const { return conversation.results().size(); }
};

struct TranscriptOptions {
  std::string format;  // a name of transcript_formats(); "" finds out
  std::string name;    // of the input, for messages and for the hint its ending gives
};

class TranscriptReader {
 public:
  // Throw Error: "transcript-io" for a file that cannot be opened, "transcript-format" for a format
  // that does not exist.
  [[nodiscard]] static TranscriptReader open(const std::string& path,
                                             TranscriptOptions options = {});
  [[nodiscard]] static TranscriptReader standard_input(TranscriptOptions options = {});
  // The text must outlive the reader.
  [[nodiscard]] static TranscriptReader from_text(std::string_view text,
                                                  TranscriptOptions options = {});

  // The next conversation, empty at the end. Throws Error with a code "transcript-…" when nothing
  // more can be read: empty or binary input, a text that is not JSON, one that is cut or nests too
  // deep, an unknown shape. What was given before stays right.
  [[nodiscard]] std::optional<Transcript> next();

  // Gaps that belong to no single conversation (a damaged line between two).
  [[nodiscard]] const std::vector<Gap>& gaps() const;
  // Bytes taken so far, for progress.
  [[nodiscard]] std::uint64_t bytes_read() const;

  TranscriptReader(TranscriptReader&&) noexcept;
  TranscriptReader& operator=(TranscriptReader&&) noexcept;
  ~TranscriptReader();

  struct State;  // not for users

 private:
  explicit TranscriptReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace agentfootprint
