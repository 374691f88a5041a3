// What a tool's function sees of the run while it executes.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agentfootprint/agent/internal/run_state.hpp"
#include "agentfootprint/agent/tool.hpp"

namespace agentfootprint::internal {

// Facts of a call's work on the store. Those that are told on the store's thread wait here until
// the run's own thread goes on.
class HeldFacts {
 public:
  void hold();
  // False when nothing is held: the fact may be told at once.
  bool keep(const ArtifactFact& fact);
  // What was kept, once the last hold is let go.
  [[nodiscard]] std::vector<ArtifactFact> release();

 private:
  std::mutex mutex_;
  int holds_ = 0;
  std::vector<ArtifactFact> kept_;
};

// Shared with a coroutine that may be left behind: it reaches the run only while the run is there.
class CallContext final : public ToolContext {
 public:
  CallContext(const std::shared_ptr<RunState>& run, const CallState& call);

  [[nodiscard]] CallKey call() const noexcept override { return key_; }
  [[nodiscard]] const std::string& tool_name() const noexcept override { return tool_; }
  [[nodiscard]] std::uint32_t iteration() const noexcept override { return iteration_; }
  [[nodiscard]] const CancelToken& cancel() const noexcept override { return token_; }
  [[nodiscard]] const Clock& clock() const noexcept override { return *clock_; }
  void progress(json::Value payload) noexcept override;
  [[nodiscard]] const std::optional<Identity>& identity() const noexcept override {
    return identity_;
  }
  [[nodiscard]] const Credential* credential() const noexcept override { return credential_.get(); }
  [[nodiscard]] ArtifactContext& artifacts() noexcept override { return artifacts_; }
  [[nodiscard]] Task<void> on_store(std::function<void()> work) override;
  void on_teardown(std::function<void()> cleanup, TeardownScope scope) override;
  bool on_teardown_task(std::function<Task<void>()> cleanup, TeardownScope scope) override;

  // Ends what the call may still use: late work finds a cancelled token and dead handles.
  void end(const std::string& reason);
  [[nodiscard]] TeardownList& call_teardowns() noexcept { return teardowns_; }
  CancelSource& source() noexcept { return source_; }

 private:
  std::weak_ptr<RunState> run_;
  AgentSpec spec_;  // keeps the tool's function alive for late work
  CallKey key_;
  std::string tool_;
  std::uint32_t iteration_;
  const Clock* clock_;
  CancelSource source_;
  CancelToken token_;
  std::optional<Identity> identity_;
  std::shared_ptr<const Credential> credential_;
  std::optional<ArtifactBinding> binding_;
  ArtifactContext artifacts_;
  std::shared_ptr<HeldFacts> facts_ = std::make_shared<HeldFacts>();
  TeardownList teardowns_;
  bool ended_ = false;
};

// The run's store bound to one call; the binding's end is the end of every handle.
[[nodiscard]] ArtifactBinding bind_call(const RunState& run, const CallState& call,
                                        ArtifactFactSink sink);

}  // namespace agentfootprint::internal
