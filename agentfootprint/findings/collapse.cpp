// Tickets in place of judged results.
#include "agentfootprint/findings/collapse.hpp"

#include "agentfootprint/findings/offer.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::findings {
namespace {

bool collapses(Standing standing, Serve serve) {
  return is_retiring(standing) || (standing == Standing::fact && serve == Serve::ledger_only);
}

std::size_t content_bytes(const Message& message) {
  std::size_t bytes = 0;
  for (const std::string_view part : message.text_parts()) bytes += part.size();
  return bytes;
}

}  // namespace

std::string collapse_ticket(const StandingRow& standing, const std::string& id) {
  json::ObjectBuilder ticket;
  ticket.add("collapsed", true);
  ticket.add("standing", name_of(standing.standing));
  ticket.add("toolCallId", id);
  ticket.add_if("ref", standing.ref);
  return json::dump(ticket.build());
}

bool is_collapsed_tool_result(const json::Value& value) noexcept {
  if (!value.is_object()) return false;
  const json::Value* collapsed = value.find("collapsed");
  const json::Value* standing = value.find("standing");
  const json::Value* id = value.find("toolCallId");
  return collapsed != nullptr && collapsed->as_bool() == true && standing != nullptr &&
         standing->is_string() && id != nullptr && id->is_string();
}

Tickets collapse_judged(const Conversation& conversation, const LedgerFold& fold, Serve serve,
                        const ResultNames& names) {
  Tickets tickets;
  const std::size_t collapsing = fold.count_of(Standing::noise) +
                                 fold.count_of(Standing::ruled_out) +
                                 (serve == Serve::ledger_only ? fold.count_of(Standing::fact) : 0);
  if (collapsing == 0) return tickets;
  for (std::uint32_t index = 0; index < conversation.size(); ++index) {
    const Message& message = conversation[index];
    if (!is_result_message(message) || !message.tool_call_id || message.tool_call_id->empty()) {
      continue;
    }
    const ResultRef result(*message.tool_call_id, conversation.key_of_result(index));
    const StandingRow* standing = fold.standing_of(result);
    if (standing == nullptr || !collapses(standing->standing, serve)) continue;
    std::string ticket = collapse_ticket(*standing, names ? names(result) : *message.tool_call_id);
    if (message.content.as_string() == std::string_view(ticket)) continue;
    tickets.emplace(index, std::move(ticket));
  }
  return tickets;
}

Tickets CollapseSteps::apply(const Conversation& conversation, const LedgerFold& fold, Serve serve,
                             const ResultNames& names) {
  Tickets wanted = collapse_judged(conversation, fold, serve, names);
  std::size_t saved = 0;
  Tickets kept;
  for (const auto& [index, ticket] : wanted) {
    if (applied_.count(index) > 0) {
      kept.emplace(index, ticket);
      continue;
    }
    const std::size_t before = content_bytes(conversation[index]);
    if (before > ticket.size()) saved += before - ticket.size();
  }
  applied_ = saved >= step_bytes_ ? std::move(wanted) : std::move(kept);
  return applied_;
}

}  // namespace agentfootprint::findings
