// The fold: what a ledger's rows say now.
//
// What: the current standing of each result (the last row about it), what current facts assert,
// which assertions contradict each other, judgments, unsettled absences, contingent rows and the
// edges they leave. It is kept incrementally: one row costs the same at row ten and at row one
// hundred thousand.
//
// When to use: through `Ledger` (ledger.hpp), or `fold_ledger` for rows from elsewhere.
//
// Not guaranteed: truth. Two standings on one result are two rows and never a conflict; a judge's
// opinion never becomes a standing.
//
// Order: results stand in the order in which each was first named.
//
// Conflicts: at least two different results whose current facts assert different values under one
// key. Values are compared in canonical form, so 30 equals 30.0 and differs from "30". An assertion
// of a result never contradicts another one of the same result.
//
// Example:
//   findings::StandingRow row;
//   row.result = findings::ResultRef("c1");
//   row.standing = findings::Standing::noise;
//   findings::LedgerFold fold = findings::fold_ledger({findings::share_row(row)});
//   (void)fold.standing_of(findings::ResultRef("c1"))->standing;   // noise
//   (void)fold.has_set_aside();                                     // true
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "agentfootprint/findings/internal/tables.hpp"
#include "agentfootprint/findings/rows.hpp"

namespace agentfootprint::findings {

// Rows are immutable and shared by every copy of a ledger.
using SharedRow = std::shared_ptr<const Row>;
[[nodiscard]] SharedRow share_row(Row row);

// An assertion of a current fact, with the result that carries it.
struct AssertedRef {
  const StandingRow* row = nullptr;
  const Assertion* assertion = nullptr;
};

struct Conflict {
  std::string key;
  std::vector<AssertedRef> assertions;  // every current one with the key, in fold order
};

// A contingent row filed at dispatch: the call's result stands on its base.
struct TowerEdge {
  ResultRef result;  // of the call that used the value
  ResultRef base;    // the result the value came from
  std::string value;
  Standing then = Standing::open;  // the base's standing when the value was used
  std::uint32_t iteration = 0;
};

class LedgerFold {
 public:
  // Takes the next row in. The fold keeps the row alive.
  void apply(const SharedRow& row);

  [[nodiscard]] std::size_t row_count() const noexcept { return kept_.size(); }

  // The current standing of a result; null when it is undeclared. A question with a call is
  // answered by the row of that call, else by a row that was filed under the id alone; a question
  // by id by the result with that id that was named last.
  [[nodiscard]] const StandingRow* standing_of(const ResultRef& result) const noexcept;
  [[nodiscard]] const StandingRow* standing_of(const CallKey& call) const noexcept;
  // Current standings in fold order.
  [[nodiscard]] std::vector<const StandingRow*> standings() const;
  // Those with one standing, in fold order, while `visit` returns true. What it costs depends on
  // how many are visited.
  template <class Visit>
  void each_of(Standing standing, Visit visit) const {
    visit_places(places_[static_cast<std::size_t>(standing)], visit);
  }
  // The same for the open ones that say what would settle them.
  template <class Visit>
  void each_to_settle(Visit visit) const {
    visit_places(to_settle_, visit);
  }
  [[nodiscard]] bool has_standing() const noexcept { return !standing_order_.empty(); }
  // Is any current standing open, noise or ruled-out? O(1).
  [[nodiscard]] bool has_set_aside() const noexcept {
    return standing_order_.size() > count_of(Standing::fact);
  }
  [[nodiscard]] std::size_t count_of(Standing standing) const noexcept {
    return places_[static_cast<std::size_t>(standing)].size();
  }
  [[nodiscard]] std::size_t count_to_settle() const noexcept { return to_settle_.size(); }
  // What the results with this standing assert, and one for each that asserts nothing.
  [[nodiscard]] std::size_t entries_of(Standing standing) const noexcept {
    return entries_[static_cast<std::size_t>(standing)];
  }

  // Assertions of current facts, in fold order.
  [[nodiscard]] std::vector<AssertedRef> asserted() const;
  // Open conflicts, in the order of the first assertion of their keys; at most `max` of them.
  [[nodiscard]] std::vector<Conflict> conflicts(std::size_t max = SIZE_MAX) const;
  [[nodiscard]] std::size_t conflict_count() const noexcept { return open_.size(); }
  [[nodiscard]] bool in_conflict(const std::string& key) const;
  // Empty when the key is not in conflict.
  [[nodiscard]] std::optional<Conflict> conflict_of(const std::string& key) const;
  // Was a conflict row ever filed for the key?
  [[nodiscard]] bool conflict_filed(const std::string& key) const;
  // Keys whose assertions changed since the last call, each once.
  [[nodiscard]] std::vector<std::string> take_touched_keys();
  // Orders keys that have assertions by the first one of each, as `conflicts` lists them.
  void sort_by_first_assertion(std::vector<std::string>& keys) const;

  [[nodiscard]] const BasisRow* last_basis(const ResultRef& call) const noexcept;
  [[nodiscard]] const JudgmentRow* last_judgment(const ResultRef& result) const noexcept;
  // The last judgment of each result, in the order of the first.
  [[nodiscard]] std::vector<const JudgmentRow*> judgments() const;
  // The last unsettled row of each result that is ruled out now, in the order of the first; at most
  // `max` of them. How many there are, and how much they list in all.
  [[nodiscard]] std::vector<const UnsettledRow*> unsettled(std::size_t max = SIZE_MAX) const;
  [[nodiscard]] std::size_t unsettled_count() const noexcept { return unsettled_now_.size(); }
  [[nodiscard]] std::size_t unsettled_items() const noexcept { return unsettled_items_; }
  // Every contingent row ever filed, in order.
  [[nodiscard]] const std::vector<const ContingentRow*>& contingent() const noexcept {
    return contingent_;
  }
  // How many of them are of drafts that did not become the answer.
  [[nodiscard]] std::size_t contingent_in_drafts() const noexcept { return contingent_in_drafts_; }
  [[nodiscard]] const std::vector<TowerEdge>& edges() const noexcept { return edges_; }
  // Parts of declarations that could not be read, wherever they are counted.
  [[nodiscard]] std::size_t malformed() const noexcept { return malformed_; }

 private:
  // Everything known of one result.
  struct Slot {
    const StandingRow* standing = nullptr;
    const BasisRow* basis = nullptr;
    const JudgmentRow* judgment = nullptr;
    const UnsettledRow* unsettled = nullptr;
    std::uint32_t standing_order = 0;   // place in fold order, once a standing named it
    std::uint32_t unsettled_order = 0;  // the same among unsettled results
  };
  // Results by call, or by id for rows without a call. Slots are numbered in the order of first
  // naming.
  struct Directory {
    internal::CallTable by_call;
    internal::IdTable by_bare_id;
    internal::IdTable newest_by_id;
  };
  using Place =
      std::pair<std::uint32_t, std::uint32_t>;  // place in fold order, ordinal of the assertion
  struct KeyState {
    std::map<Place, AssertedRef> assertions;
    std::unordered_map<std::string, std::size_t> values;     // canonical value → how often
    std::unordered_map<std::uint32_t, std::size_t> results;  // place → how often
    std::optional<Place> listed;  // where an open conflict stands in `open_`
    [[nodiscard]] bool conflicting() const noexcept {
      return values.size() > 1 && results.size() > 1;
    }
  };

  template <class Visit>
  void visit_places(const internal::PlaceSet& places, Visit& visit) const {
    places.each([&](std::uint32_t place) {
      return static_cast<bool>(visit(*slots_[standing_order_[place]].standing));
    });
  }

  std::uint32_t slot_for(const ResultRef& result);
  [[nodiscard]] const Slot* find_slot(const ResultRef& result) const noexcept;
  void take(const BasisRow& row);
  void take(const StandingRow& row);
  void take(const ConflictRow& row);
  void take(const JudgmentRow& row);
  void take(const JudgmentErrorRow&) {}
  void take(const ContingentRow& row);
  void take(const UnsettledRow& row);
  void take(const MalformedRow& row);
  void count_in(const Slot& slot);
  void count_out(const Slot& slot);
  void add_assertions(const StandingRow& row, std::uint32_t place);
  void remove_assertions(const StandingRow& row, std::uint32_t place);
  void list_conflict(const std::string& key, KeyState& state);

  std::vector<SharedRow> kept_;
  std::vector<Slot> slots_;
  Directory directory_;
  std::vector<std::uint32_t> standing_order_;  // slots, in the order a standing first named them
  std::vector<std::uint32_t> judged_order_;
  std::vector<std::uint32_t> unsettled_order_;
  // Of current standings, by the word: places in fold order, and what entries_of counts.
  internal::PlaceSet places_[4];
  std::size_t entries_[4] = {0, 0, 0, 0};
  internal::PlaceSet to_settle_;      // places
  internal::PlaceSet unsettled_now_;  // places in unsettled_order_
  std::size_t unsettled_items_ = 0;
  std::unordered_map<std::string, KeyState> keys_;
  std::map<Place, std::string> open_;  // keys in conflict, by their first assertion
  std::unordered_set<std::string> filed_;
  std::vector<std::string> touched_;
  std::vector<const ContingentRow*> contingent_;
  std::size_t contingent_in_drafts_ = 0;
  std::vector<TowerEdge> edges_;
  std::size_t malformed_ = 0;
};

[[nodiscard]] LedgerFold fold_ledger(const std::vector<SharedRow>& rows);

}  // namespace agentfootprint::findings
