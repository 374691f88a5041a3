// Judging, reading and telling declared periods.
#include "agentfootprint/semantics/period.hpp"

#include <fmt/format.h>

#include <array>

#include "agentfootprint/semantics/instant.hpp"
#include "agentfootprint/semantics/internal/period_rules.hpp"

namespace agentfootprint::semantics {
namespace internal {
namespace {

std::optional<Instant> judge_instant(const json::Value* value, const std::string& field,
                                     Faults& faults) {
  if (value == nullptr) {
    faults.malformed(field, field +
                                " is missing: a period without it cannot be compared; give an "
                                "instant such as 2026-11-01T02:00:00Z");
    return std::nullopt;
  }
  const auto text = value->as_string();
  const auto at = text ? parse_instant(*text) : std::nullopt;
  if (!at) {
    faults.malformed(field,
                     field +
                         " is not an instant with an offset or Z, so nothing can be compared "
                         "with it; write it like 2026-11-01T02:00:00Z");
  }
  return at;
}

// `{from, to}` with instants in order.
void judge_span(const json::Value& span, const std::string& field, Faults& faults) {
  static constexpr std::array<std::string_view, 2> kKeys = {"from", "to"};
  if (!span.is_object()) {
    faults.malformed(field, field + " must be an object {from, to}");
    return;
  }
  check_keys(span, field, kKeys, Spelling::wire, faults);
  const auto from = judge_instant(span.find("from"), field + ".from", faults);
  const auto to = judge_instant(span.find("to"), field + ".to", faults);
  if (from && to && *to < *from) {
    faults.malformed(field, field + " ends before it begins; exchange from and to");
  }
}

void judge_held(const json::Value* held, const std::string& field, Faults& faults) {
  if (held == nullptr) {
    faults.malformed(field,
                     field + " is missing: say what the store holds as {from, to}, or 'unknown'");
    return;
  }
  const auto word = held->as_string();
  if (!word) {
    judge_span(*held, field, faults);
  } else if (*word != "unknown") {
    faults.malformed(field, field + " must be {from, to} or the word 'unknown'");
  }
}

}  // namespace

std::optional<json::Value> judge_period(const json::Value& period, std::string_view field,
                                        Spelling spelling, Faults& faults) {
  static constexpr std::array<std::string_view, 3> kKeys = {"queried", "held", "read_at"};
  const std::string name(field);
  if (!period.is_object()) {
    faults.malformed(
        name, name + " must be an object {queried, held, " + spelled("read_at", spelling) + "?}");
    return std::nullopt;
  }
  const std::size_t before = faults.size();
  check_keys(period, name, kKeys, spelling, faults);
  const json::Value* queried = period.find("queried");
  if (queried == nullptr) {
    faults.malformed(name + ".queried",
                     name + ".queried is missing: say which span was asked for as {from, to}");
  } else {
    judge_span(*queried, name + ".queried", faults);
  }
  const json::Value* held = period.find("held");
  judge_held(held, name + ".held", faults);
  const std::string read_key = spelled("read_at", spelling);
  const json::Value* read_at = period.find(read_key);
  if (read_at != nullptr) judge_instant(read_at, join_field(name, read_key), faults);
  if (faults.size() != before || queried == nullptr || held == nullptr) return std::nullopt;
  json::ObjectBuilder wire;
  wire.add("queried", *queried).add("held", *held);
  if (read_at != nullptr) wire.add("read_at", *read_at);
  return wire.build();
}

}  // namespace internal

namespace {

PeriodSpan span_of(const json::Value& span) {
  return PeriodSpan{std::string(*span.at("from").as_string()),
                    std::string(*span.at("to").as_string())};
}

json::Value span_json(const PeriodSpan& span) {
  json::ObjectBuilder object;
  object.add("from", span.from).add("to", span.to);
  return object.build();
}

}  // namespace

std::string_view name_of(PeriodVerdict verdict) noexcept {
  switch (verdict) {
    case PeriodVerdict::covered:
      return "covered";
    case PeriodVerdict::unknown:
      return "unknown";
    case PeriodVerdict::partly_held:
      return "partly-held";
    case PeriodVerdict::not_held:
      break;
  }
  return "not-held";
}

PeriodVerdict verdict_of(const DeclaredPeriod& period) noexcept {
  if (!period.held) return PeriodVerdict::unknown;
  const auto from = parse_instant(period.queried.from);
  const auto to = parse_instant(period.queried.to);
  const auto held_from = parse_instant(period.held->from);
  const auto held_to = parse_instant(period.held->to);
  if (!from || !to || !held_from || !held_to) return PeriodVerdict::unknown;
  if (*held_from <= *from && *to <= *held_to) return PeriodVerdict::covered;
  if (*held_to < *from || *to < *held_from) return PeriodVerdict::not_held;
  return PeriodVerdict::partly_held;
}

PeriodVerdict least_held(PeriodVerdict a, PeriodVerdict b) noexcept {
  return a < b ? b : a;
}

std::optional<DeclaredPeriod> read_period(const json::Value& wire) {
  if (!wire.is_object()) return std::nullopt;
  const json::Value stated =
      wire.contains("verdict") ? json::without_member(wire, "verdict") : wire;
  internal::Faults faults;
  if (!internal::judge_period(stated, "period", internal::Spelling::wire, faults))
    return std::nullopt;
  DeclaredPeriod period;
  period.queried = span_of(stated.at("queried"));
  if (stated.at("held").is_object()) period.held = span_of(stated.at("held"));
  if (const json::Value* read_at = stated.find("read_at")) {
    period.read_at = std::string(*read_at->as_string());
  }
  return period;
}

json::Value to_json(const DeclaredPeriod& period) {
  json::ObjectBuilder wire;
  wire.add("queried", span_json(period.queried));
  wire.add("held", period.held ? span_json(*period.held) : json::Value("unknown"));
  wire.add_if("read_at", period.read_at);
  return wire.build();
}

std::string period_line(std::string_view tool, const DeclaredPeriod& period) {
  std::string line =
      fmt::format("{} was asked about {} to {}; ", tool, period.queried.from, period.queried.to);
  line += period.held ? fmt::format("its store holds {} to {}", period.held->from, period.held->to)
                      : "what its store holds is not known";
  if (period.read_at) line += fmt::format(" (read at {})", *period.read_at);
  return line;
}

}  // namespace agentfootprint::semantics
