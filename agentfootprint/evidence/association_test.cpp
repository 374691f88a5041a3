// Association notes: when a clause pairs an identifier with another record's value.
#include "agentfootprint/evidence/association.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace agentfootprint::evidence {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kPorts = R"({"switch":"sw-9001","ports":[{"port":"fc1/3","errors":4417},)"
                               R"({"port":"fc1/4","errors":9120}]})";

// `entity value pointer` of each note.
std::vector<std::string> notes(const std::string& answer, const std::string& arguments = "{}") {
  Conversation conversation;
  conversation.append(Message::user("go"));
  conversation.append(Message::assistant("", {ToolCall("c1", "ports", arguments)}));
  conversation.append(Message::tool_result("c1", "ports", kPorts));
  const auto index = ConversationIndex::of(conversation);
  const Judge judge(index, JudgeOptions());
  const Verdict verdict = judge.check(answer);
  std::vector<std::string> out;
  for (const AssociationNote& note : associations(judge, answer, verdict)) {
    std::string line =
        verdict.values[note.entity].value.raw + " " + verdict.values[note.value].value.raw;
    for (const AssociatedRecord& record : note.records) line += " " + record.pointer;
    out.push_back(line);
  }
  return out;
}

TEST(Association, TheRecordThatCarriesTheValueIsNamed) {
  EXPECT_THAT(notes("fc1/3 has 9120 errors."), ElementsAre("fc1/3 9120 /ports/1"));
  EXPECT_THAT(notes("fc1/4 has 9120 errors."), IsEmpty());
}

TEST(Association, EachItemOfAListIsAClauseOfItsOwn) {
  EXPECT_THAT(notes("- fc1/3: 4417\n- fc1/4: 9120"), IsEmpty());
  EXPECT_THAT(notes("- fc1/3: 9120\n- fc1/4: 4417"),
              ElementsAre("fc1/3 9120 /ports/1", "fc1/4 4417 /ports/0"));
}

TEST(Association, ARecordInsideAnotherBelongsToIt) {
  EXPECT_THAT(notes("sw-9001 has a port with 9120 errors."), IsEmpty());
}

TEST(Association, ACallThatNamedTheEntityAskedForIt) {
  EXPECT_THAT(notes("fc1/3 has 9120 errors.", R"({"near":"fc1/3"})"), IsEmpty());
}

TEST(Association, SeveralEntitiesInTurnHaveTheirOwnValues) {
  EXPECT_THAT(notes("fc1/3 has 4417 errors and fc1/4 has 9120."), IsEmpty());
  EXPECT_THAT(notes("fc1/3 has 9120 errors and fc1/4 has 4417."),
              ElementsAre("fc1/3 9120 /ports/1", "fc1/4 4417 /ports/0"));
  EXPECT_THAT(notes("There are 9120 errors on fc1/3 and 4417 on fc1/4."),
              ElementsAre("fc1/3 9120 /ports/1", "fc1/4 4417 /ports/0"));
  EXPECT_THAT(notes("There are 4417 errors on fc1/3 and 9120 on fc1/4."), IsEmpty());
}

TEST(Association, AnOrderThatLeavesItOpenIsNotLookedAt) {
  EXPECT_THAT(notes("fc1/3 and fc1/4 have 9120 errors."), IsEmpty());
  EXPECT_THAT(notes("fc1/3 and fc1/4 have 9120 and 4417 errors, respectively."), IsEmpty());
  EXPECT_THAT(notes("| fc1/3 | fc1/4 | 9120 |"), IsEmpty());
}

TEST(Association, AnItemSpeaksOfTheOneItStandsUnder) {
  EXPECT_THAT(
      notes("- Port fc1/3\n  - state: up\n  - errors: 9120\n- Port fc1/4\n  - errors: 9120"),
      ElementsAre("fc1/3 9120 /ports/1"));
  EXPECT_THAT(notes("1. **fc1/3**:\n   - errors:\n     9120"), ElementsAre("fc1/3 9120 /ports/1"));
  EXPECT_THAT(notes("- fc1/3 or fc1/4\n  - errors: 9120"), IsEmpty());
  // A line that is no item leads the items of its own indent.
  EXPECT_THAT(notes("1. **Port fc1/3**\n   - errors: 4417\n\n   **Peer fc1/4**\n   - errors: 9120"),
              IsEmpty());
  EXPECT_THAT(notes("1. **Port fc1/4**\n   - errors: 9120\n\n   **Peer fc1/3**\n   - errors: 9120"),
              ElementsAre("fc1/3 9120 /ports/1"));
}

TEST(Association, ATextWithoutBlocksSaysNothing) {
  EXPECT_THAT(notes("```fc1/3 9120"), IsEmpty());
}

TEST(Association, ACallThatNamedTheValueAskedForIt) {
  EXPECT_THAT(notes("fc1/3 has 9120 errors.", R"({"errors":9120})"), IsEmpty());
}

TEST(Association, ANoteChangesNoLevel) {
  Verdict verdict;
  verdict.values.resize(2);
  verdict.values[0].value.raw = "fc1/3";
  verdict.values[1].level = Level::exact;
  note_associations(verdict, {{0, 1, {}}});
  EXPECT_THAT(verdict.values[1].grounding.notes, ElementsAre("not-associated: fc1/3"));
  EXPECT_EQ(verdict.values[1].level, Level::exact);
  EXPECT_TRUE(verdict.unsupported.empty());
}

}  // namespace
}  // namespace agentfootprint::evidence
