// Reading text into values.
//
// What: `read_text` cuts a text from left to right into values (design: value kinds in their order,
// each byte read once) with byte spans into the text as given. Folding (case, NFKC per character,
// dashes, quotes, spaces) is applied while reading; `raw` stays verbatim.
//
// When to use: for an answer, a message, an argument. Results are read into an index instead
// (result_index.hpp), which adds the parts of composite values.
//
// Not guaranteed: natural language. Words matter only where the rules name them (month names, `in`,
// `ending in`, `fell`).
//
// Limits: text of 2^32 - 1 bytes; runs of more than 512 base64 or hex letters and data URIs are not
// read.
//
// Example:
//   std::vector<evidence::Value> values = evidence::read_text("41,200 IOPS on fc1/3");
//   (void)values.size();       // 2
//   (void)values[0].value;     // "41200", kind quantity
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/evidence/units.hpp"
#include "agentfootprint/evidence/value.hpp"

namespace agentfootprint::evidence {

// A named pattern (RE2) whose matches between token boundaries are values of their own kind.
struct Shape {
  std::string name;
  std::string match;
};

struct ReadOptions {
  const UnitTable* units = nullptr;  // nullptr: the standard table
  bool answer = true;  // word rules (years, endings, signs told by words, lists as one value)
};

[[nodiscard]] std::vector<Value> read_text(std::string_view text, const ReadOptions& options = {});

// The text folded as values are compared: lower case, NFKC per character, ASCII dashes, quotes,
// spaces.
[[nodiscard]] std::string fold_text(std::string_view text);

// Is byte `at` (0 … size) a token boundary: no letter or digit, and no `: / - . _` joined to one,
// on both sides?
[[nodiscard]] bool is_token_boundary(std::string_view text, std::size_t at) noexcept;

}  // namespace agentfootprint::evidence
