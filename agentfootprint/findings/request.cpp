// Preparing and joining the pieces of a request.
#include "agentfootprint/findings/request.hpp"

#include <numeric>
#include <utility>

#include "agentfootprint/findings/piece.hpp"

namespace agentfootprint::findings {

RequestDesk::RequestDesk(FindingsOptions options)
    : options_(std::move(options)), served_(Naming::unique), steps_(options_.serve) {
  check_findings_options(options_);
}

void RequestDesk::sync(const Conversation& conversation) {
  ids_.sync(conversation);
  served_.sync(conversation);
}

const ServedResults& RequestDesk::served_now(const Conversation& conversation,
                                             const Ledger& ledger) {
  served_.sync(conversation);
  const std::vector<std::uint32_t> asked = served_.sync(ledger.fold(), ledger.rows());
  asked_.insert(asked_.end(), asked.begin(), asked.end());
  return served_;
}

RequestParts RequestDesk::prepare(const Conversation& conversation, const Ledger& ledger,
                                  const std::vector<MessageSpan>& left_out) {
  ids_.sync(conversation);
  served_now(conversation, ledger);
  const ResultNames names = ids_.names();

  RequestParts parts;
  parts.changed = steps_.update(conversation, ledger.fold(), asked_, names);
  asked_.clear();
  const ResultList offered = served_.offered(kOfferCap, left_out);
  for (const ServedResult* one : offered.first) parts.offer.push_back(names(one->result));
  parts.offered = offered.count;
  if (options_.offer == Placement::upstream) parts.schema_offer = parts.offer;
  schema_offer_ = parts.schema_offer;
  offered_ = parts.offered;

  const ResultList without = served_.undeclared(kListedIds, left_out);
  UndeclaredResults undeclared;
  undeclared.count = without.count;
  for (const ServedResult* one : without.first) undeclared.first.push_back(one->result);
  PieceOptions piece;
  piece.answer_ask = options_.answer_ask;
  piece.placement = options_.piece;
  piece.names = names;
  auto text = findings_ledger_piece(ledger.fold(), undeclared, piece);
  std::string last;
  if (options_.offer == Placement::last) last = offer_text(parts.offer, parts.offered);
  if (options_.piece == Placement::upstream) {
    parts.system = std::move(text);
  } else if (text) {
    last = last.empty() ? *text : *text + "\n\n" + last;
  }
  if (!last.empty()) parts.last = std::move(last);
  return parts;
}

json::Value RequestDesk::tool_schema(const json::Value& input_schema) const {
  return with_findings_argument(input_schema, options_.declarations, schema_offer_, offered_);
}

const KnownResults& RequestDesk::known(const Conversation& conversation) {
  ids_.sync(conversation);
  for (; known_seen_ < conversation.size(); ++known_seen_) {
    const Message& message = conversation[known_seen_];
    const auto key = conversation.key_of_result(known_seen_);
    if (!key || !is_result_message(message)) continue;
    KnownResult result;
    result.result = ResultRef(ids_.name_of(*key), key);
    result.tool_name = message.tool_name;
    result.content = message.content;
    result.absent = message.status == ResultStatus::absent;
    known_.add(std::move(result));
  }
  return known_;
}

std::vector<RequestPiece> render(const Conversation& conversation, const RequestParts& parts,
                                 const RequestDesk& desk, const std::vector<std::string>& system,
                                 const std::vector<std::uint32_t>& view) {
  const ShortIds& ids = desk.ids();
  const Tickets& tickets = desk.tickets();
  std::vector<RequestPiece> pieces;
  for (const std::string& text : system) {
    RequestPiece piece;
    piece.kind = RequestPiece::Kind::system;
    piece.text = text;
    pieces.push_back(std::move(piece));
  }
  if (parts.system) {
    RequestPiece piece;
    piece.kind = RequestPiece::Kind::system;
    piece.text = *parts.system;
    pieces.push_back(std::move(piece));
  }
  std::vector<std::uint32_t> all;
  if (view.empty()) {
    all.resize(conversation.size());
    std::iota(all.begin(), all.end(), 0U);
  }
  for (const std::uint32_t index : view.empty() ? all : view) {
    RequestPiece piece;
    piece.message = index;
    const auto ticket = tickets.find(index);
    piece.collapsed = ticket != tickets.end();
    piece.text = piece.collapsed ? ticket->second : conversation[index].text();
    for (std::uint32_t call = 0; call < conversation[index].calls.size(); ++call) {
      piece.call_ids.push_back(ids.name_of(CallKey{index, call, false}));
    }
    if (const auto key = conversation.key_of_result(index)) piece.result_id = ids.name_of(*key);
    pieces.push_back(std::move(piece));
  }
  if (parts.last) {
    RequestPiece piece;
    piece.kind = RequestPiece::Kind::ledger;
    piece.text = *parts.last;
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace agentfootprint::findings
