// The run's side of the record: lines as the run goes, each content once, requests as what changed.
#include "agentfootprint/agent/internal/run_record.hpp"

#include <fmt/format.h>

#include "agentfootprint/agent/internal/run_state.hpp"
#include "agentfootprint/base/hash.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::internal {

RunRecord::RunRecord(RecordSink& sink, const std::string& run, const Clock& clock)
    : writer_(sink, RecordWriterOptions(run, clock)) {}

// Messages up to the end of the conversation that are not in the record yet.
void RunRecord::follow(const Conversation& conversation) {
  for (; written_ < conversation.size(); ++written_) {
    writer_.message(conversation[written_], conversation.key_of_result(written_));
    const std::vector<ItemNumber>& items = writer_.last_message_items();
    items_.insert(items_.end(), items.begin(), items.end());
    ends_.push_back(static_cast<std::uint32_t>(items_.size()));
  }
}

// What a message is served as: its own items, or the text in its place.
void RunRecord::add_message(std::vector<ItemNumber>& numbers, const ServedMessage& message,
                            std::uint32_t index) {
  if (index == kPiece || (message.content && message.content->is_string())) {
    const auto text = message.served_content().as_string();
    numbers.push_back(writer_.item(text.value_or(""), ItemUse{"request", ""}));
    return;
  }
  const auto first = items_.begin() + (index == 0 ? 0 : ends_[index - 1]);
  numbers.insert(numbers.end(), first, items_.begin() + ends_[index]);
}

void RunRecord::request(const ModelRequest& request, const std::vector<std::uint32_t>& served_as,
                        std::size_t kept) {
  ServedRequest served;
  served.model = request.model();
  const auto text_item = [this](const std::string& text) {
    return writer_.item(text, ItemUse{"request", ""});
  };
  // A request's own system pieces stay as they are. The upstream piece stands before the messages
  // and changes from call to call: then nothing behind it is kept.
  const bool upstream_piece = !request.upstream_piece().empty();
  if (upstream_piece || had_upstream_piece_) kept = 0;
  had_upstream_piece_ = upstream_piece;
  view_ends_.resize(kept);
  served.keep = kept == 0 ? 0 : view_ends_.back();
  if (served.keep == 0) {
    for (const std::string& piece : request.system()) served.numbers.push_back(text_item(piece));
    if (upstream_piece) served.numbers.push_back(text_item(request.upstream_piece()));
  }
  for (std::size_t i = kept; i < served_as.size(); ++i) {
    add_message(served.numbers, request.messages()[i], served_as[i]);
    view_ends_.push_back(static_cast<std::uint32_t>(served.keep + served.numbers.size()));
  }
  if (!request.last_piece().empty()) served.numbers.push_back(text_item(request.last_piece()));
  // The parameters mostly stay: their text is made when they change.
  const Parameters parameters{request.tools().size(), request.temperature, request.max_tokens};
  if (!parameters_item_ || !(parameters == parameters_)) {
    json::ObjectBuilder built;
    built.add("tools", parameters.tools);
    if (parameters.temperature) built.add("temperature", *parameters.temperature);
    built.add_if("maxTokens", parameters.max_tokens);
    parameters_ = parameters;
    parameters_item_ = writer_.item(json::dump(built.build()), ItemUse{"parameters", ""});
  }
  served.parameters_number = parameters_item_;
  if (requests_ > 0) served.base = requests_ - 1;
  requests_ = writer_.request(served) + 1;
}

namespace {

constexpr std::size_t kUsualCommitBytes = 512;
constexpr std::size_t kInlineBytes = 64;  // longer values of a commit stand in items, each once

// Members are written as text: four of these lines stand in the record for each step of the loop.
void add_text(std::string& out, std::string_view key, std::string_view value) {
  out.append(out.empty() || out.back() == '{' ? "\"" : ",\"").append(key).append("\":");
  json::append_quoted(out, value);
}

void add_number(std::string& out, std::string_view key, std::uint64_t value) {
  out.append(out.empty() || out.back() == '{' ? "\"" : ",\"").append(key).append("\":");
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.size());
}

void add_reads(std::string& out, const flow::RowView& row) {
  out.append(",\"reads\":[");
  for (const flow::ReadRecord& read : row.reads()) {
    if (out.back() != '[') out.push_back(',');
    out.push_back('{');
    add_text(out, "key", read.pointer);
    if (read.own) out.append(",\"own\":true");
    if (!read.present) out.append(",\"absent\":true");
    if (read.writer) add_number(out, "from", *read.writer);
    out.push_back('}');
  }
  out.push_back(']');
}

void add_write(std::string& out, const flow::WriteRecord& write, RecordWriter& writer) {
  out.push_back('{');
  add_text(out, "key", write.pointer);
  add_text(out, "verb", flow::name_of(write.verb));
  if (write.verb != flow::Verb::erase) {
    const auto text = write.value.as_string();
    const std::string dumped = text ? std::string() : json::dump(write.value);
    const std::string_view bytes = text ? *text : std::string_view(dumped);
    if (bytes.size() > kInlineBytes) {
      add_number(out, "item", writer.item(bytes, ItemUse{"content", ""}));
      if (!text) add_text(out, "type", "json");
    } else if (text) {
      add_text(out, "value", bytes);
    } else {
      out.append(",\"value\":").append(bytes);
    }
  }
  out.push_back('}');
}

}  // namespace

void RunRecord::commit(const flow::RowView& row) {
  std::string line;
  line.reserve(kUsualCommitBytes);
  add_number(line, "row", row.index());
  add_text(line, "stage", row.id());
  add_text(line, "type", flow::name_of(row.kind()));
  if (row.status() != flow::RowStatus::done) add_text(line, "status", flow::name_of(row.status()));
  if (row.read_count() > 0) add_reads(line, row);
  if (row.write_count() > 0) {
    line.append(",\"writes\":[");
    for (const flow::WriteRecord& write : row.writes()) {
      if (line.back() != '[') line.push_back(',');
      add_write(line, write, writer_);
    }
    line.push_back(']');
  }
  if (row.governor()) add_number(line, "governor", *row.governor());
  writer_.line_of_text("commit", line);
}

void RunState::open() {
  register_checks(*this);
  if (!options.record) return;
  record.emplace(*options.record, run_id, *clock);
  record->follow(conversation);
  // Who wrote a piece of a request is not in the piece: the application's own words are its supply,
  // the library's are nobody's.
  if (!config().system.empty()) {
    const ItemNumber item = record->writer().item(config().system, ItemUse{"request", ""});
    record_row("row", json::object({{"row", "supplied"}, {"by", "app"}, {"item", item}}));
  }
  // Rows of earlier turns, so that towers that cross turns can be read from this record alone.
  for (const json::Value& row : finding_rows()) {
    record_row("row", json::object({{"row", "findings"}, {"value", row}}));
  }
}

void RunState::on_request() {
  if (!record) return;
  record->follow(conversation);
  record->request(*request, served_as, kept);
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
  if (call.served_as_returned && *call.served_as_returned == hash64(call.served)) return;
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
