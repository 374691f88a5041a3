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

namespace {

// What stands for the result on the wire; empty when it goes out as it is.
std::optional<std::string> ticket_of(const Conversation& conversation, std::uint32_t index,
                                     const LedgerFold& fold, Serve serve,
                                     const ResultNames& names) {
  const Message& message = conversation[index];
  if (!is_result_message(message) || !message.tool_call_id || message.tool_call_id->empty()) {
    return std::nullopt;
  }
  const ResultRef result(*message.tool_call_id, conversation.key_of_result(index));
  const StandingRow* standing = fold.standing_of(result);
  if (standing == nullptr || !collapses(standing->standing, serve)) return std::nullopt;
  std::string ticket = collapse_ticket(*standing, names ? names(result) : *message.tool_call_id);
  if (message.content.as_string() == std::string_view(ticket)) return std::nullopt;
  return ticket;
}

}  // namespace

Tickets collapse_judged(const Conversation& conversation, const LedgerFold& fold, Serve serve,
                        const ResultNames& names) {
  Tickets tickets;
  for (std::uint32_t index = 0; index < conversation.size(); ++index) {
    if (auto ticket = ticket_of(conversation, index, fold, serve, names)) {
      tickets.emplace(index, std::move(*ticket));
    }
  }
  return tickets;
}

std::vector<std::uint32_t> CollapseSteps::update(const Conversation& conversation,
                                                 const LedgerFold& fold,
                                                 const std::vector<std::uint32_t>& asked,
                                                 const ResultNames& names) {
  std::vector<std::uint32_t> changed;
  for (const std::uint32_t index : asked) {
    if (const auto waits = waiting_.find(index); waits != waiting_.end()) {
      saving_ -= waits->second.saving;
      waiting_.erase(waits);
    }
    auto ticket = ticket_of(conversation, index, fold, serve_, names);
    const auto applied = applied_.find(index);
    if (applied == applied_.end()) {
      if (!ticket) continue;
      const std::size_t before = content_bytes(conversation[index]);
      const std::size_t saving = before > ticket->size() ? before - ticket->size() : 0;
      saving_ += saving;
      waiting_.emplace(index, Waiting{std::move(*ticket), saving});
    } else if (!ticket) {
      applied_.erase(applied);
      changed.push_back(index);
    } else if (applied->second != *ticket) {
      applied->second = std::move(*ticket);
      changed.push_back(index);
    }
  }
  if (saving_ < step_bytes_) return changed;
  for (auto& [index, waits] : waiting_) {
    applied_.emplace(index, std::move(waits.ticket));
    changed.push_back(index);
  }
  waiting_.clear();
  saving_ = 0;
  return changed;
}

}  // namespace agentfootprint::findings
