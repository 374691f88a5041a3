// Runs the middleware of one moment and files a row for each decision.
#pragma once

#include "agentfootprint/agent/internal/run_state.hpp"

namespace agentfootprint::internal {

struct ChainOutcome {
  Decision::Kind kind = Decision::Kind::allow;  // allow (also after changes), deny or ask
  json::Value value;                            // as the last link left it
  std::string by;                               // who denied or asked, or changed it last
  std::string why;
  std::optional<Question> question;
  std::size_t next = 0;  // the link to go on with after an ask
  bool changed = false;
};

// In order of declaration, from link `first` on.
[[nodiscard]] ChainOutcome run_before_tool(RunState& run, const CallKey& key, std::string_view tool,
                                           json::Value arguments, std::size_t first);
// In reverse order. A deny keeps the real result in the row and gives the model the reason.
[[nodiscard]] ChainOutcome run_after_tool(RunState& run, const CallKey& key, std::string_view tool,
                                          json::Value result);
// Input or output text; a change to something that is no string is a deny, and so is a question.
[[nodiscard]] ChainOutcome run_message(RunState& run, Moment moment, std::string_view text);

}  // namespace agentfootprint::internal
