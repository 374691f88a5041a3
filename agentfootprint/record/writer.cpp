// Lines of a footprint, appended to a block as text.
#include "agentfootprint/record/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/record/internal/base64.hpp"
#include "agentfootprint/record/reader.hpp"

namespace agentfootprint {
namespace {

constexpr std::size_t kMostReserved = std::size_t{8} << 10;

void append_number(std::string& out, std::uint64_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

// Keys are ours and need no escapes.
void add_key(std::string& out, std::string_view key) {
  out += ",\"";
  out += key;
  out += "\":";
}

}  // namespace

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
  begin_line(kind);
}

void RecordWriter::begin_line(std::string_view kind) {
  // Blocks are of a size mostly; an empty one holds nothing while nothing is written.
  if (block_.empty()) block_.reserve(last_block_);
  block_ += "{\"seq\":";
  append_number(block_, seq_++);
  block_ += ",\"kind\":\"";
  block_ += kind;
  block_ += '"';
}

void RecordWriter::text_member(std::string_view key, std::string_view value) {
  add_key(block_, key);
  json::append_quoted(block_, value);
}

void RecordWriter::hash_member(std::string_view key, const Digest256& value) {
  add_key(block_, key);
  block_ += '"';
  block_ += to_hex(value);
  block_ += '"';
}

void RecordWriter::number_member(std::string_view key, std::uint64_t value) {
  add_key(block_, key);
  append_number(block_, value);
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
  hash_member("sha256", digest);
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
  last_items_.clear();
  if (content) last_items_.push_back(*content);
  const std::size_t first = last_items_.size();
  for (const ToolCall& call : message.calls) {
    last_items_.push_back(item(*call.arguments_text, {"arguments", call.name}));
  }
  begin("message");
  number_member("message", messages_);
  text_member("role", name_of(message.role));
  text_member("origin", name_of(message.origin));
  text_member("type", message.content.is_string() ? "text" : content ? "json" : "null");
  if (content) number_member("content", *content);
  for (std::size_t i = 0; i < message.calls.size(); ++i) {
    write_call(message.calls[i], last_items_[first + i], i == 0);
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

constexpr std::size_t kBases = 8;  // requests that a later one may name as its base

using Items = std::span<const ItemNumber>;

std::size_t shared_head(Items one, Items other) {
  const auto ends = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  return static_cast<std::size_t>(ends.first - one.begin());
}

// A view is base[0…keep) + add + base[keep+drop…).
struct Difference {
  std::size_t keep = 0;
  std::size_t drop = 0;
  Items add;
};

Difference difference(Items base, Items view) {
  Difference found;
  found.keep = shared_head(base, view);
  const std::size_t shorter = std::min(base.size(), view.size());
  std::size_t tail = 0;
  while (tail < shorter - found.keep &&
         base[base.size() - 1 - tail] == view[view.size() - 1 - tail]) {
    ++tail;
  }
  found.drop = base.size() - found.keep - tail;
  found.add = view.subspan(found.keep, view.size() - found.keep - tail);
  return found;
}

}  // namespace

std::vector<ItemNumber> RecordWriter::items_of(const View& view) const {
  std::vector<ItemNumber> items(trunk_.items.begin(),
                                trunk_.items.begin() + static_cast<std::ptrdiff_t>(view.head));
  items.insert(items.end(), view.tail.begin(), view.tail.end());
  return items;
}

// The trunk becomes its first `kept` items and those given. What the last few views lose of it goes
// into their tails, so that a request costs what is new in it.
void RecordWriter::grow_trunk(std::span<const ItemNumber> items, std::size_t kept) {
  const auto lost = trunk_.items.begin() + static_cast<std::ptrdiff_t>(kept);
  for (std::size_t i = views_.size() < kBases ? 0 : views_.size() - kBases; i < views_.size();
       ++i) {
    View& view = views_[i];
    if (view.head <= kept) continue;
    view.tail.insert(view.tail.begin(), lost,
                     trunk_.items.begin() + static_cast<std::ptrdiff_t>(view.head));
    view.head = kept;
  }
  trunk_.items.resize(kept);
  trunk_.hashes.resize(kept);
  for (const ItemNumber item : items) {
    const Digest256 before = trunk_.hashes.empty() ? kFootprintZero : trunk_.hashes.back();
    trunk_.items.push_back(item);
    trunk_.hashes.push_back(view_hash({&digests_[item], 1}, before));
  }
}

std::uint32_t RecordWriter::request(const ServedRequest& request) {
  if (request.base && (*request.base >= views_.size() || *request.base + kBases < views_.size())) {
    throw Error("record-base",
                "the base of a request must be one of the last 8 requests of this record");
  }
  if (request.keep > trunk_.items.size()) {
    throw Error("record-base", "a request cannot keep more items than the one before it has");
  }
  std::vector<ItemNumber> items = request.numbers;
  for (const std::string_view bytes : request.items) items.push_back(item(bytes, {"request", ""}));
  std::optional<ItemNumber> parameters = request.parameters_number;
  if (request.parameters) parameters = item(json::dump(*request.parameters), {"parameters", ""});
  const auto number = static_cast<std::uint32_t>(views_.size());
  // The usual base is the request before, which is the trunk as it stands.
  const Items behind = Items(trunk_.items).subspan(request.keep);
  std::vector<ItemNumber> base;
  std::vector<ItemNumber> whole;
  Difference shown;
  if (request.base && *request.base + 1 == number) {
    shown = difference(behind, items);
    shown.keep += request.keep;
  } else {
    if (request.base) base = items_of(views_[*request.base]);
    whole.assign(trunk_.items.begin(), trunk_.items.end() - std::ssize(behind));
    whole.insert(whole.end(), items.begin(), items.end());
    shown = difference(base, whole);
  }
  begin("request");
  number_member("request", number);
  if (!request.model.empty()) text_member("model", request.model);
  if (request.base) number_member("base", *request.base);
  number_member("keep", shown.keep);
  number_member("drop", shown.drop);
  block_ += ",\"add\":[";
  for (const ItemNumber added : shown.add) {
    if (block_.back() != '[') block_ += ',';
    append_number(block_, added);
  }
  block_ += ']';
  if (parameters) number_member("parameters", *parameters);
  const std::size_t head = shared_head(behind, items);
  grow_trunk(Items(items).subspan(head), request.keep + head);
  hash_member("hash", trunk_.hashes.empty() ? kFootprintZero : trunk_.hashes.back());
  finish_line();
  views_.push_back(View{trunk_.items.size(), {}});
  if (views_.size() > kBases) views_[views_.size() - kBases - 1] = View();
  return number;
}

// The lines whose members are the caller's.
void RecordWriter::begin_free(std::string_view kind) {
  if (kind != "row" && kind != "verdict" && kind != "event" && kind != "commit") {
    throw Error("record-kind", fmt::format("a line of kind \"{}\" is not written this way", kind));
  }
  begin(kind);
}

void RecordWriter::line(std::string_view kind, const json::Value& members) {
  begin_free(kind);
  for (const json::Member& member : members.members()) {
    if (member.key() != "seq" && member.key() != "kind") value_member(member.key(), member.value);
  }
  finish_line();
}

void RecordWriter::line_of_text(std::string_view kind, std::string_view members) {
  begin_free(kind);
  if (!members.empty()) block_.append(1, ',').append(members);
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
  return text.empty() || text.back() == '\n' ? "" : "~\n";
}

void RecordWriter::flush(bool durable) {
  if (block_.empty()) return;
  chain_ = chain_hash(chain_, block_);
  begin_line("chain");
  hash_member("hash", chain_);
  block_ += "}\n";
  // Blocks of two sizes take turns: before a request, and before the tools of a batch.
  last_block_ = std::max(block_.size() + block_.size() / 8, last_block_ - last_block_ / 8);
  last_block_ = std::min(last_block_, kMostReserved);
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
