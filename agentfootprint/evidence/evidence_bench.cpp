// Indexing a result and judging values, beside a plain index of tokens built in the same run.
//
// The baseline is what one writes first: cut the text at everything that is no letter, digit or
// joiner, and put each token into an unordered_map from its text to the places it stands at.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agentfootprint/base/random.hpp"
#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/evidence/judge.hpp"

namespace agentfootprint::evidence {
namespace {

std::string row(SeededRandom& random) {
  const auto digits = [&](std::uint64_t bound) { return std::to_string(random.below(bound)); };
  const auto two = [&](std::uint64_t first, std::uint64_t bound) {
    const std::string text = std::to_string(first + random.below(bound));
    return text.size() < 2 ? "0" + text : text;
  };
  return "{\"host\":\"srv-" + digits(1'000'000) + "\",\"iops\":" + digits(100'000) +
         ",\"latency_ms\":" + digits(100'000) + "." + digits(1000) +
         ",\"used_bytes\":" + digits(1'000'000'000) + ",\"state\":\"degraded\",\"port\":\"fc" +
         digits(16) + "/" + digits(48) + "\",\"at\":\"20" + two(0, 60) + "-" + two(1, 12) + "-" +
         two(1, 28) + "T" + two(0, 24) + ":" + two(0, 60) + ":" + two(0, 60) +
         "Z\",\"note\":\"ok\"}";
}

std::string rows(std::size_t bytes, std::uint64_t seed) {
  SeededRandom random(seed);
  std::string out = "{\"rows\":[";
  for (bool first = true; out.size() < bytes; first = false) {
    if (!first) out += ",";
    out += row(random);
  }
  return out + "]}";
}

const std::string& rows_text() {
  static const std::string text = rows(2'200'000, 7);
  return text;
}

bool is_token_byte(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ':' ||
         c == '/' || c == '-' || c == '.' || c == '_';
}

void token_map(benchmark::State& state) {
  const std::string& text = rows_text();
  for (auto _ : state) {
    std::unordered_map<std::string, std::vector<std::uint32_t>> places;
    for (std::size_t at = 0; at < text.size();) {
      if (!is_token_byte(text[at])) {
        ++at;
        continue;
      }
      const std::size_t begin = at;
      while (at < text.size() && is_token_byte(text[at])) ++at;
      places[text.substr(begin, at - begin)].push_back(static_cast<std::uint32_t>(begin));
    }
    benchmark::DoNotOptimize(places);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(token_map)
    ->Name("index 2.2 MB of rows/baseline: token map")
    ->Unit(benchmark::kMillisecond);

void index_rows(benchmark::State& state) {
  Conversation conversation;
  conversation.append(Message::tool_result("c", "rows", rows_text()));
  const std::string& text = rows_text();
  std::size_t values = 0;
  std::size_t memory = 0;
  for (auto _ : state) {
    const auto index = ConversationIndex::of(conversation);
    values = index.values();
    memory = index.memory_bytes();
    benchmark::DoNotOptimize(index);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
  state.counters["values"] = static_cast<double>(values);
  state.counters["index bytes per byte"] =
      static_cast<double>(memory) / static_cast<double>(text.size());
}
BENCHMARK(index_rows)->Name("index 2.2 MB of rows/agentfootprint")->Unit(benchmark::kMillisecond);

void index_text(benchmark::State& state) {
  SeededRandom random(9);
  std::string log;
  while (log.size() < 2'200'000) {
    log += "2026-04-12T08:15:0" + std::to_string(random.below(10)) + "Z srv-" +
           std::to_string(random.below(1000)) + " port fc1/" + std::to_string(random.below(48)) +
           " went down after " + std::to_string(random.below(9000)) +
           " errors in the last hour, the night shift replaced the cable\n";
  }
  const SharedText text = share_text(log);
  for (auto _ : state) benchmark::DoNotOptimize(ResultIndex::build(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text->size()));
}
BENCHMARK(index_text)
    ->Name("index 2.2 MB of log text/agentfootprint")
    ->Unit(benchmark::kMillisecond);

// A conversation whose results hold about a million values, and an answer of fifty, ten of each
// level from exact to converted.
struct Judged {
  ConversationIndex index;
  std::string answer;
};

std::string answer_of(const ConversationIndex& index) {
  std::string answer;
  std::vector<std::size_t> wanted = {10, 10, 10, 10, 10};
  SeededRandom random(3);
  const auto& results = index.results();
  while (wanted[0] + wanted[1] + wanted[2] + wanted[3] + wanted[4] > 0) {
    const ResultIndex& result = *results[random.below(results.size())].index;
    const Value value = result.value(static_cast<ItemId>(random.below(result.size())));
    const Reading& reading = value.readings.front();
    if (value.kind == ValueKind::identifier && value.raw.size() > 6 && wanted[0] > 0) {
      --wanted[0];
      answer += value.raw + ". ";
    } else if (value.kind == ValueKind::instant && wanted[2] > 0) {
      --wanted[2];
      answer += value.raw.substr(0, 10) + ". ";
    } else if (value.kind == ValueKind::number && value.raw.size() == 9 &&
               reading.number.is_integer() && wanted[4] > 0) {
      --wanted[4];
      const auto megabytes = reading.number.shifted(-6);
      answer += (megabytes ? megabytes->rounded(3).to_string() : "") + " MB. ";
    } else if (value.kind == ValueKind::number && value.raw.size() == 5 &&
               reading.number.is_integer() && wanted[1] > 0) {
      --wanted[1];
      answer += value.raw.substr(0, 2) + "," + value.raw.substr(2) + " IOPS. ";
    } else if (value.kind == ValueKind::number && !reading.number.is_integer() &&
               reading.decimals == 3 && wanted[3] > 0) {
      --wanted[3];
      answer += reading.number.rounded(2).to_string() + " ms. ";
    }
  }
  return answer;
}

Judged make_judged(std::size_t result_count, std::size_t bytes_each) {
  Conversation conversation;
  conversation.append(Message::user("go"));
  for (std::size_t i = 0; i < result_count; ++i) {
    conversation.append(Message::tool_result("c", "rows", rows(bytes_each, 100 + i)));
  }
  Judged judged{ConversationIndex::of(conversation), ""};
  judged.answer = answer_of(judged.index);
  return judged;
}

// Ten more values, which nothing carries: each is looked for among the derivations.
constexpr std::size_t kDerived = 10;
std::string with_derived(const std::string& answer) {
  std::string out = answer;
  for (std::size_t i = 0; i < kDerived; ++i) {
    out += "The host uses " + std::to_string(3'217'418'223 + 7'919 * i) + " bytes in all. ";
  }
  return out;
}

void judge(benchmark::State& state, const Judged& judged, bool derive) {
  JudgeOptions options;
  options.derive = derive;
  options.min_digits = 3;
  const Judge judge(judged.index, options);
  const std::string answer = derive ? with_derived(judged.answer) : judged.answer;
  std::size_t values = 0;
  std::size_t unsupported = 0;
  benchmark::DoNotOptimize(judge.check(answer));  // tables are read once a result
  for (auto _ : state) {
    const Verdict verdict = judge.check(answer);
    values = verdict.candidates;
    unsupported = verdict.unsupported.size();
    benchmark::DoNotOptimize(verdict);
  }
  state.counters["indexed"] = static_cast<double>(judged.index.values());
  state.counters["judged"] = static_cast<double>(values);
  state.counters["unsupported"] = static_cast<double>(unsupported);
}

// `state.range(0)`: also ten values that reach the derivations?
void judge_one(benchmark::State& state) {
  static const Judged judged = make_judged(1, 26'000'000);
  judge(state, judged, state.range(0) != 0);
}
void judge_many(benchmark::State& state) {
  static const Judged judged = make_judged(10'000, 2'500);
  judge(state, judged, state.range(0) != 0);
}
BENCHMARK(judge_one)
    ->Name("judge 50 values/1 result, 10^6 values/and 10 derived")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(judge_many)
    ->Name("judge 50 values/10,000 results, 10^6 values/and 10 derived")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMicrosecond);

void follow(benchmark::State& state) {
  Conversation conversation;
  for (std::size_t i = 0; i < 2000; ++i) {
    conversation.append(Message::tool_result("c", "rows", rows(1'000, 100 + i)));
  }
  for (auto _ : state) benchmark::DoNotOptimize(ConversationIndex::of(conversation));
  state.SetItemsProcessed(state.iterations() * 2000);
}
BENCHMARK(follow)
    ->Name("follow a conversation/2,000 results of 1 kB")
    ->Unit(benchmark::kMillisecond);

// What one large conversation holds, and the most that was held at once, as shares of its bytes.
// The peak is the process's, so this one is to be run alone.
void memory(benchmark::State& state) {
  constexpr std::size_t kResults = 100;
  constexpr std::size_t kEach = 2'000'000;
  Conversation conversation;
  for (std::size_t i = 0; i < kResults; ++i) {
    conversation.append(Message::tool_result("c", "rows", rows(kEach, 100 + i)));
  }
  std::size_t held = 0;
  for (auto _ : state) {
    const auto index = ConversationIndex::of(conversation);
    held = index.memory_bytes();
    benchmark::DoNotOptimize(index);
  }
  constexpr auto kBytes = static_cast<double>(kResults * kEach);
  state.counters["index bytes per byte"] = static_cast<double>(held) / kBytes;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak of the process per byte"] =
      static_cast<double>(usage.ru_maxrss) * 1024 / kBytes;
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kResults * kEach));
}
BENCHMARK(memory)
    ->Name("memory/one conversation of 200 MB, 100 results")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace agentfootprint::evidence
