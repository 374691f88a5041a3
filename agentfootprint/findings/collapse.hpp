// Collapse: what a request carries in place of a result that was judged.
//
// What: a result message whose current standing is `noise` or `ruled-out` (and, in the mode
// `ledger_only`, `fact`) is replaced on the wire by a ticket:
// {"collapsed":true,"standing":…,"toolCallId":…,"ref"?}. The committed conversation is never
// changed; open and undeclared results go out as they are.
//
// When to use: `collapse_judged` is the plain function. Requests use `CollapseSteps`, which lets
// judged results stand until collapsing them saves enough to be worth a new prompt-cache prefix.
//
// Not guaranteed: that a ticket is shorter than the text it replaces.
//
// Limits: steps of at least 4,096 bytes saved.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::assistant("", {ToolCall("c1", "ports", "{}")}));
//   conversation.append(Message::tool_result("c1", "ports", "fc1/7 down"));
//   findings::StandingRow row;
//   row.result = findings::ResultRef("c1", CallKey{0, 0});
//   row.standing = findings::Standing::noise;
//   findings::LedgerFold fold = findings::fold_ledger({findings::share_row(row)});
//   auto tickets = findings::collapse_judged(conversation, fold);
//   (void)tickets.at(1);   // {"collapsed":true,"standing":"noise","toolCallId":"c1"}
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/findings/fold.hpp"

namespace agentfootprint::findings {

enum class Serve : std::uint8_t { ledger_and_facts, ledger_only };

// How a result is called in what a model reads. The default is the row's own id.
using ResultNames = std::function<std::string(const ResultRef&)>;

// Tickets by message index; messages that go out as they are are not in it.
using Tickets = std::map<std::uint32_t, std::string>;

[[nodiscard]] Tickets collapse_judged(const Conversation& conversation, const LedgerFold& fold,
                                      Serve serve = Serve::ledger_and_facts,
                                      const ResultNames& names = {});

// The ticket of one result.
[[nodiscard]] std::string collapse_ticket(const StandingRow& standing, const std::string& id);
// An object with `collapsed` true and texts `standing` and `toolCallId`.
[[nodiscard]] bool is_collapsed_tool_result(const json::Value& value) noexcept;

// Applies collapse in steps. A result whose standing no longer retires it comes back at once.
class CollapseSteps {
 public:
  explicit CollapseSteps(Serve serve = Serve::ledger_and_facts,
                         std::size_t step_bytes = kCollapseStepBytes)
      : serve_(serve), step_bytes_(step_bytes) {}

  // The next request: `asked` are the messages of results that are new or may have another standing
  // than at the last call. Returns the messages whose ticket came, went or reads differently.
  std::vector<std::uint32_t> update(const Conversation& conversation, const LedgerFold& fold,
                                    const std::vector<std::uint32_t>& asked,
                                    const ResultNames& names = {});
  // The tickets of the request.
  [[nodiscard]] const Tickets& tickets() const noexcept { return applied_; }

 private:
  struct Waiting {
    std::string ticket;
    std::size_t saving = 0;
  };

  Serve serve_;
  std::size_t step_bytes_;
  Tickets applied_;
  std::map<std::uint32_t, Waiting> waiting_;  // would be collapsed, once that saves enough
  std::size_t saving_ = 0;                    // of all that wait
};

}  // namespace agentfootprint::findings
