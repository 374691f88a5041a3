// Towers: results that stand on values taken from results that were set aside.
//
// What: each contingent row filed at dispatch is an edge from the call's result to the result the
// value came from (its base). Edges are kept for the conversation, across turns; each is read with
// the standing the base had `then` and the one it has `now`. A result stands on set-aside ground
// while some edge's `now` is set aside, directly or through another result.
//
// When to use: `audit` and `why` print the staircase of a result; a headline counts the towers that
// stand.
//
// Not guaranteed: that the result is wrong. The chain says what it was built on.
//
// Limits: a staircase prints at most 64 lines; every result is visited once, so that cycles end.
//
// Example:
//   findings::StandingRow base;
//   base.result = findings::ResultRef("c1");
//   base.standing = findings::Standing::noise;
//   findings::ContingentRow used;
//   used.declared_on = findings::DeclaredOn(findings::ResultRef("c2"));
//   used.value = "fc1/7";
//   used.carriers = {{findings::ResultRef("c1"), findings::Standing::noise}};
//   auto fold = findings::fold_ledger({findings::share_row(base), findings::share_row(used)});
//   findings::Towers towers(fold);
//   (void)towers.on_set_aside_ground(findings::ResultRef("c2"));   // true
//   std::string stairs = towers.staircase(findings::ResultRef("c2"));
//   (void)stairs;   // c2 used "fc1/7" from c1 (noise then, noise now)
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "agentfootprint/findings/collapse.hpp"
#include "agentfootprint/findings/fold.hpp"

namespace agentfootprint::findings {

struct TowerStep {
  std::size_t depth = 0;  // 0: an edge of the result asked about
  const TowerEdge* edge = nullptr;
  std::optional<Standing> now;  // of the base
};

class Towers {
 public:
  // Reads the fold as it is now; the fold must outlive this.
  explicit Towers(const LedgerFold& fold);

  [[nodiscard]] bool on_set_aside_ground(const ResultRef& result) const;
  // Results that stand on set-aside ground, in the order of their first edge.
  [[nodiscard]] std::vector<ResultRef> standing_on_set_aside() const;
  // The edges under a result, depth first, each result opened once.
  [[nodiscard]] std::vector<TowerStep> steps_under(const ResultRef& result) const;
  // The same as indented lines for people; "" without edges.
  [[nodiscard]] std::string staircase(const ResultRef& result, const ResultNames& names = {}) const;

 private:
  [[nodiscard]] std::optional<Standing> now_of(const ResultRef& result) const;
  std::size_t node_for(const ResultRef& result);
  [[nodiscard]] std::optional<std::size_t> node_of(const ResultRef& result) const;

  const LedgerFold& fold_;
  std::unordered_map<std::string, std::size_t> nodes_;  // by the spelling of the result
  std::vector<ResultRef> results_;
  std::vector<std::vector<std::pair<std::size_t, const TowerEdge*>>> edges_;  // node → base, edge
  std::vector<bool> set_aside_ground_;
};

// `[{from, to, value, then, now?, iteration}]`, and whether each `from` stands on set-aside ground.
[[nodiscard]] json::Value towers_to_json(const LedgerFold& fold);

}  // namespace agentfootprint::findings
