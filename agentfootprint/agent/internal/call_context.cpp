// A call's view of the run; it outlives the call only as a husk.
#include "agentfootprint/agent/internal/call_context.hpp"

namespace agentfootprint::internal {
namespace {

ArtifactScope scope_of(const RunState& run) {
  if (!run.options.identity) return ArtifactScope(run.run_id);
  const Identity& identity = *run.options.identity;
  return ArtifactScope(identity.tenant.value_or(""), identity.principal.value_or(""),
                       identity.conversation_id);
}

}  // namespace

void HeldFacts::hold() {
  const std::lock_guard lock(mutex_);
  ++holds_;
}

bool HeldFacts::keep(const ArtifactFact& fact) {
  const std::lock_guard lock(mutex_);
  if (holds_ == 0) return false;
  kept_.push_back(fact);
  return true;
}

std::vector<ArtifactFact> HeldFacts::release() {
  const std::lock_guard lock(mutex_);
  if (--holds_ > 0) return {};
  return std::exchange(kept_, {});
}

CallContext::CallContext(const std::shared_ptr<RunState>& run, const CallState& call)
    : run_(run),
      spec_(run->spec),
      key_(call.key),
      tool_(call.wire.name),
      iteration_(run->iteration),
      clock_(run->clock),
      source_(run->cancel.token()),
      token_(source_.token()),
      identity_(run->options.identity),
      credential_(call.credential) {
  if (!run->config().artifacts) return;
  std::weak_ptr<RunState> weak = run;
  binding_.emplace(bind_call(
      *run, call, [weak, facts = facts_, key = key_, tool = tool_](const ArtifactFact& fact) {
        if (facts->keep(fact)) return;
        const std::shared_ptr<RunState> alive = weak.lock();
        if (alive) alive->tell_artifact(key, tool, fact);
      }));
  artifacts_ = ArtifactContext(binding_->artifacts());
  artifacts_.wanted = call.wanted;
}

ArtifactBinding bind_call(const RunState& run, const CallState& call, ArtifactFactSink sink) {
  ArtifactOrigin origin;
  origin.run_id = run.run_id;
  origin.tool_call_id = spell(call.key);
  return bind_artifacts(run.config().artifacts, scope_of(run), origin, std::move(sink));
}

void CallContext::progress(json::Value payload) noexcept {
  const std::shared_ptr<RunState> run = run_.lock();
  if (!run || ended_) return;
  run->emit_call(EventKind::tool_progress, key_, [&](Event& event) {
    event.name = tool_;
    event.detail = &payload;
  });
}

Task<void> CallContext::on_store(std::function<void()> work) {
  const std::shared_ptr<AsyncArtifactStore> store = spec_.config().store;
  if (!store) {
    work();
    co_return;
  }
  facts_->hold();
  const std::function<bool()> job = [&work] {
    work();
    return true;
  };
  static_cast<void>(co_await store->run(job));
  const std::vector<ArtifactFact> told = facts_->release();
  const std::shared_ptr<RunState> run = run_.lock();
  if (!run || ended_) co_return;  // given up: nobody waits for the facts
  for (const ArtifactFact& fact : told) run->tell_artifact(key_, tool_, fact);
}

void CallContext::on_teardown(std::function<void()> cleanup, TeardownScope scope) {
  const std::shared_ptr<RunState> run = run_.lock();
  if (ended_ || !run) {
    cleanup();  // too late to wait for an end: clean up now
    return;
  }
  (scope == TeardownScope::call ? teardowns_ : run->teardowns).add(tool_, std::move(cleanup));
}

bool CallContext::on_teardown_task(std::function<Task<void>()> cleanup, TeardownScope scope) {
  const std::shared_ptr<RunState> run = run_.lock();
  if (ended_ || !run) return false;
  (scope == TeardownScope::call ? teardowns_ : run->teardowns).add_task(tool_, std::move(cleanup));
  return true;
}

void CallContext::end(const std::string& reason) {
  ended_ = true;
  source_.cancel(reason);
  if (binding_) binding_->end();
}

}  // namespace agentfootprint::internal
