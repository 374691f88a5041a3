// The eval functions `findings.*`: the ledger's pure functions as a filter.
#include "agentfootprint/cli/eval_findings.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "agentfootprint/cli/eval_evidence.hpp"
#include "agentfootprint/cli/eval_messages.hpp"
#include "agentfootprint/findings/answer_scanner.hpp"
#include "agentfootprint/findings/argument_schema.hpp"
#include "agentfootprint/findings/collapse.hpp"
#include "agentfootprint/findings/contingent.hpp"
#include "agentfootprint/findings/ledger.hpp"
#include "agentfootprint/findings/offer.hpp"
#include "agentfootprint/findings/piece.hpp"
#include "agentfootprint/findings/towers.hpp"
#include "agentfootprint/findings/used_values.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint {
namespace {

using json::Kind;
using json::Value;

std::vector<findings::Row> read_rows(const Value& list, std::string_view field) {
  std::vector<findings::Row> rows;
  for (const Value& one : list.elements()) {
    auto row = findings::row_from_json(one);
    if (!row) eval_refuse(field, row.error());
    rows.push_back(std::move(*row));
  }
  return rows;
}

findings::Ledger read_ledger(const Value& in) {
  findings::Ledger ledger;
  ledger.restore(read_rows(eval_required(in, "rows", Kind::array), "rows"));
  return ledger;
}

// The messages of an input line, with the marker of calls that never ran.
Conversation read_messages(const Value& in) {
  Conversation conversation;
  for (const Value& one : eval_required(in, "messages", Kind::array).elements()) {
    Message message = eval_message(one);
    if (const Value* mark = eval_optional(one, "notDispatched", Kind::boolean)) {
      if (*mark->as_bool()) message.dispatched = false;
    }
    conversation.append(std::move(message));
  }
  return conversation;
}

Value texts(const std::vector<std::string>& list) {
  json::ArrayBuilder out;
  for (const std::string& text : list) out.add(text);
  return out.build();
}

// A fold from `standingOf{id: standing}`.
findings::LedgerFold read_standings(const Value& in) {
  findings::LedgerFold fold;
  for (const json::Member& one : eval_required(in, "standingOf", Kind::object).members()) {
    const auto word = one.value.as_string();
    const auto standing = word ? findings::parse_standing(*word) : std::nullopt;
    if (!standing) {
      eval_refuse(
          "standingOf",
          fmt::format("the standing of \"{}\" must be fact, open, noise or ruled-out", one.key()));
    }
    findings::StandingRow row;
    row.result = findings::ResultRef(std::string(one.key()));
    row.standing = *standing;
    fold.apply(findings::share_row(row));
  }
  return fold;
}

Value standing_of(const findings::LedgerFold& fold) {
  std::vector<std::pair<std::string, findings::Standing>> list;
  std::map<std::string, std::size_t> places;
  for (const findings::StandingRow* row : fold.standings()) {
    const std::string& id = row->result.tool_call_id;
    const auto [at, added] = places.try_emplace(id, list.size());
    // Several results with one wire id: the one that was named last stands for the id.
    if (added) {
      list.emplace_back(id, row->standing);
    } else {
      list[at->second].second = row->standing;
    }
  }
  json::ObjectBuilder out;
  for (const auto& [id, standing] : list) out.add(id, findings::name_of(standing));
  return out.build();
}

Value standings_by_call(const findings::LedgerFold& fold) {
  json::ArrayBuilder list;
  for (const findings::StandingRow* row : fold.standings()) {
    json::ObjectBuilder one;
    findings::add_result(one, row->result);
    one.add("standing", findings::name_of(row->standing));
    list.add(one.build());
  }
  return list.build();
}

Value eval_split(const Value& in) {
  const findings::SplitArguments split = findings::split_findings(eval_required(in, "args"));
  json::ObjectBuilder out;
  out.add("args", split.arguments);
  if (split.declaration) out.add("findings", to_json(*split.declaration));
  if (split.malformed > 0) out.add("malformed", split.malformed);
  return out.build();
}

Value eval_decorate(const Value& in) {
  const std::vector<std::string> offer = eval_texts(in, "offer");
  findings::Declarations declarations = findings::Declarations::standings;
  if (const Value* asked = eval_optional(in, "declarations", Kind::string)) {
    if (*asked->as_string() == "full") {
      declarations = findings::Declarations::full;
    } else if (*asked->as_string() != "standings") {
      eval_refuse("declarations", "declarations must be standings or full");
    }
  }
  return json::object({{"schema", findings::with_findings_argument(eval_required(in, "schema"),
                                                                   declarations, offer)}});
}

Value eval_peel(const Value& in) {
  findings::AnswerScanner scanner;
  std::string text;
  if (in.contains("chunks")) {
    for (const std::string& chunk : eval_texts(in, "chunks")) text += scanner.feed(chunk);
  } else {
    text = scanner.feed(eval_required_text(in, "text"));
  }
  text += scanner.end();
  const findings::AnswerNotes& notes = scanner.notes();
  json::ObjectBuilder out;
  out.add("text", text);
  if (notes.declaration) out.add("findings", to_json(*notes.declaration));
  if (notes.malformed > 0) out.add("malformed", notes.malformed);
  out.add("complete", notes.complete);
  return out.build();
}

Value eval_fold(const Value& in) {
  const findings::Ledger ledger = read_ledger(in);
  const findings::LedgerFold& fold = ledger.fold();
  json::ArrayBuilder asserted;
  for (const findings::AssertedRef& one : fold.asserted()) {
    asserted.add(findings::to_json(*one.assertion));
  }
  json::ArrayBuilder conflicts;
  for (const findings::Conflict& conflict : fold.conflicts()) {
    conflicts.add(json::object({{"key", conflict.key}, {"count", conflict.assertions.size()}}));
  }
  json::ObjectBuilder out;
  out.add("standingOf", standing_of(fold));
  out.add("standings", standings_by_call(fold));
  out.add("asserted", asserted.build());
  out.add("conflicts", conflicts.build());
  out.add("hasStanding", fold.has_standing());
  json::Value towers = findings::towers_to_json(fold);
  if (!towers.empty()) out.add("towers", std::move(towers));
  return out.build();
}

Value eval_record(const Value& in) {
  findings::Ledger ledger;
  json::ArrayBuilder events;
  for (const Value& write : eval_required(in, "writes", Kind::array).elements()) {
    if (!write.is_array()) eval_refuse("writes", "writes is a list of lists of rows");
    for (const findings::FindingsEvent& event : ledger.record(read_rows(write, "writes")).events) {
      events.add(json::object({{"type", event.name}, {"payload", event.payload}}));
    }
  }
  return json::object({{"rows", ledger_to_json(ledger)}, {"events", events.build()}});
}

Value eval_offer(const Value& in) {
  const Conversation conversation = read_messages(in);
  const findings::Ledger ledger = read_ledger(in);
  findings::ServedResults served;
  served.sync(conversation);
  served.sync(ledger.fold(), ledger.rows());
  json::ArrayBuilder undeclared;
  std::map<std::string, bool> seen;
  for (const findings::ServedResult* one : served.undeclared()) {
    if (seen.emplace(one->result.tool_call_id, true).second) {
      undeclared.add(one->result.tool_call_id);
    }
  }
  return json::object({{"offer", texts(served.offer())}, {"undeclared", undeclared.build()}});
}

Value eval_collapse(const Value& in) {
  const Conversation conversation = read_messages(in);
  const findings::Ledger ledger = read_ledger(in);
  findings::Serve serve = findings::Serve::ledger_and_facts;
  if (const Value* mode = eval_optional(in, "mode", Kind::string)) {
    if (*mode->as_string() == "ledger-only") {
      serve = findings::Serve::ledger_only;
    } else if (*mode->as_string() != "ledger-and-facts") {
      eval_refuse("mode", "mode must be ledger-and-facts or ledger-only");
    }
  }
  const findings::Tickets tickets = findings::collapse_judged(conversation, ledger.fold(), serve);
  json::ArrayBuilder messages;
  std::uint32_t index = 0;
  for (const Value& message : eval_required(in, "messages", Kind::array).elements()) {
    const auto ticket = tickets.find(index++);
    messages.add(ticket == tickets.end() ? message
                                         : json::with_member(message, "content", ticket->second));
  }
  return json::object({{"messages", messages.build()}, {"changed", !tickets.empty()}});
}

Value eval_piece(const Value& in) {
  const findings::Ledger ledger = read_ledger(in);
  std::vector<findings::ResultRef> served;
  for (std::string& id : eval_texts(in, "served")) served.emplace_back(std::move(id));
  findings::PieceOptions options;
  if (const Value* ask = eval_optional(in, "answerAsk", Kind::string)) {
    if (*ask->as_string() == "quote-facts") {
      options.answer_ask = findings::AnswerAsk::quote_facts;
    } else if (*ask->as_string() != "none") {
      eval_refuse("answerAsk", "answerAsk must be none or quote-facts");
    }
  }
  json::ObjectBuilder out;
  out.add_if("text", findings::findings_ledger_piece(ledger.fold(), served, options));
  return out.build();
}

std::vector<findings::ResultRef> read_ids(const Value& in, std::string_view key) {
  std::vector<findings::ResultRef> ids;
  for (std::string& id : eval_texts(in, key)) ids.emplace_back(std::move(id));
  return ids;
}

bool read_flag(const Value& in, std::string_view key) {
  const Value* flag = eval_optional(in, key, Kind::boolean);
  return flag != nullptr && *flag->as_bool();
}

findings::EvidenceCorpus read_corpus(const Value& in) {
  findings::EvidenceCorpus corpus;
  for (const json::Member& one : eval_required(in, "carriers", Kind::object).members()) {
    (void)eval_required(one.value, "toolCallIds", Kind::array);
    corpus.carriers[std::string(one.key())] = {read_ids(one.value, "toolCallIds"),
                                               read_flag(one.value, "truncated")};
  }
  corpus.order = read_ids(in, "order");
  corpus.truncated = read_flag(in, "truncated");
  return corpus;
}

Value eval_contingent(const Value& in) {
  std::vector<findings::GroundedValue> values;
  for (const Value& one : eval_required(in, "values", Kind::array).elements()) {
    (void)eval_required(one, "forms", Kind::array);
    values.push_back({eval_required_text(one, "value"), eval_texts(one, "forms")});
  }
  const findings::EvidenceCorpus corpus = read_corpus(eval_required(in, "corpus", Kind::object));
  const findings::LedgerFold fold = read_standings(in);
  const auto declared_on = findings::declared_on_from_json(eval_required(in, "declaredOn"));
  if (!declared_on) eval_refuse("declaredOn", declared_on.error());
  const auto iteration = eval_required(in, "iteration", Kind::number).as_uint64();
  if (!iteration || *iteration > 0xFFFFFFFFU) {
    eval_refuse("iteration", "iteration must be a whole number from 0");
  }
  json::ArrayBuilder rows;
  for (findings::ContingentRow& row : findings::contingent_rows_of(
           values, corpus, fold, *declared_on, static_cast<std::uint32_t>(*iteration))) {
    rows.add(findings::to_json(findings::Row(std::move(row))));
  }
  return json::object({{"rows", rows.build()}});
}

// Arguments as an object, or as the text a model wrote.
Value read_arguments(const Value& in) {
  const Value& args = eval_required(in, "args");
  const auto text = args.as_string();
  if (!text) return args;
  const auto parsed = json::parse(*text);
  if (!parsed) eval_refuse("args", parsed.error().message());
  return parsed.value();
}

Value eval_grounded_arguments(const Value& in) {
  const evidence::ConversationIndex index = evidence_index_of(in);
  const evidence::Judge judge(index, evidence_options_of(in));
  json::ArrayBuilder values;
  for (const findings::GroundedValue& one :
       findings::grounded_argument_values(read_arguments(in), judge, findings::ArgumentUse())) {
    values.add(json::object({{"value", one.value}, {"forms", texts(one.forms)}}));
  }
  return json::object({{"values", values.build()}});
}

Value eval_set_aside(const Value& in) {
  return json::object({{"any", findings::has_set_aside_standing(read_standings(in))}});
}

}  // namespace

std::vector<EvalFunction> findings_eval_functions() {
  return {{"findings.split", eval_split},
          {"findings.decorate", eval_decorate},
          {"findings.peel", eval_peel},
          {"findings.fold", eval_fold},
          {"findings.record", eval_record},
          {"findings.offer", eval_offer},
          {"findings.collapse", eval_collapse},
          {"findings.piece", eval_piece},
          {"findings.contingent", eval_contingent},
          {"findings.grounded_arguments", eval_grounded_arguments},
          {"findings.set_aside", eval_set_aside}};
}

}  // namespace agentfootprint
