// The sources of operands, and the order in which they are tried.
#include "agentfootprint/evidence/derivation.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "agentfootprint/evidence/internal/deriver_state.hpp"

namespace agentfootprint::evidence {

using internal::Anchored;
using internal::Group;
using internal::kNone;
using internal::Shift;
using internal::TableColumn;
using internal::TableLeaf;
using internal::Tables;
using internal::Term;
using internal::Trial;

namespace {

constexpr std::size_t kMaxBlockOperands = 32;
constexpr std::size_t kMaxTried = 400'000;
constexpr std::size_t kMaxRowCounts = 64;
constexpr std::int64_t kMaxCount = 1'000'000;

}  // namespace

Amount Amount::of_number(json::Decimal number, std::int32_t decimals) {
  Amount amount;
  amount.number = std::move(number);
  amount.decimals = decimals;
  return amount;
}

namespace {

// One value's search.
class Search {
 public:
  using State = Deriver::State;

  Search(Deriver::State& state, std::size_t index, const Amount& target)
      : s_(state),
        index_(index),
        target_(target),
        trial_(target),
        block_(state.block_facts(state.places[index].block)) {
    trial_.accept_falls(block_.words.falls);
  }

  Derived run() {
    gather_block();
    gather_counts();
    block_pairs();
    lists();
    records();
    columns();
    totals();
    groups();
    Derived out;
    out.formulas = std::move(trial_.found());
    out.chance = trial_.chance();
    out.clipped = std::move(clipped_);
    return out;
  }

 private:
  void clip(const char* what) {
    if (std::find(clipped_.begin(), clipped_.end(), what) == clipped_.end()) {
      clipped_.emplace_back(what);
    }
  }

  void gather_block() {
    for (const std::size_t i : block_.quoted) {
      const Quoted& value = s_.quoted[i];
      if (i == index_ || !value.numeric || !value.grounded) continue;
      if (operands_.size() == kMaxBlockOperands) {
        clip("operands");
        operands_.clear();
        break;
      }
      operands_.push_back(s_.operand_of(i));
    }
  }

  // Counts and written durations need no ground of their own.
  void gather_counts() {
    for (const std::size_t i : block_.quoted) {
      const Quoted& value = s_.quoted[i];
      if (i == index_ || !value.numeric || value.amount.measure != Measure::number) continue;
      if (value.candidate && !value.grounded) continue;
      if (value.amount.dimension == "time") {
        const auto seconds = value.amount.number.times(value.amount.factor);
        const auto whole = seconds ? seconds->to_int64() : std::nullopt;
        if (whole) written_.push_back({*whole, 0, value.raw});
        continue;
      }
      const auto count = value.amount.number.to_int64();
      if (count && *count > 1 && *count <= kMaxCount && !value.amount.measured) {
        counts_.push_back(s_.operand_of(i));
        counts_.back().amount.dimension.clear();
      }
    }
    for (const auto& [count, word] : block_.words.counts) {
      DerivedOperand about;
      about.raw = word;
      counts_.emplace_back(Amount::of_number(json::Decimal(count)), std::move(about));
    }
  }

  void block_pairs() { combine(operands_); }

  void combine(const std::vector<Term>& operands) {
    for (std::size_t a = 0; a < operands.size(); ++a) {
      for (std::size_t b = a + 1; b < operands.size(); ++b) trial_.pair(operands[a], operands[b]);
      trial_.complement(operands[a]);
      for (const Term& count : counts_) {
        if (count.about.quoted && count.about.quoted == operands[a].about.quoted) continue;
        trial_.times(operands[a], count);
      }
      for (const Shift& shift : block_.words.shifts) trial_.shift(operands[a], shift);
      for (const Shift& shift : written_) trial_.shift(operands[a], shift);
    }
  }

  // The series of a list or table: all its numbers, those at the same place of each item, those
  // behind the same words; each also only up to the value itself.
  void lists() {
    const BlockPlace& place = s_.places[index_];
    if (place.block >= s_.blocks.size()) return;
    const BlockKind kind = s_.blocks[place.block].kind;
    if (kind == BlockKind::sentence) return;
    std::map<std::string, std::vector<std::size_t>> series;
    std::map<std::uint32_t, std::uint32_t> at_item;
    for (const std::size_t i : block_.quoted) {
      const Quoted& value = s_.quoted[i];
      if (!value.numeric || value.amount.measure != Measure::number) continue;
      const BlockPlace& at = s_.places[i];
      if (kind == BlockKind::table) {
        series["column " + std::to_string(at.cell)].push_back(i);
        continue;
      }
      series["unit " + value.amount.dimension].push_back(i);
      series["place " + std::to_string(at_item[at.item]++)].push_back(i);
      series["label " + label_of(i)].push_back(i);
    }
    for (const auto& [name, values] : series) one_series(values);
  }

  void one_series(const std::vector<std::size_t>& values) {
    std::vector<Term> before;
    std::vector<Term> all;
    for (const std::size_t i : values) {
      if (i == index_) {
        before = all;
        continue;
      }
      if (!s_.quoted[i].grounded) return;
      all.push_back(s_.operand_of(i));
      if (all.size() > kMaxBlockOperands) {
        clip("operands");
        return;
      }
    }
    offer_all(all);
    if (!before.empty() && before.size() < all.size()) offer_all(before);
  }

  void offer_all(const std::vector<Term>& operands) {
    std::vector<const Term*> pointers;
    for (const Term& operand : operands) pointers.push_back(&operand);
    trial_.all(pointers);
  }

  // The words between the start of a value's line and the value, letters only.
  std::string label_of(std::size_t index) const {
    const std::size_t end = s_.quoted[index].span.begin;
    std::size_t begin = end;
    while (begin > 0 && s_.answer[begin - 1] != '\n') --begin;
    std::string label;
    for (const char c : s_.answer.substr(begin, end - begin)) {
      if (c >= 'A' && c <= 'Z') label += static_cast<char>(c + 32);
      if (c >= 'a' && c <= 'z') label += c;
    }
    return label;
  }

  void records() {
    std::vector<std::vector<Anchored>> anchors;
    for (const std::size_t i : block_.quoted) {
      if (i == index_) continue;
      std::vector<Anchored> found;
      for (const auto& [message, byte] : s_.quoted[i].places) {
        const auto at = s_.index_of(message);
        if (!at) continue;
        const auto record = s_.results[*at].facts().tables->record_at(byte);
        if (record) found.push_back({*at, *record});
      }
      anchors.push_back(std::move(found));
    }
    anchors.push_back(block_.named);
    // The anchor with the fewest records first: it says most.
    std::stable_sort(anchors.begin(), anchors.end(),
                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
    for (const auto& found : anchors) {
      for (const Anchored& where : found) record(where, true);
    }
    for (std::size_t k = s_.directory->size(); k-- > 0;) {
      const internal::DirectorySegment& segment = *(*s_.directory)[k];
      if (segment.clipped) clip("columns");
      for (std::size_t i = segment.lone.size(); i-- > 0;) record({segment.lone[i], 0}, false);
    }
  }

  // `named`: something of the record is quoted in the block.
  void record(const Anchored& where, bool named) {
    const std::uint64_t key = (std::uint64_t{where.result} << 32U) | where.record;
    if (!tried_records_.insert(key).second) return;
    if (trial_.tried() > kMaxTried) {
      clip("formulas");
      return;
    }
    // A moment belongs to one thing: of two flights that leave at the same hour, the other one's
    // record says nothing of when this one lands.
    if (target_.measure != Measure::number && !s_.is_of(index_, where)) return;
    bool clipped = false;
    const std::vector<Term> operands = s_.operands_of(where, clipped);
    if (clipped) clip("members");
    combine(operands);
    if (named) move_by(operands);
  }

  // A date of the block moves by a duration of the record that the block names: `00:00:00+1` lands
  // a day after the date of the search.
  void move_by(const std::vector<Term>& members) {
    if (target_.measure == Measure::number) return;
    for (const Term& member : members) {
      if (member.amount.measure != Measure::number || member.amount.dimension != "time") continue;
      for (const Term& operand : operands_) {
        if (operand.amount.measure != Measure::number) trial_.pair(operand, member);
      }
    }
  }

  void columns() {
    if (target_.measure != Measure::number) return;
    for (const auto& segment : *s_.directory) {
      trial_.look_up(segment->entries,
                     [this](const internal::ColumnEntry& entry) { column(entry); });
    }
    std::size_t counted = 0;
    for (std::size_t i = s_.results.size(); i-- > 0 && counted <= kMaxRowCounts;) {
      const Tables& tables = *s_.results[i].facts().tables;
      counted += std::max<std::size_t>(tables.row_counts().size(), 1);
      if (counted <= kMaxRowCounts) row_counts(s_.results[i], tables);
    }
  }

  void column(const internal::ColumnEntry& entry) {
    const DerivationResult& result = s_.results[entry.result];
    const Tables& tables = *result.facts().tables;
    if (entry.yield == internal::Yield::count) {
      const internal::RowCount& rows = tables.row_counts()[entry.column];
      const std::string pointer = tables.pointer_of(rows.node, rows.row);
      return trial_.count(rows.count, pointer, {about(result, pointer)});
    }
    const TableColumn& column = tables.columns()[entry.column];
    const std::string pointer = tables.pointer_of(column.node, column.row);
    trial_.total(column.sum, column.rows, column.integers, s_.dimension_of(column.unit), pointer,
                 {about(result, pointer)});
  }

  // A row count as the n of a * n, with the values of the block.
  void row_counts(const DerivationResult& result, const Tables& tables) {
    for (const internal::RowCount& rows : tables.row_counts()) {
      if (rows.count < 2) continue;
      const std::string pointer = tables.pointer_of(rows.node, rows.row);
      DerivedOperand stands = about(result, pointer);
      stands.raw = "count(" + pointer + ")";
      const Term count(Amount::of_number(json::Decimal(std::int64_t{rows.count})),
                       std::move(stands));
      for (const Term& operand : operands_) trial_.times(operand, count);
    }
  }

  static DerivedOperand about(const DerivationResult& result, const std::string& pointer) {
    DerivedOperand operand;
    operand.raw = pointer;
    operand.results = {result.result};
    operand.pointer = pointer;
    return operand;
  }

  // One pointer over the results of one tool in the turn.
  void totals() {
    if (target_.measure != Measure::number) return;
    const auto all = internal::turn_totals(s_.results, s_.turn);
    for (const auto& [key, total] : *all) {
      if (total.results < 2 || total.mixed || total.total.count() < 2) continue;
      const json::Decimal sum = total.total.sum();
      const double value = sum.to_double();
      const bool hit = trial_.reaches(value);
      if (!trial_.reaches(value / total.total.count()) && !hit) continue;
      trial_.total(sum, total.total.count(), total.total.integers(), s_.dimension_of(total.unit),
                   total.pointer, having(key, total.pointer));
    }
  }

  std::vector<DerivedOperand> having(std::uint64_t key, const std::string& pointer) const {
    std::vector<DerivedOperand> operands;
    for (const auto& result : s_.results) {
      if (result.turn != s_.turn) continue;
      const DerivationFacts& facts = result.facts();
      const auto matches = [&](std::uint32_t node) {
        return internal::total_key(result, node) == key;
      };
      for (const auto& [node, amount] : facts.top_numbers) {
        if (!matches(node)) continue;
        operands.push_back(about(result, pointer));
        operands.back().raw = amount.number;
      }
      for (const TableColumn& column : facts.tables->columns()) {
        if (column.row == kNone && matches(column.node)) {
          operands.push_back(about(result, pointer));
        }
      }
    }
    return operands;
  }

  void groups() {
    if (target_.measure != Measure::number) return;
    for (const Group& group : block_.groups) {
      if (trial_.tried() > kMaxTried) return clip("formulas");
      const DerivationResult& result = s_.results[group.result];
      const Tables& tables = *result.facts().tables;
      const internal::GroupSums& sums = internal::group_sums(result, group.first, group.last);
      const std::string where = group_key(result, tables, group);
      const std::string rows =
          tables.pointer_of(tables.records()[group.first->record].node) + where;
      trial_.count(sums.rows, rows, {about(result, rows)});
      for (const auto& [node, total] : sums.columns) {
        const std::string pointer = tables.pointer_of(node) + where;
        trial_.total(total.sum(), total.count(), total.integers(), "", pointer,
                     {about(result, pointer)});
      }
    }
  }

  // `[cluster=A]`, the text as the first row writes it.
  static std::string group_key(const DerivationResult& result, const Tables& tables,
                               const Group& group) {
    std::string text;
    const auto members = tables.members(result.text, group.first->record);
    if (members) {
      for (const TableLeaf& leaf : *members) {
        if (leaf.node == group.first->node) text = leaf.span.in(result.text);
      }
    }
    return "[" + std::string(tables.key_of(group.first->node)) + "=" + text + "]";
  }

  Deriver::State& s_;
  std::size_t index_;
  const Amount& target_;
  Trial trial_;
  const Deriver::State::BlockFacts& block_;
  std::vector<Term> operands_;
  std::vector<Term> counts_;
  std::vector<Shift> written_;
  std::set<std::uint64_t> tried_records_;
  std::vector<std::string> clipped_;
};

}  // namespace

Deriver::Deriver(std::string_view answer, std::vector<Quoted> quoted,
                 const DerivationResults& results, std::uint32_t turn, AmountReader reader)
    : state_(std::make_unique<State>(answer, std::move(quoted), results, turn, std::move(reader))) {
}
Deriver::~Deriver() = default;

Derived Deriver::derive(std::size_t index, const Amount& target) {
  return Search(*state_, index, target).run();
}

void Deriver::set_grounded(std::size_t index, const Amount& amount) {
  state_->quoted[index].grounded = true;
  state_->quoted[index].amount = amount;
}

std::vector<std::string> formulas_between(
    const Amount& target, const std::vector<std::pair<Amount, std::string>>& operands) {
  std::vector<Term> all;
  for (const auto& [amount, raw] : operands) {
    DerivedOperand about;
    about.raw = raw;
    all.emplace_back(amount, std::move(about));
  }
  Trial trial(target);
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a + 1; b < all.size(); ++b) trial.pair(all[a], all[b]);
    trial.complement(all[a]);
  }
  std::vector<std::string> texts;
  for (const Formula& formula : trial.found()) texts.push_back(formula.text);
  return texts;
}

}  // namespace agentfootprint::evidence
