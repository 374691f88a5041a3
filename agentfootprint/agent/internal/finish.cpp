// Behind execute: what a result declares, what of it is served, and how it enters the conversation.
#include "agentfootprint/agent/internal/call_context.hpp"
#include "agentfootprint/agent/internal/dispatch.hpp"
#include "agentfootprint/agent/internal/middleware_chain.hpp"
#include "agentfootprint/agent/internal/placement.hpp"
#include "agentfootprint/agent/internal/sentences.hpp"
#include "agentfootprint/base/hash.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::internal {
namespace {

constexpr std::uint32_t kRepeatLimit = 5;  // identical landings before a call is not run again

ResultStatus message_status(const CallState& call) {
  switch (call.status) {
    case ToolStatus::failure:
    case ToolStatus::invalid:
      return ResultStatus::failed;
    case ToolStatus::absent:
      return ResultStatus::absent;
    default:
      return ResultStatus::ok;
  }
}

// The message in the conversation. A call that did not run is settled in the library's name: its
// text is evidence of nothing.
void enter_conversation(RunState& run, CallState& call) {
  Message message =
      Message::tool_result(call.wire.wire_id, call.wire.name, call.served,
                           call.executed ? message_status(call) : ResultStatus::settled);
  message.dispatched = call.executed;
  if (!call.executed || call.late || call.refused_by_ceiling) message.origin = Origin::library;
  const std::uint32_t index = run.conversation.append_result(call.key, std::move(message));
  call.settled = true;
  run.on_result(index, call);
}

void tell_end(RunState& run, CallState& call) {
  call.ended_ns = run.clock->steady_ns();
  run.emit_call(EventKind::tool_end, call.key, [&](Event& event) {
    event.name = call.wire.name;
    event.text = name_of(call.status);
    event.number = (call.ended_ns - call.started_ns) / 1000;
  });
}

// Envelope: effects this loop does not know are refused out loud.
void apply_envelope(RunState& run, CallState& call, const ToolResult& result) {
  if (result.status()) call.status = *result.status();
  for (const ToolEffect& effect : result.effects()) {
    run.next_notes.push_back(
        fmt::format("[The effect '{}' of {} is not known here and was not applied.]",
                    utf8::printable(utf8::clip(effect.kind, 64)), call.wire.name));
  }
}

// Coverage and described results, recognised on the value as it was returned.
void read_declarations(RunState& run, CallState& call) {
  const semantics::ReadResult read =
      run.reader.read(call.full, call.wire.name, spell(call.key), run.iteration);
  for (const semantics::CoverageDeclared& declared : read.declared) {
    const json::Value row = semantics::to_json(declared);
    run.declared_coverage.push_back(declared);
    run.coverage_rows.push_back(row);
    run.emit_call(EventKind::coverage, call.key, [&](Event& event) {
      event.name = call.wire.name;
      event.text =
          declared.kind == semantics::CoverageDeclared::Kind::absence ? "absent" : "coverage";
      event.detail = &row;
    });
  }
  if (read.absent && call.status == ToolStatus::success) call.status = ToolStatus::absent;
  if (read.semantics) {
    // The whole envelope is for the record; the model reads its view.
    json::ObjectBuilder declared;
    declared.add("name", "agentfootprint.tools.semantics_declared")
        .add("toolName", call.wire.name)
        .add("call", to_json(call.key))
        .add("iteration", run.iteration)
        .add("semantics", call.full);
    run.record_row("event", declared.build());
    read_claims(run, call, call.full);
    call.described = true;
    run.emit_call(EventKind::described, call.key, [&](Event& event) {
      event.name = call.wire.name;
      event.detail = &call.full;
    });
  }
  call.served = json::dump(read.served);
  if (read.served == call.full) call.served_as_returned = hash64(call.served);
}

void take_value(RunState& run, CallState& call, const ToolResult& result) {
  switch (result.kind()) {
    case ToolResult::Kind::text:
      call.full = json::Value(result.message());
      call.served = utf8::sanitize(result.message());
      break;
    case ToolResult::Kind::error:
      call.full = json::Value(result.message());
      call.served = utf8::sanitize(result.message());
      if (call.status == ToolStatus::success) call.status = ToolStatus::failure;
      break;
    default:
      call.full = result.value();
      read_declarations(run, call);
      break;
  }
  if (call.served.empty()) call.served = std::string(sentences::kNoValue);
}

void apply_ceiling(RunState& run, CallState& call) {
  const auto max = call.tool->tool.max_result_chars();
  if (!max) return;
  const std::size_t chars = utf8::count(call.served);
  if (chars <= static_cast<std::size_t>(*max)) return;
  json::Value detail;
  run.emit_call(EventKind::result_refused, call.key, [&](Event& event) {
    event.name = call.wire.name;
    event.number = static_cast<std::int64_t>(chars);
    detail = json::object({{"maxChars", *max}});
    event.detail = &detail;
  });
  call.served = sentences::too_long(call.wire.name, chars, *max, call.tool->tool.narrow_by());
  call.full = json::Value(call.served);  // the payload enters no channel
  call.status = ToolStatus::invalid;
  call.refused_by_ceiling = true;
}

void apply_after_middleware(RunState& run, CallState& call) {
  const ChainOutcome chain =
      run_after_tool(run, call.key, call.wire.name, json::Value(call.served));
  if (chain.kind == Decision::Kind::deny) {
    call.served = sentences::denied_by(call.wire.name, chain.by, chain.why);
    call.status = ToolStatus::denied;
    call.refused_by_ceiling = true;
    return;
  }
  if (!chain.changed) return;
  const auto text = chain.value.as_string();
  call.served = text ? std::string(*text) : json::dump(chain.value);
}

// The net under tools without a ceiling: an envelope that says what was cut.
void apply_cap(RunState& run, CallState& call) {
  const auto max = run.config().max_result_chars;
  if (!max || utf8::count(call.served) <= static_cast<std::size_t>(*max)) return;
  const auto limit = static_cast<std::size_t>(*max);
  json::ObjectBuilder envelope;
  envelope.add("truncated", true)
      .add("reason",
           fmt::format("{} returned {} characters and {} may be read: narrow the call and "
                       "make it again",
                       call.wire.name, utf8::count(call.served), limit));
  const json::Value bare = envelope.build();
  const std::string whole = call.served;
  for (std::size_t head = limit; head > 0; head = head * 4 / 5) {
    const json::Value with_head =
        json::with_member(bare, "head", json::Value(utf8::clip(whole, head)));
    call.served = json::dump(with_head);
    if (utf8::count(call.served) <= limit) return;
  }
  call.served = json::dump(bare);
}

// What a model reads is valid UTF-8, whatever a tool, a middleware or a person put in.
void mend_text(std::string& text) {
  if (!utf8::is_valid(text)) text = utf8::sanitize(text);
}

std::string repeat_key(const CallState& call) {
  const std::uint64_t arguments = hash64(json::dump_canonical(call.wire.arguments));
  std::string key = call.wire.name + ':';
  key.append(reinterpret_cast<const char*>(&arguments), sizeof arguments);
  return key;
}

void note_repeat(RunState& run, CallState& call) {
  const bool by_arguments = call.tool->tool.repeats_by_arguments();
  const std::string key = repeat_key(call);
  RepeatCount& count = run.repeats[key];
  const std::uint64_t outcome = by_arguments ? 0 : hash64(call.served);
  if (count.landed > 0 && count.outcome != outcome) count.landed = 0;
  count.outcome = outcome;
  ++count.landed;
  if (count.landed != 2) return;
  run.emit_call(EventKind::repeated_call, call.key, [&](Event& event) {
    event.name = call.wire.name;
    event.number = count.landed;
  });
  if (run.config().repeated_call_note) {
    run.next_notes.push_back(sentences::repeated_note(call.wire.name, by_arguments));
  }
}

}  // namespace

std::string clip_with_note(std::string_view text, std::size_t max) {
  const std::string_view head = utf8::clip(text, max);
  if (head.size() == text.size()) return std::string(text);
  return fmt::format("{} …[clipped {} chars]", head, utf8::count(text.substr(head.size())));
}

bool repeats_too_often(const RunState& run, const CallState& call) {
  const auto found = run.repeats.find(repeat_key(call));
  return found != run.repeats.end() && found->second.landed >= kRepeatLimit;
}

json::Value check_in_evidence(const RunState& run, const CallState& call) {
  json::ArrayBuilder trail;
  for (const std::uint32_t index : run.conversation.results()) {
    const Message& message = run.conversation[index];
    json::ObjectBuilder row;
    row.add("name", message.tool_name.value_or("")).add("status", name_of(message.status));
    trail.add(row.build());
  }
  json::ObjectBuilder evidence;
  evidence.add("willDo", call.wire.name)
      .add("args", call.arguments)
      .add("iteration", run.iteration)
      .add("trail", trail.build());
  return evidence.build();
}

Task<bool> finish_call(RunState& run, CallState& call, ToolResult result) {
  if (result.kind() == ToolResult::Kind::ask) {
    call.waiting = true;
    call.executed = false;
    Pending pending;
    pending.id = spell(call.key);
    pending.kind = Pending::Kind::ask;
    pending.call = call.key;
    pending.tool = call.wire.name;
    pending.arguments = call.arguments;
    pending.question = *result.question();
    run.pending.push_back(std::move(pending));
    co_await tear_down(run, call.context->call_teardowns());
    call.context->end("the call waits for a person");
    co_return false;
  }
  apply_envelope(run, call, result);
  take_value(run, call, result);
  check_lookup(run, call);
  apply_ceiling(run, call);
  co_await tear_down(run, call.context->call_teardowns());
  call.context->end("the call is over");
  apply_after_middleware(run, call);
  mend_text(call.served);
  co_await place_result(run, call);
  apply_cap(run, call);
  tell_end(run, call);
  if (!call.refused_by_ceiling) note_repeat(run, call);
  enter_conversation(run, call);
  co_return true;
}

void finish_unexecuted(RunState& run, CallState& call) {
  call.executed = false;
  call.full = json::Value(call.served);
  tell_end(run, call);
  enter_conversation(run, call);
}

void finish_answered(RunState& run, CallState& call, const json::Value& answer) {
  call.executed = true;
  call.waiting = false;
  call.full = answer;
  const auto text = answer.as_string();
  call.served = text ? std::string(*text) : json::dump(answer);
  apply_after_middleware(run, call);
  mend_text(call.served);
  apply_cap(run, call);
  tell_end(run, call);
  enter_conversation(run, call);
}

void settle_call(RunState& run, CallState& call, ToolStatus status, std::string text) {
  call.status = status;
  call.served = std::move(text);
  call.full = json::Value(call.served);
  if (call.executed) {
    // It started and its outcome is unknown: that is a failure of the tool, told by the library.
    tell_end(run, call);
  }
  enter_conversation(run, call);
}

}  // namespace agentfootprint::internal
