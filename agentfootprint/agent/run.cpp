// One turn: from an input, a checkpoint or a failure to an outcome.
#include "agentfootprint/flow/run.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "agentfootprint/agent/internal/checkpoint.hpp"
#include "agentfootprint/agent/internal/model_call.hpp"
#include "agentfootprint/agent/internal/run_state.hpp"
#include "agentfootprint/agent/internal/sentences.hpp"
#include "agentfootprint/agent/spec.hpp"
#include "agentfootprint/flow/async.hpp"

// GCC 12 sees the coroutine frame's own operator new and delete as mismatched once they are
// inlined.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace agentfootprint {
namespace {

using internal::RunState;

// What went wrong and whether trying again from here can help.
Failed failure_of(const RunState& run, const std::exception_ptr& error) {
  Failed failed;
  failed.phase = run.phase;
  failed.can_resume = true;
  try {
    std::rethrow_exception(error);
  } catch (const ModelError& model) {
    failed.code = model.code();
    failed.message = model.what();
    failed.phase = "model";
    const ModelError::Kind kind = model.kind();
    failed.can_resume = kind != ModelError::Kind::context_window &&
                        kind != ModelError::Kind::authentication &&
                        kind != ModelError::Kind::invalid_request;
  } catch (const Error& known) {
    failed.code = known.code();
    failed.message = known.what();
    failed.can_resume = failed.code != "window-unmeasurable";
  } catch (const std::exception& other) {
    failed.code = "run-internal";
    failed.message = other.what();
  } catch (...) {
    failed.code = "run-internal";
    failed.message = "something that is no std::exception was thrown";
  }
  failed.checkpoint = internal::write_checkpoint(run, "failed");
  return failed;
}

// Cancelled is not failed.
void tell_deadline(RunState& run) {
  json::Value detail;
  run.emit(EventKind::budget, [&](Event& event) {
    event.name = "deadline";
    event.text = "stopped";
    json::ObjectBuilder built;
    built.add_if("limitMs", run.options.deadline_ms);
    built.add("actualMs", (run.clock->steady_ns() - run.started_ns) / 1'000'000);
    detail = built.build();
    event.detail = &detail;
  });
}

std::optional<Stopped> stop_of(RunState& run) {
  const CancelToken token = run.cancel.token();
  if (!token.cancelled()) return std::nullopt;
  Stopped stopped;
  stopped.reason =
      token.kind() == CancelKind::deadline ? Stopped::Reason::deadline : Stopped::Reason::cancelled;
  stopped.message = token.reason();
  if (stopped.reason == Stopped::Reason::deadline) tell_deadline(run);
  stopped.checkpoint = internal::write_checkpoint(run, "failed");
  return stopped;
}

RunFacts facts_of(RunState& run) {
  RunFacts facts;
  facts.run_id = run.run_id;
  facts.usage = run.usage;
  facts.iterations = run.iteration;
  facts.corrections = run.corrections;
  if (run.cost_known) facts.cost_usd = run.cost_usd;
  facts.elapsed_ms = (run.clock->steady_ns() - run.started_ns) / 1'000'000;
  facts.deadline_ms = run.options.deadline_ms;
  facts.checks = run.check_rows();
  facts.middleware_rows = std::move(run.middleware_rows);
  facts.finding_rows = run.finding_rows();
  if (run.window) {
    facts.window = context::to_json(run.window->state);
    facts.window_rows = std::move(run.window->rows);
  }
  facts.conversation = std::move(run.conversation);
  return facts;
}

std::string_view outcome_name(const RunResult::Outcome& outcome) {
  static constexpr std::string_view kNames[] = {"answer", "paused", "stopped", "failed"};
  return kNames[outcome.index()];
}

// The one terminal event, whatever the outcome.
void tell_end(RunState& run) {
  json::Value detail;
  run.emit(EventKind::turn_end, [&](Event& event) {
    event.text = outcome_name(*run.outcome);
    json::ObjectBuilder built;
    built.add("iterations", run.iteration).add("corrections", run.corrections);
    built.add("usage", internal::usage_json(run.usage));
    if (run.cost_known) built.add("costUsd", run.cost_usd);
    if (const auto* stopped = std::get_if<Stopped>(&*run.outcome)) {
      event.name = name_of(stopped->reason);
    } else if (const auto* failed = std::get_if<Failed>(&*run.outcome)) {
      event.name = failed->code;
      built.add("phase", failed->phase);
    } else if (const auto* answer = std::get_if<Answer>(&*run.outcome)) {
      if (answer->early_stop) built.add("earlyStop", name_of(answer->early_stop->reason));
    }
    detail = built.build();
    event.detail = &detail;
  });
}

RunResult conclude(const std::shared_ptr<RunState>& run, const flow::RunResult& flowed) {
  if (!run->outcome && !run->pending.empty()) {
    Paused paused;
    paused.pending = run->pending;
    paused.checkpoint = internal::write_checkpoint(*run, "paused");
    for (const Pending& pending : run->pending) {
      run->emit_call(EventKind::pause, pending.call, [&](Event& event) {
        event.name = pending.tool;
        event.text = name_of(pending.kind);
      });
    }
    run->outcome = RunResult::Outcome(std::move(paused));
  }
  if (!run->outcome) {
    if (auto stopped = stop_of(*run)) {
      run->outcome = RunResult::Outcome(std::move(*stopped));
    } else if (flowed.error) {
      run->outcome = RunResult::Outcome(failure_of(*run, flowed.error));
    } else {
      Failed failed;
      failed.code = "run-internal";
      failed.message = "the loop ended without an outcome: " + flowed.reason;
      failed.phase = "internal";
      failed.checkpoint = internal::write_checkpoint(*run, "failed");
      run->outcome = RunResult::Outcome(std::move(failed));
    }
  }
  if (auto* stopped = std::get_if<Stopped>(&*run->outcome);
      stopped && stopped->checkpoint.is_null()) {
    stopped->checkpoint = internal::write_checkpoint(*run, "failed");
  }
  internal::settle_checks(*run);
  run->close_record();
  tell_end(*run);
  RunResult::Outcome outcome = std::move(*run->outcome);
  return RunResult(std::move(outcome), facts_of(*run));
}

// No coroutine: what it needs is not kept in a frame while the run waits.
Task<flow::RunResult> flow_of(RunState& run, std::optional<internal::CommitLines>& commits) {
  auto options = flow::RunOptions();
  options.with_context(run).with_cancel(run.cancel.token()).with_clock(*run.clock);
  options.with_self_cancelling_stages();
  flow::Budgets budgets;
  budgets.loop_turns = 10'000'000;
  options.with_budgets(budgets);
  if (run.record) {
    commits.emplace(*run.record);
    options.observe(*commits, flow::mask_of(flow::EventKind::committed));
  }
  return flow::run_async(*run.config().chart, std::move(options));
}

Task<RunResult> drive(std::shared_ptr<RunState> run) {
  run->open();
  std::optional<internal::CommitLines> commits;
  const flow::RunResult flowed = co_await flow_of(*run, commits);
  if (run->pending.empty() || run->outcome) co_await internal::tear_down(*run, run->teardowns);
  co_return conclude(run, flowed);
}

Task<void> keep(Task<RunResult> task, std::optional<RunResult>* out) {
  out->emplace(co_await std::move(task));
}

// Runs on a loop of its own and leaves behind what a tool left running. The store's thread posts to
// this loop: it must have let go before the loop ends.
RunResult block(const AgentSpec& spec, Task<RunResult> task) {
  std::optional<RunResult> result;
  std::exception_ptr failure;
  boost::asio::io_context loop(1);
  boost::asio::co_spawn(loop, keep(std::move(task), &result), [&](std::exception_ptr error) {
    failure = std::move(error);
    loop.stop();
  });
  loop.run();
  if (spec.config().store) spec.config().store->settle();
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

// A decision about what was shown then does not hold for what would be shown now.
void check_props_ref(const Pending& pending, const Resolution& resolution) {
  const json::Value* shown = pending.question.component.find("propsRef");
  const auto ref = shown == nullptr ? std::nullopt : shown->as_string();
  if (!ref || !resolution.props_ref || *ref == *resolution.props_ref) return;
  throw Error("resume-stale", fmt::format("{} was asked about {}, and the answer is about {}",
                                          pending.id, *ref, *resolution.props_ref));
}

void refuse_open_calls(const Conversation& conversation) {
  const std::vector<CallKey> open = conversation.open_calls();
  if (open.empty()) return;
  const ToolCall* call = conversation.call_of(open.front());
  throw Error("run-open-calls",
              fmt::format("the call {} to {} has no result, so no model could be asked: resume the "
                          "checkpoint of the pause, or give the turn abandon_questions(...)",
                          internal::spell(open.front()), call == nullptr ? "a tool" : call->name));
}

void check_resolutions(const RunState& run, const std::vector<Resolution>& resolutions) {
  std::set<std::string> answered;
  for (const Resolution& resolution : resolutions) {
    const Pending* found = nullptr;
    for (const Pending& pending : run.pending) {
      if (pending.id == resolution.id) found = &pending;
    }
    if (!answered.insert(resolution.id).second) {
      throw Error("resume-stale",
                  fmt::format("{} is answered twice: keep one answer", resolution.id));
    }
    if (found == nullptr) {
      throw Error("resume-unknown",
                  fmt::format("no question {} is open: the open ones are named in the pause",
                              resolution.id));
    }
    check_props_ref(*found, resolution);
    using Kind = Resolution::Kind;
    const bool fits = found->kind == Pending::Kind::ask ? resolution.kind == Kind::value
                      : found->kind == Pending::Kind::credential
                          ? resolution.kind == Kind::retry || resolution.kind == Kind::decline
                          : resolution.kind == Kind::approve || resolution.kind == Kind::decline;
    if (!fits) {
      throw Error(
          "resume-kind",
          fmt::format("{} is a question of kind '{}': {}", resolution.id, name_of(found->kind),
                      found->kind == Pending::Kind::ask          ? "answer it with a value"
                      : found->kind == Pending::Kind::credential ? "retry or decline it"
                                                                 : "approve or decline it"));
    }
  }
}

}  // namespace

// No coroutine of its own: its frame would be kept as long as the run waits.
Task<RunResult> run_task(AgentSpec spec, Conversation conversation, std::string input,
                         RunOptions options) {
  refuse_open_calls(conversation);
  auto run =
      std::make_shared<RunState>(std::move(spec), std::move(conversation), std::move(options));
  run->input = std::move(input);
  if (!run->options.window.is_null()) internal::restore_window(*run, run->options.window);
  return drive(std::move(run));
}

Task<RunResult> resume_task(AgentSpec spec, json::Value checkpoint,
                            std::vector<Resolution> resolutions, RunOptions options) {
  auto run = std::make_shared<RunState>(std::move(spec), Conversation(), std::move(options));
  internal::read_checkpoint(*run, checkpoint, "paused");
  check_resolutions(*run, resolutions);
  run->resumption.emplace();
  run->resumption->resolutions = std::move(resolutions);
  co_return co_await drive(std::move(run));
}

Task<RunResult> resume_on_error_task(AgentSpec spec, json::Value checkpoint, RunOptions options) {
  auto run = std::make_shared<RunState>(std::move(spec), Conversation(), std::move(options));
  internal::read_checkpoint(*run, checkpoint, "failed");
  run->resumption.emplace();
  run->iteration = 0;  // a full budget: the failure was not the model's spending
  co_return co_await drive(std::move(run));
}

RunResult run(const AgentSpec& spec, Conversation conversation, std::string input,
              RunOptions options) {
  return block(spec, run_task(spec, std::move(conversation), std::move(input), std::move(options)));
}

RunResult resume(const AgentSpec& spec, json::Value checkpoint, std::vector<Resolution> resolutions,
                 RunOptions options) {
  return block(
      spec, resume_task(spec, std::move(checkpoint), std::move(resolutions), std::move(options)));
}

RunResult resume_on_error(const AgentSpec& spec, json::Value checkpoint, RunOptions options) {
  return block(spec, resume_on_error_task(spec, std::move(checkpoint), std::move(options)));
}

Conversation abandon_questions(Conversation conversation) {
  for (const CallKey& key : conversation.open_calls()) {
    const ToolCall& call = *conversation.call_of(key);
    Message message = Message::tool_result(
        call.wire_id, call.name,
        internal::sentences::not_dispatched(call.name, "the question about it was withdrawn"),
        ResultStatus::settled);
    message.origin = Origin::library;
    message.dispatched = false;
    conversation.append_result(key, std::move(message));
  }
  return conversation;
}

Resolution Resolution::value(std::string pending_id, json::Value given) {
  Resolution resolution;
  resolution.id = std::move(pending_id);
  resolution.answer = std::move(given);
  return resolution;
}

Resolution Resolution::approve(std::string pending_id, std::string who, std::string why) {
  Resolution resolution;
  resolution.id = std::move(pending_id);
  resolution.kind = Kind::approve;
  resolution.by = std::move(who);
  resolution.note = std::move(why);
  return resolution;
}

Resolution Resolution::decline(std::string pending_id, std::string who, std::string why) {
  Resolution resolution = approve(std::move(pending_id), std::move(who), std::move(why));
  resolution.kind = Kind::decline;
  return resolution;
}

Resolution Resolution::retry(std::string pending_id) {
  Resolution resolution;
  resolution.id = std::move(pending_id);
  resolution.kind = Kind::retry;
  return resolution;
}

}  // namespace agentfootprint
