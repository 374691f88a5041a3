// A ledger out of a finished conversation, or out of a person's judgement.
//
// What: `LedgerReplay` follows a conversation message by message as an auditor does and files what
// an agent would have filed: the standings and bases of `_findings` in call arguments and in
// answers, and the contingent values of each call and answer. `read_standings` reads a side file of
// standings (one JSON object a line: `result`, `call` or `toolCallId`, then `standing`, `who?`),
// for transcripts whose model declared none.
//
// When to use: `audit`, `audit --standings FILE`, `why`.
//
// Not guaranteed: tool schemas: an imported `_findings` is read as a declaration whatever the tool.
// Standings of a side file hold from the start and are recorded as a person's.
//
// Names: an id that several results carry means the newest of those the declaring call had been
// served; in a side file it is refused as ambiguous.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::user("which port?"));
//   conversation.append(Message::assistant("", {ToolCall("c1", "ports", "{}")}));
//   conversation.append(Message::tool_result("c1", "ports", "fc1/7 down"));
//   auto rows = findings::read_standings(R"({"result": 2, "standing": "noise", "who": "ann"})",
//                                        conversation);
//   findings::LedgerReplay replay;
//   replay.add(std::move(rows.value()));
//   for (std::uint32_t at = 0; at < conversation.size(); ++at) replay.declare(conversation, at);
//   (void)replay.ledger().fold().has_set_aside();   // true
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/base/expected.hpp"
#include "agentfootprint/findings/headline.hpp"
#include "agentfootprint/findings/ledger.hpp"
#include "agentfootprint/findings/used_values.hpp"

namespace agentfootprint::findings {

// A row of a record, and how many messages stand before it there.
struct RecordedRow {
  std::uint32_t messages = 0;
  Row row;
};

class LedgerReplay {
 public:
  LedgerReplay() = default;
  explicit LedgerReplay(ContingentOptions options, ArgumentUse use = {})
      : options_(options), use_(std::move(use)) {}

  // Rows that hold from the start (read_standings).
  void add(std::vector<Row> rows);
  // Rows that an agent recorded, in order: they take the place of the declarations in messages,
  // which are not read then. Contingent values that a record has no row for are still found.
  void follow(std::vector<RecordedRow> rows);

  // The declarations of one message, in order; every message must be given once, ascending.
  void declare(const Conversation& conversation, std::uint32_t message);

  // After `declare`: the contingent values of the message's calls. The judge's index must hold the
  // messages before it and no later ones. Returns the rows that were filed.
  std::vector<ContingentRow> use_in_calls(const Conversation& conversation, std::uint32_t message,
                                          const evidence::Judge& judge);
  // The same for an answer that was judged.
  std::vector<ContingentRow> use_in_answer(const Conversation& conversation, std::uint32_t message,
                                           const evidence::Judge& judge,
                                           const evidence::Verdict& verdict);

  [[nodiscard]] const Ledger& ledger() const noexcept { return ledger_; }
  // Results seen so far, with the standings of the ledger.
  [[nodiscard]] const ServedResults& served(const Conversation& conversation);

  // Does the message carry declarations? Cheap.
  [[nodiscard]] static bool declares(const Message& message) noexcept;

 private:
  std::uint32_t iteration_of(const Conversation& conversation, std::uint32_t message);
  void take_recorded(std::uint32_t message);
  std::vector<ContingentRow> file_contingent(std::vector<ContingentRow> rows,
                                             std::vector<ContingentRow> recorded);

  bool following_ = false;
  std::vector<RecordedRow> recorded_;
  std::size_t taken_ = 0;                    // rows of `recorded_` that are filed
  std::vector<ContingentRow> recorded_now_;  // those of the answer that is about to come
  std::map<CallKey, std::vector<ContingentRow>> recorded_by_call_;
  ContingentOptions options_;
  ArgumentUse use_;
  Ledger ledger_;
  ServedResults served_;
  KnownFollower known_;
  std::uint32_t turn_ = 0;
  std::uint32_t iteration_ = 0;
  std::uint32_t counted_ = 0;  // messages whose assistant turns were counted
};

// Lines of `{"result": 3}`, `{"call": [2, 0]}` or `{"toolCallId": "c1"}` with `standing` and
// optionally `who`; or one JSON array of such objects. The error names the line and what is wrong
// with it.
[[nodiscard]] Expected<std::vector<Row>, std::string> read_standings(
    std::string_view text, const Conversation& conversation);

// The arguments of a call without its declaration, when it has one.
[[nodiscard]] json::Value peeled_arguments(const ToolCall& call);

struct FiledContingent {
  std::uint32_t message = 0;  // the assistant message that used the value
  ContingentRow row;
};

// A whole conversation replayed.
struct ReplayedLedger {
  Ledger ledger;
  std::vector<FiledContingent> contingent;
  Headline headline;
};

// Does any message carry declarations? Without them and without a side file there is nothing to
// replay.
[[nodiscard]] bool declares_findings(const Conversation& conversation) noexcept;
// Follows the conversation with an index of its own. `side` are rows of `read_standings`.
[[nodiscard]] ReplayedLedger replay_conversation(const Conversation& conversation,
                                                 const evidence::JudgeOptions& judge_options,
                                                 std::vector<Row> side = {},
                                                 ContingentOptions options = {},
                                                 const ArgumentUse& use = {});
// The headline, the contingent values and the staircases under them, for people; made safe to
// print.
[[nodiscard]] std::string report_text(const ReplayedLedger& replayed);
// {headline, contingent[{message, …row}], towers[]}
[[nodiscard]] json::Value to_json(const ReplayedLedger& replayed);

}  // namespace agentfootprint::findings
