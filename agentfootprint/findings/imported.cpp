// Following a finished conversation.
#include "agentfootprint/findings/imported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/findings/answer_scanner.hpp"
#include "agentfootprint/findings/moments.hpp"
#include "agentfootprint/findings/towers.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint::findings {
namespace {

bool mentions_findings(std::string_view text) {
  // An escaped spelling keeps a backslash in front of a `u`.
  return text.find(kReservedKey) != std::string_view::npos ||
         text.find("\\u00") != std::string_view::npos;
}

ResultRef call_ref(const Conversation& conversation, std::uint32_t message, std::uint32_t ordinal) {
  return ResultRef(conversation[message].calls[ordinal].wire_id.value_or(""),
                   CallKey{message, ordinal, false});
}

std::vector<BatchCall> batch_of(const Conversation& conversation, std::uint32_t message) {
  std::vector<BatchCall> batch;
  const std::vector<ToolCall>& calls = conversation[message].calls;
  for (std::uint32_t ordinal = 0; ordinal < calls.size(); ++ordinal) {
    BatchCall one;
    one.call = call_ref(conversation, message, ordinal);
    one.tool_name = calls[ordinal].name;
    one.split = split_findings(calls[ordinal].arguments);
    batch.push_back(std::move(one));
  }
  return batch;
}

// A result as reports name it: its id, and its call, which tells equal ids apart.
std::string called(const ResultRef& result) {
  const std::string id = utf8::printable(result.tool_call_id);
  if (!result.call) return id;
  return fmt::format("{}{}[{},{}]", id, id.empty() ? "" : " ", result.call->message,
                     result.call->ordinal);
}

std::vector<ContingentRow> contingent_only(const std::vector<Row>& rows) {
  std::vector<ContingentRow> list;
  for (const Row& row : rows) {
    if (const auto* one = std::get_if<ContingentRow>(&row)) list.push_back(*one);
  }
  return list;
}

}  // namespace

bool LedgerReplay::declares(const Message& message) noexcept {
  if (message.role != Role::assistant) return false;
  for (const ToolCall& call : message.calls) {
    if (call.arguments.is_object() && call.arguments.contains(kReservedKey)) return true;
  }
  if (!message.calls.empty()) return false;
  for (const std::string_view part : message.text_parts()) {
    if (mentions_findings(part)) return true;
  }
  return false;
}

json::Value peeled_arguments(const ToolCall& call) {
  return split_findings(call.arguments).arguments;
}

void LedgerReplay::add(std::vector<Row> rows) {
  ledger_.record(std::move(rows));
}

void LedgerReplay::follow(std::vector<RecordedRow> rows) {
  following_ = true;
  recorded_ = std::move(rows);
  for (const RecordedRow& one : recorded_) {
    const auto* row = std::get_if<ContingentRow>(&one.row);
    if (row == nullptr || !row->declared_on.call || !row->declared_on.call->call) continue;
    recorded_by_call_[*row->declared_on.call->call].push_back(*row);
  }
}

// A row stands behind the message it was declared on, an answer's before it; either way the next
// message comes later.
void LedgerReplay::take_recorded(std::uint32_t message) {
  for (; taken_ < recorded_.size() && recorded_[taken_].messages <= message + 1; ++taken_) {
    const SharedRow row = share_row(recorded_[taken_].row);
    const auto* one = std::get_if<ContingentRow>(row.get());
    const bool of_answer = one != nullptr && one->declared_on.on_answer() && !one->draft;
    if (of_answer) recorded_now_.push_back(*one);
    ledger_.restore(row);
  }
}

// The model's messages of the turn so far, this one included.
std::uint32_t LedgerReplay::iteration_of(const Conversation& conversation, std::uint32_t message) {
  for (; counted_ <= message && counted_ < conversation.size(); ++counted_) {
    const std::uint32_t turn = conversation.turn_of(counted_);
    if (turn != turn_) {
      turn_ = turn;
      iteration_ = 0;
    }
    if (conversation[counted_].role == Role::assistant) ++iteration_;
  }
  return iteration_;
}

void LedgerReplay::declare(const Conversation& conversation, std::uint32_t message) {
  const std::uint32_t iteration = iteration_of(conversation, message);
  if (following_) {
    // The rows of an answer wait for it; those of a draft that came to nothing end with its turn.
    if (conversation[message].role == Role::user) recorded_now_.clear();
    return take_recorded(message);
  }
  if (!declares(conversation[message])) return;
  const KnownResults& known = known_.sync(conversation, message);
  if (conversation[message].calls.empty()) {
    const AnswerNotes notes = peel_answer(conversation[message].text()).notes;
    ledger_.record(rows_at_answer(notes, known, iteration));
    return;
  }
  const std::vector<BatchCall> batch = batch_of(conversation, message);
  ledger_.record(rows_at_batch_start(batch, known, iteration));
  for (const BatchCall& call : batch) {
    ledger_.record(rows_at_call(call, {}, ledger_.fold(), iteration));
  }
}

// Files what no recorded row says, and gives both.
std::vector<ContingentRow> LedgerReplay::file_contingent(std::vector<ContingentRow> rows,
                                                         std::vector<ContingentRow> recorded) {
  std::vector<ContingentRow> filed = std::move(recorded);
  const std::size_t known = filed.size();
  std::vector<Row> fresh;
  for (ContingentRow& row : rows) {
    const bool there =
        std::any_of(filed.begin(), filed.begin() + static_cast<std::ptrdiff_t>(known),
                    [&](const ContingentRow& one) { return one.value == row.value; });
    if (there) continue;
    fresh.emplace_back(row);
    filed.push_back(std::move(row));
  }
  ledger_.record(std::move(fresh));
  return filed;
}

std::vector<ContingentRow> LedgerReplay::use_in_calls(const Conversation& conversation,
                                                      std::uint32_t message,
                                                      const evidence::Judge& judge) {
  std::vector<ContingentRow> filed;
  if (!has_set_aside_standing(ledger_.fold())) return filed;
  const std::uint32_t iteration = iteration_of(conversation, message);
  ContingentOptions options = options_;
  options.corpus_cut = options.corpus_cut || judge.index().truncated();
  const std::vector<ToolCall>& calls = conversation[message].calls;
  for (std::uint32_t ordinal = 0; ordinal < calls.size(); ++ordinal) {
    const ResultRef call = call_ref(conversation, message, ordinal);
    // The rows of a later call of the batch may stand behind the results of earlier ones.
    const auto known = recorded_by_call_.find(*call.call);
    std::vector<ContingentRow> recorded;
    if (known != recorded_by_call_.end()) recorded = known->second;
    const auto values = carried_argument_values(peeled_arguments(calls[ordinal]), judge, use_);
    for (ContingentRow& row : file_contingent(
             contingent_rows_of(values, ledger_.fold(), DeclaredOn(call), iteration, options),
             std::move(recorded))) {
      filed.push_back(std::move(row));
    }
  }
  return filed;
}

std::vector<ContingentRow> LedgerReplay::use_in_answer(const Conversation& conversation,
                                                       std::uint32_t message,
                                                       const evidence::Judge& judge,
                                                       const evidence::Verdict& verdict) {
  if (!has_set_aside_standing(ledger_.fold())) return {};
  ContingentOptions options = options_;
  options.corpus_cut = options.corpus_cut || verdict.truncated;
  const std::vector<Row> rows =
      rows_of_answer_values(carried_answer_values(verdict, judge), ledger_.fold(),
                            iteration_of(conversation, message), options);
  // Rows of a draft that was revised say nothing about values this answer no longer holds.
  std::vector<ContingentRow> recorded;
  for (ContingentRow& row : recorded_now_) {
    const bool said = std::any_of(
        verdict.values.begin(), verdict.values.end(), [&](const evidence::JudgedValue& value) {
          return value.value.value == row.value || value.value.raw == row.value;
        });
    if (said) recorded.push_back(std::move(row));
  }
  recorded_now_.clear();
  return file_contingent(contingent_only(rows), std::move(recorded));
}

const ServedResults& LedgerReplay::served(const Conversation& conversation) {
  served_.sync(conversation);
  served_.sync(ledger_.fold(), ledger_.rows());
  return served_;
}

namespace {

// Finds the result a line of a side file names.
class SideStanding {
 public:
  SideStanding(const json::Value& in, const Conversation& conversation)
      : in_(in), conversation_(conversation) {}

  Expected<Row, std::string> read() {
    if (!in_.is_object()) return fault("a line is an object with result and standing");
    const json::Value* word = in_.find("standing");
    const auto text = word == nullptr ? std::nullopt : word->as_string();
    const auto standing = text ? parse_standing(*text) : std::nullopt;
    if (!standing) return fault("standing must be fact, open, noise or ruled-out");
    const auto message = named();
    if (!message) return fault(reason_);
    StandingRow row;
    row.standing = *standing;
    row.result = ResultRef(conversation_[*message].tool_call_id.value_or(""),
                           conversation_.key_of_result(*message));
    row.tool_name = conversation_[*message].tool_name;
    row.by = DeclaredBy::person;
    if (const json::Value* who = in_.find("who")) {
      const auto name = who->as_string();
      if (!name) return fault("who must be a text");
      row.who = std::string(*name);
    }
    return Row(std::move(row));
  }

 private:
  static Unexpected<std::string> fault(std::string message) {
    return Unexpected<std::string>(std::move(message));
  }

  std::optional<std::uint32_t> named() {
    if (const json::Value* index = in_.find("result")) return by_index(*index);
    if (const json::Value* call = in_.find("call")) return by_call(*call);
    if (const json::Value* id = in_.find("toolCallId")) return by_id(*id);
    reason_ = "a line names its result by result (index of its message), call or toolCallId";
    return std::nullopt;
  }

  std::optional<std::uint32_t> by_index(const json::Value& index) {
    const auto number = index.as_uint64();
    if (number && *number < conversation_.size() &&
        conversation_[static_cast<std::uint32_t>(*number)].is_result()) {
      return static_cast<std::uint32_t>(*number);
    }
    reason_ = "result is the index of no result's message";
    return std::nullopt;
  }

  std::optional<std::uint32_t> by_call(const json::Value& call) {
    reason_ = "call names no call with a result";
    auto key = call_key_from_json(call);
    if (!key) return std::nullopt;
    if (const json::Value* orphan = in_.find("orphan")) key->orphan = orphan->as_bool() == true;
    return conversation_.result_of(*key);
  }

  std::optional<std::uint32_t> by_id(const json::Value& id) {
    std::optional<std::uint32_t> found;
    for (const std::uint32_t index : conversation_.results()) {
      const auto& wire = conversation_[index].tool_call_id;
      if (!wire || id.as_string() != std::string_view(*wire)) continue;
      if (found) {
        reason_ = "several results have this toolCallId: name one by result or call";
        return std::nullopt;
      }
      found = index;
    }
    if (!found) reason_ = "no result has this toolCallId";
    return found;
  }

  const json::Value& in_;
  const Conversation& conversation_;
  std::string reason_;
};

Unexpected<std::string> at_line(std::size_t line, const std::string& message) {
  return Unexpected<std::string>(fmt::format("line {}: {}", line, message));
}

}  // namespace

Expected<std::vector<Row>, std::string> read_standings(std::string_view text,
                                                       const Conversation& conversation) {
  std::vector<Row> rows;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return rows;
  if (text[first] == '[') {
    const auto parsed = json::parse(text);
    if (!parsed) return Unexpected<std::string>(parsed.error().message());
    std::size_t entry = 0;
    for (const json::Value& one : parsed.value().elements()) {
      auto row = SideStanding(one, conversation).read();
      if (!row) return Unexpected<std::string>(fmt::format("entry {}: {}", entry, row.error()));
      rows.push_back(std::move(*row));
      ++entry;
    }
    return rows;
  }
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto parsed = json::parse(line);
    if (!parsed) return at_line(number, parsed.error().message());
    auto row = SideStanding(parsed.value(), conversation).read();
    if (!row) return at_line(number, row.error());
    rows.push_back(std::move(*row));
  }
  return rows;
}

bool declares_findings(const Conversation& conversation) noexcept {
  for (std::uint32_t at = 0; at < conversation.size(); ++at) {
    if (LedgerReplay::declares(conversation[at])) return true;
  }
  return false;
}

ReplayedLedger replay_conversation(const Conversation& conversation,
                                   const evidence::JudgeOptions& judge_options,
                                   std::vector<Row> side, ContingentOptions options,
                                   const ArgumentUse& use) {
  LedgerReplay replay(options, use);
  replay.add(std::move(side));
  ReplayedLedger out;
  evidence::ConversationIndex index;
  Conversation before;  // what the judge may know: the messages before the one it looks at
  for (std::uint32_t at = 0; at < conversation.size(); ++at) {
    replay.declare(conversation, at);
    const Message& message = conversation[at];
    if (message.role == Role::assistant && has_set_aside_standing(replay.ledger().fold())) {
      index.extend(before);
      const evidence::Judge judge(index, judge_options);
      std::vector<ContingentRow> filed = replay.use_in_calls(conversation, at, judge);
      const std::string text = peel_answer(message.text()).text;
      if (!text.empty()) {
        for (ContingentRow& row :
             replay.use_in_answer(conversation, at, judge, judge.check(text))) {
          filed.push_back(std::move(row));
        }
      }
      for (ContingentRow& row : filed) out.contingent.push_back({at, std::move(row)});
    }
    before.append(message);
  }
  out.headline = headline_of(replay.served(conversation), replay.ledger().fold());
  out.ledger = replay.ledger();
  return out;
}

std::string report_text(const ReplayedLedger& replayed) {
  std::string text = "findings: " + headline_text(replayed.headline) + "\n";
  const Towers towers(replayed.ledger.fold());
  for (const FiledContingent& one : replayed.contingent) {
    std::string carriers;
    for (const ContingentCarrier& carrier : one.row.carriers) {
      if (!carriers.empty()) carriers += ", ";
      carriers += fmt::format("{} ({})", called(carrier.result), name_of(carrier.standing));
    }
    text += fmt::format("  message {}: {} is contingent: it came only from {}", one.message,
                        utf8::printable(one.row.value), carriers);
    if (one.row.formula) text += ", by " + utf8::printable(*one.row.formula);
    if (one.row.echo_ignored) text += ", echoes left out";
    text += '\n';
  }
  for (const ResultRef& result : towers.standing_on_set_aside()) {
    text += fmt::format("  {} stands on set-aside ground:\n", called(result));
    std::string stairs = towers.staircase(result, &called);
    for (std::size_t begin = 0; begin < stairs.size();) {
      const std::size_t end = stairs.find('\n', begin);
      text += "    " + utf8::printable(stairs.substr(begin, end - begin)) + "\n";
      begin = end + 1;
    }
  }
  return text;
}

json::Value to_json(const ReplayedLedger& replayed) {
  json::ArrayBuilder contingent;
  for (const FiledContingent& one : replayed.contingent) {
    json::ObjectBuilder row;
    row.add("message", one.message);
    const json::Value filed = to_json(Row(one.row));
    for (const json::Member& member : filed.members()) row.add(member.key(), member.value);
    contingent.add(row.build());
  }
  return json::object({{"headline", to_json(replayed.headline)},
                       {"contingent", contingent.build()},
                       {"towers", towers_to_json(replayed.ledger.fold())}});
}

}  // namespace agentfootprint::findings
