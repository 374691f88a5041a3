// Requests: shared prefixes, names, the offer and both placements.
#include "agentfootprint/findings/request.hpp"

#include <gtest/gtest.h>

#include "agentfootprint/findings/moments.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::findings {
namespace {

json::Value schema() {
  return json::parse_or_throw(R"({"type":"object","properties":{"port":{"type":"string"}}})");
}

// A request as bytes, piece by piece; the tools stand first.
std::vector<std::string> bytes_of(const RequestDesk& desk, const Conversation& conversation,
                                  const RequestParts& parts) {
  std::vector<std::string> list = {json::dump(desk.tool_schema(schema()))};
  for (const RequestPiece& piece : render(conversation, parts, desk, {"You are careful."})) {
    std::string text = std::to_string(static_cast<int>(piece.kind)) + "|" + piece.result_id + "|";
    for (const std::string& id : piece.call_ids) text += id + ",";
    list.push_back(text + "|" + piece.text);
  }
  return list;
}

// A run of calls with standings by a script; `request` sees each request before it goes out.
template <class Seen>
void scripted_run(RequestDesk& desk, const std::vector<std::string>& standings,
                  const std::string& result, Seen seen) {
  Conversation conversation;
  Ledger ledger;
  conversation.append(Message::user("is fc1/7 down?"));
  for (std::size_t step = 0; step < standings.size(); ++step) {
    const RequestParts parts = desk.prepare(conversation, ledger);
    seen(conversation, parts, ledger);
    const std::string arguments =
        standings[step].empty() ? "{}" : R"({"_findings":{"previous":[)" + standings[step] + "]}}";
    const auto at =
        conversation.append(Message::assistant("", {ToolCall("call_0", "lookup_port", arguments)}));
    const BatchCall call = batch_call(ResultRef(desk.ids().name_of(CallKey{at, 0}), CallKey{at, 0}),
                                      "lookup_port", json::parse_or_throw(arguments), schema());
    ledger.record(rows_at_batch_start({call}, desk.known(conversation), 1));
    conversation.append(Message::tool_result("call_0", "lookup_port", result));
  }
  seen(conversation, desk.prepare(conversation, ledger), ledger);
}

std::string entry(const std::string& id, const std::string& standing) {
  return R"({"toolCallId":")" + id + R"(","standing":")" + standing + R"("})";
}

const std::vector<std::string>& script() {
  static const std::vector<std::string> steps = {"", entry("c1", "fact"), entry("c2", "noise"),
                                                 entry("c3", "open"), entry("c4", "ruled-out")};
  return steps;
}

// How many pieces the request shares with the one before it, and whether that is all but its last.
bool shares_all_but_last(const std::vector<std::string>& before,
                         const std::vector<std::string>& after, bool has_last) {
  const std::size_t kept = before.size() - (has_last ? 1 : 0);
  if (after.size() < kept) return false;
  return std::equal(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(kept),
                    after.begin());
}

struct Mode {
  const char* name;
  FindingsOptions options;
  bool cached;
};

std::vector<Mode> modes() {
  std::vector<Mode> list = {{"default", {}, true}};
  Mode full{"full", {}, true};
  full.options.declarations = Declarations::full;
  full.options.answer_ask = AnswerAsk::quote_facts;
  list.push_back(full);
  Mode facts{"ledger_only", {}, true};
  facts.options.serve = Serve::ledger_only;
  list.push_back(facts);
  Mode schema_offer{"offer_in_schema", {}, false};
  schema_offer.options.offer = Placement::upstream;
  list.push_back(schema_offer);
  Mode system_piece{"piece_in_system", {}, false};
  system_piece.options.piece = Placement::upstream;
  list.push_back(system_piece);
  return list;
}

TEST(RequestPrefix, ConsecutiveRequestsShareEverythingUpToTheLastPiece) {
  for (const Mode& mode : modes()) {
    RequestDesk desk(mode.options);
    std::vector<std::string> before;
    bool had_last = false;
    bool shared = true;
    int requests = 0;
    scripted_run(desk, script(), "fc1/7 down",
                 [&](const Conversation& conversation, const RequestParts& parts, const Ledger&) {
                   const auto now = bytes_of(desk, conversation, parts);
                   if (requests++ > 0)
                     shared = shared && shares_all_but_last(before, now, had_last);
                   before = now;
                   had_last = parts.last.has_value();
                 });
    EXPECT_EQ(requests, 6) << mode.name;
    EXPECT_EQ(shared, mode.cached) << mode.name;
  }
}

TEST(RequestPrefix, ACollapseStepIsTakenWhenItSavesEnough) {
  RequestDesk desk{FindingsOptions()};
  std::vector<std::size_t> tickets;
  // 3,000 bytes a result: one judged result does not pay, two do.
  scripted_run(desk, {"", entry("c1", "noise"), "", entry("c2", "noise"), ""},
               std::string(3'000, 'x'),
               [&](const Conversation&, const RequestParts&, const Ledger&) {
                 tickets.push_back(desk.tickets().size());
               });
  EXPECT_EQ(tickets, (std::vector<std::size_t>{0, 0, 0, 0, 2, 2}));
}

// Table E9, row 165, with every step paying.
TEST(RequestParts, ServedAndCollapsedAfterTheScript) {
  RequestDesk desk{FindingsOptions()};
  std::vector<bool> served;
  std::vector<std::vector<std::string>> offers;
  std::vector<std::vector<std::string>> collapsed;
  std::vector<std::string> last;
  scripted_run(desk, script(), std::string(9'000, 'x'),
               [&](const Conversation&, const RequestParts& parts, const Ledger& ledger) {
                 served.push_back(ledger.fold().has_standing());
                 offers.push_back(parts.offer);
                 std::vector<std::string> ids;
                 for (const auto& [message, ticket] : desk.tickets()) {
                   const json::Value parsed = json::parse_or_throw(ticket);
                   ids.emplace_back(*parsed.at("toolCallId").as_string());
                 }
                 collapsed.push_back(ids);
                 last.push_back(parts.last.value_or(""));
               });
  using Ids = std::vector<std::string>;
  EXPECT_EQ(served, (std::vector<bool>{false, false, true, true, true, true}));
  EXPECT_EQ(collapsed, (std::vector<Ids>{{}, {}, {}, {"c2"}, {"c2"}, {"c2", "c4"}}));
  EXPECT_EQ(offers.back(), (Ids{"c5", "c3", "c1"}));
  EXPECT_NE(last.back().find("undeclared: 1 result, served in full above (tool:c5)"),
            std::string::npos)
      << last.back();
  EXPECT_NE(last.back().find("newest first: c5, c3, c1."), std::string::npos);
}

TEST(RequestParts, RestartedIdsNeverLetAnOldStandingGovernANewResult) {
  // Every call of the script has the wire id call_0; the short ids tell them apart.
  RequestDesk desk{FindingsOptions()};
  scripted_run(desk, {"", entry("c1", "noise"), ""}, "r",
               [&](const Conversation& conversation, const RequestParts& parts, const Ledger&) {
                 if (conversation.size() < 7) return;
                 EXPECT_EQ(parts.offer, (std::vector<std::string>{"c3", "c2"}));
                 EXPECT_EQ(desk.known(conversation).find("call_0"), nullptr);
               });
}

TEST(RequestParts, UpstreamPlacementPutsThemWhereUpstreamDoes) {
  FindingsOptions options;
  options.offer = Placement::upstream;
  options.piece = Placement::upstream;
  RequestDesk desk(options);
  scripted_run(
      desk, script(), "r",
      [&](const Conversation& conversation, const RequestParts& parts, const Ledger& ledger) {
        EXPECT_FALSE(parts.last.has_value());
        EXPECT_EQ(parts.system.has_value(), ledger.fold().has_standing());
        EXPECT_EQ(parts.schema_offer, parts.offer);
        if (parts.offer.empty()) return;
        const json::Value served = desk.tool_schema(schema());
        const json::Value& planted = served.at("properties").at("_findings");
        EXPECT_EQ(planted.at("properties")
                      .at("previous")
                      .at("items")
                      .at("properties")
                      .at("toolCallId")
                      .at("enum")
                      .size(),
                  parts.offer.size());
        EXPECT_EQ(render(conversation, parts, desk, {}).front().kind,
                  parts.system ? RequestPiece::Kind::system : RequestPiece::Kind::message);
      });
}

TEST(RequestParts, AViewSendsOnlyItsMessages) {
  RequestDesk desk{FindingsOptions()};
  scripted_run(desk, {"", ""}, "r",
               [&](const Conversation& conversation, const RequestParts& parts, const Ledger&) {
                 if (conversation.size() < 5) return;
                 const auto pieces = render(conversation, parts, desk, {}, {3, 4});
                 ASSERT_EQ(pieces.size(), 3U);
                 EXPECT_EQ(pieces[0].call_ids, (std::vector<std::string>{"c2"}));
                 EXPECT_EQ(pieces[1].result_id, "c2");
                 EXPECT_EQ(pieces[2].kind, RequestPiece::Kind::ledger);
               });
}

TEST(ShortIds, ResolveOnlyWhatTheyNamed) {
  Conversation conversation;
  conversation.append(Message::assistant("", {ToolCall("x", "t", "{}"), ToolCall("x", "t", "{}")}));
  conversation.append(Message::tool_result("lost", "t", "r"));
  ShortIds ids;
  ids.sync(conversation);
  EXPECT_EQ(ids.resolve("c2"), (CallKey{0, 1}));
  for (const char* id : {"", "c", "c0", "c02", "c3x", "x", "c99999999999999999999", "C1"}) {
    EXPECT_FALSE(ids.resolve(id).has_value()) << id;
  }
  EXPECT_EQ(ids.name_of(CallKey{9, 0}), "");
}

}  // namespace
}  // namespace agentfootprint::findings
