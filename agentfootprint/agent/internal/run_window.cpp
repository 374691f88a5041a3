// The run's side of windows: plans are made before each request, and every move, block and failure
// is an event, a row of the record, and a fact of the run.
#include "agentfootprint/agent/internal/run_window.hpp"

#include "agentfootprint/agent/internal/model_call.hpp"
#include "agentfootprint/agent/internal/run_findings.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/context/window_plan.hpp"

namespace agentfootprint::internal {
namespace {

using context::KeepReason;
using context::WindowChange;
using context::WindowPlan;
using context::WindowSpan;

const findings::StandingRow* standing_at(const RunState& run, std::uint32_t message) {
  const auto key = run.conversation.key_of_result(message);
  return key ? run.findings->ledger.fold().standing_of(*key) : nullptr;
}

context::WindowMoment moment_of(const RunState& run) {
  context::WindowMoment moment;
  for (const Pending& pending : run.pending) {
    moment.waiting.push_back({pending.call, pending.kind == Pending::Kind::check_in});
  }
  if (run.findings) {
    moment.is_fact = [&run](std::uint32_t message) {
      const findings::StandingRow* row = standing_at(run, message);
      return row != nullptr && row->standing == findings::Standing::fact;
    };
  }
  return moment;
}

// Results that go, each with the standing it had; without one it was never declared.
json::Value standings_of(const RunState& run, const WindowSpan& span) {
  json::ArrayBuilder rows;
  for (std::uint32_t i = span.first; i < span.last; ++i) {
    const Message& message = run.conversation[i];
    const auto key = run.conversation.key_of_result(i);
    if (!key || !message.dispatched) continue;
    json::ObjectBuilder row;
    row.add("call", to_json(*key));
    if (const auto* standing = standing_at(run, i)) {
      row.add("standing", findings::name_of(standing->standing));
    }
    rows.add(row.build());
  }
  return rows.build();
}

json::Value refusals_json(const WindowPlan& plan) {
  json::ArrayBuilder rows;
  for (const context::WindowRefusal& refusal : plan.refusals) {
    rows.add(json::object({{"reason", context::name_of(refusal.reason)},
                           {"turn", refusal.turn},
                           {"message", refusal.message}}));
  }
  return rows.build();
}

json::Value pins_json(const WindowPlan& plan) {
  json::ArrayBuilder pinned;
  for (const context::PinnedResult& pin : plan.pinned) {
    pinned.add(json::object({{"tool", pin.tool}, {"turn", pin.turn}, {"message", pin.message}}));
  }
  json::ObjectBuilder built;
  built.add("pinned", pinned.build()).add("yielded", plan.yielded);
  if (plan.pins_stood_down) built.add("stoodDown", true);
  return built.build();
}

json::ObjectBuilder row_of(const RunState& run, std::string_view action) {
  const context::WindowStrategy& strategy = *run.config().window;
  json::ObjectBuilder row;
  row.add("strategy", name_of(strategy.kind())).add("action", action);
  row.add("iteration", run.iteration).add("keepRecentTurns", strategy.keep_recent_turns());
  if (strategy.kind() != context::WindowKind::sliding) {
    row.add("thresholdTokens", strategy.threshold_tokens());
    row.add_if("measuredTokens", run.window->state.measured_tokens);
  }
  return row;
}

void add_plan(json::ObjectBuilder& row, const WindowPlan& plan) {
  row.add("turns", plan.turns);
  if (!plan.refusals.empty()) row.add("refusals", refusals_json(plan));
  if (!plan.pinned.empty() || plan.yielded > 0 || plan.pins_stood_down) {
    row.add("observations", pins_json(plan));
  }
}

void tell(RunState& run, const json::Value& row, std::uint32_t left_out) {
  run.window->rows.push_back(row);
  run.record_row("row", json::object({{"row", "window"}, {"value", row}}));
  run.emit(EventKind::window, [&](Event& event) {
    event.name = name_of(run.config().window->kind());
    event.text = row.at("action").as_string().value_or("");
    event.number = left_out;
    event.detail = &row;
  });
}

void tell_moved(RunState& run, const WindowPlan& plan, const WindowChange& change,
                std::string_view action, const json::Value& summariser) {
  RunWindow& window = *run.window;
  window.moved = true;
  window.blocked_before.clear();
  json::ObjectBuilder row = row_of(run, action);
  row.add("messages", json::array({change.span.first, change.span.last}))
      .add("leftOut", change.messages)
      .add("stand", context::name_of(change.stand))
      .add("charsBefore", change.chars_before)
      .add("charsAfter", change.chars_after);
  add_plan(row, plan);
  if (!plan.newest_dropped.empty()) {
    json::ArrayBuilder tools;
    for (const std::string& tool : plan.newest_dropped) tools.add(tool);
    row.add("droppedObservations", tools.build());
  }
  if (run.findings) row.add("droppedStandings", standings_of(run, *plan.span));
  if (!summariser.is_null()) row.add("summarizer", summariser);
  tell(run, row.build(), change.messages);
}

// A blocked visit is told when its reasons are not those of the last one.
void tell_blocked(RunState& run, const WindowPlan& plan) {
  std::string reasons;
  bool worth_telling = false;
  for (const context::WindowRefusal& refusal : plan.refusals) {
    reasons += context::name_of(refusal.reason);
    reasons += ' ';
    worth_telling = worth_telling || (refusal.reason != KeepReason::current_request &&
                                      refusal.reason != KeepReason::system_envelope);
  }
  if (!worth_telling || reasons == run.window->blocked_before) return;
  run.window->blocked_before = reasons;
  json::ObjectBuilder row = row_of(run, "blocked");
  add_plan(row, plan);
  tell(run, row.build(), 0);
}

void refuse(WindowPlan& plan, KeepReason reason) {
  plan.refusals.push_back({reason, 0, plan.span ? plan.span->first : 0});
}

// A budget in tokens needs a provider that counts them. One that never does cannot work; one that
// stopped leaves the view as it is.
bool can_measure(RunState& run) {
  RunWindow& window = *run.window;
  if (run.config().window->kind() == context::WindowKind::sliding || !window.called) return true;
  if (window.state.measured_tokens) return true;
  if (!window.measured_once) {
    throw Error("window-unmeasurable",
                "the window counts input tokens and the provider reports none: use "
                "WindowStrategy::sliding, or a provider that reports usage");
  }
  if (!window.stood_down) {
    window.stood_down = true;
    json::ObjectBuilder row = row_of(run, "stood-down");
    row.add("why", "the provider stopped reporting usage");
    tell(run, row.build(), 0);
  }
  return false;
}

WindowPlan plan_now(RunState& run) {
  if (!can_measure(run)) return {};
  return context::plan_window(run.conversation, run.window->state, *run.config().window,
                              moment_of(run));
}

// What a summariser said, and what it cost.
struct Summary {
  std::string text;
  std::string error;
  json::ObjectBuilder facts;
};

Task<void> ask_summariser(RunState& run, WindowSpan span, Summary& summary) {
  const Summariser& summariser = *run.config().summariser;
  ModelRequest request(summariser.model_name);
  const std::string transcript =
      context::transcript_of(run.conversation, run.window->state.view, span);
  request.add_system(std::string(context::summariser_instruction()));
  request.add_message(std::make_shared<const Message>(Message::user(transcript)));
  summary.facts.add("model", summariser.model_name);
  if (run.record) {
    summary.facts.add("request", run.record->writer().item(transcript, ItemUse{"request", ""}));
  }
  const TextSink no_stream;
  try {
    const ModelResponse response =
        co_await summariser.model->complete(request, run.cancel.token(), no_stream);
    count_usage(run, response.usage, summariser.prices);
    summary.facts.add_if("inputTokens", response.usage.input_tokens);
    summary.facts.add_if("outputTokens", response.usage.output_tokens);
    const bool usable = response.complete && response.calls.empty() &&
                        response.text.find_first_not_of(" \t\r\n") != std::string::npos &&
                        response.stop_reason != StopReason::refusal &&
                        response.stop_reason != StopReason::content_filter &&
                        response.stop_reason != StopReason::max_tokens;
    if (usable) {
      summary.text = utf8::sanitize(response.text);
    } else {
      summary.error = "the answer is empty, cut, withheld or a call";
    }
  } catch (const std::exception& error) {
    summary.error = error.what();
  }
  run.cancel.token().throw_if_cancelled();
}

void tell_failed(RunState& run, WindowPlan& plan, Summary& summary) {
  refuse(plan, KeepReason::summarizer_failed);
  json::ObjectBuilder row = row_of(run, "summarizer-failed");
  add_plan(row, plan);
  row.add("why", summary.error).add("summarizer", summary.facts.build());
  tell(run, row.build(), 0);
}

}  // namespace

void move_window(RunState& run) {
  if (!run.window) return;
  WindowPlan plan = plan_now(run);
  if (!plan.engaged) return;
  context::WindowState& state = run.window->state;
  std::optional<WindowChange> change;
  if (plan.span) {
    change = context::drop_span(run.conversation, state.view, *plan.span, *run.config().window);
    if (!change) refuse(plan, KeepReason::replacement_not_smaller);
  }
  context::settle_plan(state, plan, change.has_value());
  if (change) {
    tell_moved(run, plan, *change, "dropped", json::Value());
  } else {
    tell_blocked(run, plan);
  }
}

Task<void> summarise_window(RunState& run) {
  WindowPlan plan = plan_now(run);
  if (!plan.engaged) co_return;
  context::WindowState& state = run.window->state;
  if (plan.span && state.refused_span == plan.span) {
    // Paid for once and not smaller: the same span is not asked for again.
    refuse(plan, KeepReason::replacement_not_smaller);
    plan.span.reset();
  }
  if (!plan.span) {
    context::settle_plan(state, plan, false);
    tell_blocked(run, plan);
    co_return;
  }
  Summary summary;
  co_await ask_summariser(run, *plan.span, summary);
  if (!summary.error.empty()) {
    context::settle_plan(state, plan, false);
    tell_failed(run, plan, summary);
    co_return;
  }
  const auto change = context::summarise_span(run.conversation, state.view, *plan.span,
                                              summary.text, run.config().summariser->model_name);
  context::settle_plan(state, plan, change.has_value());
  summary.facts.add("chars", utf8::count(summary.text));
  if (change) {
    state.refused_span.reset();
    tell_moved(run, plan, *change, "summarized", summary.facts.build());
    co_return;
  }
  state.refused_span = plan.span;
  refuse(plan, KeepReason::replacement_not_smaller);
  json::ObjectBuilder row = row_of(run, "blocked");
  add_plan(row, plan);
  row.add("summarizer", summary.facts.build());
  tell(run, row.build(), 0);
}

void note_measured(RunState& run) {
  if (!run.window) return;
  RunWindow& window = *run.window;
  window.called = true;
  window.state.measured_tokens = run.response.usage.input_tokens;
  if (window.state.measured_tokens && *window.state.measured_tokens <= 0) {
    window.state.measured_tokens.reset();
  }
  window.measured_once = window.measured_once || window.state.measured_tokens.has_value();
}

std::uint32_t messages_left_out(const RunState& run) {
  std::uint32_t count = 0;
  if (!run.window) return count;
  for (const context::WindowGap& gap : run.window->state.view.gaps()) {
    count += gap.span.last - gap.span.first;
  }
  return count;
}

void restore_window(RunState& run, const json::Value& state) {
  if (!run.window) return;
  run.window->state = context::window_state_from_json(state, run.conversation);
  run.window->measured_once = run.window->state.measured_tokens.has_value();
}

}  // namespace agentfootprint::internal
