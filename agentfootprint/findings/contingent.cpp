// The contingent rule.
#include "agentfootprint/findings/contingent.hpp"

#include <algorithm>
#include <optional>

#include "agentfootprint/base/hash.hpp"

namespace agentfootprint::findings {
namespace {

// Which canonical forms were seen: a small open table over hashes and views, so that a judgement of
// a few dozen values allocates once.
class SeenForms {
 public:
  explicit SeenForms(std::size_t expected) {
    std::size_t size = 16;
    while (size < expected * 2) size *= 2;
    slots_.resize(size);
  }

  // False when the form was there.
  bool add(std::string_view form) {
    const std::uint64_t hash = hash64(form) | 1;
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.hash == 0) {
        slot = {hash, form};
        return true;
      }
      if (slot.hash == hash && slot.form == form) return false;
    }
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::string_view form;
  };
  std::vector<Slot> slots_;
};

struct CarrierVerdict {
  std::vector<ContingentCarrier> carriers;
  bool echo_ignored = false;
};

// The standings of the carriers that `keep` keeps, in order; false when one of them is not set
// aside or there is none.
template <class Keep>
bool all_set_aside(const std::vector<Carrier>& carriers, const LedgerFold& fold,
                   std::vector<Standing>& standings, Keep keep) {
  standings.clear();
  for (const Carrier& carrier : carriers) {
    if (!keep(carrier)) continue;
    const StandingRow* row = fold.standing_of(carrier.result);
    if (row == nullptr || !is_set_aside(row->standing)) return false;
    standings.push_back(row->standing);
  }
  return !standings.empty();
}

template <class Keep>
std::vector<ContingentCarrier> with_standings(const std::vector<Carrier>& carriers,
                                              const std::vector<Standing>& standings, Keep keep) {
  std::vector<ContingentCarrier> list;
  list.reserve(standings.size());
  auto standing = standings.begin();
  for (const Carrier& carrier : carriers) {
    if (keep(carrier)) list.push_back({carrier.result, *standing++});
  }
  return list;
}

// The plain rule over lists of carriers. Most values stand, so nothing is allocated before one does
// not.
class CarrierJudge {
 public:
  CarrierJudge(const LedgerFold& fold, bool echoes_clear)
      : fold_(fold), echoes_clear_(echoes_clear) {}

  std::optional<CarrierVerdict> judge(const std::vector<Carrier>& carriers) {
    const auto every = [](const Carrier&) { return true; };
    if (all_set_aside(carriers, fold_, standings_, every)) {
      return CarrierVerdict{with_standings(carriers, standings_, every), false};
    }
    if (echoes_clear_) return std::nullopt;
    const auto no_echo = [](const Carrier& carrier) { return !carrier.echo; };
    if (!all_set_aside(carriers, fold_, standings_, no_echo)) return std::nullopt;
    return CarrierVerdict{with_standings(carriers, standings_, no_echo), true};
  }

 private:
  const LedgerFold& fold_;
  bool echoes_clear_;
  std::vector<Standing> standings_;
};

ContingentRow row_for(const CarriedValue& value, CarrierVerdict verdict,
                      const DeclaredOn& declared_on, std::uint32_t iteration) {
  ContingentRow row;
  row.declared_on = declared_on;
  row.value = clip(value.value, kContingentValueChars);
  row.carriers = std::move(verdict.carriers);
  row.echo_ignored = verdict.echo_ignored;
  row.iteration = iteration;
  return row;
}

// The contingent operands of one formula; empty when it stands on firm ground.
std::vector<ContingentOperand> contingent_operands(const CarriedFormula& formula,
                                                   CarrierJudge& judge, bool& echo_ignored) {
  std::vector<ContingentOperand> operands;
  for (const CarriedOperand& operand : formula.operands) {
    if (operand.supplied || operand.cut) continue;
    auto verdict = judge.judge(operand.carriers);
    if (!verdict) continue;
    echo_ignored = echo_ignored || verdict->echo_ignored;
    operands.push_back({clip(operand.raw, kContingentValueChars), std::move(verdict->carriers)});
  }
  return operands;
}

// A derived value is contingent when each of its formulas has a contingent operand.
std::optional<ContingentRow> derived_row(const CarriedValue& value, CarrierJudge& judge,
                                         const DeclaredOn& declared_on, std::uint32_t iteration) {
  std::optional<ContingentRow> row;
  for (const CarriedFormula& formula : value.formulas) {
    bool echo_ignored = false;
    auto operands = contingent_operands(formula, judge, echo_ignored);
    if (operands.empty()) return std::nullopt;
    if (row) {
      row->echo_ignored = row->echo_ignored || echo_ignored;
      continue;
    }
    row = row_for(value, {{}, echo_ignored}, declared_on, iteration);
    row->level = "derived";
    row->formula = formula.formula;
    for (const ContingentOperand& operand : operands) {
      for (const ContingentCarrier& carrier : operand.carriers) {
        const bool there =
            std::any_of(row->carriers.begin(), row->carriers.end(),
                        [&](const auto& one) { return one.result.same_as(carrier.result); });
        if (!there) row->carriers.push_back(carrier);
      }
    }
    row->operands = std::move(operands);
  }
  return row;
}

// The union of the carriers of a value's forms, each result once; empty and `cut` when a list was
// cut.
CarriedValue carried(const GroundedValue& value, const EvidenceCorpus& corpus) {
  CarriedValue out;
  out.value = value.value;
  std::vector<const ResultRef*> found;
  for (const std::string& form : value.forms) {
    const auto listed = corpus.carriers.find(form);
    if (listed == corpus.carriers.end()) continue;
    out.cut = out.cut || listed->second.truncated;
    for (const ResultRef& result : listed->second.results) {
      const bool there = std::any_of(found.begin(), found.end(),
                                     [&](const ResultRef* one) { return one->same_as(result); });
      if (!there) found.push_back(&result);
    }
  }
  if (!corpus.order.empty()) {
    const auto place = [&corpus](const ResultRef* result) {
      return std::find_if(corpus.order.begin(), corpus.order.end(),
                          [&](const ResultRef& one) { return one.same_as(*result); }) -
             corpus.order.begin();
    };
    std::stable_sort(found.begin(), found.end(),
                     [&](const ResultRef* a, const ResultRef* b) { return place(a) < place(b); });
  }
  for (const ResultRef* result : found) out.carriers.emplace_back(*result);
  return out;
}

}  // namespace

bool has_set_aside_standing(const LedgerFold& fold) noexcept {
  return fold.has_set_aside();
}

std::string_view canonical_form(std::string_view value) noexcept {
  if (value.size() > 2 && value[0] == '0' && value[1] == 'x') value.remove_prefix(2);
  return value;
}

std::vector<ContingentRow> contingent_rows_of(const std::vector<CarriedValue>& values,
                                              const LedgerFold& fold, const DeclaredOn& declared_on,
                                              std::uint32_t iteration, ContingentOptions options) {
  std::vector<ContingentRow> rows;
  if (options.corpus_cut || values.empty() || !has_set_aside_standing(fold)) return rows;
  SeenForms seen(values.size());
  CarrierJudge judge(fold, options.echoes_clear);
  for (const CarriedValue& value : values) {
    const bool first =
        seen.add(value.canonical.empty() ? canonical_form(value.value) : value.canonical);
    if (!first || value.cut) continue;
    if (auto verdict = judge.judge(value.carriers)) {
      if (rows.empty()) rows.reserve(values.size());
      rows.push_back(row_for(value, std::move(*verdict), declared_on, iteration));
      continue;
    }
    if (!value.carriers.empty() || value.formulas.empty()) continue;
    auto row = derived_row(value, judge, declared_on, iteration);
    if (row) rows.push_back(std::move(*row));
  }
  return rows;
}

std::vector<ContingentRow> contingent_rows_of(const std::vector<GroundedValue>& values,
                                              const EvidenceCorpus& corpus, const LedgerFold& fold,
                                              const DeclaredOn& declared_on,
                                              std::uint32_t iteration) {
  std::vector<CarriedValue> carried_values;
  carried_values.reserve(values.size());
  for (const GroundedValue& value : values) carried_values.push_back(carried(value, corpus));
  ContingentOptions options;
  options.corpus_cut = corpus.truncated;
  return contingent_rows_of(carried_values, fold, declared_on, iteration, options);
}

}  // namespace agentfootprint::findings
