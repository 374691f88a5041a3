// Walking parents and children.
#include "agentfootprint/artifacts/lineage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

class Walk {
 public:
  Walk(ArtifactStore& store, const ArtifactScope& scope, std::size_t max_nodes, Lineage& out)
      : store_(store), scope_(scope), max_nodes_(max_nodes), out_(out) {}

  void start(const ArtifactMeta& root) {
    out_.root = root.ref;
    places_.emplace(root.ref, 0);
    out_.nodes.push_back({root.ref, 0, root, false});
    walk(true);
    walk(false);
  }

 private:
  // One direction from the root, nearest first.
  void walk(bool up) {
    std::deque<std::size_t> open{0};
    std::set<std::string> seen{out_.root};
    while (!open.empty()) {
      const LineageNode node = out_.nodes[open.front()];
      open.pop_front();
      if (!node.meta) continue;
      const auto next = up ? node.meta->parent_refs : store_.children(scope_, node.ref);
      for (const std::string& ref : next) {
        edge(up ? ref : node.ref, up ? node.ref : ref);
        if (!seen.insert(ref).second) continue;
        const auto place = add(ref, node.distance + (up ? -1 : 1));
        if (place) open.push_back(*place);
      }
    }
  }

  std::optional<std::size_t> add(const std::string& ref, int distance) {
    const auto found = places_.find(ref);
    if (found != places_.end()) return found->second;
    if (out_.nodes.size() >= max_nodes_) {
      out_.cut = true;
      return std::nullopt;
    }
    places_.emplace(ref, out_.nodes.size());
    LineageNode node{ref, distance, std::nullopt, false};
    try {
      node.meta = store_.head(scope_, ref);
    } catch (const ArtifactIntegrityError&) {
      node.changed = true;
    }
    out_.nodes.push_back(std::move(node));
    return out_.nodes.size() - 1;
  }

  void edge(const std::string& parent, const std::string& child) {
    if (edges_.emplace(parent, child).second) out_.edges.emplace_back(parent, child);
  }

  ArtifactStore& store_;
  const ArtifactScope& scope_;
  std::size_t max_nodes_;
  Lineage& out_;
  std::map<std::string, std::size_t> places_;
  std::set<std::pair<std::string, std::string>> edges_;
};

}  // namespace

std::optional<Lineage> lineage_of(ArtifactStore& store, const ArtifactScope& scope,
                                  const std::string& ref, std::size_t max_nodes) {
  const auto root = store.head(scope, ref);
  if (!root) return std::nullopt;
  Lineage lineage;
  Walk(store, scope, max_nodes, lineage).start(*root);
  // Not stable_sort: its buffer is a deprecated function of this standard library.
  std::sort(lineage.nodes.begin() + 1, lineage.nodes.end(),
            [](const LineageNode& x, const LineageNode& y) {
              return x.distance != y.distance ? x.distance < y.distance : x.ref < y.ref;
            });
  return lineage;
}

std::string_view state_of(const LineageNode& node) noexcept {
  if (node.changed) return "changed";
  return node.meta ? "live" : "gone";
}

json::Value to_json(const Lineage& lineage) {
  json::ArrayBuilder nodes, edges;
  for (const LineageNode& node : lineage.nodes) {
    json::ObjectBuilder one;
    one.add("ref", node.ref).add("distance", node.distance);
    one.add("state", state_of(node));
    if (node.meta) one.add("meta", to_json(*node.meta));
    nodes.add(one.build());
  }
  for (const auto& [parent, child] : lineage.edges) {
    edges.add(json::object({{"parent", parent}, {"child", child}}));
  }
  json::ObjectBuilder out;
  out.add("root", lineage.root).add("nodes", nodes.build()).add("edges", edges.build());
  if (lineage.cut) out.add("cut", true);
  return out.build();
}

std::string lineage_to_dot(const Lineage& lineage) {
  std::string out = "digraph lineage {\n  rankdir = LR;\n";
  const auto literal = [](std::string_view text) {
    std::string quoted;
    json::append_quoted(quoted, utf8::printable(text));
    return quoted;
  };
  for (const LineageNode& node : lineage.nodes) {
    std::string label = node.ref;
    if (node.meta) label += fmt::format(" | {}", node.meta->label.value_or(node.meta->kind));
    out += fmt::format("  {} [label = {}{}];\n", literal(node.ref), literal(label),
                       node.meta ? "" : ", style = dashed");
  }
  for (const auto& [parent, child] : lineage.edges) {
    out += fmt::format("  {} -> {};\n", literal(parent), literal(child));
  }
  return out + "}\n";
}

}  // namespace agentfootprint
