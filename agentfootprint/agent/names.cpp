// The wire words of the agent's enumerations.
#include "agentfootprint/agent/events.hpp"
#include "agentfootprint/agent/run_result.hpp"

namespace agentfootprint {

std::string_view name_of(EventKind kind) noexcept {
  static constexpr std::string_view kNames[] = {"turn_start",
                                                "turn_end",
                                                "iteration_start",
                                                "iteration_end",
                                                "model_start",
                                                "text_delta",
                                                "model_retry",
                                                "model_end",
                                                "route",
                                                "tool_start",
                                                "permission",
                                                "middleware",
                                                "arguments_invalid",
                                                "check_in",
                                                "credential",
                                                "tool_progress",
                                                "coverage",
                                                "described",
                                                "result_refused",
                                                "artifact",
                                                "repeated_call",
                                                "tool_end",
                                                "evidence",
                                                "findings",
                                                "output_schema",
                                                "budget",
                                                "pause",
                                                "resume",
                                                "teardown",
                                                "window",
                                                "check"};
  static_assert(std::size(kNames) == kEventKinds);
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(CheckRow::Outcome outcome) noexcept {
  static constexpr std::string_view kNames[] = {"fired", "passed", "not-applicable",
                                                "could-not-run"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::string_view name_of(EarlyStop::Reason reason) noexcept {
  static constexpr std::string_view kNames[] = {"max-iterations", "cost-budget", "deadline"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::string_view name_of(Pending::Kind kind) noexcept {
  static constexpr std::string_view kNames[] = {"ask", "middleware", "check-in", "credential"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(Stopped::Reason reason) noexcept {
  static constexpr std::string_view kNames[] = {
      "policy",        "cancelled",          "deadline",         "input-denied",
      "output-denied", "unsupported-values", "refused-by-model", "consent-required"};
  return kNames[static_cast<std::size_t>(reason)];
}

}  // namespace agentfootprint
