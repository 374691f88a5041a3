// Replaying the ledger of a conversation up to an answer, and on to the end.
#include "agentfootprint/explain/internal/standings.hpp"

#include <set>

#include "agentfootprint/findings/answer_scanner.hpp"
#include "agentfootprint/findings/towers.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::explain::internal {
namespace {

std::optional<findings::Standing> word_of(const findings::StandingRow* row) {
  if (row == nullptr) return std::nullopt;
  return row->standing;
}

std::string spelled(const findings::ResultRef& result) {
  if (!result.call) return result.tool_call_id;
  return json::dump(to_json(*result.call)) + (result.call->orphan ? "o" : "");
}

}  // namespace

findings::ResultRef ref_of(const CallKey& key) {
  return findings::ResultRef("", key);
}

Standings::Standings(const Conversation& conversation, const WhyQuestion& question,
                     std::uint32_t answer) {
  evidence::ConversationIndex index;
  if (question.recorded != nullptr) {
    replay_.follow(question.recorded->rows);
    question.recorded->supply(index);
  }
  replay_.add(question.standings);
  const evidence::Judge judge(index, question.judge);
  Conversation before;
  for (std::uint32_t at = 0; at < conversation.size(); ++at) {
    const Message& message = conversation[at];
    replay_.declare(conversation, at);
    if (message.role == Role::assistant && message.origin == Origin::model &&
        now().has_set_aside()) {
      index.extend(before);
      if (!message.calls.empty()) {
        (void)replay_.use_in_calls(conversation, at, judge);
      } else {
        const std::string text = findings::LedgerReplay::declares(message)
                                     ? findings::peel_answer(message.text()).text
                                     : message.text();
        auto filed = replay_.use_in_answer(conversation, at, judge, judge.check(text));
        if (at == answer) contingent_ = std::move(filed);
      }
    }
    if (at == answer) then_ = now();
    before.append(message);
  }
  headline_ = findings::headline_of(replay_.served(conversation), now());
}

WhyStanding Standings::of(const findings::ResultRef& result) const {
  WhyStanding standing;
  standing.then = word_of(then_.standing_of(result));
  const findings::StandingRow* row = now().standing_of(result);
  standing.now = word_of(row);
  if (row == nullptr) return standing;
  standing.by = row->by;
  standing.who = row->who.value_or("");
  if (row->by == findings::DeclaredBy::model) standing.on = row->declared_on;
  standing.line = row->line.value_or("");
  standing.settles = row->settles.value_or("");
  return standing;
}

// Open conflicts under a key this result's facts assert something for.
std::vector<WhyContradiction> Standings::contradictions(const findings::ResultRef& result) const {
  std::vector<WhyContradiction> found;
  const findings::StandingRow* row = now().standing_of(result);
  if (row == nullptr || row->standing != findings::Standing::fact) return found;
  for (const findings::Assertion& own : row->assertions) {
    const auto conflict = now().conflict_of(own.key());
    if (!conflict) continue;
    const std::string value = json::dump_canonical(own.value);
    for (const findings::AssertedRef& other : conflict->assertions) {
      if (other.row == row || json::dump_canonical(other.assertion->value) == value) continue;
      found.push_back({own.subject_kind + "/" + own.subject_id, own.predicate, own.value,
                       other.assertion->value, other.row->result});
    }
  }
  return found;
}

std::optional<WhyJudgment> Standings::judgment(const findings::ResultRef& result) const {
  const findings::JudgmentRow* row = now().last_judgment(result);
  if (row == nullptr) return std::nullopt;
  return WhyJudgment{row->judge_name, row->standing, row->confidence};
}

std::vector<WhyTower> Standings::towers(const std::vector<WhyCall>& calls) const {
  std::vector<WhyTower> found;
  const findings::Towers towers(now());
  std::set<std::string> told;
  for (const WhyCall& call : calls) {
    const findings::ResultRef result = ref_of(call.key);
    if (told.contains(spelled(result))) continue;
    WhyTower tower;
    for (const findings::TowerStep& step : towers.steps_under(result)) {
      told.insert(spelled(step.edge->result));
      tower.steps.push_back({step.depth, *step.edge, step.now});
    }
    if (tower.steps.empty()) continue;
    tower.result = tower.steps.front().edge.result;
    tower.on_set_aside_ground = towers.on_set_aside_ground(result);
    found.push_back(std::move(tower));
  }
  return found;
}

}  // namespace agentfootprint::explain::internal
