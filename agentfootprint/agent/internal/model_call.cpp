// Requests grow with the conversation: what was served before is kept, only the new is added.
#include "agentfootprint/agent/internal/model_call.hpp"

#include "agentfootprint/agent/internal/run_findings.hpp"
#include "agentfootprint/findings/options.hpp"

namespace agentfootprint::internal {
namespace {

std::string last_piece(const RunState& run) {
  std::string piece;
  for (const std::string& note : run.next_notes) {
    if (!piece.empty()) piece += "\n\n";
    piece += note;
  }
  if (!run.correction.empty()) {
    if (!piece.empty()) piece += "\n\n";
    piece += run.correction;
  }
  return piece;
}

// Text on its way to a person: what the scanner held back or took out is not shown.
void show(RunState& run, const std::string& text) {
  if (text.empty()) return;
  if (run.options.on_text) run.options.on_text(text);
  run.emit(EventKind::text_delta, [&](Event& event) { event.text = text; });
}

const context::WindowView& view_of(const RunState& run) {
  static const context::WindowView kWhole;
  return run.window ? run.window->state.view : kWhole;
}

void put_ids(ServedMessage& served, std::uint32_t index, const RunState& run) {
  const findings::ShortIds& ids = run.findings->desk.ids();
  if (const auto key = run.conversation.key_of_result(index)) {
    served.tool_call_id = ids.name_of(*key);
    return;
  }
  for (std::uint32_t c = 0; c < served.message->calls.size(); ++c) {
    served.call_ids.push_back(ids.name_of(CallKey{index, c, false}));
  }
}

void put_ticket(ServedMessage& served, std::uint32_t index, const findings::Tickets& tickets) {
  const auto ticket = tickets.find(index);
  served.content.reset();
  if (ticket != tickets.end()) served.content = json::Value(ticket->second);
}

// Short ids and tickets: on the messages that are new in the request, and where a ticket changed.
void dress_messages(RunState& run, const std::vector<std::uint32_t>& changed) {
  const findings::Tickets& tickets = run.findings->desk.tickets();
  for (std::size_t at = run.kept; at < run.served_as.size(); ++at) {
    const std::uint32_t index = run.served_as[at];
    if (index == kPiece) continue;
    put_ids(run.request->message(at), index, run);
    put_ticket(run.request->message(at), index, tickets);
  }
  const context::WindowView& view = view_of(run);
  const std::size_t dressed = run.kept;
  for (const std::uint32_t index : changed) {
    const std::size_t at = view.shown_before(index);
    if (!view.holds(index) || at >= dressed) continue;
    put_ticket(run.request->message(at), index, tickets);
    run.kept = std::min(run.kept, static_cast<std::uint32_t>(at));
  }
}

// The spans that a window leaves out.
std::vector<findings::MessageSpan> left_out(const RunState& run) {
  std::vector<findings::MessageSpan> spans;
  for (const context::WindowGap& gap : view_of(run).gaps()) {
    spans.push_back({gap.span.first, gap.span.last});
  }
  return spans;
}

// Short ids, tickets in place of judged results, planted schemas; the offer and the served ledger
// travel as the last piece, so that consecutive requests share their prefix.
std::string serve_findings(RunState& run, std::string piece) {
  RunFindings& own = *run.findings;
  const findings::RequestParts parts =
      own.desk.prepare(run.conversation, own.ledger, left_out(run));
  dress_messages(run, parts.changed);
  run.request->set_upstream_piece(parts.system.value_or(""));
  if (!run.wrap_up_asked && (!run.planted || !parts.schema_offer.empty())) {
    auto schemas = std::make_shared<std::vector<ToolSchema>>(*run.config().schemas);
    for (ToolSchema& schema : *schemas) {
      schema.input_schema = own.desk.tool_schema(schema.input_schema);
    }
    run.planted = std::move(schemas);
  }
  if (!run.wrap_up_asked) run.request->set_tools(run.planted);
  if (!parts.last) return piece;
  return piece.empty() ? *parts.last : *parts.last + "\n\n" + piece;
}

// A response that is no answer: the stream ended early, or the provider withheld it.
void require_complete(const RunState& run) {
  if (!run.response.complete) {
    throw ModelError(ModelError::Kind::protocol,
                     "the model's stream ended before the answer was complete", true);
  }
}

// The view of the conversation: what is new in it, or all of it when a window has moved.
void serve_messages(RunState& run) {
  if (run.window && run.window->moved) {
    run.window->moved = false;
    run.request->clear_messages();
    run.served_as.clear();
    run.served = 0;
  }
  run.kept = static_cast<std::uint32_t>(run.served_as.size());
  const context::WindowView& view = view_of(run);
  for (; run.served < run.conversation.size(); ++run.served) {
    if (const context::WindowGap* gap = view.gap_at(run.served)) {
      if (gap->piece) {
        run.request->add_message(gap->piece);
        run.served_as.push_back(kPiece);
      }
      run.served = gap->span.last - 1;
      continue;
    }
    run.request->add_message(run.conversation.share(run.served));
    run.served_as.push_back(run.served);
  }
}

}  // namespace

json::Value usage_json(const Usage& usage) {
  json::ObjectBuilder counts;
  counts.add_if("input", usage.input_tokens);
  counts.add_if("output", usage.output_tokens);
  counts.add_if("cacheRead", usage.cache_read_tokens);
  counts.add_if("cacheWrite", usage.cache_write_tokens);
  return counts.build();
}

void count_usage(RunState& run, const Usage& usage, const std::optional<Prices>& own_prices) {
  run.usage += usage;
  const auto& budget = run.config().cost;
  if (!budget || !budget->prices) return;
  const Prices& prices = own_prices ? *own_prices : *budget->prices;
  const auto priced = [](const std::optional<std::int64_t>& tokens, double price) {
    return tokens ? static_cast<double>(*tokens) * price : 0.0;
  };
  run.cost_usd += priced(usage.input_tokens, prices.input) +
                  priced(usage.output_tokens, prices.output) +
                  priced(usage.cache_read_tokens, prices.cache_read) +
                  priced(usage.cache_write_tokens, prices.cache_write);
  run.cost_known = true;
  if (run.cost_usd <= budget->usd || run.cost_hit) return;
  run.cost_hit = true;
  json::Value detail;
  run.emit(EventKind::budget, [&](Event& event) {
    event.name = "cost";
    event.text = budget->halt ? "halt" : "warn";
    detail = json::object({{"limit", budget->usd}, {"actual", run.cost_usd}});
    event.detail = &detail;
  });
}

void prepare_request(RunState& run) {
  const AgentConfig& config = run.config();
  if (!run.request) {
    run.request.emplace(config.model_name);
    run.request->add_system(config.system);
    if (config.findings) {
      run.request->add_system(
          findings::findings_instruction(*config.findings, config.gate.has_value()));
    }
    run.request->temperature = config.temperature;
    run.request->max_tokens = config.max_tokens;
  }
  serve_messages(run);
  check_grounds_in_view(run);
  run.request->set_tools(run.wrap_up_asked ? nullptr : config.schemas);
  run.request->set_last_piece(run.findings ? serve_findings(run, last_piece(run))
                                           : last_piece(run));
  run.next_notes.clear();
  run.correction.clear();
  run.on_request();
}

Task<void> call_model(RunState& run) {
  run.emit(EventKind::model_start, [&](Event& event) {
    event.name = run.config().model->provider_id();
    event.number = static_cast<std::int64_t>(run.request->messages().size());
  });
  TextSink sink;
  std::shared_ptr<findings::AnswerScanner> scanner;
  if (run.findings) scanner = std::make_shared<findings::AnswerScanner>();
  const bool events_want =
      run.options.events != nullptr && run.options.events->wants(EventKind::text_delta);
  if (run.options.on_text || events_want) {
    sink = [&run, scanner](std::string_view delta) {
      show(run, scanner ? scanner->feed(delta) : std::string(delta));
    };
  }
  run.request->on_attempt = [&run](const ModelAttempt& attempt) {
    run.emit(EventKind::model_retry, [&](Event& event) {
      event.name = attempt.provider;
      event.text = attempt.error;
      event.number = attempt.delay_ms;
    });
  };
  run.response = co_await run.config().model->complete(*run.request, run.cancel.token(), sink);
  if (sink && scanner) show(run, scanner->end());
  count_usage(run, run.response.usage, std::nullopt);
  note_measured(run);
  json::Value detail;
  run.emit(EventKind::model_end, [&](Event& event) {
    event.text = name_of(run.response.stop_reason);
    event.number = static_cast<std::int64_t>(run.response.calls.size());
    detail = usage_json(run.response.usage);
    event.detail = &detail;
  });
  require_complete(run);
}

}  // namespace agentfootprint::internal
