// Findings of one run: the ledger, the desk that prepares requests, and what a draft's notes said.
#pragma once

#include <optional>
#include <vector>

#include "agentfootprint/findings/answer_scanner.hpp"
#include "agentfootprint/findings/judge_desk.hpp"
#include "agentfootprint/findings/ledger.hpp"
#include "agentfootprint/findings/moments.hpp"
#include "agentfootprint/findings/request.hpp"

namespace agentfootprint::internal {

struct RunFindings {
  explicit RunFindings(const findings::FindingsOptions& options) : desk(options) {}

  findings::Ledger ledger;
  findings::RequestDesk desk;
  std::vector<findings::BatchCall> batch;  // of the newest batch, in wire order
  std::vector<json::Value> answer_rows;    // contingent rows of the newest draft
  std::size_t malformed_in_answer = 0;
  std::uint32_t judged = 0;  // results that a judge was asked about, by message
  std::optional<findings::JudgeDesk> judge;
};

}  // namespace agentfootprint::internal
