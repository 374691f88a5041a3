// The contingent rule by its definition, over every small ledger.
//
// Up to 4 results, 3 values and 5 standings (none included): every assignment of carriers to values
// and of standings to results, against the set expression of docs/findings.md.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agentfootprint/findings/contingent.hpp"

namespace agentfootprint::findings {
namespace {

constexpr int kResults = 4;

ResultRef result(int which) {
  return ResultRef("c" + std::to_string(which), CallKey{static_cast<std::uint32_t>(which), 0});
}

// 0: undeclared; 1 to 4: the standings.
LedgerFold fold_of(const int (&standing)[kResults]) {
  LedgerFold fold;
  for (int which = 0; which < kResults; ++which) {
    if (standing[which] == 0) continue;
    // Another standing before it: only the last one may count.
    StandingRow row;
    row.result = result(which);
    row.standing = kStandings[static_cast<std::size_t>(standing[which] % 4)];
    fold.apply(share_row(row));
    row.standing = kStandings[static_cast<std::size_t>(standing[which] - 1)];
    fold.apply(share_row(row));
  }
  return fold;
}

CarriedValue value_of(int index, unsigned carriers, unsigned echoes) {
  CarriedValue value;
  value.value = "v-" + std::to_string(index);
  for (int which = 0; which < kResults; ++which) {
    if ((carriers >> which & 1U) == 0) continue;
    value.carriers.emplace_back(result(which), (echoes >> which & 1U) != 0);
  }
  return value;
}

// contingent(v) ⇔ C(v) ≠ ∅ ∧ ∀ r ∈ C(v): S(r) ∈ {open, noise, ruled-out}
bool by_definition(unsigned carriers, const int (&standing)[kResults]) {
  if (carriers == 0) return false;
  for (int which = 0; which < kResults; ++which) {
    if ((carriers >> which & 1U) != 0 && standing[which] < 2) return false;
  }
  return true;
}

template <class Visit>
void each_standing(Visit visit) {
  for (int code = 0; code < 625; ++code) {
    const int standing[kResults] = {code % 5, code / 5 % 5, code / 25 % 5, code / 125};
    visit(standing);
  }
}

TEST(ContingentOracle, EveryLedgerAndEveryPairOfValues) {
  std::size_t judged = 0;
  std::size_t contingent = 0;
  each_standing([&](const int(&standing)[kResults]) {
    const LedgerFold fold = fold_of(standing);
    bool set_aside = false;
    for (const int one : standing) set_aside = set_aside || one > 1;
    ASSERT_EQ(set_aside, has_set_aside_standing(fold));
    // Three values at once: the two given and one that no result carries.
    for (unsigned first = 0; first < 16; ++first) {
      for (unsigned second = first; second < 16; ++second) {
        const unsigned carriers[3] = {first, second, 0};
        std::vector<CarriedValue> values;
        std::vector<std::string> want;
        for (int k = 0; k < 3; ++k) {
          values.push_back(value_of(k, carriers[k], 0));
          if (by_definition(carriers[k], standing)) want.push_back(values.back().value);
        }
        const auto rows = contingent_rows_of(values, fold, DeclaredOn(), 1);
        ASSERT_EQ(want.size(), rows.size());
        for (std::size_t k = 0; k < rows.size(); ++k) {
          ASSERT_EQ(want[k], rows[k].value);
          for (const ContingentCarrier& carrier : rows[k].carriers) {
            ASSERT_EQ(fold.standing_of(carrier.result)->standing, carrier.standing);
          }
        }
        judged += 3;
        contingent += rows.size();
      }
    }
  });
  EXPECT_EQ(judged, 625U * 136U * 3U);
  EXPECT_GT(contingent, 10'000U);
}

TEST(ContingentOracle, EchoesDoNotClearWhenToldSo) {
  ContingentOptions strict;
  strict.echoes_clear = false;
  each_standing([&](const int(&standing)[kResults]) {
    const LedgerFold fold = fold_of(standing);
    for (unsigned carriers = 0; carriers < 16; ++carriers) {
      for (unsigned echoes = 0; echoes < 16; ++echoes) {
        if ((echoes & ~carriers) != 0) continue;
        const std::vector<CarriedValue> values = {value_of(0, carriers, echoes)};
        const bool plain = by_definition(carriers, standing);
        const bool without = by_definition(carriers & ~echoes, standing);
        ASSERT_EQ(plain ? 1U : 0U, contingent_rows_of(values, fold, DeclaredOn(), 1).size());
        const auto rows = contingent_rows_of(values, fold, DeclaredOn(), 1, strict);
        ASSERT_EQ(plain || without ? 1U : 0U, rows.size());
        if (!rows.empty()) {
          ASSERT_EQ(!plain, rows[0].echo_ignored);
        }
      }
    }
  });
}

// A derived value is contingent when each of its formulas has a contingent operand.
TEST(ContingentOracle, EveryDerivedValueOfTwoFormulas) {
  each_standing([&](const int(&standing)[kResults]) {
    const LedgerFold fold = fold_of(standing);
    for (unsigned code = 0; code < 256; code += 3) {
      // Two formulas of two operands, each operand carried by one of the four results.
      CarriedValue value;
      value.value = "42";
      bool want = true;
      for (int formula = 0; formula < 2; ++formula) {
        CarriedFormula one;
        one.formula = formula == 0 ? "a + b" : "a - b";
        bool any = false;
        for (int operand = 0; operand < 2; ++operand) {
          const unsigned which = code >> (formula * 4 + operand * 2) & 3U;
          CarriedOperand carried;
          carried.raw = std::to_string(which);
          carried.carriers.emplace_back(result(static_cast<int>(which)));
          one.operands.push_back(std::move(carried));
          any = any || by_definition(1U << which, standing);
        }
        want = want && any;
        value.formulas.push_back(std::move(one));
      }
      const auto rows = contingent_rows_of({value}, fold, DeclaredOn(), 1);
      ASSERT_EQ(want ? 1U : 0U, rows.size());
      if (!want) continue;
      ASSERT_EQ(rows[0].level, "derived");
      ASSERT_EQ(rows[0].formula, "a + b");
      ASSERT_FALSE(rows[0].operands.empty());
      ASSERT_FALSE(rows[0].carriers.empty());
    }
  });
}

}  // namespace
}  // namespace agentfootprint::findings
