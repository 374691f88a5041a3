// The persistent state: a radix tree from PathId to the write that last set the path.
//
// A root is a pointer; setting a path copies one leaf (16 slots) and the inner nodes above it, so
// every commit keeps its root and the state at any row is a pointer. Values are not in the tree,
// only the numbers of the writes that hold them: copying a node copies plain integers.
#pragma once

#include <cstdint>
#include <cstring>

#include "agentfootprint/flow/internal/arena.hpp"
#include "agentfootprint/flow/internal/paths.hpp"

namespace agentfootprint::flow::internal {

// A write's number plus one; 0 is "never". Numbers of writes that are staged and not yet committed
// have the highest bit, so that a later write always compares greater.
using WriteRef = std::uint32_t;
inline constexpr WriteRef kNever = 0;
inline constexpr WriteRef kStagedBit = 0x80000000;

struct Leaf {
  std::uint32_t epoch = 0;
  WriteRef slots[16] = {};
};
struct Inner {
  std::uint32_t epoch = 0;
  const void* children[16] = {};
};

struct Root {
  const void* node = nullptr;
  std::uint32_t height = 0;  // 0: the node is a leaf

  [[nodiscard]] WriteRef get(PathId id) const noexcept {
    if (node == nullptr || (std::uint64_t{id} >> (4 * (height + 1))) != 0) return kNever;
    const void* at = node;
    for (std::uint32_t level = height; level > 0; --level) {
      at = static_cast<const Inner*>(at)->children[(id >> (4 * level)) & 15];
      if (at == nullptr) return kNever;
    }
    return static_cast<const Leaf*>(at)->slots[id & 15];
  }

  // The root with one path set. Nodes that carry `epoch` belong to the change under way and are
  // edited in place; others are copied. Epochs of one arena only grow; 0 is never used.
  [[nodiscard]] Root set(Arena& arena, std::uint32_t epoch, PathId id, WriteRef write) const {
    Root out = *this;
    if (out.node == nullptr) out.node = arena.make(Leaf{epoch, {}});
    while ((std::uint64_t{id} >> (4 * (out.height + 1))) != 0) {
      Inner above{epoch, {}};
      above.children[0] = out.node;
      out.node = arena.make(above);
      ++out.height;
    }
    const void** slot = &out.node;
    for (std::uint32_t level = out.height; level > 0; --level) {
      Inner* inner = own<Inner>(arena, epoch, slot);
      slot = &inner->children[(id >> (4 * level)) & 15];
    }
    own<Leaf>(arena, epoch, slot)->slots[id & 15] = write;
    return out;
  }

 private:
  template <class Node>
  static Node* own(Arena& arena, std::uint32_t epoch, const void** slot) {
    const auto* node = static_cast<const Node*>(*slot);
    if (node != nullptr && node->epoch == epoch) return const_cast<Node*>(node);
    Node* copy = node != nullptr ? arena.make(*node) : arena.make(Node{});
    copy->epoch = epoch;
    *slot = copy;
    return copy;
  }
};

}  // namespace agentfootprint::flow::internal
