// The judge: what it is asked, its budget, its timeout, its failures; and the options around it.
#include "agentfootprint/findings/judge_desk.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/findings/fold.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::findings {
namespace {

JudgeSubject subject(const std::string& text = "fc1/7 down") {
  JudgeSubject one;
  one.result = ResultRef("c1", CallKey{1, 0});
  one.tool_name = "ports";
  one.question = "is it down?";
  one.text = text;
  one.iteration = 2;
  return one;
}

JudgeReply reply(const char* choice) {
  JudgeReply one;
  one.choice = choice;
  one.model = "m1";
  one.probabilities = {{"fact", 0.75}, {"other", 0.25}};
  one.confidence = 0.75;
  one.usage = TokenUsage{100, 20};
  return one;
}

TEST(JudgeDesk, AsksAgainstThePropositionWhenThereIsOne) {
  ManualClock clock;
  JudgeDesk desk("critic", JudgePolicy(), clock);
  auto asked = std::get<JudgeRequest>(desk.ask(subject()));
  EXPECT_EQ(json::dump(asked.state),
            R"({"question":"is it down?","tool":"ports","result":"fc1/7 down"})");
  EXPECT_FALSE(asked.against_proposition);
  BasisRow basis;
  basis.proposition = "it is down";
  JudgeSubject with = subject();
  with.basis = &basis;
  asked = std::get<JudgeRequest>(desk.ask(with));
  EXPECT_TRUE(asked.against_proposition);
  EXPECT_EQ(asked.state.at("proposition").as_string(), "it is down");
  EXPECT_EQ(asked.questions.at("standing").at("criteria").size(), 4U);
}

TEST(JudgeDesk, AReplyIsARowKeptApartFromStandings) {
  ManualClock clock;
  JudgeDesk desk("critic", JudgePolicy(), clock);
  const auto asked = std::get<JudgeRequest>(desk.ask(subject(std::string(4'001, 'x'))));
  clock.advance_ms(12);
  const Row row = desk.settle(asked, JudgeOutcome(reply("noise")));
  EXPECT_EQ(json::dump(to_json(row)),
            R"({"kind":"judgment","toolCallId":"c1","call":[1,0],"toolName":"ports","source":)"
            R"("judge","judge":{"name":"critic","model":"m1"},"against":"question","standing":)"
            R"("noise","probabilities":{"fact":0.75},"confidence":0.75,"usage":{"inputTokens":100,)"
            R"("outputTokens":20},"latencyMs":12,"clipped":true,"iteration":2})");
  const LedgerFold fold = fold_ledger({share_row(row)});
  EXPECT_FALSE(fold.has_standing());
  EXPECT_EQ(fold.last_judgment(ResultRef("c1", CallKey{1, 0}))->standing, Standing::noise);
}

TEST(JudgeDesk, EveryFailureIsARow) {
  ManualClock clock;
  JudgePolicy policy;
  policy.timeout_ms = 100;
  JudgeDesk desk("critic", policy, clock);
  const auto asked = std::get<JudgeRequest>(desk.ask(subject()));
  const auto message = [](const Row& row) { return std::get<JudgmentErrorRow>(row).message; };
  EXPECT_EQ(message(desk.settle(asked, JudgeOutcome(reply("maybe")))),
            "the reply names no standing of the vocabulary");
  EXPECT_EQ(message(desk.settle(asked, JudgeOutcome(JudgeReply()))),
            "the reply names no standing of the vocabulary");
  const Row failed = desk.settle(asked, Unexpected<JudgeFailure>({503, "busy"}));
  EXPECT_EQ(message(failed), "busy");
  EXPECT_EQ(std::get<JudgmentErrorRow>(failed).status, 503);
  EXPECT_EQ(message(desk.timed_out(asked)), "no reply within 100 ms");
  clock.advance_ms(101);
  EXPECT_EQ(message(desk.settle(asked, JudgeOutcome(reply("fact")))), "no reply within 100 ms");
  EXPECT_EQ(desk.failed(), 5U);
}

TEST(JudgeDesk, ABudgetIsKeptAndSaid) {
  ManualClock clock;
  JudgePolicy policy;
  policy.max_calls = 1;
  JudgeDesk calls("critic", policy, clock);
  EXPECT_TRUE(std::holds_alternative<JudgeRequest>(calls.ask(subject())));
  const auto refused = calls.ask(subject());
  EXPECT_EQ(std::get<JudgmentErrorRow>(std::get<Row>(refused)).message,
            "not asked: the budget of 1 calls is spent");
  EXPECT_EQ(calls.not_asked(), 1U);

  policy.max_calls = 9;
  policy.max_tokens = 120;
  JudgeDesk tokens("critic", policy, clock);
  const auto asked = std::get<JudgeRequest>(tokens.ask(subject()));
  (void)tokens.settle(asked, JudgeOutcome(reply("fact")));
  EXPECT_TRUE(std::holds_alternative<Row>(tokens.ask(subject())));
}

TEST(FindingsOptions, DefaultsAndEveryOption) {
  EXPECT_EQ(read_findings_options(json::Value(true)).declarations, Declarations::standings);
  const FindingsOptions options = read_findings_options(json::parse_or_throw(
      R"({"serve":"ledger-only","answerAsk":"quote-facts","declarations":"full","offer":"schema",)"
      R"("piece":"system","echoesClear":false,"numericArguments":true,"defaultStanding":)"
      R"({"standing":"noise","tools":["a"]},"instruction":"say it","judge":{"maxCalls":2,)"
      R"("maxTokens":5,"timeoutMs":7},"keepLedgerFacts":0})"));
  EXPECT_EQ(options.serve, Serve::ledger_only);
  EXPECT_EQ(options.answer_ask, AnswerAsk::quote_facts);
  EXPECT_EQ(options.declarations, Declarations::full);
  EXPECT_EQ(options.offer, Placement::upstream);
  EXPECT_EQ(options.piece, Placement::upstream);
  EXPECT_FALSE(options.echoes_clear);
  EXPECT_TRUE(options.numeric_arguments);
  EXPECT_EQ(options.default_standing->standing, Standing::noise);
  EXPECT_EQ(options.default_standing->tools, std::vector<std::string>{"a"});
  EXPECT_EQ(options.judge.max_calls, 2U);
  EXPECT_EQ(options.judge.timeout_ms, 7U);
  EXPECT_EQ(options.keep_ledger_facts, 0U);
  EXPECT_EQ(findings_instruction(options, false), "say it");
}

TEST(FindingsOptions, EveryFaultIsRefusedAtOnce) {
  try {
    (void)read_findings_options(json::parse_or_throw(
        R"({"serve":"all","echoesClear":1,"keepLedgerFacts":-1,"judge":{"timeoutMs":0},)"
        R"("defaultStanding":"maybe","colour":1,"instruction":3})"));
    FAIL() << "nothing was refused";
  } catch (const Refusal& refusal) {
    std::vector<std::string> fields;
    for (const Issue& issue : refusal.issues()) fields.push_back(issue.field);
    EXPECT_EQ(fields, (std::vector<std::string>{"colour", "serve", "echoesClear", "defaultStanding",
                                                "keepLedgerFacts", "timeoutMs", "instruction"}));
  }
  EXPECT_THROW((void)read_findings_options(json::Value(false)), Refusal);
  EXPECT_THROW((void)read_findings_options(json::object({{"judge", 3}})), Refusal);
  EXPECT_THROW((void)read_findings_options(json::object({{"defaultStanding", json::array({1})}})),
               Refusal);
}

TEST(FindingsOptions, InstructionsAreBoundedAndTheGateAddsOneLine) {
  FindingsOptions options;
  const std::string plain = findings_instruction(options, false);
  const std::string armed = findings_instruction(options, true);
  EXPECT_EQ(armed.substr(0, plain.size()), plain);
  EXPECT_EQ(std::count(armed.begin(), armed.end(), '\n'),
            std::count(plain.begin(), plain.end(), '\n') + 1);
  options.instruction = std::string(4'001, 'x');
  EXPECT_THROW(check_findings_options(options), Refusal);
  options.instruction = std::string(4'000, 'x');
  EXPECT_NO_THROW(check_findings_options(options));
}

TEST(FindingsOptions, AToolMustNotTakeTheName) {
  const json::Value taken =
      json::parse_or_throw(R"({"properties":{"_findings":{"type":"string"}}})");
  try {
    check_tool_schema("notes", taken);
    FAIL() << "nothing was refused";
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.code(), "findings-name-taken");
    EXPECT_NE(std::string(refusal.what()).find("\"notes\""), std::string::npos);
  }
  EXPECT_NO_THROW(check_tool_schema(
      "notes", with_findings_argument(json::object({{"type", "object"}}), Declarations::full)));
}

}  // namespace
}  // namespace agentfootprint::findings
