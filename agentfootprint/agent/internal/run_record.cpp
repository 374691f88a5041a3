// The run's side of the record: lines as the run goes, each content once, requests as what changed.
#include "agentfootprint/agent/internal/run_record.hpp"

#include "agentfootprint/agent/internal/run_state.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::internal {

RunRecord::RunRecord(std::shared_ptr<RecordSink> sink, const std::string& run, const Clock& clock)
    : sink_(std::move(sink)), writer_(*sink_, RecordWriterOptions(run, clock)) {}

// Messages up to the end of the conversation that are not in the record yet.
void RunRecord::follow(const Conversation& conversation) {
  for (; written_ < conversation.size(); ++written_) {
    writer_.message(conversation[written_], conversation.key_of_result(written_));
    items_.push_back(writer_.last_message_items());
  }
}

void RunRecord::request(const ModelRequest& request, const std::vector<std::uint32_t>& served_as) {
  ServedRequest served;
  served.model = request.model();
  for (const std::string& piece : request.system()) {
    served.numbers.push_back(writer_.item(piece, ItemUse{"request", ""}));
  }
  for (std::size_t i = 0; i < served_as.size(); ++i) {
    const ServedMessage& message = request.messages()[i];
    if (served_as[i] == kPiece || (message.content && message.content->is_string())) {
      const auto text = message.served_content().as_string();
      served.numbers.push_back(writer_.item(text.value_or(""), ItemUse{"request", ""}));
    } else {
      const std::vector<ItemNumber>& items = items_[served_as[i]];
      served.numbers.insert(served.numbers.end(), items.begin(), items.end());
    }
  }
  if (!request.last_piece().empty()) {
    served.numbers.push_back(writer_.item(request.last_piece(), ItemUse{"request", ""}));
  }
  json::ObjectBuilder parameters;
  parameters.add("tools", request.tools().size());
  if (request.temperature) parameters.add("temperature", *request.temperature);
  parameters.add_if("maxTokens", request.max_tokens);
  served.parameters = parameters.build();
  served.base = last_request_;
  last_request_ = writer_.request(served);
}

void RunState::open() {
  if (!options.record) return;
  record.emplace(options.record, run_id, *clock);
  record->follow(conversation);
}

void RunState::on_request() {
  if (!record) return;
  record->follow(conversation);
  record->request(*request, served_as);
  record->writer().flush();
}

void RunState::on_assistant(std::uint32_t) {
  if (record) record->follow(conversation);
}

void RunState::on_result(std::uint32_t, const CallState& call) {
  if (!record) return;
  record->follow(conversation);
  // What the model was served stands in the message; the whole value beside it when that is more.
  if (call.full.is_string() || call.refused_by_ceiling || call.described) return;
  const std::string whole = json::dump(call.full);
  if (whole == call.served) return;
  json::ObjectBuilder row;
  row.add("row", "returned")
      .add("call", to_json(call.key))
      .add("item", record->writer().item(whole, ItemUse{"content", call.wire.name}));
  record->writer().line("row", row.build());
}

void RunState::record_row(std::string_view kind, const json::Value& members) {
  if (record) record->writer().line(kind, members);
}

void RunState::close_record() {
  if (!record || !outcome) return;
  record->follow(conversation);
  for (const json::Value& row : middleware_rows) {
    record->writer().line("row", json::object({{"row", "middleware"}, {"value", row}}));
  }
  for (const json::Value& row : coverage_rows) {
    record->writer().line("row", json::object({{"row", "coverage"}, {"value", row}}));
  }
  for (const CheckRow& check : checks) {
    json::ObjectBuilder row;
    row.add("row", "check")
        .add("check", check.check)
        .add("outcome", name_of(check.outcome))
        .add("fired", check.fired)
        .add("passed", check.passed);
    if (!check.note.empty()) row.add("note", check.note);
    record->writer().line("row", row.build());
  }
  if (!gate_verdict.is_null()) record->writer().line("verdict", gate_verdict);
  static constexpr std::string_view kEnds[] = {"complete", "paused", "stopped", "failed"};
  record->writer().end(kEnds[outcome->index()]);
}

}  // namespace agentfootprint::internal
