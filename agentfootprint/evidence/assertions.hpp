// Assertions: do two statements about one thing disagree?
//
// What: an assertion is (subject, predicate, epoch) and a value. `conflicts_of` gives the keys
// under which at least two different values are asserted. Values are compared as canonical JSON
// with their types (30 and "30" differ); an absent epoch matches only an absent one; quoted
// assertions, values a claim calls unknown, and predicates declared to have several values are not
// compared.
//
// When to use: over what described results, claims or a ledger state. The findings ledger keeps the
// same rule incrementally.
//
// Not guaranteed: which of two values is right.
//
// Example:
//   evidence::StatedAssertion up{"port", "fc1/7", "state", "up"};
//   evidence::StatedAssertion down{"port", "fc1/7", "state", "down"};
//   (void)evidence::conflicts_of({up, down}).size();   // 1
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::evidence {

struct StatedAssertion {
  StatedAssertion(std::string kind, std::string id, std::string about, json::Value stated)
      : subject_kind(std::move(kind)),
        subject_id(std::move(id)),
        predicate(std::move(about)),
        value(std::move(stated)) {}
  std::string subject_kind;
  std::string subject_id;
  std::string predicate;
  json::Value value;
  std::optional<json::Value> epoch = std::nullopt;
  bool quoted = false;
  std::string provenance = {};  // "tool:<id>", for whoever reports

  // Kind, id, predicate and epoch joined by U+0000.
  [[nodiscard]] std::string key() const;
};

struct AssertionConflict {
  std::string key;
  std::vector<std::size_t> assertions;  // every compared one with the key, in input order
};

// In the order of the first assertion of each key.
[[nodiscard]] std::vector<AssertionConflict> conflicts_of(
    const std::vector<StatedAssertion>& assertions,
    const std::vector<std::string>& multi_valued = {});

// A value that is a claim, by its exact shape: {kind: "known", value, evidence}, {kind: "unknown",
// reason, evidence?} or {kind: "not-applicable", evidence}.
enum class ClaimKind : std::uint8_t { none, known, silent };
[[nodiscard]] ClaimKind claim_kind_of(const json::Value& value);
// What a value is compared by, a known claim by what it holds; empty when it says nothing.
[[nodiscard]] std::optional<std::string> compared_text(const json::Value& value);

}  // namespace agentfootprint::evidence
