// Claims against the readings that settle them.
#include "agentfootprint/evidence/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/evidence/assertions.hpp"
#include "agentfootprint/json/cursor.hpp"
#include "agentfootprint/json/decimal.hpp"
#include "agentfootprint/semantics/instant.hpp"

namespace agentfootprint::evidence {
namespace {

bool is_blank(std::string_view text) noexcept {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string pair_of(std::string_view entity, std::string_view field) {
  std::string key(entity);
  key += '\0';
  key += field;
  return key;
}

std::string pointer_of(const std::string& path) {
  return path.empty() || path.front() == '/' ? path : "/" + json::pointer_token(path);
}

std::optional<std::string> text_of(const json::Value* value) {
  if (value == nullptr) return std::nullopt;
  if (const auto text = value->as_string()) return std::string(*text);
  if (const auto number = value->number_text()) return std::string(*number);
  return std::nullopt;
}

std::span<const json::Value> elements_of(const json::Value* value) {
  static const json::Value kNone;
  return value == nullptr ? kNone.elements() : value->elements();
}

// Earlier of two moments, where both can be read; otherwise neither is.
bool before(const std::optional<std::string>& a, const std::optional<std::string>& b) {
  if (!a || !b) return false;
  const auto first = semantics::parse_instant(*a);
  const auto second = semantics::parse_instant(*b);
  return first && second && *first < *second;
}

bool is_doubt(const json::Value& value) {
  return value.is_null() || value.as_string() == "unknown" ||
         claim_kind_of(value) == ClaimKind::silent;
}

// "2" claims a settled 2; the other way round is no claim of a number.
bool spells_number(const json::Value& claimed, const json::Value& settled) {
  const auto text = claimed.as_string();
  const auto number = settled.number_text();
  if (!text || !number) return false;
  const auto a = json::Decimal::parse(*text);
  const auto b = json::Decimal::parse(*number);
  return a && b && *a == *b;
}

}  // namespace

void check_claims_contract(const std::vector<ClaimPath>& contract) {
  std::vector<Issue> issues;
  const auto refuse = [&issues](std::string field, std::string message) {
    issues.push_back({"claims-contract", std::move(field), std::move(message)});
  };
  if (contract.empty())
    refuse("claims", "a contract without an entry checks nothing: leave it out");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < contract.size(); ++i) {
    const ClaimPath& one = contract[i];
    const std::string at = fmt::format("claims[{}]", i);
    if (is_blank(one.path)) refuse(at + ".path", "a blank path names no place of the answer");
    if (is_blank(one.entity)) refuse(at + ".entity", "a blank entity names nothing that was read");
    if (is_blank(one.field)) refuse(at + ".field", "a blank field names nothing that was read");
    if (!seen.insert(pointer_of(one.path)).second) {
      refuse(at + ".path", fmt::format("the place {} is bound twice: keep one", one.path));
    }
  }
  if (!issues.empty()) throw Refusal(std::move(issues));
}

json::Value to_json(const ClaimRow& row) {
  json::ObjectBuilder built;
  built.add("entity", row.entity)
      .add("field", row.field)
      .add("value", row.value)
      .add("toolName", row.tool)
      .add("call", to_json(row.call))
      .add("iteration", row.iteration);
  built.add_if("measuredAt", row.measured_at);
  return built.build();
}

std::optional<ClaimRow> claim_row_from_json(const json::Value& value) {
  ClaimRow row;
  try {
    const json::Cursor at(value);
    row.entity = std::string(at["entity"].string());
    row.field = std::string(at["field"].string());
    row.value = at["value"].value();
    row.tool = std::string(at["toolName"].string());
    row.call.message = at["call"][0].uint32();
    row.call.ordinal = at["call"][1].uint32();
    row.iteration = at["iteration"].uint32();
    if (at.has("measuredAt")) row.measured_at = std::string(at["measuredAt"].string());
  } catch (const Error&) {
    return std::nullopt;
  }
  return row;
}

void ClaimLedger::add_row(ClaimRow row) {
  by_pair_[pair_of(row.entity, row.field)].push_back(rows_.size());
  rows_.push_back(std::move(row));
}

void ClaimLedger::add(const json::Value& envelope, std::string_view tool, const CallKey& call,
                      std::uint32_t iteration) {
  if (!envelope.is_object()) return;
  const auto measured = [&]() -> std::optional<std::string> {
    const json::Value* provenance = envelope.find("provenance");
    return provenance == nullptr ? std::nullopt : text_of(provenance->find("measured_at"));
  }();
  ClaimRow row;
  row.tool = std::string(tool);
  row.call = call;
  row.iteration = iteration;
  for (const json::Value& fact : elements_of(envelope.find("facts"))) {
    const auto entity = text_of(fact.find("entity"));
    if (!entity) continue;
    row.entity = *entity;
    row.measured_at = measured;
    for (const json::Member& member : fact.members()) {
      if (member.key() == "entity") continue;
      row.field = std::string(member.key());
      row.value = member.value;
      add_row(row);
    }
  }
  for (const json::Value& at : elements_of(envelope.find("series"))) {
    const auto entity = text_of(at.find("entity"));
    const auto metric = text_of(at.find("metric"));
    const json::Value* value = at.find("value");
    if (!entity || !metric || value == nullptr) continue;
    row.entity = *entity;
    row.field = *metric;
    row.value = *value;
    row.measured_at = text_of(at.find("t"));
    if (!row.measured_at) row.measured_at = measured;
    add_row(row);
  }
}

std::vector<std::size_t> ClaimLedger::of(std::string_view entity, std::string_view field) const {
  const auto found = by_pair_.find(pair_of(entity, field));
  if (found == by_pair_.end()) return {};
  std::vector<std::size_t> rows = found->second;
  std::size_t settling = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (!before(rows_[rows[i]].measured_at, rows_[rows[settling]].measured_at)) settling = i;
  }
  std::rotate(rows.begin() + static_cast<std::ptrdiff_t>(settling),
              rows.begin() + static_cast<std::ptrdiff_t>(settling) + 1, rows.end());
  return rows;
}

std::string_view name_of(ClaimOutcome outcome) noexcept {
  static constexpr std::string_view kNames[] = {"passed", "advisory", "failed", "not-applicable",
                                                "could-not-run"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::vector<CheckedClaim> check_claims(const std::vector<ClaimPath>& contract,
                                       const json::Value& answer, const ClaimLedger& ledger) {
  std::vector<CheckedClaim> checked;
  for (std::size_t i = 0; i < contract.size(); ++i) {
    CheckedClaim& one = checked.emplace_back();
    one.entry = i;
    const ClaimPath& bound = contract[i];
    const json::Value* claimed = answer.find_pointer(pointer_of(bound.path));
    if (claimed == nullptr) continue;
    one.claimed = *claimed;
    std::vector<std::size_t> rows = ledger.of(bound.entity, bound.field);
    const json::Value* settled = rows.empty() ? nullptr : &ledger.rows()[rows.back()].value;
    if (settled != nullptr) one.settled = rows.back();
    const bool silent = settled == nullptr || is_doubt(*settled);
    if (settled != nullptr && silent && is_doubt(*claimed)) {
      one.outcome = ClaimOutcome::passed;
    } else if (silent) {
      one.outcome = ClaimOutcome::could_not_run;
    } else if (is_doubt(*claimed)) {
      one.outcome = ClaimOutcome::advisory;
    } else if (spells_number(*claimed, *settled) ||
               compared_text(*claimed) == compared_text(*settled)) {
      one.outcome = ClaimOutcome::passed;
    } else {
      one.outcome = ClaimOutcome::failed;
      rows.pop_back();
      one.earlier = std::move(rows);
    }
  }
  return checked;
}

}  // namespace agentfootprint::evidence
