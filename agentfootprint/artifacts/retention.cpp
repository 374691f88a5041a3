// The retention plan.
#include "agentfootprint/artifacts/retention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

Issue bad_dial(std::string_view dial, std::string_view shown) {
  return {"artifact-retention", std::string(dial),
          fmt::format("{} is {}: it must be a number above zero; leave it out for no limit", dial,
                      shown)};
}

std::optional<std::int64_t> dial_from_json(const json::Value& object, std::string_view name,
                                           std::vector<Issue>& issues) {
  const json::Value* dial = object.find(name);
  if (dial == nullptr) return std::nullopt;
  const auto number = dial->as_double();
  if (!number || !std::isfinite(*number) || *number <= 0) {
    issues.push_back(bad_dial(name, json::dump(*dial)));
    return std::nullopt;
  }
  if (*number >= 9.2e18) return std::numeric_limits<std::int64_t>::max();
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(*number)));
}

}  // namespace

void check_retention(const ArtifactRetention& retention) {
  std::vector<Issue> issues;
  if (retention.ttl_ms && *retention.ttl_ms <= 0) {
    issues.push_back(bad_dial("ttlMs", std::to_string(*retention.ttl_ms)));
  }
  if (retention.max_bytes_per_scope && *retention.max_bytes_per_scope == 0) {
    issues.push_back(bad_dial("maxBytesPerScope", "0"));
  }
  if (retention.max_count_per_scope && *retention.max_count_per_scope == 0) {
    issues.push_back(bad_dial("maxCountPerScope", "0"));
  }
  if (!issues.empty()) throw Refusal(std::move(issues));
}

ArtifactRetention retention_from_json(const json::Value& value) {
  std::vector<Issue> issues;
  ArtifactRetention retention;
  if (!value.is_object()) {
    throw Refusal("artifact-retention", "retention", "retention is not an object");
  }
  retention.ttl_ms = dial_from_json(value, "ttlMs", issues);
  const auto count_dial = [&](std::string_view name) -> std::optional<std::uint64_t> {
    const auto dial = dial_from_json(value, name, issues);
    if (!dial) return std::nullopt;
    return static_cast<std::uint64_t>(*dial);
  };
  retention.max_bytes_per_scope = count_dial("maxBytesPerScope");
  retention.max_count_per_scope = count_dial("maxCountPerScope");
  if (!issues.empty()) throw Refusal(std::move(issues));
  return retention;
}

std::optional<std::int64_t> resolve_expiry(std::optional<std::int64_t> asked,
                                           std::optional<std::int64_t> ttl_ms, std::int64_t now) {
  if (!ttl_ms) return asked;
  // Clocks before 1970 leave room for every time to live.
  const bool beyond = now > 0 && *ttl_ms > kLastArtifactTime - now;
  const std::int64_t own = beyond ? kLastArtifactTime : std::min(now + *ttl_ms, kLastArtifactTime);
  return asked ? std::min(*asked, own) : own;
}

RetentionPlanner::RetentionPlanner(const ArtifactRetention& retention, std::uint64_t incoming_bytes,
                                   std::uint64_t incoming_count, std::uint64_t live_bytes,
                                   std::uint64_t live_count)
    : retention_(retention),
      incoming_bytes_(incoming_bytes),
      incoming_count_(incoming_count),
      live_bytes_(live_bytes),
      live_count_(live_count) {}

std::optional<std::string> RetentionPlanner::oversize(const ArtifactRetention& retention,
                                                      std::uint64_t payload_bytes) {
  if (!retention.max_bytes_per_scope || payload_bytes <= *retention.max_bytes_per_scope) return {};
  return fmt::format(
      "the payload has {} bytes and the byte budget of a scope is {}: it would not fit an empty "
      "scope either, so nothing was removed; store less or raise maxBytesPerScope",
      payload_bytes, *retention.max_bytes_per_scope);
}

std::optional<SweepReason> RetentionPlanner::next_victim() const noexcept {
  if (retention_.max_count_per_scope &&
      live_count_ + incoming_count_ > *retention_.max_count_per_scope) {
    return SweepReason::max_count;
  }
  if (retention_.max_bytes_per_scope &&
      live_bytes_ + incoming_bytes_ > *retention_.max_bytes_per_scope) {
    return SweepReason::max_bytes;
  }
  return std::nullopt;
}

void RetentionPlanner::took(std::uint64_t bytes) noexcept {
  live_bytes_ -= std::min(bytes, live_bytes_);
  if (live_count_ > 0) --live_count_;
}

std::string RetentionPlanner::only_pinned_left() const {
  return fmt::format(
      "{} artifacts of {} bytes do not fit the scope's budget beside their own parents, which a "
      "put "
      "never removes: raise the budget or drop the parents",
      incoming_count_, incoming_bytes_);
}

RetentionPlan plan_retention(std::vector<RetentionRow> rows, std::uint64_t incoming_bytes,
                             const ArtifactRetention& retention, std::int64_t now) {
  RetentionPlan plan;
  plan.refusal = RetentionPlanner::oversize(retention, incoming_bytes);
  if (plan.refusal) return plan;
  std::vector<RetentionRow> live;
  std::uint64_t live_bytes = 0;
  for (RetentionRow& row : rows) {
    if (row.expires_at && *row.expires_at <= now) {
      plan.swept.push_back({std::move(row.ref), SweepReason::ttl, std::move(row.kind), row.bytes});
    } else {
      live_bytes += row.bytes;
      live.push_back(std::move(row));
    }
  }
  std::sort(live.begin(), live.end(), [](const RetentionRow& a, const RetentionRow& b) {
    if (a.last_accessed_at != b.last_accessed_at) return a.last_accessed_at < b.last_accessed_at;
    return a.ref < b.ref;
  });
  RetentionPlanner planner(retention, incoming_bytes, 1, live_bytes, live.size());
  for (RetentionRow& row : live) {
    const auto reason = planner.next_victim();
    if (!reason) return plan;
    if (row.pinned) continue;
    planner.took(row.bytes);
    plan.swept.push_back({std::move(row.ref), *reason, std::move(row.kind), row.bytes});
  }
  if (planner.next_victim()) {
    plan.swept.clear();
    plan.refusal = planner.only_pinned_left();
  }
  return plan;
}

}  // namespace agentfootprint
