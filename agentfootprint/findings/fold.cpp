// The incremental fold.
#include "agentfootprint/findings/fold.hpp"

#include <algorithm>

#include "agentfootprint/evidence/assertions.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::findings {
namespace {

constexpr std::uint32_t kNoPlace = 0xFFFFFFFF;

std::uint64_t packed(const CallKey& call) noexcept {
  return (std::uint64_t{call.message} << 32) | (std::uint64_t{call.ordinal} << 1) |
         (call.orphan ? 1U : 0U);
}

// What the value is compared by; empty when it is not compared.
std::optional<std::string> compared_value(const Assertion& assertion) {
  if (assertion.stratum == Stratum::quoted) return std::nullopt;
  return evidence::compared_text(assertion.value);
}

}  // namespace

SharedRow share_row(Row row) {
  return std::make_shared<const Row>(std::move(row));
}

std::uint32_t LedgerFold::slot_for(const ResultRef& result) {
  const auto next = static_cast<std::uint32_t>(slots_.size());
  std::uint32_t slot = next;
  if (result.call) {
    slot = directory_.by_call.find_or_add(packed(*result.call), next);
  } else if (const auto bare = directory_.by_bare_id.find(result.tool_call_id)) {
    slot = *bare;
  } else {
    directory_.by_bare_id.set(result.tool_call_id, next);
  }
  if (slot == next) {
    Slot& fresh = slots_.emplace_back();
    fresh.standing_order = kNoPlace;
    fresh.unsettled_order = kNoPlace;
  }
  directory_.newest_by_id.set(result.tool_call_id, slot);
  return slot;
}

const LedgerFold::Slot* LedgerFold::find_slot(const ResultRef& result) const noexcept {
  if (result.call) {
    if (const auto found = directory_.by_call.find(packed(*result.call))) return &slots_[*found];
    const auto bare = directory_.by_bare_id.find(result.tool_call_id);
    return bare ? &slots_[*bare] : nullptr;
  }
  const auto newest = directory_.newest_by_id.find(result.tool_call_id);
  return newest ? &slots_[*newest] : nullptr;
}

void LedgerFold::apply(const SharedRow& row) {
  kept_.push_back(row);
  std::visit([this](const auto& one) { take(one); }, *row);
}

void LedgerFold::take(const BasisRow& row) {
  slots_[slot_for(row.result)].basis = &row;
  malformed_ += row.malformed;
}

void LedgerFold::take(const StandingRow& row) {
  const std::uint32_t index = slot_for(row.result);
  Slot& slot = slots_[index];
  if (slot.standing_order == kNoPlace) {
    slot.standing_order = static_cast<std::uint32_t>(standing_order_.size());
    standing_order_.push_back(index);
  } else {
    count_out(slot);
    remove_assertions(*slot.standing, slot.standing_order);
  }
  slot.standing = &row;
  count_in(slot);
  add_assertions(row, slot.standing_order);
}

namespace {

std::size_t entries_in(const StandingRow& row) {
  return std::max<std::size_t>(row.assertions.size(), 1);
}

std::size_t items_in(const UnsettledRow& row) {
  return row.not_checked.size() + row.cannot_cover.size() + (row.try_instead ? 1 : 0);
}

}  // namespace

// What the lists say of a result, from its standing and its unsettled row as they are now.
void LedgerFold::count_in(const Slot& slot) {
  if (slot.standing == nullptr) return;
  const StandingRow& row = *slot.standing;
  const auto word = static_cast<std::size_t>(row.standing);
  places_[word].insert(slot.standing_order);
  entries_[word] += entries_in(row);
  if (row.standing == Standing::open && row.settles) to_settle_.insert(slot.standing_order);
  if (row.standing != Standing::ruled_out || slot.unsettled == nullptr) return;
  unsettled_now_.insert(slot.unsettled_order);
  unsettled_items_ += items_in(*slot.unsettled);
}

void LedgerFold::count_out(const Slot& slot) {
  if (slot.standing == nullptr) return;
  const StandingRow& row = *slot.standing;
  const auto word = static_cast<std::size_t>(row.standing);
  places_[word].erase(slot.standing_order);
  entries_[word] -= entries_in(row);
  to_settle_.erase(slot.standing_order);
  if (row.standing != Standing::ruled_out || slot.unsettled == nullptr) return;
  unsettled_now_.erase(slot.unsettled_order);
  unsettled_items_ -= items_in(*slot.unsettled);
}

void LedgerFold::take(const ConflictRow& row) {
  filed_.insert(row.key);
}

void LedgerFold::take(const JudgmentRow& row) {
  const std::uint32_t index = slot_for(row.result);
  if (slots_[index].judgment == nullptr) judged_order_.push_back(index);
  slots_[index].judgment = &row;
}

void LedgerFold::take(const ContingentRow& row) {
  contingent_.push_back(&row);
  if (row.draft) ++contingent_in_drafts_;
  if (row.declared_on.on_answer()) return;
  for (const ContingentCarrier& carrier : row.carriers) {
    edges_.push_back(
        {*row.declared_on.call, carrier.result, row.value, carrier.standing, row.iteration});
  }
}

void LedgerFold::take(const UnsettledRow& row) {
  const std::uint32_t index = slot_for(row.result);
  Slot& slot = slots_[index];
  count_out(slot);
  if (slot.unsettled == nullptr) {
    slot.unsettled_order = static_cast<std::uint32_t>(unsettled_order_.size());
    unsettled_order_.push_back(index);
  }
  slot.unsettled = &row;
  count_in(slot);
}

void LedgerFold::take(const MalformedRow& row) {
  malformed_ += row.malformed;
}

void LedgerFold::add_assertions(const StandingRow& row, std::uint32_t place) {
  if (row.standing != Standing::fact) return;
  std::uint32_t ordinal = 0;
  for (const Assertion& assertion : row.assertions) {
    const std::uint32_t mine = ordinal++;
    auto value = compared_value(assertion);
    if (!value) continue;
    std::string key = assertion.key();
    KeyState& state = keys_[key];
    state.assertions.emplace(Place{place, mine}, AssertedRef{&row, &assertion});
    ++state.values[std::move(*value)];
    ++state.results[place];
    list_conflict(key, state);
    touched_.push_back(std::move(key));
  }
}

void LedgerFold::remove_assertions(const StandingRow& row, std::uint32_t place) {
  if (row.standing != Standing::fact) return;
  std::uint32_t ordinal = 0;
  for (const Assertion& assertion : row.assertions) {
    const std::uint32_t mine = ordinal++;
    const auto value = compared_value(assertion);
    if (!value) continue;
    std::string key = assertion.key();
    const auto found = keys_.find(key);
    KeyState& state = found->second;
    state.assertions.erase(Place{place, mine});
    if (--state.values[*value] == 0) state.values.erase(*value);
    if (--state.results[place] == 0) state.results.erase(place);
    list_conflict(key, state);
    if (state.assertions.empty()) keys_.erase(found);
    touched_.push_back(std::move(key));
  }
}

// A conflict stands where the first assertion of its key does; what that is may have changed.
void LedgerFold::list_conflict(const std::string& key, KeyState& state) {
  std::optional<Place> first;
  if (state.conflicting()) first = state.assertions.begin()->first;
  if (first == state.listed) return;
  if (state.listed) open_.erase(*state.listed);
  if (first) open_.emplace(*first, key);
  state.listed = first;
}

const StandingRow* LedgerFold::standing_of(const ResultRef& result) const noexcept {
  if (result.call) {
    // A row of this very call wins over one that was filed under the bare id.
    const auto found = directory_.by_call.find(packed(*result.call));
    if (found && slots_[*found].standing != nullptr) return slots_[*found].standing;
    const auto bare = directory_.by_bare_id.find(result.tool_call_id);
    return bare ? slots_[*bare].standing : nullptr;
  }
  const Slot* slot = find_slot(result);
  return slot == nullptr ? nullptr : slot->standing;
}

const StandingRow* LedgerFold::standing_of(const CallKey& call) const noexcept {
  const auto found = directory_.by_call.find(packed(call));
  return found ? slots_[*found].standing : nullptr;
}

std::vector<const StandingRow*> LedgerFold::standings() const {
  std::vector<const StandingRow*> list;
  list.reserve(standing_order_.size());
  for (const std::uint32_t slot : standing_order_) list.push_back(slots_[slot].standing);
  return list;
}

std::vector<AssertedRef> LedgerFold::asserted() const {
  std::vector<AssertedRef> list;
  for (const std::uint32_t slot : standing_order_) {
    const StandingRow* row = slots_[slot].standing;
    if (row->standing != Standing::fact) continue;
    for (const Assertion& assertion : row->assertions) list.push_back({row, &assertion});
  }
  return list;
}

std::vector<Conflict> LedgerFold::conflicts(std::size_t max) const {
  std::vector<Conflict> list;
  for (const auto& [place, key] : open_) {
    if (list.size() == max) break;
    list.push_back(*conflict_of(key));
  }
  return list;
}

bool LedgerFold::in_conflict(const std::string& key) const {
  const auto found = keys_.find(key);
  return found != keys_.end() && found->second.conflicting();
}

std::optional<Conflict> LedgerFold::conflict_of(const std::string& key) const {
  if (!in_conflict(key)) return std::nullopt;
  Conflict conflict;
  conflict.key = key;
  for (const auto& [place, assertion] : keys_.at(key).assertions) {
    conflict.assertions.push_back(assertion);
  }
  return conflict;
}

bool LedgerFold::conflict_filed(const std::string& key) const {
  return filed_.count(key) > 0;
}

std::vector<std::string> LedgerFold::take_touched_keys() {
  std::vector<std::string> keys = std::exchange(touched_, {});
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

void LedgerFold::sort_by_first_assertion(std::vector<std::string>& keys) const {
  std::sort(keys.begin(), keys.end(), [this](const std::string& a, const std::string& b) {
    return keys_.at(a).assertions.begin()->first < keys_.at(b).assertions.begin()->first;
  });
}

const BasisRow* LedgerFold::last_basis(const ResultRef& call) const noexcept {
  const Slot* slot = find_slot(call);
  return slot == nullptr ? nullptr : slot->basis;
}

const JudgmentRow* LedgerFold::last_judgment(const ResultRef& result) const noexcept {
  const Slot* slot = find_slot(result);
  return slot == nullptr ? nullptr : slot->judgment;
}

std::vector<const JudgmentRow*> LedgerFold::judgments() const {
  std::vector<const JudgmentRow*> list;
  for (const std::uint32_t slot : judged_order_) list.push_back(slots_[slot].judgment);
  return list;
}

std::vector<const UnsettledRow*> LedgerFold::unsettled(std::size_t max) const {
  std::vector<const UnsettledRow*> list;
  unsettled_now_.each([&](std::uint32_t place) {
    if (list.size() == max) return false;
    list.push_back(slots_[unsettled_order_[place]].unsettled);
    return true;
  });
  return list;
}

LedgerFold fold_ledger(const std::vector<SharedRow>& rows) {
  LedgerFold fold;
  for (const SharedRow& row : rows) fold.apply(row);
  return fold;
}

}  // namespace agentfootprint::findings
