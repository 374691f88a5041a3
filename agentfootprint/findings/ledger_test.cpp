// The ledger's JSON form, towers across turns, headlines, defaults and holds.
#include "agentfootprint/findings/ledger.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "agentfootprint/findings/fact_hold.hpp"
#include "agentfootprint/findings/headline.hpp"
#include "agentfootprint/findings/towers.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::findings {
namespace {

StandingRow standing(const std::string& id, std::uint32_t message, Standing word) {
  StandingRow row;
  row.result = ResultRef(id, CallKey{message, 0});
  row.standing = word;
  return row;
}

ContingentRow used_in(std::uint32_t by, std::uint32_t base, Standing then) {
  ContingentRow row;
  row.declared_on = DeclaredOn(ResultRef("c" + std::to_string(by), CallKey{by, 0}));
  row.value = "v-" + std::to_string(base);
  row.carriers = {{ResultRef("c" + std::to_string(base), CallKey{base, 0}), then}};
  return row;
}

const char* const kEveryKind[] = {
    R"({"kind":"basis","toolCallId":"c1","call":[1,0],"toolName":"t","iteration":1,)"
    R"("basis":"exploratory","expect":"high","proposition":"p","predicts":"q","malformed":2})",
    R"({"kind":"standing","toolCallId":"c1","call":[7,0],"orphan":true,"toolName":"t","ref":"a",)"
    R"("standing":"open","sought":true,"settles":"s","line":"l","assertions":[{"subject":{"kind":)"
    R"("k","id":"i"},"predicate":"p","value":null,"stratum":"quoted","provenance":"tool:c1"}],)"
    R"("declaredOn":"answer","iteration":1,"unknownId":true,"by":"person","who":"ann"})",
    R"({"kind":"conflict","key":"k\u0000i\u0000p\u0000","witnesses":[{"toolCallId":"c1","subject":)"
    R"({"kind":"k","id":"i"},"predicate":"p"}],"iteration":2})",
    R"({"kind":"judgment","toolCallId":"c1","toolName":"t","source":"judge","judge":{"name":"j",)"
    R"("model":"m"},"against":"proposition","standing":"noise","probabilities":{"noise":0.5},)"
    R"("confidence":0.25,"testsSubject":0.5,"usage":{"inputTokens":3,"outputTokens":4},)"
    R"("latencyMs":5,"clipped":true,"iteration":2})",
    R"({"kind":"judgment-error","toolCallId":"c1","toolName":"t","source":"judge","judge":{"name":)"
    R"("j"},"status":503,"message":"busy","latencyMs":5,"iteration":2})",
    R"({"kind":"contingent","declaredOn":{"toolCallId":"c2","call":[3,0]},"value":"v","carriers":)"
    R"([{"toolCallId":"c1","standing":"noise"}],"iteration":2,"draft":true,"echoIgnored":true,)"
    R"("level":"derived","formula":"a + b","operands":[{"raw":"1","carriers":[{"toolCallId":"c1",)"
    R"("standing":"noise"}]}]})",
    R"({"kind":"unsettled-by-absence","toolCallId":"c1","notChecked":[{"what":"w","why":"y"}],)"
    R"("cannotCover":[{"what":"h"}],"tryInstead":"t","iteration":2})",
    R"({"kind":"malformed","declaredOn":"answer","malformed":3,"iteration":4})"};

TEST(Rows, EveryKindReadsBackToTheSameBytes) {
  for (const char* text : kEveryKind) {
    const auto row = row_from_json(json::parse_or_throw(text));
    ASSERT_TRUE(row.has_value()) << row.error();
    EXPECT_EQ(json::dump(to_json(*row)), text);
  }
}

TEST(Rows, EveryMissingMemberIsNamed) {
  const std::set<std::string> optional = {
      "call",         "orphan",   "expect",     "proposition", "predicts",      "malformed",
      "toolName",     "ref",      "sought",     "settles",     "line",          "assertions",
      "unknownId",    "by",       "who",        "source",      "probabilities", "confidence",
      "testsSubject", "usage",    "clipped",    "status",      "echoIgnored",   "level",
      "formula",      "operands", "notChecked", "cannotCover", "tryInstead",    "draft"};
  int refused = 0;
  for (const char* text : kEveryKind) {
    const json::Value row = json::parse_or_throw(text);
    for (const json::Member& member : row.members()) {
      const auto read = row_from_json(json::without_member(row, member.key()));
      if (optional.count(std::string(member.key())) > 0) continue;
      EXPECT_FALSE(read.has_value()) << member.key() << " of " << text;
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
}

TEST(Ledger, ACheckpointWithABadRowIsRefusedByItsPlace) {
  const auto read = ledger_from_json(json::parse_or_throw(
      R"([{"kind":"malformed","declaredOn":"answer","malformed":1,"iteration":1},)"
      R"({"kind":"standing","toolCallId":"c1","standing":"sure","declaredOn":"answer",)"
      R"("iteration":1}])"));
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error(), "row 1: standing row: standing \"sure\" is not in the vocabulary");
  EXPECT_FALSE(ledger_from_json(json::object({{"rows", 1}})).has_value());
}

TEST(Ledger, CopiesShareRowsAndGoTheirOwnWay) {
  Ledger ledger;
  ledger.record({standing("c1", 1, Standing::fact)});
  Ledger copy = ledger;
  copy.record({standing("c1", 1, Standing::noise)});
  EXPECT_EQ(ledger.rows().size(), 1U);
  EXPECT_EQ(copy.rows().size(), 2U);
  EXPECT_EQ(ledger.rows()[0], copy.rows()[0]);
  EXPECT_FALSE(ledger.fold().has_set_aside());
  EXPECT_TRUE(copy.fold().has_set_aside());
}

TEST(Fold, AQuestionWithACallPrefersTheRowOfThatCall) {
  LedgerFold fold;
  StandingRow bare;
  bare.result = ResultRef("call_0");
  bare.standing = Standing::noise;
  fold.apply(share_row(bare));
  const ResultRef first("call_0", CallKey{1, 0});
  EXPECT_EQ(fold.standing_of(first)->standing, Standing::noise);  // filed before it was known
  fold.apply(share_row(standing("call_0", 3, Standing::fact)));
  EXPECT_EQ(fold.standing_of(ResultRef("call_0", CallKey{3, 0}))->standing, Standing::fact);
  EXPECT_EQ(fold.standing_of(first)->standing, Standing::noise);
  EXPECT_EQ(fold.standing_of(CallKey{5, 0}), nullptr);
}

TEST(Towers, AResultStandsOnSetAsideGroundWhileSomeBaseIs) {
  Ledger ledger;
  ledger.record({standing("c1", 1, Standing::noise), used_in(3, 1, Standing::noise),
                 used_in(5, 3, Standing::open), standing("c3", 3, Standing::fact)});
  const ResultRef top("c5", CallKey{5, 0});
  EXPECT_TRUE(Towers(ledger.fold()).on_set_aside_ground(top));
  EXPECT_EQ(Towers(ledger.fold()).staircase(top),
            "c5 used \"v-3\" from c3 (open then, fact now)\n"
            "  c3 used \"v-1\" from c1 (noise then, noise now)\n");
  ledger.record({standing("c1", 1, Standing::fact)});
  EXPECT_FALSE(Towers(ledger.fold()).on_set_aside_ground(top));
  EXPECT_EQ(Towers(ledger.fold()).steps_under(top).size(), 2U);
  EXPECT_EQ(Towers(ledger.fold()).staircase(ResultRef("c9", CallKey{9, 0})), "");
}

TEST(Towers, CyclesEnd) {
  Ledger ledger;
  ledger.record({used_in(3, 1, Standing::noise), used_in(1, 3, Standing::noise)});
  const Towers towers(ledger.fold());
  EXPECT_EQ(towers.steps_under(ResultRef("c1", CallKey{1, 0})).size(), 2U);
  EXPECT_FALSE(towers.on_set_aside_ground(ResultRef("c1", CallKey{1, 0})));
}

TEST(Towers, AnswersLeaveNoEdges) {
  ContingentRow row = used_in(3, 1, Standing::noise);
  row.declared_on = DeclaredOn();
  Ledger ledger;
  ledger.record({row});
  EXPECT_TRUE(ledger.fold().edges().empty());
  EXPECT_EQ(ledger.fold().contingent().size(), 1U);
}

Conversation three_turns() {
  Conversation conversation;
  for (int turn = 0; turn < 3; ++turn) {
    conversation.append(Message::user("q"));
    conversation.append(
        Message::assistant("", {ToolCall("call_0", turn == 1 ? "slow" : "ports", "{}")}));
    conversation.append(Message::tool_result("call_0", turn == 1 ? "slow" : "ports", "r"));
  }
  return conversation;
}

TEST(Headline, SaysTheDeclaredShareAndWhatSilenceMeans) {
  const Conversation conversation = three_turns();
  Ledger ledger;
  ledger.record({standing("call_0", 1, Standing::noise), used_in(4, 1, Standing::noise)});
  ServedResults served;
  served.sync(conversation);
  served.sync(ledger.fold(), ledger.rows());
  EXPECT_EQ(headline_text(headline_of(served, ledger.fold())),
            "1 contingent value; 1 of 3 results declared (33 %); 1 result on set-aside ground; 2 "
            "undeclared: nothing was said about them, and no value of theirs can be contingent");
  EXPECT_EQ(headline_text(headline_of(ServedResults(), LedgerFold())),
            "no results, nothing to declare");
  ContingentRow draft;
  draft.value = "v";
  draft.carriers = {{ResultRef("call_0", CallKey{1, 0}), Standing::noise}};
  draft.draft = true;
  ledger.record({draft});
  const Headline headline = headline_of(served, ledger.fold());
  EXPECT_EQ(headline_text(headline).substr(0, 64),
            "1 contingent value and 1 in drafts that were not let through; 1 ");
  const json::Value counts = to_json(headline);
  EXPECT_EQ(counts.at("inDrafts").as_int64(), 1);
}

TEST(Headline, TheDefaultIsTheApplicationsWordAndTheModelsWins) {
  const Conversation conversation = three_turns();
  Ledger ledger;
  ServedResults served;
  const auto sync = [&] {
    served.sync(conversation);
    served.sync(ledger.fold(), ledger.rows());
  };
  ledger.record({standing("call_0", 1, Standing::fact)});
  sync();
  DefaultStanding policy;
  policy.tools = {"slow"};
  std::vector<Row> rows;
  for (StandingRow& row : default_standing_rows(served, policy, 3)) rows.emplace_back(row);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(std::get<StandingRow>(rows[0]).by, DeclaredBy::app);
  ledger.record(std::move(rows));
  sync();
  EXPECT_EQ(headline_of(served, ledger.fold()).by_app, 1U);
  ledger.record({standing("call_0", 4, Standing::fact)});
  sync();
  EXPECT_EQ(headline_of(served, ledger.fold()).by_app, 0U);
  EXPECT_EQ(headline_of(served, ledger.fold()).by_model, 2U);
  EXPECT_TRUE(default_standing_rows(served, policy, 4).empty());
}

TEST(FactHold, HoldsTheNewestTurnsWithFactsForTwoBoundaries) {
  const Conversation conversation = three_turns();
  Ledger ledger;
  ledger.record({standing("call_0", 1, Standing::fact), standing("call_0", 4, Standing::fact),
                 standing("call_0", 7, Standing::noise)});
  FactHold hold(1);
  using Turns = std::vector<std::uint32_t>;
  EXPECT_EQ(hold.at_boundary(conversation, ledger.fold(), {1, 2, 3}), Turns{2});
  EXPECT_EQ(hold.at_boundary(conversation, ledger.fold(), {1, 2}), Turns{2});
  EXPECT_EQ(hold.at_boundary(conversation, ledger.fold(), {1, 2}), Turns{1});  // 2 is let go
  EXPECT_EQ(FactHold(0).at_boundary(conversation, ledger.fold(), {1, 2}), Turns{});
  const auto dropped = dropped_standings(conversation, ledger.fold(), 3);
  ASSERT_EQ(dropped.size(), 1U);
  EXPECT_EQ(dropped[0].standing, Standing::noise);
  EXPECT_FALSE(dropped_standings(conversation, LedgerFold(), 3)[0].standing.has_value());
}

}  // namespace
}  // namespace agentfootprint::findings
