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

namespace {

constexpr std::size_t kInlineBytes = 64;  // longer values of a commit stand in items, each once

json::Value reads_of(const flow::RowView& row) {
  json::ArrayBuilder reads;
  for (const flow::ReadRecord& read : row.reads()) {
    json::ObjectBuilder one;
    one.add("key", read.pointer);
    if (read.own) one.add("own", true);
    if (!read.present) one.add("absent", true);
    if (read.writer) one.add("from", *read.writer);
    reads.add(one.build());
  }
  return reads.build();
}

}  // namespace

void RunRecord::commit(const flow::RowView& row) {
  json::ArrayBuilder writes;
  for (const flow::WriteRecord& write : row.writes()) {
    json::ObjectBuilder one;
    one.add("key", write.pointer).add("verb", flow::name_of(write.verb));
    if (write.verb != flow::Verb::erase) {
      const auto text = write.value.as_string();
      const std::string bytes = text ? std::string(*text) : json::dump(write.value);
      if (bytes.size() <= kInlineBytes) {
        one.add("value", write.value);
      } else {
        one.add("item", writer_.item(bytes, ItemUse{"content", ""}));
        if (!text) one.add("type", "json");
      }
    }
    writes.add(one.build());
  }
  json::ObjectBuilder line;
  line.add("row", row.index()).add("stage", row.id()).add("type", flow::name_of(row.kind()));
  if (row.status() != flow::RowStatus::done) line.add("status", flow::name_of(row.status()));
  if (row.read_count() > 0) line.add("reads", reads_of(row));
  if (row.write_count() > 0) line.add("writes", writes.build());
  if (row.governor()) line.add("governor", *row.governor());
  writer_.line("commit", line.build());
}

void RunState::open() {
  register_checks(*this);
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
    if (check.did_not_apply > 0) row.add("notApplicable", check.did_not_apply);
    if (check.could_not > 0) row.add("couldNotRun", check.could_not);
    if (!check.note.empty()) row.add("note", check.note);
    record->writer().line("row", row.build());
  }
  if (!gate_verdict.is_null()) record->writer().line("verdict", gate_verdict);
  static constexpr std::string_view kEnds[] = {"complete", "paused", "stopped", "failed"};
  record->writer().end(kEnds[outcome->index()]);
}

}  // namespace agentfootprint::internal
