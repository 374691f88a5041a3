// The projection guard: what a result declared must survive its projection.
//
// What: when rows are staged elsewhere and replaced by tickets, the declarations beside them
// (absence, coverage, the caveats of a described result, an effects envelope) must come through
// unchanged. `snapshot_projection` captures them from the raw result before the projection runs;
// the comparison names each that is missing or changed. Rows are never looked at.
//
// When to use: around every function that rewrites a tool's result, and in a tool author's gate.
//
// Not guaranteed: anything about rows, or about declarations the projection adds: they are welcome.
//
// Limits: 10,000 nodes, 10,000 keys, 65,536 code points and 16 levels of declarations; beyond them
// the snapshot is `projection-declaration-unreadable`. Values are never echoed in messages.
//
// Example:
//   json::Value before = json::object({
//       {"af_absent", true}, {"checked", json::array({"the inventory"})}});
//   semantics::ProjectionSnapshot snapshot = semantics::snapshot_projection(before);
//   json::Value after = json::object({{"ref", "a"}});
//   std::vector<Issue> issues = semantics::projection_issues(snapshot, after);
//   (void)issues.front().field;   // result.af_absent
#pragma once

#include <string>
#include <vector>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::semantics {

struct CapturedField {
  std::string path;  // result.af_coverage.not_checked, result.content.…, result.envelope.status
  std::string canonical;  // canonical JSON, so that key order does not matter
};

struct ProjectionSnapshot {
  std::vector<CapturedField> fields;
  std::vector<Issue> issues;  // projection-declaration-unreadable
};

[[nodiscard]] ProjectionSnapshot snapshot_projection(const json::Value& value);
// The snapshot's own issues, else one `projection-declaration-changed` a field that is missing or
// differs; none when nothing was declared.
[[nodiscard]] std::vector<Issue> projection_issues(const ProjectionSnapshot& before,
                                                   const json::Value& after);

}  // namespace agentfootprint::semantics
