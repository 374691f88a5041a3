// Reading and verifying a footprint.
//
// What: `RecordReader` takes the lines of a footprint one by one and gives back the conversation,
// the served requests, rows, verdicts and events, and every fault it met, named by line.
// `read_footprint` and `read_footprint_file` do it for a whole text or file. Verification is part
// of reading: sequence, content hashes, view hashes and the chain are checked as the lines pass.
//
// When to use: `verify`, `show`, `why`, the audit of a record, and going on with a record that is
// there.
//
// Not guaranteed: that a footprint was not rewritten as a whole; the chain proves that what is
// there hangs together, and nothing about who wrote it.
//
// Units and limits: lines nest at most 2,000 brackets deep. The contents are kept in memory.
//
// Example:
//   std::string line = R"({"seq":0,"kind":"header","format":"agentfootprint","version":1})";
//   Footprint footprint = read_footprint(line);
//   (void)footprint.intact();
//   (void)footprint.conversation.size();
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/record/format.hpp"

namespace agentfootprint {

// A fault or a fact worth telling. `damage`: the record does not hang together at this line.
struct RecordNote {
  std::uint64_t line = 0;  // from 1
  std::string code;        // "torn-tail", "chain", "sequence", "item-hash", …
  std::string message;
  bool damage = false;
};

struct RedactedItem {
  std::string sha256;
  std::uint64_t bytes = 0;
  std::string reason;
};

// A served request, its view resolved to items.
struct RecordedRequest {
  std::uint64_t line = 0;
  std::string model;
  std::vector<SharedText> items;  // null for a redacted one
  json::Value parameters;         // null when the line has none
};

// A row, verdict, event or commit as it was written.
struct RecordedLine {
  std::uint64_t line = 0;
  std::string kind;
  json::Value value;
  std::uint32_t messages = 0;  // how many messages stand before it
  SharedText item;             // of a row that names an item; null when that is redacted
};

struct Footprint {
  std::string run;
  std::string created_at;
  std::uint32_t segments = 0;
  std::string end_status;  // "" when the record has no end
  Conversation conversation;
  std::vector<RecordedRequest> requests;
  std::vector<RecordedLine> lines;
  std::vector<RedactedItem> redacted;
  std::vector<RecordNote> notes;
  std::uint64_t line_count = 0;
  // The last good place: where a new segment goes on.
  std::uint64_t next_seq = 0;
  std::uint32_t next_message = 0;
  Digest256 chain = kFootprintZero;
  std::uint64_t covered_lines = 0;  // lines up to the last good chain line

  [[nodiscard]] bool intact() const noexcept;  // no note is damage
  [[nodiscard]] bool complete() const noexcept { return intact() && !end_status.empty(); }
};

class RecordReader {
 public:
  RecordReader();
  ~RecordReader();
  RecordReader(RecordReader&&) noexcept;
  RecordReader& operator=(RecordReader&&) noexcept;

  // Does a line open a footprint?
  [[nodiscard]] static bool opens(std::string_view line);

  // A line without its line feed; `closed` says whether it had one.
  void line(std::string_view text, bool closed);
  [[nodiscard]] Footprint finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Throw Error "record-format" for what is no footprint of a known version, "record-io" for a file
// that cannot be read.
[[nodiscard]] Footprint read_footprint(std::string_view text);
[[nodiscard]] Footprint read_footprint_file(const std::string& path);

}  // namespace agentfootprint
