// The checks that need no model: assertions, claims, support of arguments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/evidence/argument_support.hpp"
#include "agentfootprint/evidence/assertions.hpp"
#include "agentfootprint/evidence/claims.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::evidence {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

StatedAssertion says(std::string id, std::string predicate, std::string_view value) {
  return StatedAssertion("port", std::move(id), std::move(predicate), json::parse_or_throw(value));
}

TEST(Assertions, TwoValuesUnderOneKeyConflict) {
  const auto conflicts =
      conflicts_of({says("fc1/7", "state", R"("up")"), says("fc1/8", "state", "1"),
                    says("fc1/7", "state", R"("up")"), says("fc1/7", "state", R"("down")")});
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_THAT(conflicts[0].assertions, ElementsAre(0u, 2u, 3u));
  EXPECT_EQ(conflicts[0].key, std::string("port\0fc1/7\0state\0", 17));
}

TEST(Assertions, WhatIsNotCompared) {
  const StatedAssertion base = says("a", "p", "30");
  EXPECT_EQ(conflicts_of({base, says("a", "p", R"("30")")}).size(), 1u);  // types differ
  EXPECT_EQ(conflicts_of({base, says("a", "p", "30.0")}).size(), 0u);
  EXPECT_EQ(
      conflicts_of({says("a", "p", R"({"x":1,"y":2})"), says("a", "p", R"({"y":2,"x":1})")}).size(),
      0u);
  EXPECT_EQ(conflicts_of({base, says("b", "p", "31")}).size(), 0u);
  EXPECT_EQ(conflicts_of({base, says("a", "q", "31")}).size(), 0u);
  StatedAssertion quoted = says("a", "p", "31");
  quoted.quoted = true;
  EXPECT_EQ(conflicts_of({base, quoted}).size(), 0u);
  EXPECT_EQ(conflicts_of({base, says("a", "p", R"({"kind":"unknown","reason":"no"})")}).size(), 0u);
  EXPECT_EQ(
      conflicts_of({base, says("a", "p", R"({"kind":"known","value":31,"evidence":[]})")}).size(),
      1u);
  EXPECT_EQ(conflicts_of({base, says("a", "p", "31")}, {"p"}).size(), 0u);
  const auto at = [](const char* epoch, const char* value) {
    StatedAssertion made = says("a", "p", value);
    made.epoch = json::parse_or_throw(epoch);
    return made;
  };
  EXPECT_EQ(conflicts_of({at("3", "1"), at("4", "2")}).size(), 0u);
  EXPECT_EQ(conflicts_of({at("4", "1"), at("4", "2")}).size(), 1u);
  EXPECT_EQ(conflicts_of({base, at("4", "2")}).size(), 0u);
}

json::Value menu(int count, const char* measured = nullptr) {
  json::ObjectBuilder fact;
  fact.add("entity", "nav").add("count", count);
  json::ObjectBuilder envelope;
  envelope.add("facts", json::array({fact.build()}));
  if (measured != nullptr) {
    envelope.add("provenance", json::object({{"measured_at", measured}, {"source", "dom"}}));
  }
  return envelope.build();
}

std::string outcome(const ClaimLedger& ledger, std::string_view answer) {
  const std::vector<ClaimPath> contract = {{"nav_count", "nav", "count"}};
  return std::string(
      name_of(check_claims(contract, json::parse_or_throw(answer), ledger)[0].outcome));
}

TEST(Claims, AgainstTheReadingThatSettlesThem) {
  ClaimLedger ledger;
  EXPECT_EQ(outcome(ledger, R"({"nav_count":2})"), "could-not-run");
  ledger.add(menu(2), "menu", CallKey{1, 0}, 1);
  EXPECT_EQ(outcome(ledger, R"({"nav_count":5})"), "failed");
  EXPECT_EQ(outcome(ledger, R"({"nav_count":2})"), "passed");
  EXPECT_EQ(outcome(ledger, R"({"nav_count":2.0})"), "passed");
  EXPECT_EQ(outcome(ledger, R"({"nav_count":"2"})"), "passed");
  EXPECT_EQ(outcome(ledger, R"({"other":2})"), "not-applicable");
  EXPECT_EQ(outcome(ledger, R"({"nav_count":"unknown"})"), "advisory");
  EXPECT_EQ(outcome(ledger, R"({"nav_count":null})"), "advisory");
}

TEST(Claims, TheLastReadingSettlesAndEarlierOnesStandBeside) {
  ClaimLedger ledger;
  ledger.add(menu(1), "menu", CallKey{1, 0}, 1);
  ledger.add(menu(2), "menu", CallKey{3, 0}, 2);
  const std::vector<ClaimPath> contract = {{"/a/n", "nav", "count"}};
  const auto checked = check_claims(contract, json::parse_or_throw(R"({"a":{"n":1}})"), ledger);
  EXPECT_EQ(checked[0].outcome, ClaimOutcome::failed);
  EXPECT_EQ(checked[0].settled, 1u);
  EXPECT_THAT(checked[0].earlier, ElementsAre(0u));
  EXPECT_EQ(
      json::dump(to_json(ledger.rows()[1])),
      R"({"entity":"nav","field":"count","value":2,"toolName":"menu","call":[3,0],"iteration":2})");
}

TEST(Claims, WhatWasMeasuredLastSettlesWhateverLandedLast) {
  ClaimLedger ledger;
  ledger.add(menu(7, "2026-04-12T10:00:00Z"), "menu", CallKey{1, 0}, 1);
  ledger.add(menu(5, "2026-04-12T09:00:00Z"), "menu", CallKey{3, 0}, 2);
  EXPECT_EQ(outcome(ledger, R"({"nav_count":7})"), "passed");
  ClaimLedger series;
  series.add(json::parse_or_throw(R"({"provenance":{"measured_at":"2026-04-12T12:00:00Z"},"series":[
      {"t":"2026-04-12T11:00:00Z","entity":"nav","metric":"count","value":9},
      {"t":"2026-04-12T10:00:00Z","entity":"nav","metric":"count","value":4}]})"),
             "menu", CallKey{1, 0}, 1);
  EXPECT_EQ(outcome(series, R"({"nav_count":9})"), "passed");
}

TEST(Claims, DoubtsOnBothSidesPass) {
  ClaimLedger ledger;
  ledger.add(json::parse_or_throw(R"({"facts":[{"entity":"nav","count":"unknown"}]})"), "menu",
             CallKey{1, 0}, 1);
  EXPECT_EQ(outcome(ledger, R"({"nav_count":null})"), "passed");
  EXPECT_EQ(outcome(ledger, R"({"nav_count":3})"), "could-not-run");
}

TEST(Claims, ContractsThatCannotWorkAreRefused) {
  const auto fields = [](const std::vector<ClaimPath>& contract) {
    std::vector<std::string> found;
    try {
      check_claims_contract(contract);
    } catch (const Refusal& refusal) {
      for (const Issue& issue : refusal.issues()) found.push_back(issue.field);
    }
    return found;
  };
  EXPECT_THAT(fields({}), ElementsAre("claims"));
  EXPECT_THAT(fields({{" ", "", "\t"}}),
              ElementsAre("claims[0].path", "claims[0].entity", "claims[0].field"));
  EXPECT_THAT(fields({{"a", "e", "f"}, {"/a", "e", "g"}}), ElementsAre("claims[1].path"));
  EXPECT_THAT(fields({{"a", "e", "f"}}), IsEmpty());
}

struct Support : ::testing::Test {
  Conversation conversation;
  Support() {
    conversation.append(Message::user("look at switch Alpha please"));
    conversation.append(
        Message::assistant("I guess it is ghostly", {ToolCall("c1", "find", "{}")}));
    conversation.append(
        Message::tool_result("c1", "find", R"({"id":"C-4471","state":"idle","peer":"fc1/10"})"));
  }
  std::vector<std::string> paths(std::string_view arguments, std::string_view schema = "{}") {
    const auto index = ConversationIndex::of(conversation);
    const Judge judge(index, JudgeOptions());
    const ServedWords words{conversation, "Serve the Acme corporation."};
    std::vector<std::string> found;
    for (const UnsupportedArgument& one :
         check_argument_support(judge, words, json::parse_or_throw(arguments),
                                json::parse_or_throw(schema))
             .findings) {
      found.push_back(one.path + (one.said_by_model ? " (model)" : ""));
    }
    return found;
  }
};

TEST_F(Support, LeavesThatSomebodySaidAreSupported) {
  EXPECT_THAT(paths(R"({"id":"C-4471","s":"IDLE","who":"alpha","firm":"acme","n":7,"b":true})"),
              IsEmpty());
  EXPECT_THAT(paths(R"({"id":"C-9999","deep":{"list":["idle","purple"]}})"),
              ElementsAre("/id", "/deep/list/1"));
}

TEST_F(Support, WholeWordsOnly) {
  EXPECT_THAT(paths(R"({"port":"fc1/1"})"), ElementsAre("/port"));  // not inside fc1/10
  EXPECT_THAT(paths(R"({"who":"alph"})"), ElementsAre("/who"));
}

TEST_F(Support, WhatIsNotJudged) {
  EXPECT_THAT(paths(R"({"a":"zzz","q":"find the purple thing for me"})"), IsEmpty());
  EXPECT_THAT(paths(R"({"mode":"Purple"})", R"({"properties":{"other":{"enum":["purple"]}}})"),
              IsEmpty());
  EXPECT_THAT(paths(R"({"q":"C-9999"})", R"({"properties":{"q":{"x-evidence":"text"}}})"),
              IsEmpty());
  EXPECT_THAT(paths(R"({"q":"is C-9999 up"})"), ElementsAre("/q"));  // a value inside prose is
}

TEST_F(Support, OnlyTheModelSaidIt) {
  EXPECT_THAT(paths(R"({"who":"ghostly"})"), ElementsAre("/who (model)"));
}

TEST_F(Support, ArgumentsThatAGroundHasShown) {
  const auto known = known_arguments(conversation, {"find"},
                                     json::parse_or_throw(R"({"id":"c-4471","x":["fc1/1"]})"));
  ASSERT_TRUE(known);
  ASSERT_EQ(known->size(), 1u);
  EXPECT_EQ((*known)[0].path, "/id");
  EXPECT_EQ((*known)[0].producer, "find");
  EXPECT_EQ((*known)[0].call, (CallKey{1, 0, false}));
  EXPECT_FALSE(known_arguments(conversation, {"other"}, json::parse_or_throw("{}")));
}

TEST(DanglingGrounds, NamesWhatIsGoneAndNotFetchedAgain) {
  EXPECT_THAT(dangling_grounds({"a", "b", "c"}, {"a", "b"}, {"b"}), ElementsAre("a"));
  EXPECT_THAT(dangling_grounds({"a"}, {}, {}), IsEmpty());
}

}  // namespace
}  // namespace agentfootprint::evidence
