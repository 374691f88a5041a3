// The synchronous entry points.
#include "agentfootprint/flow/run.hpp"

#include <fmt/format.h>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/flow/internal/machine.hpp"

namespace agentfootprint::flow {

using internal::Machine;

std::string_view name_of(Outcome outcome) noexcept {
  static constexpr std::string_view kNames[] = {"completed", "paused", "failed", "cancelled",
                                                "exhausted"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::string_view name_of(EventKind kind) noexcept {
  static constexpr std::string_view kNames[] = {
      "run-started", "stage-started", "read",   "wrote",   "emitted",   "stage-ended", "committed",
      "decided",     "forked",        "joined", "mounted", "unmounted", "looped",      "broke",
      "retried",     "failed",        "paused", "resumed", "run-ended"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string Event::step_id() const {
  if (item != kNoItem) return fmt::format("{}{}{}#{}", path, stage, item, step);
  return fmt::format("{}{}#{}", path, stage, step);
}

std::shared_ptr<Machine> machine_of(RunResult& result) noexcept {
  return std::move(result.machine_);
}

json::Value RunResult::checkpoint() const {
  if (!machine_) throw Error("flow-resume", "only a paused run has a checkpoint");
  return machine_->checkpoint();
}

namespace {

void refuse_async(const Chart& chart) {
  if (!chart.is_async()) return;
  throw Error("flow-async", fmt::format("chart '{}' has coroutine stages: run it with run_async of "
                                        "agentfootprint/flow/async.hpp",
                                        chart.name()));
}

RunResult run_to_end(const std::shared_ptr<Machine>& machine) {
  machine->start();
  machine->run_sync();
  return machine->result(machine);
}

}  // namespace

RunResult run(const Chart& chart, RunOptions options) {
  refuse_async(chart);
  return run_to_end(std::make_shared<Machine>(chart.data(), std::move(options)));
}

RunResult resume(RunResult paused, std::vector<PauseAnswer> answers) {
  const std::shared_ptr<Machine> machine = machine_of(paused);
  if (!machine)
    throw Error("flow-resume", "the run is not paused: only a paused run can be resumed");
  if (machine->log().chart->has_async) {
    throw Error("flow-async", "the chart has coroutine stages: resume it with resume_async");
  }
  machine->answer(std::move(answers));
  return run_to_end(machine);
}

RunResult resume(const Chart& chart, const json::Value& checkpoint,
                 std::vector<PauseAnswer> answers, RunOptions options) {
  refuse_async(chart);
  const auto machine = std::make_shared<Machine>(chart.data(), std::move(options));
  machine->restore(checkpoint);
  machine->answer(std::move(answers));
  return run_to_end(machine);
}

}  // namespace agentfootprint::flow
