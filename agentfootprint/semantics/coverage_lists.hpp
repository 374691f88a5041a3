// Declared coverage as typed lists: what was checked, what was not, what can never be.
//
// What: the items of an absence, a coverage ledger or a described result, read from their wire
// form, and the `not_covered` lines that follow from them.
//
// When to use: to read or merge what tools declared. Minting is in absence.hpp and
// described_result.hpp.
//
// Not guaranteed: reading is forgiving towards foreign data: an item without ground is left out, a
// blank why counts as none. `semantic_issues` is the strict judge.
//
// Example:
//   semantics::DeclaredCoverage declared;
//   declared.not_checked.push_back({"site B", "its collector is down"});
//   std::vector<std::string> lines = semantics::compose_not_covered(declared);
//   (void)lines;   // {"site B — its collector is down"}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::semantics {

// `short_text` and `kind` are for the record only: a model never reads them and they ground
// nothing.
struct DeclaredItem {
  std::string what;
  std::optional<std::string> why = std::nullopt;
  std::optional<std::string> short_text = std::nullopt;
  std::optional<std::string> kind = std::nullopt;  // "existence" or "scope"

  friend bool operator==(const DeclaredItem&, const DeclaredItem&) = default;
};

struct DeclaredCoverage {
  std::vector<DeclaredItem> checked;
  std::vector<DeclaredItem> not_checked;
  std::vector<DeclaredItem> cannot_cover;

  [[nodiscard]] bool empty() const noexcept {
    return checked.empty() && not_checked.empty() && cannot_cover.empty();
  }
  friend bool operator==(const DeclaredCoverage&, const DeclaredCoverage&) = default;
};

// Work whose outcome is not known yet. A label only: it changes no standing.
struct InProgressItem {
  std::string what;
  std::optional<std::string> why = std::nullopt;
  std::optional<std::string> short_text = std::nullopt;
  std::optional<std::uint64_t> count = std::nullopt;

  friend bool operator==(const InProgressItem&, const InProgressItem&) = default;
};

// From an object with the wire lists `checked`, `not_checked`, `cannot_cover` (others are ignored).
[[nodiscard]] DeclaredCoverage read_declared_coverage(const json::Value& wire);
[[nodiscard]] std::vector<InProgressItem> read_in_progress(const json::Value& wire_list);

// `{checked, notChecked, cannotCover}`, each list there even when empty.
[[nodiscard]] json::Value to_json(const DeclaredCoverage& declared);
[[nodiscard]] json::Value to_json(const DeclaredItem& item);
[[nodiscard]] json::Value to_json(const InProgressItem& item);

// `what — why`, or only `what`: first not_checked, then cannot_cover.
[[nodiscard]] std::vector<std::string> compose_not_covered(const DeclaredCoverage& declared);

}  // namespace agentfootprint::semantics
