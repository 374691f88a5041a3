// The blocks of an answer: where values are said together.
//
// What: cuts a text into blocks. A block is a sentence; in Markdown, the list or the table a line
// belongs to. Derivations combine values only within one block, and the notes about association
// look no further.
//
// When to use: whenever the question is which values of a text were said together.
//
// Not guaranteed: grammar. A sentence ends at `.`, `!`, `?` (or their ideographic forms) before
// white space, at an empty line, and never after a short list of abbreviations. A line break alone
// ends a sentence only before a heading, a list, a table or a code fence. A list goes on over blank
// lines as long as items or indented lines follow.
//
// Units and limits: byte offsets into the text. One pass, no limit of its own.
//
// Example:
//   evidence::Blocks blocks = evidence::Blocks::of("It is 5. Then:\n- a: 1\n- b: 2\n");
//   std::size_t count = blocks.size();                                    // 3
//   bool list = blocks[2].kind == evidence::BlockKind::list;              // true
//   std::uint32_t item = blocks.place(24).item;                           // 1: the second item
//   (void)count; (void)list; (void)item;
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "agentfootprint/json/scanner.hpp"

namespace agentfootprint::evidence {

enum class BlockKind : std::uint8_t { sentence, list, table };

struct Block {
  BlockKind kind = BlockKind::sentence;
  json::Span span;
};

// Where a byte stands: its block, and in a list the item, in a table the row and the cell.
struct BlockPlace {
  std::uint32_t block = 0;
  std::uint32_t item = 0;
  std::uint32_t cell = 0;
};

class Blocks {
 public:
  [[nodiscard]] static Blocks of(std::string_view text);

  [[nodiscard]] std::size_t size() const noexcept { return blocks_.size(); }
  [[nodiscard]] const Block& operator[](std::size_t index) const noexcept { return blocks_[index]; }
  // The place of a byte; a byte between blocks belongs to the one before it.
  [[nodiscard]] BlockPlace place(std::size_t byte) const noexcept;

 private:
  friend class BlockCutter;
  struct Start {  // of a list item, a table row or a cell
    std::size_t byte = 0;
    BlockPlace place;
  };
  std::vector<Block> blocks_;
  std::vector<Start> starts_;
};

// Is the number at the span that of a list's item: at the start of a line, three digits at most, a
// `.` or `)` and a space behind? It is said of nothing. (`72.` alone on its line is a value.)
[[nodiscard]] bool numbers_item(std::string_view text, const json::Span& number) noexcept;

}  // namespace agentfootprint::evidence
