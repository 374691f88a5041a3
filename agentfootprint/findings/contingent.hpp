// The contingent rule: no towers on unverified results.
//
// What: a value the model uses (in its answer, or as an argument of a later call) that came only
// from results somebody set aside (`open`, `noise`, `ruled-out`) is recorded as contingent. As a
// set expression, with C(v) the results of this turn that carry v and S(r) the current standing of
// r:
//
//     contingent(v)  ⇔  C(v) is complete  ∧  C(v) ≠ ∅
//                       ∧  ∀ r ∈ C(v): S(r) ∈ {open, noise, ruled-out}
//
// When to use: at the answer over the grounded values of the verdict, at dispatch over the values
// of a call's arguments. Ask `has_set_aside_standing` first: without one no carrier needs to be
// looked up.
//
// The fences: declared standings only (an undeclared carrier clears the value, and so does one
// `fact`); the last standing of a result is current; the carriers are those the evidence engine
// found for the very spellings it asked for; a supplied value is never contingent, so callers leave
// it out; one row per value and moment; this turn's results only; nothing is judged from a corpus
// or a list of carriers that was cut.
//
// Not guaranteed: that a contingent value is wrong, or that any other value is right. Detection
// only.
//
// Limits: a value is clipped at 120 code points in its row.
//
// Example:
//   findings::StandingRow row;
//   row.result = findings::ResultRef("c1");
//   row.standing = findings::Standing::noise;
//   findings::LedgerFold fold = findings::fold_ledger({findings::share_row(row)});
//   findings::CarriedValue used;
//   used.value = "fc1/7";
//   used.carriers = {findings::Carrier(findings::ResultRef("c1"))};
//   auto rows = findings::contingent_rows_of({used}, fold, findings::DeclaredOn(), 4);
//   (void)rows.size();   // 1
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agentfootprint/findings/fold.hpp"

namespace agentfootprint::findings {

// A result of this turn that carries a value at exact, same-value, part-of, rounded or converted.
struct Carrier {
  ResultRef result;
  bool echo = false;  // it only repeats a leaf of its call's own arguments

  Carrier() = default;
  explicit Carrier(ResultRef ref, bool is_echo = false) : result(std::move(ref)), echo(is_echo) {}
};

// An operand of a formula, with the results that carry it.
struct CarriedOperand {
  std::string raw;
  std::vector<Carrier> carriers;
  bool supplied = false;  // given by the person or the app: never contingent
  bool cut = false;       // the list of carriers is not complete
};

// One admissible formula of a derived value.
struct CarriedFormula {
  std::string formula;
  std::vector<CarriedOperand> operands;
};

// A grounded value that was used, with everything the rule reads of it.
struct CarriedValue {
  std::string value;
  std::string canonical;                 // what two spellings share; "": canonical_form(value)
  std::vector<Carrier> carriers;         // each result once, in the order of the results
  bool cut = false;                      // the list of carriers is not complete: not judged
  std::vector<CarriedFormula> formulas;  // of a derived value, which has no carriers of its own
};

struct ContingentOptions {
  // False: carriers that only echo their call's arguments are left out before the rule is applied,
  // and a row filed only because of that says so.
  bool echoes_clear = true;
  // The index behind the carriers hit its ceiling: nothing is judged.
  bool corpus_cut = false;
};

// Is any current standing one the rule reads?
[[nodiscard]] bool has_set_aside_standing(const LedgerFold& fold) noexcept;

// `0xef0101` and `ef0101` are one value.
[[nodiscard]] std::string_view canonical_form(std::string_view value) noexcept;

// One row per contingent value, in order; of two values with one canonical form the first counts.
[[nodiscard]] std::vector<ContingentRow> contingent_rows_of(const std::vector<CarriedValue>& values,
                                                            const LedgerFold& fold,
                                                            const DeclaredOn& declared_on,
                                                            std::uint32_t iteration,
                                                            ContingentOptions options = {});

// The upstream shape of the same question: values with the spellings they were looked up under, and
// the carriers listed per spelling.
struct GroundedValue {
  std::string value;
  std::vector<std::string> forms;
};
struct FormCarriers {
  std::vector<ResultRef> results;
  bool truncated = false;
};
struct EvidenceCorpus {
  std::unordered_map<std::string, FormCarriers> carriers;
  std::vector<ResultRef> order;  // the order of results; empty: the order of the forms
  bool truncated = false;
};
[[nodiscard]] std::vector<ContingentRow> contingent_rows_of(
    const std::vector<GroundedValue>& values, const EvidenceCorpus& corpus, const LedgerFold& fold,
    const DeclaredOn& declared_on, std::uint32_t iteration);

}  // namespace agentfootprint::findings
