// The time axis of a put, judged by the rules of semantics.
#include "agentfootprint/artifacts/internal/time_axis_check.hpp"

#include "agentfootprint/semantics/time_axis.hpp"

namespace agentfootprint::artifacts_internal {

std::string time_axis_problems(const json::Value& axis) {
  std::string joined;
  for (const Issue& issue : semantics::time_axis_issues(axis)) {
    if (!joined.empty()) joined += "; ";
    joined += issue.message;
  }
  return joined;
}

}  // namespace agentfootprint::artifacts_internal
