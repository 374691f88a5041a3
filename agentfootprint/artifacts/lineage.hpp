// Lineage: where a ticket came from and what was made of it.
//
// What: a walk over the declared parents of a ticket and over the tickets that name it as a parent,
// both as far as they go. One that is gone, or whose record was changed, stays in the graph,
// marked.
//
// When to use: "which step made this number", and before removing something others stand on.
//
// Not guaranteed: what happened inside a step: only declared parents are edges.
//
// Example:
//   Lineage lineage;
//   lineage.root = "art_0000000000000000000000";
//   std::string dot = lineage_to_dot(lineage);   // for graphviz
//   (void)dot;
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agentfootprint/artifacts/store.hpp"

namespace agentfootprint {

struct LineageNode {
  std::string ref;
  int distance = 0;                  // steps from the root: negative towards parents
  std::optional<ArtifactMeta> meta;  // empty: gone, or changed
  bool changed = false;              // its record is not what the put wrote: nothing is read of it
};

// "live", "gone" or "changed".
[[nodiscard]] std::string_view state_of(const LineageNode& node) noexcept;

struct Lineage {
  std::string root;
  std::vector<LineageNode> nodes;                          // the root first, then by distance
  std::vector<std::pair<std::string, std::string>> edges;  // parent, child
  bool cut = false;                                        // the limit of nodes was reached
};

// Empty when there is no such ticket. Throws ArtifactIntegrityError when its own record was
// changed.
[[nodiscard]] std::optional<Lineage> lineage_of(ArtifactStore& store, const ArtifactScope& scope,
                                                const std::string& ref,
                                                std::size_t max_nodes = 1'000);
[[nodiscard]] json::Value to_json(const Lineage& lineage);
[[nodiscard]] std::string lineage_to_dot(const Lineage& lineage);

}  // namespace agentfootprint
