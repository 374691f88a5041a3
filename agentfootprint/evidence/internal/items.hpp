// What the index keeps of a value: where it stands. Not for direct use.
#pragma once

#include <cstdint>
#include <vector>

namespace agentfootprint::evidence::internal {

class Builder;

inline constexpr std::uint32_t kNoParent = 0xFFFFFFFF;

// A container of the JSON text, or (the first) the text itself.
struct Node {
  std::uint32_t parent = kNoParent;
  std::uint32_t ordinal = 0;  // of the member or element in the parent
  std::uint32_t begin = 0;    // its bracket
  std::uint32_t end = 0;      // behind its closing bracket; the end of the text when cut
  bool object = false;
  bool document = false;  // the root of a JSON text (its parent is the text)
};

enum ItemFlag : std::uint8_t {
  kJsonNumber = 1,  // a bare JSON number: its bytes are the whole leaf
  kInKey = 2,       // in a member's name
  kEscaped = 4,     // the leaf holds JSON escapes
  kPart = 8,        // a part of a composite value: read within its own bytes
  kMember = 16,     // a member of a list: read within its own bytes
  kText = 32,       // in text that is no JSON
  kSingleQuotes = 64,
  kOmitted = 128  // stands in a part that is no evidence: no key leads to it
};

struct Item {
  std::uint32_t begin = 0;
  std::uint16_t length = 0;  // 0xFFFF: longer; read again to know
  std::uint8_t kind = 0;
  std::uint8_t flags = 0;
};
static_assert(sizeof(Item) == 8);

// The place in its array of the leaf an item stands in, noted for some items so that the others are
// counted from a near one.
struct ElementMark {
  std::uint32_t item = 0;
  std::uint32_t ordinal = 0;
};

}  // namespace agentfootprint::evidence::internal
