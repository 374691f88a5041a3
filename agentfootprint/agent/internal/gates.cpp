// The gates a call passes before it may execute.
#include <fmt/format.h>

#include "agentfootprint/agent/internal/dispatch.hpp"
#include "agentfootprint/agent/internal/middleware_chain.hpp"
#include "agentfootprint/agent/internal/sentences.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::internal {
namespace {

void announce(RunState& run, CallState& call) {
  call.started = true;
  call.started_ns = run.clock->steady_ns();
  run.emit_call(EventKind::tool_start, call.key, [&](Event& event) {
    event.name = call.wire.name;
    event.detail = &call.wire.arguments;
  });
}

void refuse(CallState& call, ToolStatus status, std::string text) {
  call.status = status;
  call.served = std::move(text);
}

// A checker that throws is a refusal, and the model is told not to try again.
Permission ask_permission(RunState& run, const CallState& call, std::string_view capability) {
  const PermissionQuestion question{capability,       call.wire.name, call.wire.arguments,
                                    run.conversation, run.iteration,  run.options.identity};
  try {
    return run.config().permission->check(question);
  } catch (const std::exception& error) {
    return Permission::deny(fmt::format("the permission check failed: {}", error.what()),
                            sentences::permission_check_failed(call.wire.name));
  } catch (...) {
    return Permission::deny("the permission check failed",
                            sentences::permission_check_failed(call.wire.name));
  }
}

GateOutcome judge_permission(RunState& run, CallState& call, std::string_view capability) {
  const Permission permission = ask_permission(run, call, capability);
  static constexpr std::string_view kWords[] = {"allow", "deny", "halt"};
  json::Value detail;
  run.emit_call(EventKind::permission, call.key, [&](Event& event) {
    event.name = call.wire.name;
    event.text = kWords[static_cast<std::size_t>(permission.kind())];
    json::ObjectBuilder built;
    built.add("capability", capability);
    if (!permission.rule().empty()) built.add("rule", permission.rule());
    detail = built.build();
    event.detail = &detail;
  });
  if (permission.kind() == Permission::Kind::allow) return GateOutcome::go;
  if (permission.kind() == Permission::Kind::deny) {
    refuse(call, ToolStatus::denied,
           permission.tell_model().empty()
               ? sentences::denied(call.wire.name, permission.rationale())
               : permission.tell_model());
    return GateOutcome::settled;
  }
  refuse(call, ToolStatus::denied,
         permission.tell_model().empty() ? sentences::unavailable(call.wire.name)
                                         : permission.tell_model());
  Stopped stopped;
  stopped.reason = Stopped::Reason::policy;
  stopped.message = permission.rationale();
  run.outcome = RunResult::Outcome(std::move(stopped));
  return GateOutcome::halted;
}

GateOutcome pass_permission(RunState& run, CallState& call) {
  if (!run.config().permission) return GateOutcome::go;
  GateOutcome outcome = judge_permission(run, call, "tool_call");
  if (outcome != GateOutcome::go || call.tool == nullptr) return outcome;
  for (const std::string& capability : call.tool->tool.capability_names()) {
    if (!run.config().permission->governs(capability)) continue;
    outcome = judge_permission(run, call, capability);
    if (outcome != GateOutcome::go) return outcome;
  }
  return GateOutcome::go;
}

void add_pending(RunState& run, const CallState& call, Pending::Kind kind, Question question) {
  Pending pending;
  pending.id = spell(call.key);
  pending.kind = kind;
  pending.call = call.key;
  pending.tool = call.wire.name;
  pending.arguments = call.arguments;
  pending.question = std::move(question);
  run.pending.push_back(std::move(pending));
}

GateOutcome pass_middleware(RunState& run, CallState& call) {
  const ChainOutcome chain =
      run_before_tool(run, call.key, call.wire.name, call.arguments, call.next_middleware);
  call.arguments = chain.value;
  switch (chain.kind) {
    case Decision::Kind::deny:
      refuse(call, ToolStatus::denied, sentences::denied_by(call.wire.name, chain.by, chain.why));
      return GateOutcome::settled;
    case Decision::Kind::ask:
      if (call.asked) {
        refuse(call, ToolStatus::denied, sentences::second_question(call.wire.name, chain.by));
        return GateOutcome::settled;
      }
      call.asked = true;
      call.next_middleware = chain.next;
      add_pending(run, call, Pending::Kind::middleware, *chain.question);
      return GateOutcome::paused;
    default:
      return GateOutcome::go;
  }
}

GateOutcome pass_validation(RunState& run, CallState& call) {
  if (call.wire.arguments_malformed) {
    refuse(call, ToolStatus::invalid,
           sentences::malformed_arguments(call.wire.name, *call.wire.arguments_text));
    return GateOutcome::settled;
  }
  if (!call.tool->arguments) return GateOutcome::go;
  const auto issues = call.tool->arguments->check(call.arguments, 10);
  if (issues.empty()) return GateOutcome::go;
  json::Value detail;
  run.emit_call(EventKind::arguments_invalid, call.key, [&](Event& event) {
    event.name = call.wire.name;
    event.number = static_cast<std::int64_t>(issues.size());
    json::ArrayBuilder rows;
    for (const json::SchemaIssue& issue : issues) {
      rows.add(json::object({{"path", issue.path}, {"message", issue.message}}));
    }
    detail = rows.build();
    event.detail = &detail;
  });
  refuse(call, ToolStatus::invalid, sentences::invalid_arguments(call.wire.name, issues));
  return GateOutcome::settled;
}

GateOutcome pass_check_in(RunState& run, CallState& call) {
  if (!call.tool->tool.demands_check_in(call.arguments)) return GateOutcome::go;
  if (call.asked) {
    refuse(call, ToolStatus::denied, sentences::second_question(call.wire.name, "its check-in"));
    return GateOutcome::settled;
  }
  call.asked = true;
  Question question(fmt::format("Run {} with {}?", call.wire.name,
                                clip_with_note(json::dump(call.arguments), 400)));
  question.data = check_in_evidence(run, call);
  run.emit_call(EventKind::check_in, call.key, [&](Event& event) {
    event.name = call.wire.name;
    event.detail = &question.data;
  });
  add_pending(run, call, Pending::Kind::check_in, std::move(question));
  return GateOutcome::paused;
}

void tell_credential(RunState& run, const CallKey& key, const std::string& service,
                     std::string_view what) {
  run.emit_call(EventKind::credential, key, [&](Event& event) {
    event.name = service;
    event.text = what;
  });
}

Task<GateOutcome> pass_credential(RunState& run, CallState& call, bool resumed) {
  const std::optional<CredentialNeed>& need = call.tool->tool.credential_need();
  if (!need) co_return GateOutcome::go;
  tell_credential(run, call.key, need->service, "requested");
  std::string failure;
  try {
    const CredentialAnswer answer =
        co_await run.config().credentials->get(*need, run.options.identity, run.cancel.token());
    if (answer.credential) {
      call.credential = answer.credential;
      run.consent_missing.erase(need->service);
      tell_credential(run, call.key, need->service, "issued");
      co_return GateOutcome::go;
    }
    tell_credential(run, call.key, need->service, "authorization-required");
    const bool tell_model = run.config().consent == ConsentPosture::tell_model;
    if (tell_model) run.consent_missing[need->service] = answer.authorization_url;
    if (resumed || tell_model) {
      refuse(call, ToolStatus::denied, sentences::consent_missing(call.wire.name, need->service));
      co_return GateOutcome::settled;
    }
    add_pending(
        run, call, Pending::Kind::credential,
        Question(fmt::format("{} needs your consent for {}.", call.wire.name, need->service)));
    run.pending.back().authorization_url = answer.authorization_url;
    co_return GateOutcome::paused;
  } catch (const std::exception& error) {
    failure = error.what();
  }
  run.cancel.token().throw_if_cancelled();
  tell_credential(run, call.key, need->service, "failed");
  refuse(call, ToolStatus::failure, sentences::credential_failed(call.wire.name, need->service));
  co_return GateOutcome::settled;
}

}  // namespace

Task<GateOutcome> pass_gates(RunState& run, CallState& call, GateEntry entry) {
  GateOutcome outcome = GateOutcome::go;
  if (entry == GateEntry::start) {
    run.on_call(call);
    check_call_arguments(run, call);
    announce(run, call);
    outcome = pass_permission(run, call);
    if (outcome != GateOutcome::go) co_return outcome;
    if (call.tool == nullptr) {
      refuse(call, ToolStatus::invalid, sentences::unknown_tool(run.config(), call.wire.name));
      co_return GateOutcome::settled;
    }
    if (repeats_too_often(run, call)) {
      refuse(call, ToolStatus::invalid, sentences::repeated_too_often(call.wire.name));
      co_return GateOutcome::settled;
    }
  }
  if (entry <= GateEntry::after_middleware_ask) {
    if (!call.wire.arguments_malformed) {
      outcome = pass_middleware(run, call);
      if (outcome != GateOutcome::go) co_return outcome;
    }
    outcome = pass_validation(run, call);
    if (outcome != GateOutcome::go) co_return outcome;
    outcome = pass_check_in(run, call);
    if (outcome != GateOutcome::go) co_return outcome;
  }
  outcome = co_await resolve_wanted(run, call);
  if (outcome != GateOutcome::go) co_return outcome;
  co_return co_await pass_credential(run, call, entry == GateEntry::credential);
}

}  // namespace agentfootprint::internal
