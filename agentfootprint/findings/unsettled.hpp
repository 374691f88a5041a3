// A result that was ruled out although it was only an absence.
//
// What: when a model rules out a result that is a declared absence, the row says what that absence
// did not check, so that "ruled out" is not read as more than it is. The words come from the text
// the model was served, never from the tool's own copy.
//
// When to use: for each `ruled-out` standing on a known result, right after its row.
//
// Not guaranteed: arrays without rows, envelopes returned as text by a tool, and results of an
// earlier run are not seen: the tool must have returned an absence (`KnownResult::absent`).
//
// Example:
//   findings::KnownResult result;
//   result.result = findings::ResultRef("c1");
//   result.content = R"({"af_absent":true,"checked":[{"what":"the inventory"}]})";
//   result.absent = true;
//   auto row = findings::unsettled_row_for(result, 3);
//   (void)row.has_value();   // true
#pragma once

#include <cstdint>
#include <optional>

#include "agentfootprint/findings/rows.hpp"

namespace agentfootprint::findings {

[[nodiscard]] std::optional<UnsettledRow> unsettled_row_for(const KnownResult& result,
                                                            std::uint32_t iteration);

}  // namespace agentfootprint::findings
