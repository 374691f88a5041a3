// The offer: which results a model may give a standing to, and how a name is resolved.
//
// What: `ServedResults` keeps the results of the committed conversation in order, together with
// their current standings, so that the offer (newest first), the undeclared results and the counts
// of a headline cost the same in a long run as in a short one. `known_results` resolves the ids a
// declaration names.
//
// When to use: give it the committed conversation, never a view of it: settled calls and the
// library's own sentences are no results and are left out here by their status and origin.
//
// Not guaranteed: that a model names only what is offered. An id outside the offer is recorded as
// it came.
//
// Repeated wire ids: a name resolves to the newest result that carries it; the offer therefore
// leaves an id out when its newest result is retired, and lists it once, in the place of its first
// result. Requests we send carry unique ids (request.hpp).
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::assistant("", {ToolCall("c1", "ports", "{}")}));
//   conversation.append(Message::tool_result("c1", "ports", "fc1/7 down"));
//   findings::LedgerFold fold;   // of a ledger without rows
//   findings::ServedResults served;
//   served.sync(conversation);
//   served.sync(fold, {});
//   std::vector<std::string> offer = served.offer();   // c1
//   (void)offer;
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/findings/fold.hpp"

namespace agentfootprint::findings {

// A tool message that a tool or the wire produced: dispatched, not settled, not the library's
// words.
[[nodiscard]] bool is_result_message(const Message& message) noexcept;

struct ServedResult {
  ResultRef result;
  std::optional<std::string> tool_name;
  std::uint32_t message = 0;  // index of the result's message
};

// Messages [first, last).
struct MessageSpan {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

// Some results, and how many there are of them in all.
struct ResultList {
  std::size_t count = 0;
  std::vector<const ServedResult*> first;
};

// How a model can name results: by the wire's ids, of which only the newest result of each can be
// named; or by unique ones of ours (short_ids.hpp), which name every result.
enum class Naming : std::uint8_t { wire, unique };

class ServedResults {
 public:
  explicit ServedResults(Naming naming = Naming::wire) : naming_(naming) {}

  // Takes in what the conversation has beyond the last call. The same conversation must be given
  // each time.
  void sync(const Conversation& conversation);
  // Takes in the rows beyond the last call. Returns the results that are new or that a row was
  // about, by their messages: what can have another standing than at the last call.
  std::vector<std::uint32_t> sync(const LedgerFold& fold, const std::vector<SharedRow>& rows);

  // Results with an id, in the order of the conversation.
  [[nodiscard]] const std::vector<ServedResult>& results() const noexcept { return results_; }
  // Their ids, each once, in the order of first appearance.
  [[nodiscard]] std::vector<std::string> ids() const;
  // Nameable ids, newest first, each once: no standing yet, or one that does not retire. All of
  // them; the cap belongs to the schema.
  [[nodiscard]] std::vector<std::string> offer() const;
  // The first `max` of the offer. The cost depends on `max`, not on the number of results.
  [[nodiscard]] std::vector<std::string> offer(std::size_t max) const;
  // The same as results, for other names than the wire's.
  [[nodiscard]] std::vector<const ServedResult*> offered(std::size_t max) const;
  [[nodiscard]] std::size_t offer_size() const noexcept { return nameable_.size(); }
  // The first `max` of the offer, and how many it has; without what stands in `left_out`, spans in
  // order. What it costs depends on `max` while nothing is left out, else on the results in view.
  [[nodiscard]] ResultList offered(std::size_t max, const std::vector<MessageSpan>& left_out) const;
  // The same for the results without a standing, in order.
  [[nodiscard]] ResultList undeclared(std::size_t max,
                                      const std::vector<MessageSpan>& left_out) const;
  // Results without a standing, in order.
  [[nodiscard]] std::vector<const ServedResult*> undeclared() const;
  [[nodiscard]] std::size_t undeclared_count() const noexcept { return undeclared_.size(); }
  // Results whose current standing was given by the model, the app, a person; and those that are
  // set aside. As of the last `sync` with a fold.
  [[nodiscard]] std::size_t declared_count(DeclaredBy by) const noexcept {
    return by_declarer_[static_cast<std::size_t>(by)];
  }
  [[nodiscard]] std::size_t set_aside_count() const noexcept { return set_aside_; }
  // How many rows were taken in, and whether every result was asked about since it came.
  [[nodiscard]] bool in_step_with(const LedgerFold& fold) const noexcept {
    return rows_seen_ == fold.row_count() && fresh_.empty();
  }
  // The newest result with an id; null when there is none.
  [[nodiscard]] const ServedResult* newest(const std::string& id) const;

 private:
  void refresh(const LedgerFold& fold, std::size_t index);
  [[nodiscard]] const ServedResult& nameable_at(std::size_t place) const;
  [[nodiscard]] std::size_t first_from(std::uint32_t message) const;
  void count(std::size_t index, const StandingRow* standing);
  [[nodiscard]] bool newest_of_its_id(std::size_t index) const;
  [[nodiscard]] std::size_t place_of(std::size_t index) const;

  Naming naming_;
  std::vector<ServedResult> results_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_id_;
  std::map<CallKey, std::size_t> by_call_;
  std::set<std::size_t> nameable_;  // the place of each nameable id: its first result
  std::set<std::size_t> undeclared_;
  std::vector<bool> retired_;
  std::vector<std::uint8_t> told_;  // what of a result is counted below
  std::size_t by_declarer_[3] = {0, 0, 0};
  std::size_t set_aside_ = 0;
  std::uint32_t messages_seen_ = 0;
  std::size_t rows_seen_ = 0;
  std::vector<std::size_t> fresh_;  // results that no fold was asked about yet
};

// Ids of result messages in order, each once, empty ones left out.
[[nodiscard]] std::vector<std::string> served_tool_call_ids(const Conversation& conversation);
// Ids without any standing, in the order given, each once.
[[nodiscard]] std::vector<std::string> undeclared_ids(const std::vector<std::string>& served,
                                                      const LedgerFold& fold);
// The plain function of the offer: nameable ids, newest first.
[[nodiscard]] std::vector<std::string> offered_result_ids(const Conversation& conversation,
                                                          const LedgerFold& fold);

// `known_results` kept as a conversation grows: what a call costs depends on the new messages.
class KnownFollower {
 public:
  // The results before message `before`. The conversation must be the same each time, and neither
  // it nor `before` may shrink.
  const KnownResults& sync(const Conversation& conversation, std::uint32_t before);

 private:
  KnownResults known_;
  std::uint32_t seen_ = 0;
};

// What a declaration made now may name: the batch that has just run, then the results of the
// conversation before message `before`, newest first within one id. The first entry of an id wins.
[[nodiscard]] KnownResults known_results(const Conversation& conversation, std::uint32_t before,
                                         std::vector<KnownResult> previous_batch = {});
[[nodiscard]] KnownResults known_results(const Conversation& conversation,
                                         std::vector<KnownResult> previous_batch = {});

}  // namespace agentfootprint::findings
