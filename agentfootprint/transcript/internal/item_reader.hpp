// Splits a byte stream into the items of a transcript: lines, elements of a top array, or whole
// values.
//
// What: finds out how the text is laid out and gives one item after another as text, keeping only
// that item in memory. When to use: the transcript reader. Not guaranteed: that an item is valid
// JSON; only its brackets and strings were followed.
//
// Units and limits: 10,000 open brackets.
//
// Example:
//   transcript::internal::TextSource source("[{\"a\":1},{\"b\":2}]");
//   transcript::internal::ItemReader reader(source, false);
//   auto item = reader.next();
//   (void)item.text;   // {"a":1}
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agentfootprint/transcript/internal/byte_source.hpp"

namespace agentfootprint::transcript::internal {

enum class Layout : std::uint8_t {
  unknown,
  lines,  // JSON Lines: an item is a line
  array,  // an item is an element of a top array; `array_end` follows the last
  whole,  // an item is a top value
};

struct Item {
  enum class Kind : std::uint8_t {
    value,
    array_end,
    cut,       // the input ends inside this item
    too_deep,  // the brackets of this item pass the limit
    garbage,   // a byte that starts no value stands where an item should
    end,
  };
  Kind kind = Kind::end;
  std::string_view text;        // valid until the next call
  std::uint64_t byte = 0;       // where the item starts
  std::uint64_t line = 0;       // from 1, in the layout `lines`
  bool last_line_open = false;  // a line without a line feed behind it: the last one
};

class ItemReader {
 public:
  // `prefer_lines`: the name of the input says JSON Lines.
  ItemReader(ByteSource& source, bool prefer_lines);

  // The first bytes, without byte order mark and white space; used to say what the input is.
  [[nodiscard]] std::string_view peek();
  [[nodiscard]] Layout layout();
  Item next();
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return consumed_ + at_; }

 private:
  bool fill();  // reads more behind `end_`; false at the end of the input
  void start();
  void find_layout();
  Item next_line();
  Item next_element();
  Item next_whole();
  Item take_value();  // the value that starts at `at_`
  bool skip_space(bool commas);
  void release();  // drops what was given

  ByteSource& source_;
  bool prefer_lines_;
  bool started_ = false;
  bool ended_ = false;
  bool in_array_ = false;
  Layout layout_ = Layout::unknown;
  std::string buffer_;
  std::size_t at_ = 0;          // the next byte to look at
  std::size_t end_ = 0;         // bytes in the buffer
  std::uint64_t consumed_ = 0;  // bytes dropped from the front
  std::uint64_t line_ = 0;
};

}  // namespace agentfootprint::transcript::internal
