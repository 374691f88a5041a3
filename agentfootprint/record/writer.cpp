// Lines of a footprint, appended to a block as text.
#include "agentfootprint/record/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/record/internal/base64.hpp"
#include "agentfootprint/record/reader.hpp"

namespace agentfootprint {

std::size_t RecordWriter::DigestHash::operator()(const Digest256& digest) const noexcept {
  std::size_t head = 0;
  std::memcpy(&head, digest.data(), sizeof head);
  return head;
}

RecordWriter::RecordWriter(RecordSink& sink, RecordWriterOptions options)
    : sink_(sink),
      options_(std::move(options)),
      chain_(options_.chain),
      seq_(options_.first_seq),
      messages_(options_.first_message) {
  write_header(options_.segment > 0);
}

void RecordWriter::begin(std::string_view kind) {
  if (ended_)
    throw Error("record-ended", "the record has ended: nothing may be written behind its end");
  fmt::format_to(std::back_inserter(block_), R"({{"seq":{},"kind":")", seq_++);
  block_ += kind;
  block_ += '"';
}

void RecordWriter::text_member(std::string_view key, std::string_view value) {
  fmt::format_to(std::back_inserter(block_), ",\"{}\":", key);
  json::append_quoted(block_, value);
}

void RecordWriter::number_member(std::string_view key, std::uint64_t value) {
  fmt::format_to(std::back_inserter(block_), ",\"{}\":{}", key, value);
}

void RecordWriter::value_member(std::string_view key, const json::Value& value) {
  block_ += ',';
  json::append_quoted(block_, key);
  block_ += ':';
  json::dump_to(block_, value);
}

void RecordWriter::finish_line() {
  block_ += "}\n";
  if (block_.size() >= options_.block_bytes) flush();
}

// A segment that goes on behind a torn tail says behind which good line and hash.
void RecordWriter::write_header(bool continued) {
  begin("header");
  text_member("format", kFootprintFormat);
  number_member("version", kFootprintVersion);
  text_member("run", options_.run);
  number_member("segment", options_.segment);
  text_member("createdAt", format_instant_utc(options_.clock->wall_ms()));
  if (continued) text_member("continues", to_hex(options_.chain));
  finish_line();
}

ItemNumber RecordWriter::item(std::string_view bytes, const ItemUse& use) {
  const Digest256 digest = sha256(bytes);
  const auto [known, fresh] = numbers_.emplace(digest, static_cast<ItemNumber>(digests_.size()));
  if (!fresh) return known->second;
  digests_.push_back(digest);
  begin("item");
  number_member("item", known->second);
  text_member("sha256", to_hex(digest));
  number_member("bytes", bytes.size());
  const auto reason = options_.redactor ? options_.redactor(bytes, use) : std::nullopt;
  if (reason) {
    text_member("redacted", *reason);
  } else if (utf8::is_valid(bytes)) {
    text_member("text", bytes);
  } else {
    text_member("base64", record::internal::base64_encode(bytes));
  }
  finish_line();
  return known->second;
}

void RecordWriter::write_call(const ToolCall& call, ItemNumber arguments, bool first) {
  block_ += first ? ",\"calls\":[{\"name\":" : ",{\"name\":";
  json::append_quoted(block_, call.name);
  if (call.wire_id) text_member("id", *call.wire_id);
  number_member("arguments", arguments);
  block_ += '}';
}

std::uint32_t RecordWriter::message(const Message& message,
                                    const std::optional<CallKey>& call_key) {
  const std::string_view tool = message.tool_name ? std::string_view(*message.tool_name) : "";
  std::optional<ItemNumber> content;
  if (message.content.is_string()) {
    content = item(*message.content.as_string(), {"content", tool});
  } else if (!message.content.is_null()) {
    content = item(json::dump(message.content), {"content", tool});
  }
  std::vector<ItemNumber> arguments;
  for (const ToolCall& call : message.calls) {
    arguments.push_back(item(*call.arguments_text, {"arguments", call.name}));
  }
  last_items_ = arguments;
  if (content) last_items_.insert(last_items_.begin(), *content);
  begin("message");
  number_member("message", messages_);
  text_member("role", name_of(message.role));
  text_member("origin", name_of(message.origin));
  text_member("type", message.content.is_string() ? "text" : content ? "json" : "null");
  if (content) number_member("content", *content);
  for (std::size_t i = 0; i < message.calls.size(); ++i) {
    write_call(message.calls[i], arguments[i], i == 0);
  }
  if (!message.calls.empty()) block_ += ']';
  if (message.tool_call_id) text_member("toolCallId", *message.tool_call_id);
  if (message.tool_name) text_member("toolName", *message.tool_name);
  if (message.is_result()) {
    if (call_key && !call_key->orphan) value_member("call", to_json(*call_key));
    text_member("status", name_of(message.status));
    if (!message.dispatched) value_member("dispatched", json::Value(false));
  }
  finish_line();
  return messages_++;
}

namespace {

// What two item lists share at their ends: base[0…keep) and the last `tail` items.
struct SharedEnds {
  std::size_t keep = 0;
  std::size_t tail = 0;
};

SharedEnds shared_ends(const std::vector<ItemNumber>& base, const std::vector<ItemNumber>& view) {
  SharedEnds shared;
  const std::size_t shorter = std::min(base.size(), view.size());
  while (shared.keep < shorter && base[shared.keep] == view[shared.keep]) ++shared.keep;
  while (shared.tail < shorter - shared.keep &&
         base[base.size() - 1 - shared.tail] == view[view.size() - 1 - shared.tail]) {
    ++shared.tail;
  }
  return shared;
}

}  // namespace

// Hashes of a shared prefix are taken over, so that a request costs what is new in it.
RecordWriter::View RecordWriter::view_of(std::vector<ItemNumber> items, const View& base,
                                         std::size_t keep) const {
  View view;
  view.items = std::move(items);
  view.hashes.assign(base.hashes.begin(), base.hashes.begin() + static_cast<std::ptrdiff_t>(keep));
  for (std::size_t i = keep; i < view.items.size(); ++i) {
    const Digest256 before = i == 0 ? kFootprintZero : view.hashes[i - 1];
    view.hashes.push_back(view_hash({digests_[view.items[i]]}, before));
  }
  return view;
}

// The view is base[0…keep) + add + base[keep+drop…).
std::uint32_t RecordWriter::request(const ServedRequest& request) {
  constexpr std::size_t kBases = 8;
  if (request.base && (*request.base >= views_.size() || *request.base + kBases < views_.size())) {
    throw Error("record-base",
                "the base of a request must be one of the last 8 requests of this record");
  }
  std::vector<ItemNumber> items = request.numbers;
  for (const std::string_view bytes : request.items) items.push_back(item(bytes, {"request", ""}));
  std::optional<ItemNumber> parameters;
  if (request.parameters) parameters = item(json::dump(*request.parameters), {"parameters", ""});
  const View none;
  const View& base = request.base ? views_[*request.base] : none;
  const SharedEnds shared = shared_ends(base.items, items);
  View view = view_of(std::move(items), base, shared.keep);
  const auto number = static_cast<std::uint32_t>(views_.size());
  begin("request");
  number_member("request", number);
  if (!request.model.empty()) text_member("model", request.model);
  if (request.base) number_member("base", *request.base);
  number_member("keep", shared.keep);
  number_member("drop", base.items.size() - shared.keep - shared.tail);
  const auto first = view.items.begin() + static_cast<std::ptrdiff_t>(shared.keep);
  const auto last = view.items.end() - static_cast<std::ptrdiff_t>(shared.tail);
  fmt::format_to(std::back_inserter(block_), ",\"add\":[{}]", fmt::join(first, last, ","));
  if (parameters) number_member("parameters", *parameters);
  text_member("hash", to_hex(view.hashes.empty() ? kFootprintZero : view.hashes.back()));
  finish_line();
  views_.push_back(std::move(view));
  if (views_.size() > kBases) views_[views_.size() - kBases - 1] = View();
  return number;
}

void RecordWriter::line(std::string_view kind, const json::Value& members) {
  if (kind != "row" && kind != "verdict" && kind != "event" && kind != "commit") {
    throw Error("record-kind", fmt::format("a line of kind \"{}\" is not written this way", kind));
  }
  begin(kind);
  for (const json::Member& member : members.members()) {
    if (member.key() != "seq" && member.key() != "kind") value_member(member.key(), member.value);
  }
  finish_line();
}

RecordWriterOptions continue_footprint(const Footprint& footprint, const Clock& clock) {
  RecordWriterOptions options(footprint.run, clock);
  options.first_seq = footprint.next_seq;
  options.first_message = footprint.next_message;
  options.segment = footprint.segments;
  options.chain = footprint.chain;
  return options;
}

std::string_view footprint_gap(std::string_view text) noexcept {
  return text.empty() || text.back() == '\n' ? "" : "\n";
}

void RecordWriter::flush(bool durable) {
  if (block_.empty()) return;
  chain_ = chain_hash(chain_, block_);
  fmt::format_to(std::back_inserter(block_), "{{\"seq\":{},\"kind\":\"chain\",\"hash\":\"{}\"}}\n",
                 seq_++, to_hex(chain_));
  sink_.write(std::exchange(block_, std::string()), durable);
}

void RecordWriter::end(std::string_view status) {
  begin("end");
  text_member("status", status);
  text_member("at", format_instant_utc(options_.clock->wall_ms()));
  number_member("messages", messages_);
  block_ += "}\n";
  ended_ = true;
  flush(true);
}

}  // namespace agentfootprint
