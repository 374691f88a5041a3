// A deliberately naive second implementation of reading and grounding, for tests only.
//
// What: reads a text by splitting it at white space and holding each token against a short list of
// patterns, and grades a value by holding it against every value of every result. Nothing is shared
// with the engine but exact decimals. Where a token is outside its small grammar it has no opinion,
// and the comparison with the engine is skipped for that text.
//
// When to use: differential tests of the engine (evidence_oracle_test.cpp).
//
// Not guaranteed: speed, units, conversions other than percent, derivations, echoes, failed
// results.
//
// Example:
//   auto read = evidence::oracle::read("fc1/3 has 1,200 errors");
//   (void)read->size();   // 2
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/json/decimal.hpp"

namespace agentfootprint::evidence::oracle {

enum class Kind { number, quantity, identifier, date, time, instant };

struct Item {
  Kind kind = Kind::number;
  std::string raw;
  std::vector<json::Decimal> numbers;  // alternatives; empty for the rest
  int decimals = 0;                    // of the first alternative
  std::string unit;                    // "" or the letters or %
  std::vector<std::string> members;    // of a comma run
  std::string text;                    // folded spelling; for an instant `date time`
  bool leading_zero = false;
};

// Empty: no opinion.
[[nodiscard]] std::optional<std::vector<Item>> read(std::string_view text);

// The level at which one carried value grounds a said one; "" when it does not.
[[nodiscard]] std::string level_of(const Item& said, const Item& carried);

struct Graded {
  std::string raw;
  std::string level;                  // "unsupported" when nothing carries it
  std::vector<std::size_t> carriers;  // the results that carry it at the level's class
};

// `results` are JSON documents or plain texts. Every value of the answer is graded; two spellings
// of one value are one entry. Empty: no opinion.
[[nodiscard]] std::optional<std::vector<Graded>> check(std::string_view answer,
                                                       const std::vector<std::string>& supplied,
                                                       const std::vector<std::string>& results);

}  // namespace agentfootprint::evidence::oracle
