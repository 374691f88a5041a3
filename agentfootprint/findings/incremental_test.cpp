// What is kept as a run grows equals what is computed from the whole each time.
#include <gtest/gtest.h>

#include <random>

#include "agentfootprint/findings/headline.hpp"
#include "agentfootprint/findings/request.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::findings {
namespace {

// A conversation and a ledger that grow by random steps; wire ids come from a small set, so they
// repeat, and some results are settled or carry no id.
class Growing {
 public:
  explicit Growing(std::uint32_t seed) : random_(seed) {}

  void step() {
    switch (pick(4)) {
      case 0:
        conversation.append(Message::user("go on"));
        return;
      case 1:
        add_calls();
        return;
      default:
        add_standing();
    }
  }

  Conversation conversation;
  Ledger ledger;
  std::vector<std::string> ids;

 private:
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  void add_calls() {
    std::vector<ToolCall> calls;
    const std::uint32_t count = 1 + pick(3);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::optional<std::string> id;
      if (pick(8) != 0) id = "call_" + std::to_string(pick(6));
      if (id) ids.push_back(*id);
      calls.emplace_back(id, "ports", "{}");
    }
    const std::uint32_t at = conversation.append(Message::assistant("", calls));
    for (std::uint32_t i = 0; i < count; ++i) {
      Message result =
          Message::tool_result(calls[i].wire_id, "ports",
                               "r" + std::to_string(random_()) + std::string(pick(2) * 900, 'x'));
      if (pick(5) == 0) {
        result.status = ResultStatus::settled;
        result.dispatched = false;
      } else if (pick(6) == 0) {
        result.status = ResultStatus::absent;
      }
      conversation.append_result(CallKey{at, i, false}, std::move(result));
    }
  }

  void add_standing() {
    const std::vector<std::uint32_t> results = conversation.results();
    StandingRow row;
    if (results.empty() || pick(6) == 0) {
      row.result = ResultRef("call_" + std::to_string(pick(6)));
      row.unknown_id = true;
    } else {
      const std::uint32_t at = results[pick(static_cast<std::uint32_t>(results.size()))];
      row.result =
          ResultRef(conversation[at].tool_call_id.value_or(""), conversation.key_of_result(at));
    }
    row.standing = kStandings[pick(4)];
    row.by = static_cast<DeclaredBy>(pick(3));
    if (pick(2) == 0) row.settles = "look again";
    if (pick(3) == 0) row.ref = "art_" + std::to_string(pick(3));
    std::vector<Row> rows;
    rows.emplace_back(row);
    if (row.result.call && pick(3) == 0) {
      ContingentRow used;
      used.declared_on =
          DeclaredOn(ResultRef("x", CallKey{row.result.call->message + 1, 0, false}));
      used.value = "fc1/7";
      used.carriers = {{row.result, Standing::noise}};
      rows.emplace_back(std::move(used));
    }
    ledger.record(std::move(rows));
  }

  std::mt19937 random_;
};

std::string spelled(const KnownResult& known) {
  return known.result.tool_call_id + "|" +
         (known.result.call ? json::dump(to_json(*known.result.call)) : "-") + "|" +
         known.tool_name.value_or("-") + "|" + json::dump(known.content) + "|" +
         (known.absent ? "absent" : "there");
}

std::string spelled(const KnownResults& known) {
  std::string text;
  for (const KnownResult& one : known.in_order()) text += spelled(one) + "\n";
  return text;
}

TEST(Incremental, KnownResultsEqualTheNaiveOnes) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    Growing growing(seed);
    KnownFollower follower;
    for (int step = 0; step < 60; ++step) {
      growing.step();
      const std::uint32_t before = growing.conversation.size();
      const KnownResults naive = known_results(growing.conversation, before);
      const KnownResults& kept = follower.sync(growing.conversation, before);
      ASSERT_EQ(spelled(kept), spelled(naive)) << seed << " " << step;
      for (const std::string& id : growing.ids) {
        const KnownResult* found = naive.find(id);
        const KnownResult* same = kept.find(id);
        ASSERT_EQ(found == nullptr, same == nullptr) << id;
        if (found == nullptr) continue;
        ASSERT_EQ(spelled(*found), spelled(*same));
      }
    }
  }
}

TEST(Incremental, WhatADeskKnowsEqualsWhatAFreshDeskKnows) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    Growing growing(seed);
    RequestDesk desk{FindingsOptions()};
    for (int step = 0; step < 50; ++step) {
      growing.step();
      RequestDesk fresh{FindingsOptions()};
      ASSERT_EQ(spelled(desk.known(growing.conversation)),
                spelled(fresh.known(growing.conversation)));
    }
  }
}

// Collapse in steps as it is defined: every result is looked at for every request.
class NaiveSteps {
 public:
  const Tickets& apply(const Conversation& conversation, const LedgerFold& fold, Serve serve,
                       const ResultNames& names) {
    Tickets wanted = collapse_judged(conversation, fold, serve, names);
    Tickets kept;
    std::size_t saved = 0;
    for (const auto& [index, ticket] : wanted) {
      if (applied_.contains(index)) {
        kept.emplace(index, ticket);
      } else if (const std::size_t before = conversation[index].text().size();
                 before > ticket.size()) {
        saved += before - ticket.size();
      }
    }
    applied_ = saved >= kCollapseStepBytes ? std::move(wanted) : std::move(kept);
    return applied_;
  }

 private:
  Tickets applied_;
};

bool stands_in(const std::vector<MessageSpan>& spans, std::uint32_t message) {
  return std::any_of(spans.begin(), spans.end(), [message](const MessageSpan& span) {
    return span.first <= message && message < span.last;
  });
}

// What goes out last, from the whole ledger and every result of the conversation.
std::string naive_last(const Growing& growing, const RequestDesk& desk,
                       const std::vector<MessageSpan>& left_out) {
  const LedgerFold fold = fold_ledger(growing.ledger.rows());
  const ResultNames names = desk.ids().names();
  std::vector<std::string> offer;
  std::vector<ResultRef> undeclared;
  ServedResults served(Naming::unique);
  served.sync(growing.conversation);
  for (const ServedResult& one : served.results()) {
    if (stands_in(left_out, one.message)) continue;
    const StandingRow* standing = fold.standing_of(one.result);
    if (standing == nullptr) undeclared.push_back(one.result);
    if (standing != nullptr && is_retiring(standing->standing)) continue;
    offer.insert(offer.begin(), names(one.result));
  }
  PieceOptions options;
  options.names = names;
  const auto piece = findings_ledger_piece(fold, undeclared, options);
  const std::string text = offer_text(offer);
  if (!piece) return text;
  return text.empty() ? *piece : *piece + "\n\n" + text;
}

TEST(Incremental, RequestsEqualTheNaiveOnes) {
  std::size_t collapsed = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    Growing growing(seed);
    std::mt19937 random(seed);
    FindingsOptions options;
    if (seed % 2 == 1) options.serve = Serve::ledger_only;
    RequestDesk desk(options);
    NaiveSteps naive;
    Tickets followed;  // by the changes alone
    for (int step = 0; step < 120; ++step) {
      growing.step();
      if (random() % 3 == 0) (void)desk.served_now(growing.conversation, growing.ledger);
      if (random() % 3 == 0) continue;
      std::vector<MessageSpan> left_out;
      for (std::uint32_t at = 0; random() % 2 == 0 && at + 9 < growing.conversation.size();) {
        left_out.push_back({at, at + 1 + static_cast<std::uint32_t>(random() % 9)});
        at = left_out.back().last + 1;
      }
      const RequestParts parts = desk.prepare(growing.conversation, growing.ledger, left_out);
      const Tickets& tickets = naive.apply(growing.conversation, growing.ledger.fold(),
                                           options.serve, desk.ids().names());
      ASSERT_EQ(desk.tickets(), tickets) << seed << " " << step;
      for (const std::uint32_t index : parts.changed) {
        followed.erase(index);
        if (tickets.contains(index)) followed.emplace(index, tickets.at(index));
      }
      ASSERT_EQ(followed, tickets) << seed << " " << step;
      ASSERT_EQ(parts.last.value_or(""), naive_last(growing, desk, left_out))
          << seed << " " << step;
      collapsed = std::max(collapsed, tickets.size());
    }
  }
  EXPECT_GT(collapsed, 10U);
}

TEST(Incremental, TheHeadlineEqualsTheNaiveOne) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    for (const Naming naming : {Naming::wire, Naming::unique}) {
      Growing growing(seed);
      ServedResults served(naming);
      for (int step = 0; step < 60; ++step) {
        growing.step();
        served.sync(growing.conversation);
        // Out of step with the ledger it is right all the same.
        const LedgerFold& fold = growing.ledger.fold();
        ASSERT_EQ(json::dump(to_json(headline_of(served, fold))),
                  json::dump(to_json(headline_naive(served, fold))));
        served.sync(fold, growing.ledger.rows());
        ASSERT_TRUE(served.in_step_with(fold));
        ASSERT_EQ(json::dump(to_json(headline_of(served, fold))),
                  json::dump(to_json(headline_naive(served, fold))))
            << seed << " " << step;
      }
    }
  }
}

}  // namespace
}  // namespace agentfootprint::findings
