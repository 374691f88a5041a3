// Writing a footprint: what a run leaves behind.
//
// What: turns messages, requests, rows, verdicts and events into the lines of a footprint file
// (docs/footprint-format.md). Content is written once, by its SHA-256; lines carry their number;
// each flush ends with a chain line that covers everything before it.
//
// When to use: one writer a run, on the thread of the run. `continue_footprint` goes on with a
// record that is there: a torn tail is left where it is and a new segment names the last good hash.
//
// Not guaranteed: that a line is on the disk before `flush(true)` and `RecordSink::sync` returned.
//
// Units and limits: 2^32 items and messages; blocks are handed to the sink at 64 KiB; the base of a
// request is one of the last 8.
//
// Example:
//   MemorySink sink;
//   ManualClock clock(1'700'000'000'000);
//   RecordWriter writer(sink, RecordWriterOptions("run-1", clock));
//   writer.message(Message::user("is fc1/3 down?"));
//   writer.end("complete");
//   (void)sink.text();   // header, item, message, end, chain
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/record/format.hpp"
#include "agentfootprint/record/sink.hpp"

namespace agentfootprint {

// What an item is, for a redactor: "content", "arguments", "request", "parameters".
struct ItemUse {
  std::string_view use;
  std::string_view tool;  // of results and arguments, "" when there is none
};

// Sees each item before it is written. A reason takes its bytes out of the record; its hash and
// length stay.
using Redactor =
    std::function<std::optional<std::string>(std::string_view item, const ItemUse& use)>;

struct RecordWriterOptions {
  RecordWriterOptions(std::string run_id, const Clock& run_clock)
      : run(std::move(run_id)), clock(&run_clock) {}
  std::string run;
  const Clock* clock;  // must outlive the writer
  Redactor redactor;
  std::size_t block_bytes = std::size_t{64} << 10;
  // Set by `continue_footprint`: the record goes on from here.
  std::uint64_t first_seq = 0;
  std::uint32_t first_message = 0;
  std::uint32_t segment = 0;
  Digest256 chain = kFootprintZero;
};

using ItemNumber = std::uint32_t;

// A request as it was served: items in order. `base` is an earlier request of this writer it mostly
// repeats.
struct ServedRequest {
  std::string model;
  std::vector<std::string_view> items;
  // Before or instead of `items`, those that are in the record already: what was served costs no
  // hashing again.
  std::vector<ItemNumber> numbers;
  // So many items of the request before stand in front of them all. They are neither given nor
  // looked at again.
  std::size_t keep = 0;
  std::optional<json::Value> parameters;
  std::optional<ItemNumber> parameters_number;  // instead, when they are in the record already
  std::optional<std::uint32_t> base;
};

class RecordWriter {
 public:
  // Writes the header. The sink must outlive the writer.
  RecordWriter(RecordSink& sink, RecordWriterOptions options);
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  // Each returns the number of what it wrote.
  ItemNumber item(std::string_view bytes, const ItemUse& use);
  // `call` is the key of the call a result answers, where it is known: it stands in the line, so
  // that a reader need not pair by position.
  std::uint32_t message(const Message& message, const std::optional<CallKey>& call = std::nullopt);
  // Items of the message written last: its content, then its calls' arguments.
  [[nodiscard]] const std::vector<ItemNumber>& last_message_items() const noexcept {
    return last_items_;
  }
  std::uint32_t request(const ServedRequest& request);
  // A line of kind "row", "verdict", "event" or "commit" with the members of an object.
  void line(std::string_view kind, const json::Value& members);
  // The same for members that are JSON text already, `"row":0,"stage":"seed"`, which is not looked
  // at: for lines written so often that building values for them would show.
  void line_of_text(std::string_view kind, std::string_view members);

  // Ends the block with a chain line and gives it to the sink. `durable` asks for an fsync.
  void flush(bool durable = false);
  // The last line ("complete", "stopped", "failed", "paused"), then flush(true). Nothing may
  // follow.
  void end(std::string_view status);

  [[nodiscard]] const Digest256& chain() const noexcept { return chain_; }
  [[nodiscard]] std::uint64_t lines() const noexcept { return seq_; }

 private:
  void begin(std::string_view kind);
  void begin_free(std::string_view kind);
  void begin_line(std::string_view kind);
  void text_member(std::string_view key, std::string_view value);
  void number_member(std::string_view key, std::uint64_t value);
  void hash_member(std::string_view key, const Digest256& value);
  void value_member(std::string_view key, const json::Value& value);
  void finish_line();
  void write_header(bool continued);
  void write_call(const ToolCall& call, ItemNumber arguments, bool first);

  struct DigestHash {
    std::size_t operator()(const Digest256& digest) const noexcept;
  };
  // Requests mostly repeat each other: the newest one is the trunk, an earlier one is the head it
  // shares with the trunk and a tail of its own.
  struct Trunk {
    std::vector<ItemNumber> items;
    std::vector<Digest256> hashes;  // of each prefix; [i] covers items 0…i
  };
  struct View {
    std::size_t head = 0;
    std::vector<ItemNumber> tail;
  };

  [[nodiscard]] std::vector<ItemNumber> items_of(const View& view) const;
  void grow_trunk(std::span<const ItemNumber> items, std::size_t kept);

  RecordSink& sink_;
  RecordWriterOptions options_;
  std::string block_;
  std::size_t last_block_ = std::size_t{2} << 10;  // bytes to make room for
  Digest256 chain_;
  std::uint64_t seq_ = 0;
  std::uint32_t messages_ = 0;
  bool ended_ = false;
  std::unordered_map<Digest256, ItemNumber, DigestHash> numbers_;
  std::vector<Digest256> digests_;
  Trunk trunk_;
  std::vector<View> views_;  // only the last few still hold their items
  std::vector<ItemNumber> last_items_;
};

struct Footprint;

// Options for a new segment behind what was read of a record: a torn tail, or a run that goes on.
[[nodiscard]] RecordWriterOptions continue_footprint(const Footprint& footprint,
                                                     const Clock& clock);

// What must stand in front of the new segment so that nothing is glued to a torn line: "~\n" when
// the text does not end with a line feed, "" otherwise. The mark keeps a line that lacked nothing
// but its line feed from counting after all, once it has one.
[[nodiscard]] std::string_view footprint_gap(std::string_view text) noexcept;

}  // namespace agentfootprint
