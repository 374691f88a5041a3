// What the ledger adds to a request, placed so that prompt caches survive.
//
// What: before each request `RequestDesk::prepare` says what goes out: the messages with short call
// ids and with tickets in place of judged results, the offer and the served piece as the last piece
// after the newest result (or where upstream puts them), and the schema each tool is served with.
// `render` joins it to a flat list of pieces in wire order.
//
// When to use: the before-request hook of an agent loop. One desk a conversation.
//
// Not guaranteed: that a provider caches. Two consecutive requests share every piece up to the last
// one, except where a collapse step rewrites results (at most once per 4 kB saved) and with the
// upstream placement.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::user("is fc1/7 down?"));
//   conversation.append(Message::assistant("", {ToolCall("call_0", "ports", "{}")}));
//   conversation.append(Message::tool_result("call_0", "ports", "fc1/7 down"));
//   findings::Ledger ledger;
//   findings::RequestDesk desk{findings::FindingsOptions()};
//   findings::RequestParts parts = desk.prepare(conversation, ledger);
//   (void)parts.last;   // the offer: c1
//   (void)findings::render(conversation, parts, desk, {"You are careful."}).size();   // 5
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/findings/collapse.hpp"
#include "agentfootprint/findings/ledger.hpp"
#include "agentfootprint/findings/offer.hpp"
#include "agentfootprint/findings/options.hpp"
#include "agentfootprint/findings/short_ids.hpp"

namespace agentfootprint::findings {

// What one request carries beside the conversation.
struct RequestParts {
  // Messages whose ticket came, went or reads differently since the request before; the tickets are
  // the desk's.
  std::vector<std::uint32_t> changed;
  std::vector<std::string> offer;         // short ids, newest first, at most kOfferCap
  std::size_t offered = 0;                // how many there are in all
  std::vector<std::string> schema_offer;  // the same when it travels in the schema, else empty
  std::optional<std::string> system;      // a last piece for the system prompt (upstream placement)
  std::optional<std::string> last;        // a last piece after the newest result
};

// One piece of a request in wire order.
struct RequestPiece {
  enum class Kind : std::uint8_t { system, message, ledger };
  Kind kind = Kind::message;
  std::string text;                   // system and ledger: the text; message: the served content
  std::uint32_t message = 0;          // index in the conversation
  std::vector<std::string> call_ids;  // of an assistant message
  std::string result_id;              // of a tool message
  bool collapsed = false;
};

class RequestDesk {
 public:
  explicit RequestDesk(FindingsOptions options);

  // The conversation must be the committed one, the same each time, and may only have grown.
  // Results that stand in `left_out`, spans in order, are not offered: a model is not asked about
  // what it cannot read. What a call costs depends on what is new in the conversation and in the
  // ledger and on the lines that go out; with spans left out, also on the results in view.
  [[nodiscard]] RequestParts prepare(const Conversation& conversation, const Ledger& ledger,
                                     const std::vector<MessageSpan>& left_out = {});
  // What the request that was prepared last carries in place of results, by message index.
  [[nodiscard]] const Tickets& tickets() const noexcept { return steps_.tickets(); }

  // Gives ids to what the conversation has beyond the last call: before a batch's declarations are
  // read.
  void sync(const Conversation& conversation);

  // The schema a tool is served with in the request that was prepared last.
  [[nodiscard]] json::Value tool_schema(const json::Value& input_schema) const;

  // What a declaration of the model may name, by short id; the newest batch included. What a call
  // costs depends on the messages that are new. Valid until the next call.
  [[nodiscard]] const KnownResults& known(const Conversation& conversation);

  // The results with their standings as of now.
  const ServedResults& served_now(const Conversation& conversation, const Ledger& ledger);

  [[nodiscard]] const ShortIds& ids() const noexcept { return ids_; }
  [[nodiscard]] const ServedResults& served() const noexcept { return served_; }
  [[nodiscard]] const FindingsOptions& options() const noexcept { return options_; }

 private:
  FindingsOptions options_;
  ShortIds ids_;
  ServedResults served_;
  KnownResults known_;
  std::uint32_t known_seen_ = 0;
  CollapseSteps steps_;
  std::vector<std::uint32_t> asked_;  // results whose ticket is to be looked at
  std::vector<std::string> schema_offer_;
  std::size_t offered_ = 0;
};

// The pieces of a request: the system pieces, the messages of `view` (indexes in order; empty: all
// of them), the ledger's last piece.
[[nodiscard]] std::vector<RequestPiece> render(const Conversation& conversation,
                                               const RequestParts& parts, const RequestDesk& desk,
                                               const std::vector<std::string>& system,
                                               const std::vector<std::uint32_t>& view = {});

}  // namespace agentfootprint::findings
