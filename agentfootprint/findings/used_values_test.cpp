// Used values with their carriers off a real index, and ledgers replayed over finished
// conversations.
#include "agentfootprint/findings/used_values.hpp"

#include <gtest/gtest.h>

#include "agentfootprint/findings/imported.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::findings {
namespace {

void call(Conversation& conversation, const std::string& id, const std::string& arguments,
          const std::string& result) {
  conversation.append(Message::assistant("", {ToolCall(id, "ports", arguments)}));
  conversation.append(Message::tool_result(id, "ports", result));
}

// A finished conversation, audited message by message.
struct Replay {
  Conversation conversation;
  LedgerReplay replay;
  std::vector<ContingentRow> filed;

  explicit Replay(LedgerReplay start = LedgerReplay()) : replay(std::move(start)) {}

  void run() {
    evidence::ConversationIndex index;
    Conversation before;
    for (std::uint32_t at = 0; at < conversation.size(); ++at) {
      replay.declare(conversation, at);
      const evidence::Judge judge(index, evidence::JudgeOptions());
      if (conversation[at].role == Role::assistant) {
        for (auto& row : replay.use_in_calls(conversation, at, judge)) filed.push_back(row);
        const std::string answer = conversation[at].text();
        const evidence::Verdict verdict = judge.check(answer);
        for (auto& row : replay.use_in_answer(conversation, at, judge, verdict)) {
          filed.push_back(row);
        }
      }
      before.append(conversation[at]);
      index.extend(before);
    }
  }

  std::vector<std::string> rows() const {
    std::vector<std::string> list;
    for (const ContingentRow& row : filed) {
      std::string text = row.declared_on.on_answer() ? "answer " : "call ";
      text += row.value;
      for (const ContingentCarrier& carrier : row.carriers) {
        text += " " + carrier.result.tool_call_id + ":" + std::string(name_of(carrier.standing));
      }
      if (row.formula) text += " by " + *row.formula;
      if (row.echo_ignored) text += " echo";
      list.push_back(text);
    }
    return list;
  }
};

std::string rules(const std::string& id, const std::string& standing,
                  const std::string& rest = "") {
  return R"({)" + rest + R"("_findings":{"previous":[{"toolCallId":")" + id + R"(","standing":")" +
         standing + R"("}]}})";
}

using Rows = std::vector<std::string>;

TEST(Replayed, AValueFromNoiseIsContingentOnTheAnswer) {
  Replay run;
  run.conversation.append(Message::user("what is down?"));
  call(run.conversation, "c1", "{}", "fc1/7 down, sw-0001 up");
  call(run.conversation, "c2", rules("c1", "noise"), "sw-0001 has fc2/9");
  run.conversation.append(Message::assistant("fc1/7 on sw-0001, see fc2/9"));
  run.run();
  // sw-0001 has an undeclared carrier too, fc2/9 only that one.
  EXPECT_EQ(run.rows(), (Rows{"answer fc1/7 c1:noise"}));
}

TEST(Replayed, ArgumentsOfTheDeclaringCallAreLookedAtAndLeaveATower) {
  Replay run;
  run.conversation.append(Message::user("what is down?"));
  call(run.conversation, "c1", "{}", "fc1/7 down");
  call(run.conversation, "c2", rules("c1", "ruled-out", R"("port":"fc1/7",)"), "uptime 4711");
  run.run();
  EXPECT_EQ(run.rows(), (Rows{"call fc1/7 c1:ruled-out"}));
  const auto& fold = run.replay.ledger().fold();
  ASSERT_EQ(fold.edges().size(), 1U);
  EXPECT_EQ(fold.edges()[0].result.call, (CallKey{3, 0}));
  EXPECT_EQ(fold.edges()[0].base.call, (CallKey{1, 0}));
}

TEST(Replayed, WhatThePersonSaidIsNeverContingent) {
  Replay run;
  run.conversation.append(Message::user("is fc1/7 down?"));
  call(run.conversation, "c1", "{}", "fc1/7 down");
  call(run.conversation, "c2", rules("c1", "noise"), "ok");
  run.conversation.append(Message::assistant("fc1/7 is down"));
  run.run();
  EXPECT_EQ(run.rows(), Rows{});
}

TEST(Replayed, OnlyResultsOfThisTurnCarry) {
  Replay run;
  run.conversation.append(Message::user("what is down?"));
  call(run.conversation, "c1", "{}", "fc1/7 down");
  call(run.conversation, "c2", rules("c1", "noise"), "ok");
  run.conversation.append(Message::assistant("nothing"));
  run.conversation.append(Message::user("say it again"));
  run.conversation.append(Message::assistant("fc1/7 is down"));
  run.run();
  EXPECT_EQ(run.rows(), Rows{});
}

TEST(Replayed, RestartedIdsAreDifferentResults) {
  Replay run;
  run.conversation.append(Message::user("what is down?"));
  call(run.conversation, "call_0", "{}", "fc1/7 down");
  call(run.conversation, "call_0", rules("call_0", "noise"), "fc2/9 down");
  run.conversation.append(Message::assistant("fc1/7 and fc2/9"));
  run.run();
  EXPECT_EQ(run.rows(), (Rows{"answer fc1/7 call_0:noise"}));
}

TEST(Replayed, AnAnswersNotesAreFiledBeforeItsValues) {
  Replay run;
  run.conversation.append(Message::user("what is down?"));
  call(run.conversation, "c1", "{}", "fc1/7 down");
  run.conversation.append(Message::assistant(
      "{\"port\":\"fc1/7\",\"_findings\":{\"previous\":[{\"toolCallId\":\"c1\",\"standing\":"
      "\"open\",\"settles\":\"look again\"}]}}"));
  run.run();
  EXPECT_EQ(run.rows(), (Rows{"answer fc1/7 c1:open"}));
}

TEST(Replayed, ASumOfADeadEndIsContingentByItsOperand) {
  Replay run;
  run.conversation.append(Message::user("how much in all?"));
  call(run.conversation, "c1", "{}", R"({"used": 13700})");
  call(run.conversation, "c2", rules("c1", "fact"), R"({"used": 19410})");
  call(run.conversation, "c3", rules("c2", "ruled-out"), "ok");
  run.conversation.append(Message::assistant("13700 and 19410 make 33110"));
  run.run();
  const Rows rows = run.rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0], "answer 19410 c2:ruled-out");
  EXPECT_EQ(rows[1].substr(0, 26), "answer 33110 c2:ruled-out ");
  EXPECT_EQ(run.filed[1].level, "derived");
  ASSERT_EQ(run.filed[1].operands.size(), 1U);
  EXPECT_EQ(run.filed[1].operands[0].raw, "19410");
}

TEST(Replayed, EchoesClearUnlessToldOtherwise) {
  const auto filed = [](bool echoes_clear) {
    ContingentOptions options;
    options.echoes_clear = echoes_clear;
    Replay run{LedgerReplay(options)};
    run.conversation.append(Message::user("what is down?"));
    call(run.conversation, "c1", "{}", "fc1/7 down");
    call(run.conversation, "c2", rules("c1", "noise"), "ok");
    call(run.conversation, "c3", R"({"port":"fc1/7"})", R"({"port":"fc1/7","seen":true})");
    run.conversation.append(Message::assistant("fc1/7 is down"));
    run.run();
    return run.rows();
  };
  EXPECT_EQ(filed(true), (Rows{"call fc1/7 c1:noise"}));
  EXPECT_EQ(filed(false), (Rows{"call fc1/7 c1:noise", "answer fc1/7 c1:noise echo"}));
}

TEST(Replayed, NumericArgumentsAreValuesOnlyWhenAskedFor) {
  const auto filed = [](bool numbers) {
    ArgumentUse use;
    use.arguments.numbers = numbers;
    Replay run{LedgerReplay(ContingentOptions(), use)};
    run.conversation.append(Message::user("go"));
    call(run.conversation, "c1", "{}", R"({"size": 41200})");
    call(run.conversation, "c2", rules("c1", "noise", R"("n":41200,)"), "ok");
    run.run();
    return run.rows();
  };
  EXPECT_EQ(filed(false), Rows{});
  EXPECT_EQ(filed(true), (Rows{"call 41200 c1:noise"}));
}

TEST(Replayed, AWordOfAPersonIsCheckedTheSameWay) {
  Conversation conversation;
  conversation.append(Message::user("what is down?"));
  call(conversation, "c1", "{}", "fc1/7 down");
  conversation.append(Message::assistant("fc1/7 is down"));
  for (const char* text : {R"({"result": 2, "standing": "noise", "who": "ann"})",
                           "\n{\"call\":[1,0],\"standing\":\"noise\",\"who\":\"ann\"}\r\n",
                           R"([{"toolCallId":"c1","standing":"noise","who":"ann"}])"}) {
    auto rows = read_standings(text, conversation);
    ASSERT_TRUE(rows.has_value()) << rows.error();
    LedgerReplay replay;
    replay.add(std::move(*rows));
    Replay run{std::move(replay)};
    run.conversation = conversation;
    run.run();
    EXPECT_EQ(run.rows(), (Rows{"answer fc1/7 c1:noise"})) << text;
    const Headline headline =
        headline_of(run.replay.served(run.conversation), run.replay.ledger().fold());
    EXPECT_EQ(headline.by_person, 1U);
  }
}

TEST(Replayed, TheWholeConversationAtOnceSaysTheSame) {
  Replay run;
  run.conversation.append(Message::user("what is down?"));
  call(run.conversation, "c1", "{}", "fc1/7 down");
  call(run.conversation, "c2", rules("c1", "ruled-out", R"("port":"fc1/7",)"), "uptime 4711\x1b");
  run.conversation.append(Message::assistant("fc1/7 is down"));
  run.run();
  ASSERT_TRUE(declares_findings(run.conversation));
  const ReplayedLedger whole = replay_conversation(run.conversation, evidence::JudgeOptions());
  EXPECT_EQ(json::dump(ledger_to_json(whole.ledger)),
            json::dump(ledger_to_json(run.replay.ledger())));
  ASSERT_EQ(whole.contingent.size(), 2U);
  EXPECT_EQ(whole.contingent[0].message, 3U);
  EXPECT_EQ(whole.contingent[1].message, 5U);
  EXPECT_EQ(report_text(whole),
            "findings: 2 contingent values; 1 of 2 results declared (50 %); 1 result on set-aside "
            "ground; 1 undeclared: nothing was said about it, and no value of it can be "
            "contingent\n"
            "  message 3: fc1/7 is contingent: it came only from c1 [1,0] (ruled-out)\n"
            "  message 5: fc1/7 is contingent: it came only from c1 [1,0] (ruled-out)\n"
            "  c2 [3,0] stands on set-aside ground:\n"
            "    c2 [3,0] used \"fc1/7\" from c1 [1,0] (ruled-out then, ruled-out now)\n");
  const json::Value out = to_json(whole);
  EXPECT_EQ(out.at("headline").at("contingent").as_int64(), 2);
  EXPECT_EQ(out.at("contingent").at(0).at("message").as_int64(), 3);
  EXPECT_EQ(out.at("towers").size(), 1U);
  Conversation silent;
  silent.append(Message::user("_findings"));
  silent.append(Message::assistant("no notes here"));
  EXPECT_FALSE(declares_findings(silent));
}

TEST(ReadStandings, FaultsNameTheLine) {
  Conversation conversation;
  conversation.append(Message::user("go"));
  call(conversation, "x", "{}", "r");
  call(conversation, "x", "{}", "r");
  const std::pair<const char*, const char*> cases[] = {
      {"{\"result\":2,\"standing\":\"noise\"}\n{", "line 2: "},
      {R"({"result":2,"standing":"sure"})",
       "line 1: standing must be fact, open, noise or ruled-out"},
      {R"({"result":1,"standing":"noise"})", "line 1: result is the index of no result's message"},
      {R"({"call":[9,0],"standing":"noise"})", "line 1: call names no call with a result"},
      {R"({"toolCallId":"x","standing":"noise"})",
       "line 1: several results have this toolCallId: name one by result or call"},
      {R"({"toolCallId":"y","standing":"noise"})", "line 1: no result has this toolCallId"},
      {R"({"standing":"noise"})",
       "line 1: a line names its result by result (index of its message), call or toolCallId"},
      {R"([{"result":2,"standing":"noise","who":3}])", "entry 0: who must be a text"},
      {"7", "line 1: a line is an object with result and standing"}};
  for (const auto& [text, want] : cases) {
    const auto read = read_standings(text, conversation);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().substr(0, std::string(want).size()), want);
  }
  EXPECT_TRUE(read_standings(" \n", conversation)->empty());
}

TEST(GroundedArguments, DistinctValuesInOrderWithTheirForms) {
  Conversation conversation;
  conversation.append(Message::user("look at sw-0001"));
  conversation.append(Message::tool_result("c1", "t", "node-1: 1007us on sw-0001, fc1/7"));
  const auto index = evidence::ConversationIndex::of(conversation);
  const evidence::Judge judge(index, evidence::JudgeOptions());
  const auto values = grounded_argument_values(
      json::parse_or_throw(
          R"({"a":["fc1/7","1007us"],"b":{"c":"sw-0001 fc1/7"},"d":"fc9/9","e":true})"),
      judge, ArgumentUse());
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].value, "fc1/7");
  EXPECT_EQ(values[1].value, "1007");
  EXPECT_EQ(values[1].forms, (std::vector<std::string>{"1007", "1007us"}));
}

}  // namespace
}  // namespace agentfootprint::findings
