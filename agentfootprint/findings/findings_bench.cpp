// Benchmarks of the ledger: a write, the offer, the contingent check, the scanner.
//
// The baseline of each is the naive way measured in the same run: fold every row again at each
// write, as the upstream system does.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "agentfootprint/findings/answer_scanner.hpp"
#include "agentfootprint/findings/contingent.hpp"
#include "agentfootprint/findings/ledger.hpp"
#include "agentfootprint/findings/offer.hpp"
#include "agentfootprint/findings/request.hpp"

namespace agentfootprint::findings {
namespace {

StandingRow standing(std::uint32_t which, Standing word) {
  StandingRow row;
  row.result = ResultRef("c" + std::to_string(which), CallKey{which, 0});
  row.tool_name = "ports";
  row.standing = word;
  Assertion assertion;
  assertion.subject_kind = "port";
  assertion.subject_id = "fc1/" + std::to_string(which % 5'000);
  assertion.predicate = "state";
  assertion.value = which % 7 == 0 ? "down" : "up";
  assertion.provenance = "tool:" + row.result.tool_call_id;
  row.assertions.push_back(std::move(assertion));
  return row;
}

Ledger ledger_of(std::uint32_t rows) {
  Ledger ledger;
  for (std::uint32_t which = 0; which < rows; ++which) {
    ledger.record({standing(which, kStandings[which % 4])});
  }
  return ledger;
}

// A write of one standing, averaged over the second half of so many rows: growth of the tables is
// in it.
void write_one(benchmark::State& state) {
  const auto rows = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    Ledger ledger = ledger_of(rows / 2);
    std::vector<StandingRow> made;
    for (std::uint32_t which = rows / 2; which < rows; ++which) {
      made.push_back(standing(which, kStandings[which % 4]));
    }
    state.ResumeTiming();
    for (StandingRow& row : made) {
      std::vector<Row> one;
      one.emplace_back(std::move(row));
      benchmark::DoNotOptimize(ledger.record(std::move(one)));
    }
    state.PauseTiming();
    ledger = Ledger();
    state.ResumeTiming();
  }
  const double writes = static_cast<double>(state.iterations()) * (rows - rows / 2);
  state.counters["per_write"] =
      benchmark::Counter(writes, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(write_one)->Arg(100)->Arg(1'000)->Arg(10'000)->Arg(100'000);

void write_one_naive(benchmark::State& state) {
  const auto rows = static_cast<std::uint32_t>(state.range(0));
  std::vector<SharedRow> all = ledger_of(rows).rows();
  for (auto _ : state) {
    std::vector<SharedRow> merged = all;
    merged.push_back(share_row(standing(rows, Standing::fact)));
    const LedgerFold fold = fold_ledger(merged);
    benchmark::DoNotOptimize(fold.conflicts());
  }
}
BENCHMARK(write_one_naive)->Arg(100)->Arg(1'000)->Arg(10'000);

// The offer of a request after one more result and one more standing.
void offer_after_one_more(benchmark::State& state) {
  const auto results = static_cast<std::uint32_t>(state.range(0));
  Conversation conversation;
  Ledger ledger;
  const auto grow = [&] {
    const std::uint32_t at = conversation.append(Message::assistant(
        "", {ToolCall("call_" + std::to_string(conversation.size()), "t", "{}")}));
    conversation.append(Message::tool_result(conversation[at].calls[0].wire_id, "t", "r"));
    StandingRow row = standing(at, kStandings[at % 4]);
    row.result.tool_call_id = *conversation[at].calls[0].wire_id;
    ledger.record({row});
  };
  ServedResults served;
  for (std::uint32_t result = 0; result < results; ++result) grow();
  served.sync(conversation);
  served.sync(ledger.fold(), ledger.rows());
  for (auto _ : state) {
    state.PauseTiming();
    grow();
    state.ResumeTiming();
    served.sync(conversation);
    served.sync(ledger.fold(), ledger.rows());
    benchmark::DoNotOptimize(served.offer(kOfferCap));
  }
}
BENCHMARK(offer_after_one_more)->Arg(100)->Arg(10'000)->Arg(100'000)->Iterations(2'000);

// What the ledger adds to a request after one more result and one more standing; the four standings
// take turns over so many results.
void request_after_one_more(benchmark::State& state) {
  Conversation conversation;
  Ledger ledger;
  const auto grow = [&] {
    const std::uint32_t at = conversation.append(Message::assistant(
        "", {ToolCall("call_" + std::to_string(conversation.size()), "t", "{}")}));
    conversation.append(
        Message::tool_result(conversation[at].calls[0].wire_id, "t", std::string(500, 'r')));
    StandingRow row = standing(at, kStandings[(at / 2) % 4]);
    row.result.tool_call_id = *conversation[at].calls[0].wire_id;
    ledger.record({row});
  };
  RequestDesk desk{FindingsOptions()};
  for (std::int64_t result = 0; result < state.range(0); ++result) grow();
  benchmark::DoNotOptimize(desk.prepare(conversation, ledger));
  for (auto _ : state) {
    state.PauseTiming();
    grow();
    state.ResumeTiming();
    benchmark::DoNotOptimize(desk.prepare(conversation, ledger));
  }
}
BENCHMARK(request_after_one_more)->Arg(100)->Arg(1'000)->Arg(10'000)->Iterations(200);

// 50 values of an answer, two carriers each, in a ledger of 1,000 standings; `contingent` of them
// are.
void contingent_check(benchmark::State& state) {
  const Ledger ledger = ledger_of(1'000);
  std::vector<CarriedValue> values;
  for (std::uint32_t which = 0; which < 50; ++which) {
    CarriedValue value;
    value.value = "fc" + std::to_string(which) + "/" + std::to_string(1000 + which);
    const bool set_aside = which < static_cast<std::uint32_t>(state.range(0));
    const std::uint32_t first = which * 8 + (set_aside ? 2 : 0);
    const std::uint32_t second = which * 8 + (set_aside ? 3 : 1);
    value.carriers.emplace_back(ResultRef("c" + std::to_string(first), CallKey{first, 0}));
    value.carriers.emplace_back(ResultRef("c" + std::to_string(second), CallKey{second, 0}));
    values.push_back(std::move(value));
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        contingent_rows_of(values, ledger.fold(), DeclaredOn(), 4, ContingentOptions()));
  }
}
BENCHMARK(contingent_check)->Arg(0)->Arg(2)->Arg(50);

// The whole fold of so many rows, incrementally, beside the naive baseline above.
void fold_all(benchmark::State& state) {
  const std::vector<SharedRow> rows = ledger_of(static_cast<std::uint32_t>(state.range(0))).rows();
  for (auto _ : state) benchmark::DoNotOptimize(fold_ledger(rows));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.size()));
}
BENCHMARK(fold_all)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

// What a declaration may name, after one more result; and by looking at every result again.
void known_after_one_more(benchmark::State& state) {
  Conversation conversation;
  const auto grow = [&] {
    const std::string id = "call_" + std::to_string(conversation.size());
    conversation.append(Message::assistant("", {ToolCall(id, "t", "{}")}));
    conversation.append(Message::tool_result(id, "t", "r"));
  };
  for (std::int64_t result = 0; result < state.range(0); ++result) grow();
  KnownFollower follower;
  benchmark::DoNotOptimize(follower.sync(conversation, conversation.size()));
  for (auto _ : state) {
    state.PauseTiming();
    grow();
    state.ResumeTiming();
    benchmark::DoNotOptimize(follower.sync(conversation, conversation.size()).find("call_0"));
  }
}
BENCHMARK(known_after_one_more)->Arg(100)->Arg(100'000)->Iterations(2'000);

void known_naive(benchmark::State& state) {
  Conversation conversation;
  for (std::int64_t result = 0; result < state.range(0); ++result) {
    const std::string id = "call_" + std::to_string(conversation.size());
    conversation.append(Message::assistant("", {ToolCall(id, "t", "{}")}));
    conversation.append(Message::tool_result(id, "t", "r"));
  }
  for (auto _ : state) benchmark::DoNotOptimize(known_results(conversation).find("call_0"));
}
BENCHMARK(known_naive)->Arg(100)->Arg(10'000);

void scan_answer(benchmark::State& state) {
  std::string text;
  while (text.size() < 1'000'000) {
    text += "Port fc1/7 is down since 08:15, see {\"port\":\"fc1/7\",\"state\":\"down\"}.\n\n";
    if (state.range(0) != 0) text += "{\"_findings\":{\"basis\":\"direct\"}}\n\n";
  }
  for (auto _ : state) benchmark::DoNotOptimize(peel_answer(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(text.size()));
}
BENCHMARK(scan_answer)->Arg(0)->Arg(1);

}  // namespace
}  // namespace agentfootprint::findings
