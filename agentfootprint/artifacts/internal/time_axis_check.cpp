// The time axis of a put, judged by the rules of semantics.
#include "agentfootprint/artifacts/internal/time_axis_check.hpp"

#include "agentfootprint/artifacts/internal/text.hpp"

namespace agentfootprint::artifacts_internal {

std::string time_axis_problems(const json::Value& axis) {
  if (!axis.is_object()) return "timeAxis is not an object: give column and unit";
  const json::Value* column = axis.find("column");
  if (column == nullptr || !column->is_string() || is_blank(*column->as_string())) {
    return "timeAxis.column is not a name";
  }
  return {};
}

}  // namespace agentfootprint::artifacts_internal
