// Limits that travel with the answer.
//
// What: a pure fold over what tools declared about their coverage: the text block behind an answer,
// and the same as data for answers that are JSON. Only coverage, periods and work in progress
// travel, never grain or provenance; the block says that tools declared it, not the model.
//
// When to use: as the last step before an answer is handed out, when the agent was built with
// `limits_travel_with_the_answer`. Recording what was declared does not depend on it.
//
// Not guaranteed: that the answer's text agrees with the limits.
//
// Limits: twelve entries a section in the text, then a count; the data form has all.
//
// Example:
//   semantics::CoverageDeclared row;
//   row.tool_name = "inventory";
//   row.coverage.checked.push_back({"site A"});
//   std::string answer = semantics::with_limits("Two hosts are down.\n", {row});
//   json::Value data = semantics::answer_coverage({row});
//   (void)answer; (void)data;
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/json/value.hpp"
#include "agentfootprint/semantics/recognise.hpp"

namespace agentfootprint::semantics {

// The answer without trailing white space, a rule and the block; the same bytes when nothing was
// declared. An empty answer gives the block alone.
[[nodiscard]] std::string with_limits(std::string_view answer,
                                      const std::vector<CoverageDeclared>& declared);

// `{checked, notChecked, cannotCover, periods?, inProgress?}`, in declaration order, each once.
[[nodiscard]] json::Value answer_coverage(const std::vector<CoverageDeclared>& declared);

}  // namespace agentfootprint::semantics
