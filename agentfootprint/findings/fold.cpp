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
    slots_.emplace_back().standing_order = kNoPlace;
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
    ++standings_count_;
  } else {
    --by_standing_[static_cast<std::size_t>(slot.standing->standing)];
    remove_assertions(*slot.standing, slot.standing_order);
  }
  slot.standing = &row;
  ++by_standing_[static_cast<std::size_t>(row.standing)];
  add_assertions(row, slot.standing_order);
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
  if (row.declared_on.on_answer()) return;
  for (const ContingentCarrier& carrier : row.carriers) {
    edges_.push_back(
        {*row.declared_on.call, carrier.result, row.value, carrier.standing, row.iteration});
  }
}

void LedgerFold::take(const UnsettledRow& row) {
  const std::uint32_t index = slot_for(row.result);
  if (slots_[index].unsettled == nullptr) unsettled_order_.push_back(index);
  slots_[index].unsettled = &row;
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
    if (state.conflicting()) open_.insert(key);
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
    if (!state.conflicting()) open_.erase(key);
    if (state.assertions.empty()) keys_.erase(found);
    touched_.push_back(std::move(key));
  }
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

std::vector<Conflict> LedgerFold::conflicts() const {
  std::vector<std::string> keys(open_.begin(), open_.end());
  sort_by_first_assertion(keys);
  std::vector<Conflict> list;
  list.reserve(keys.size());
  for (const std::string& key : keys) list.push_back(*conflict_of(key));
  return list;
}

bool LedgerFold::in_conflict(const std::string& key) const {
  return open_.count(key) > 0;
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

std::vector<const UnsettledRow*> LedgerFold::unsettled() const {
  std::vector<const UnsettledRow*> list;
  for (const std::uint32_t slot : unsettled_order_) {
    const Slot& one = slots_[slot];
    const bool ruled_out = one.standing != nullptr && one.standing->standing == Standing::ruled_out;
    if (ruled_out) list.push_back(one.unsettled);
  }
  return list;
}

LedgerFold fold_ledger(const std::vector<SharedRow>& rows) {
  LedgerFold fold;
  for (const SharedRow& row : rows) fold.apply(row);
  return fold;
}

}  // namespace agentfootprint::findings
