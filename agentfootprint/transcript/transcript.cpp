// The transcript reader: items in, conversations out.
#include "agentfootprint/transcript/transcript.hpp"

#include <fmt/format.h>

#include <deque>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/record/reader.hpp"
#include "agentfootprint/transcript/internal/assembler.hpp"
#include "agentfootprint/transcript/internal/claude_code.hpp"
#include "agentfootprint/transcript/internal/item_reader.hpp"
#include "agentfootprint/transcript/internal/shape.hpp"
#include "agentfootprint/transcript/internal/swe_agent.hpp"

namespace agentfootprint {

using transcript::internal::add_gap;
using transcript::internal::Assembler;
using transcript::internal::body_of;
using transcript::internal::ByteSource;
using transcript::internal::ClaudeCodeReader;
using transcript::internal::FileSource;
using transcript::internal::Item;
using transcript::internal::ItemReader;
using transcript::internal::Layout;
using transcript::internal::request_of;
using transcript::internal::Shape;
using transcript::internal::shape_of;
using transcript::internal::TextSource;

namespace {

constexpr std::size_t kMaxUnknownItems = 16;

constexpr std::string_view kStreamed =
    "pieces of a streamed response (choices[].delta), which are not put together here: log the "
    "message they make";

bool is_event_stream(std::string_view text) {
  return text.starts_with("data:") || text.starts_with("event:");
}

// Was the response also written as the last message of its conversation?
bool is_last_of(const json::Value& messages, const json::Value& response) {
  if (messages.empty()) return false;
  const json::Value& last = messages.elements().back();
  const json::Value* text = last.find("content");
  const json::Value* again = response.find("content");
  return text != nullptr && again != nullptr && !text->is_null() && *text == *again &&
         transcript::internal::text_member(last, "role") == "assistant";
}

bool names_lines(std::string_view name) {
  return name.ends_with(".jsonl") || name.ends_with(".ndjson");
}

std::string known_shapes() {
  std::string text;
  for (const TranscriptFormat& format : transcript_formats()) {
    text += fmt::format("\n  {:<20} {}", format.name, format.shape);
  }
  return text;
}

}  // namespace

const std::vector<TranscriptFormat>& transcript_formats() {
  static const std::vector<TranscriptFormat> formats{
      {"openai-chat",
       "an array of {role, content}, an object with `messages`, or one message or conversation a "
       "line; {request, response}"},
      {"anthropic-messages",
       "the same with tool_use and tool_result blocks; request and response bodies"},
      {"tau-bench", "an array of objects with `traj`"},
      {"claude-code", "session lines with `type`, `uuid`, `message`"},
      {"swe-agent", "an object with `history` and `trajectory` (.traj)"},
      {"footprint", "a record of our own (.footprint.jsonl)"},
      {"agent-log", "an object with `history` of plain messages: no structured evidence"},
  };
  return formats;
}

std::string gap_text(const Gap& gap) {
  std::string text = gap.damage ? "damage: " : "note: ";
  text += utf8::printable(gap.message);
  if (gap.count > 1) text += fmt::format(" ({} times)", gap.count);
  if (!gap.where.empty()) {
    text += fmt::format(", {}{}", gap.count > 1 ? "first at " : "", utf8::printable(gap.where));
  }
  return text;
}

std::size_t Transcript::call_count() const {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < conversation.size(); ++i) count += conversation[i].calls.size();
  return count;
}

struct TranscriptReader::State {
  State(std::unique_ptr<ByteSource> bytes, TranscriptOptions wanted)
      : source(std::move(bytes)),
        options(std::move(wanted)),
        items(*source, names_lines(options.name)) {}

  void step();
  void check_head();
  void take(const Item& item);
  void take_value(const json::Value& value, const Item& item);
  void take_unknown(const json::Value& value, const Item& item);
  bool take_footprint(const Item& item);
  void emit_footprint();
  std::optional<json::Value> parse(const Item& item);
  std::optional<json::Value> damaged(const Item& item, const json::ParseError& error);
  void garbage(const Item& item);
  void cut(const Item& item);
  void finish();

  void take_chat(const json::Value& chat);
  void take_message(const json::Value& message);
  void take_reply(const json::Value& logged);
  void take_reply_beside(const json::Value& chat);
  void take_response(const json::Value& assistant, bool anthropic);
  void take_openai_response(const json::Value& body);
  void take_tau(const json::Value& run);
  void take_list(const json::Value& messages);
  void flush_messages();
  void flush_chat();
  void emit(Transcript transcript);
  void emit_chat(Assembler& assembler, bool anthropic, std::string label);
  void check_format(std::string_view found) const;
  void check_line_shape(const json::Value& first) const;
  [[nodiscard]] std::string where(const Item& item) const;
  [[nodiscard]] std::string next_label();

  std::unique_ptr<ByteSource> source;
  TranscriptOptions options;
  ItemReader items;
  std::deque<Transcript> ready;
  std::vector<Gap> gaps;
  bool begun = false;
  bool done = false;
  std::uint64_t recognised = 0;
  std::uint64_t conversations = 0;
  std::string first_unknown;  // description of the first item of no known shape
  std::string first_damage;   // the first item that was not JSON
  std::string first_foreign;  // description of the first item among messages that is none
  std::size_t unknown = 0;
  Assembler messages;  // messages that come one an item
  std::uint64_t message_items = 0;
  std::optional<ClaudeCodeReader> claude;
  std::optional<RecordReader> footprint;
  // The last conversation object: a response may follow it, or a request that contains it.
  struct HeldChat {
    json::Value messages;
    Assembler assembler;
    bool anthropic = false;
    bool request = false;
  };
  std::optional<HeldChat> held;
};

// Whole documents hold one conversation and need no number.
std::string TranscriptReader::State::next_label() {
  ++conversations;
  if (items.layout() == Layout::whole) return "";
  return fmt::format("#{}", conversations);
}

std::string TranscriptReader::State::where(const Item& item) const {
  return item.line > 0 ? fmt::format("line {}", item.line) : fmt::format("byte {}", item.byte);
}

void TranscriptReader::State::check_format(std::string_view found) const {
  if (options.format.empty() || options.format == found) return;
  throw Error("transcript-format",
              fmt::format("the input has the shape of {}, not of {}: leave --format out", found,
                          options.format));
}

// A first line that is plainly another format's; odd lines are let through.
void TranscriptReader::State::check_line_shape(const json::Value& first) const {
  switch (shape_of(first)) {
    case Shape::message:
    case Shape::message_list:
    case Shape::chat:
    case Shape::openai_response:
      return check_format("openai-chat");
    case Shape::tau:
      return check_format("tau-bench");
    default:
      return;
  }
}

void TranscriptReader::State::emit(Transcript made) {
  if (!made.format.empty()) check_format(made.format);
  ready.push_back(std::move(made));
}

void TranscriptReader::State::emit_chat(Assembler& assembler, bool anthropic, std::string label) {
  const bool blocks = anthropic || assembler.saw_anthropic();
  Transcript made = assembler.finish();
  made.format = blocks ? "anthropic-messages" : "openai-chat";
  // The two are told apart by what they hold, so a conversation of plain messages may be called
  // either.
  if (options.format == "anthropic-messages" || options.format == "openai-chat") {
    made.format = options.format;
  }
  made.label = std::move(label);
  emit(std::move(made));
}

void TranscriptReader::State::check_head() {
  begun = true;
  const std::string_view head = items.peek();
  if (head.empty()) throw Error("transcript-empty", "the input is empty");
  const bool wide = head.size() > 1 && head[1] == '\0';
  if (!wide && (head[0] == '{' || head[0] == '[')) return;
  if (names_lines(options.name) && head.find('{') != std::string_view::npos) return;
  const std::string kind = transcript::internal::binary_kind(head);
  if (!kind.empty()) {
    throw Error("transcript-binary", fmt::format("the input is no transcript: it is {}", kind));
  }
  if (json::parse(head)) {
    throw Error("transcript-shape",
                "the input is a single JSON value, neither an object nor an array: no transcript");
  }
  if (is_event_stream(head)) {
    throw Error("transcript-syntax",
                "the input is a stream of server-sent events, which are not put together here: log "
                "the message they make");
  }
  throw Error("transcript-syntax",
              fmt::format("the input is not JSON: it starts with \"{}\"",
                          utf8::printable(utf8::clip(head.substr(0, head.find('\n')), 40))));
}

void TranscriptReader::State::step() {
  if (!begun) check_head();
  const Item item = items.next();
  switch (item.kind) {
    case Item::Kind::value:
      take(item);
      return;
    case Item::Kind::array_end:
      flush_messages();
      flush_chat();
      return;
    case Item::Kind::cut:
      cut(item);
      return;
    case Item::Kind::too_deep:
      done = true;
      throw Error("transcript-depth",
                  fmt::format("the input nests deeper than 10000 brackets, in the value at {}",
                              where(item)));
    case Item::Kind::garbage:
      return garbage(item);
    case Item::Kind::end:
      finish();
      return;
  }
}

// NUL bytes and the end mark of old editors behind the last value are no text.
void TranscriptReader::State::garbage(const Item& item) {
  done = true;
  if (item.text.starts_with('\0')) {
    add_gap(gaps, {"nul-bytes", "runs of NUL bytes stand where data should", where(item), 1, true});
    return finish();
  }
  if (item.text.starts_with('\x1a')) return finish();
  throw Error("transcript-syntax",
              fmt::format("\"{}\" at {} is no JSON value: nothing from there on was read",
                          utf8::printable(item.text), where(item)));
}

void TranscriptReader::State::cut(const Item& item) {
  done = true;
  const std::string text =
      fmt::format("the input ends inside a value that starts at {}", where(item));
  if (message_items == 0) {
    flush_chat();
    if (conversations == 0) throw Error("transcript-cut", text + ": nothing before it was whole");
    add_gap(gaps, {"cut", text, where(item), 1, true});
    return;
  }
  messages.gap("cut", text + ": what comes behind is missing", where(item), true);
  flush_messages();
}

void TranscriptReader::State::finish() {
  done = true;
  if (footprint) emit_footprint();
  flush_messages();
  flush_chat();
  if (claude) {
    for (Gap& gap : gaps) claude->gap(std::move(gap));
    gaps.clear();
    for (Transcript& made : claude->finish()) {
      if (!made.conversation.empty()) emit(std::move(made));
    }
    claude.reset();
  }
  if (!ready.empty() || conversations > 0) return;
  if (!first_damage.empty()) throw Error("transcript-syntax", first_damage);
  if (!first_unknown.empty()) {
    throw Error("transcript-shape",
                fmt::format("the input has no known shape: it has {}.\nKnown shapes:{}",
                            first_unknown, known_shapes()));
  }
  throw Error("transcript-empty", "the input holds no conversation");
}

std::optional<json::Value> TranscriptReader::State::damaged(const Item& item,
                                                            const json::ParseError& error) {
  const bool lines = items.layout() == Layout::lines;
  if (lines && item.last_line_open && (recognised > 0 || claude)) {
    add_gap(gaps, {"torn-tail", "the last line is cut and was dropped", where(item), 1, false});
    return std::nullopt;
  }
  if (first_damage.empty()) first_damage = fmt::format("{}: {}", where(item), error.message());
  add_gap(gaps, {lines ? "damaged-line" : "damaged-item",
                 lines ? "lines that are not JSON; reading went on behind them"
                       : "items that are not JSON; reading went on behind them",
                 where(item), 1, true});
  return std::nullopt;
}

// Strictly first; then leniently, saying what was tolerated.
std::optional<json::Value> TranscriptReader::State::parse(const Item& item) {
  std::string_view text = item.text;
  const std::size_t nuls = text.find_first_not_of('\0');
  if (nuls != 0 && nuls != std::string_view::npos) {
    text.remove_prefix(nuls);
    add_gap(gaps, {"nul-bytes", "runs of NUL bytes stand where data should", where(item), 1, true});
  }
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (items.layout() == Layout::lines && last != std::string_view::npos && text[last] == ',') {
    text = text.substr(0, last);
    add_gap(gaps,
            {"tolerated", "trailing-comma in the JSON was read leniently", where(item), 1, false});
  }
  auto strict = json::parse(text);
  if (strict) return std::move(*strict);
  if (strict.error().code == "json-cut") return damaged(item, strict.error());
  auto lenient = json::parse_lenient(text);
  if (!lenient) return damaged(item, strict.error());
  for (const json::Tolerated& tolerated : lenient->tolerated) {
    add_gap(gaps, {"tolerated", fmt::format("{} in the JSON was read leniently", tolerated.what),
                   where(item), tolerated.count, false});
  }
  return std::move(lenient->value);
}

// A record is read by its own reader, from the bytes of its lines.
bool TranscriptReader::State::take_footprint(const Item& item) {
  if (!footprint && recognised == 0 && RecordReader::opens(item.text)) footprint.emplace();
  if (!footprint) return false;
  ++recognised;
  footprint->line(item.text, !item.last_line_open);
  return true;
}

void TranscriptReader::State::emit_footprint() {
  Footprint read = footprint->finish();
  footprint.reset();
  Transcript made;
  made.format = "footprint";
  made.conversation = std::move(read.conversation);
  made.lines = std::move(read.lines);
  for (const RecordNote& note : read.notes) {
    add_gap(made.gaps,
            {note.code, note.message, fmt::format("line {}", note.line), 1, note.damage});
  }
  if (!read.redacted.empty()) {
    add_gap(made.gaps, {"redacted", "items were taken out by a redactor and could not be checked",
                        "", read.redacted.size(), false});
  }
  if (read.end_status.empty()) {
    add_gap(made.gaps,
            {"no-end", "the record has no end: the run goes on, or it was cut", "", 1, false});
  }
  for (const Gap& gap : made.gaps) made.incomplete |= gap.damage;
  ++conversations;
  emit(std::move(made));
}

void TranscriptReader::State::take(const Item& item) {
  if (take_footprint(item)) return;
  if (item.text.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const auto value = parse(item);
  if (!value) return;
  if (recognised == 0 && options.format == "claude-code") check_line_shape(*value);
  if (claude || (recognised == 0 && options.format == "claude-code")) {
    if (!claude) claude.emplace();
    ++recognised;
    claude->add(*value, item.line > 0 ? item.line : recognised);
    return;
  }
  take_value(*value, item);
}

void TranscriptReader::State::take_unknown(const json::Value& value, const Item& item) {
  if (first_unknown.empty()) first_unknown = transcript::internal::describe_item(value);
  if (message_items > 0) {
    if (first_foreign.empty()) first_foreign = transcript::internal::describe_item(value);
    messages.gap(
        "not-a-message",
        fmt::format("items that are no messages were left out (the first has {})", first_foreign),
        where(item), true);
    return;
  }
  const bool outside = recognised == 0;
  // Lines in front of a log may be anything; in one array all elements are of a kind.
  const bool damage = !outside || items.layout() == Layout::array;
  add_gap(gaps,
          {"unknown-item",
           fmt::format("items of no known shape were left out (the first has {})", first_unknown),
           where(item), 1, damage});
  if (outside && ++unknown >= kMaxUnknownItems) finish();
}

void TranscriptReader::State::take_value(const json::Value& value, const Item& item) {
  const Shape shape = shape_of(value);
  if (shape == Shape::unknown) return take_unknown(value, item);
  ++recognised;
  switch (shape) {
    case Shape::message:
      return take_message(value);
    case Shape::wrapped_message:
      return held ? take_response(*value.find("message"), false)
                  : take_message(*value.find("message"));
    case Shape::message_list:
      return take_list(value);
    case Shape::chat:
      take_chat(value);
      return take_reply_beside(value);
    case Shape::tau:
      return take_tau(value);
    case Shape::agent_history: {
      Transcript made = transcript::internal::read_agent_history(value);
      made.label = next_label();
      return emit(std::move(made));
    }
    case Shape::claude_line:
      claude.emplace();
      claude->add(value, item.line > 0 ? item.line : recognised);
      return;
    case Shape::claude_lines: {
      claude.emplace();
      std::uint64_t number = 0;
      for (const json::Value& line : value.find("loglines")->elements())
        claude->add(line, ++number);
      return;
    }
    case Shape::exchange:
      take_chat(body_of(*request_of(value)));
      if (const json::Value* response = value.find("response")) take_reply(*response);
      return;
    case Shape::openai_response:
      return take_openai_response(value);
    case Shape::anthropic_response:
      // Among messages it is one of them.
      return message_items > 0 ? take_message(value) : take_response(value, true);
    case Shape::unknown:
      return;
  }
}

void TranscriptReader::State::take_message(const json::Value& message) {
  messages.add_message(message, fmt::format("message {}", message_items++));
}

// What came back for the request that is held.
void TranscriptReader::State::take_reply(const json::Value& logged) {
  const json::Value reply = body_of(logged);
  const auto text = reply.as_string();
  if (reply.is_null() || (text && text->find_first_not_of(" \t\r\n") == std::string_view::npos)) {
    return;
  }
  if (text && !is_event_stream(*text)) {
    return take_response(json::object({{"role", "assistant"}, {"content", reply}}), false);
  }
  switch (shape_of(reply)) {
    case Shape::openai_response:
      return take_openai_response(reply);
    case Shape::anthropic_response:
      return take_response(reply, true);
    case Shape::message:
      return take_response(reply, false);
    case Shape::wrapped_message:
      return take_response(*reply.find("message"), false);
    default:
      break;
  }
  const bool failed = reply.is_object() && reply.contains("error");
  held->assembler.gap(
      failed ? "error-response" : "response-not-read",
      failed ? std::string("the response is an error: the model gave no answer here")
      : text ? std::string("the response is a stream of events and was left out: log it put "
                           "together, as one message")
             : fmt::format("the response is of no known shape and was left out (it has {})",
                           transcript::internal::describe_item(reply)),
      "", !failed);
}

// Some loggers write what came back beside the messages.
void TranscriptReader::State::take_reply_beside(const json::Value& chat) {
  if (const json::Value* choices = chat.find("choices"); choices && choices->is_array()) {
    return take_openai_response(chat);
  }
  for (const char* key : {"response", "completion"}) {
    if (const json::Value* reply = chat.find(key)) return take_reply(*reply);
  }
}

void TranscriptReader::State::take_list(const json::Value& list) {
  Assembler assembler;
  std::size_t index = 0;
  for (const json::Value& message : list.elements()) {
    assembler.add_message(message, fmt::format("message {}", index++));
  }
  emit_chat(assembler, false, next_label());
}

void TranscriptReader::State::take_tau(const json::Value& run) {
  Assembler assembler;
  std::size_t index = 0;
  for (const json::Value& message : run.find("traj")->elements()) {
    assembler.add_message(message, fmt::format("message {}", index++));
  }
  Transcript made = assembler.finish();
  made.format = "tau-bench";
  made.label = next_label();
  if (const json::Value* task = run.find("task_id"); task != nullptr) {
    const auto number = task->number_text();
    const auto text = task->as_string();
    const std::string_view id = number ? *number : text ? *text : std::string_view();
    if (!id.empty()) made.label += fmt::format(" task {}", id);
  }
  emit(std::move(made));
}

void TranscriptReader::State::take_chat(const json::Value& chat) {
  const json::Value& list = *chat.find("messages");
  if (held && held->request && list.size() >= held->messages.size() &&
      std::equal(held->messages.elements().begin(), held->messages.elements().end(),
                 list.elements().begin())) {
    held.reset();  // the same conversation, further on
  }
  flush_chat();
  HeldChat next;
  next.messages = list;
  next.request = chat.contains("model");
  if (const json::Value* system = chat.find("system")) {
    next.anthropic = true;
    next.assembler.add_system(*system);
  }
  std::size_t index = 0;
  for (const json::Value& message : list.elements()) {
    next.assembler.add_message(message, fmt::format("message {}", index++));
  }
  held = std::move(next);
}

void TranscriptReader::State::take_response(const json::Value& assistant, bool anthropic) {
  if (!held) held = HeldChat();
  held->anthropic |= anthropic;
  if (is_last_of(held->messages, assistant)) return;
  held->assembler.add_message(assistant, "response");
}

void TranscriptReader::State::take_openai_response(const json::Value& body) {
  const json::Value& choices = *body.find("choices");
  if (choices.size() > 1) {
    add_gap(gaps, {"further-choices", "only the first choice of a response is read", "",
                   choices.size() - 1, false});
  }
  const json::Value* message =
      choices.empty() ? nullptr : choices.elements().front().find("message");
  if (message != nullptr) return take_response(*message, false);
  if (!choices.empty() && choices.elements().front().contains("delta")) {
    if (first_unknown.empty()) first_unknown = std::string(kStreamed);
    add_gap(gaps, {"streamed-piece", std::string(kStreamed), "", 1, true});
  }
}

void TranscriptReader::State::flush_messages() {
  if (message_items == 0) return;
  message_items = 0;
  for (Gap& gap : gaps) messages.gap_counted(std::move(gap));
  gaps.clear();
  // Messages one an item make one conversation, unless there are several arrays.
  ++conversations;
  emit_chat(messages, false, conversations > 1 ? fmt::format("#{}", conversations) : "");
}

void TranscriptReader::State::flush_chat() {
  if (!held) return;
  HeldChat chat = std::move(*held);
  held.reset();
  emit_chat(chat.assembler, chat.anthropic, next_label());
}

TranscriptReader::TranscriptReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
TranscriptReader::TranscriptReader(TranscriptReader&&) noexcept = default;
TranscriptReader& TranscriptReader::operator=(TranscriptReader&&) noexcept = default;
TranscriptReader::~TranscriptReader() = default;

namespace {

void check_wanted(const TranscriptOptions& options) {
  if (options.format.empty()) return;
  for (const TranscriptFormat& format : transcript_formats()) {
    if (format.name == options.format) return;
  }
  throw Error("transcript-format", fmt::format("there is no format \"{}\".\nKnown shapes:{}",
                                               utf8::printable(options.format), known_shapes()));
}

}  // namespace

TranscriptReader TranscriptReader::open(const std::string& path, TranscriptOptions options) {
  check_wanted(options);
  if (options.name.empty()) options.name = path;
  return TranscriptReader(
      std::make_unique<State>(std::make_unique<FileSource>(path), std::move(options)));
}

TranscriptReader TranscriptReader::standard_input(TranscriptOptions options) {
  check_wanted(options);
  return TranscriptReader(
      std::make_unique<State>(std::make_unique<FileSource>(), std::move(options)));
}

TranscriptReader TranscriptReader::from_text(std::string_view text, TranscriptOptions options) {
  check_wanted(options);
  return TranscriptReader(
      std::make_unique<State>(std::make_unique<TextSource>(text), std::move(options)));
}

std::optional<Transcript> TranscriptReader::next() {
  while (state_->ready.empty() && !state_->done) state_->step();
  if (state_->ready.empty()) return std::nullopt;
  Transcript transcript = std::move(state_->ready.front());
  state_->ready.pop_front();
  return transcript;
}

const std::vector<Gap>& TranscriptReader::gaps() const {
  return state_->gaps;
}
std::uint64_t TranscriptReader::bytes_read() const {
  return state_->items.bytes_read();
}

}  // namespace agentfootprint
