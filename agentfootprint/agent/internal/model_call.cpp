// Requests grow with the conversation: what was served before is kept, only the new is added.
#include "agentfootprint/agent/internal/model_call.hpp"

#include <boost/asio/this_coro.hpp>

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

void count_usage(RunState& run) {
  run.usage += run.response.usage;
  const auto& budget = run.config().cost;
  if (!budget || !budget->prices) return;
  const Usage& usage = run.response.usage;
  const Prices& prices = *budget->prices;
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
  run.emit(EventKind::budget, [&](Event& event) {
    event.name = "cost";
    event.text = budget->halt ? "halt" : "warn";
  });
}

// A response that is no answer: the stream ended early, or the provider withheld it.
void require_complete(const RunState& run) {
  if (!run.response.complete) {
    throw ModelError(ModelError::Kind::protocol,
                     "the model's stream ended before the answer was complete", true);
  }
}

}  // namespace

void prepare_request(RunState& run) {
  const AgentConfig& config = run.config();
  if (!run.request) {
    run.request.emplace(config.model_name);
    run.request->add_system(config.system);
    run.request->temperature = config.temperature;
    run.request->max_tokens = config.max_tokens;
  }
  for (; run.served < run.conversation.size(); ++run.served) {
    run.request->add_message(run.conversation.share(run.served));
  }
  run.request->set_tools(run.wrap_up_asked ? nullptr : config.schemas);
  run.request->set_last_piece(last_piece(run));
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
  const bool events_want =
      run.options.events != nullptr && run.options.events->wants(EventKind::text_delta);
  if (run.options.on_text || events_want) {
    sink = [&run](std::string_view delta) {
      if (run.options.on_text) run.options.on_text(delta);
      run.emit(EventKind::text_delta, [&](Event& event) { event.text = delta; });
    };
  }
  run.response = co_await run.config().model->complete(*run.request, run.cancel.token(), sink);
  count_usage(run);
  run.emit(EventKind::model_end, [&](Event& event) {
    event.text = name_of(run.response.stop_reason);
    event.number = static_cast<std::int64_t>(run.response.calls.size());
  });
  require_complete(run);
}

}  // namespace agentfootprint::internal
