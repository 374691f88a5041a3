// The run's side of findings: what the model declares, and the values it uses all the same.
#include "agentfootprint/agent/internal/run_state.hpp"

namespace agentfootprint::internal {

void RunState::on_batch() {}
void RunState::peel_answer() {}
void RunState::judge_used_values() {}
std::vector<json::Value> RunState::answer_contingent_rows() const {
  return {};
}
std::vector<json::Value> RunState::finding_rows() const {
  return {};
}
void RunState::restore_findings(const json::Value&) {}

}  // namespace agentfootprint::internal
