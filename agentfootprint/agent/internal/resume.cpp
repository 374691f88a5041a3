// Resumptions: one pending record a call, answered through the gates it had not passed yet.
#include "agentfootprint/agent/internal/resume.hpp"

#include "agentfootprint/agent/internal/dispatch.hpp"
#include "agentfootprint/agent/internal/sentences.hpp"

namespace agentfootprint::internal {
namespace {

const Resolution* resolution_of(const RunState& run, const std::string& id) {
  for (const Resolution& resolution : run.resumption->resolutions) {
    if (resolution.id == id) return &resolution;
  }
  return nullptr;
}

CallState* call_of(RunState& run, const CallKey& key) {
  for (CallState& call : run.batch) {
    if (call.key == key) return &call;
  }
  return nullptr;
}

GateEntry entry_of(Pending::Kind kind) {
  switch (kind) {
    case Pending::Kind::middleware:
      return GateEntry::after_middleware_ask;
    case Pending::Kind::check_in:
      return GateEntry::after_check_in;
    default:
      return GateEntry::credential;
  }
}

void file_decision(RunState& run, const Pending& pending, const Resolution& resolution) {
  if (pending.kind != Pending::Kind::middleware) return;
  json::ObjectBuilder row;
  row.add("moment", "before-tool")
      .add("toolName", pending.tool)
      .add("call", to_json(pending.call))
      .add("iteration", run.iteration)
      .add("outcome", resolution.kind == Resolution::Kind::approve ? "allow" : "deny")
      .add("changed", false)
      .add("by", resolution.by);
  if (!resolution.note.empty()) row.add("why", resolution.note);
  run.middleware_rows.push_back(row.build());
}

}  // namespace

Task<void> resume_pending(RunState& run) {
  const std::vector<Pending> open = std::exchange(run.pending, {});
  for (const Pending& pending : open) {
    CallState* call = call_of(run, pending.call);
    const Resolution* resolution = resolution_of(run, pending.id);
    if (call == nullptr) continue;
    if (resolution == nullptr) {
      run.pending.push_back(pending);
      continue;
    }
    run.emit_call(EventKind::resume, pending.call, [&](Event& event) {
      event.name = pending.tool;
      event.text = name_of(pending.kind);
    });
    call->started_ns = run.clock->steady_ns();
    file_decision(run, pending, *resolution);
    if (resolution->kind == Resolution::Kind::value) {
      finish_answered(run, *call, resolution->answer);
    } else if (resolution->kind == Resolution::Kind::decline) {
      call->waiting = false;
      call->status = ToolStatus::denied;
      call->served = sentences::declined(resolution->by, resolution->note);
      finish_unexecuted(run, *call);
    } else {
      co_await resume_call(run, *call, entry_of(pending.kind));
      if (run.outcome) co_return;
    }
  }
}

}  // namespace agentfootprint::internal
