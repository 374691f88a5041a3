// Derivations over a million values: the time a value adds that nothing carries.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "agentfootprint/evidence/derivation.hpp"

namespace agentfootprint::evidence {
namespace {

void no_strings(std::string_view, std::vector<std::pair<Amount, std::string>>&) {}

// `results` results with a million numbers in all, in rows of ten.
struct Corpus {
  std::vector<std::string> texts;
  std::vector<std::unique_ptr<DerivationSlot>> slots;
  DerivationResults results;

  explicit Corpus(std::size_t count) {
    const std::size_t rows = 100'000 / count;
    std::uint32_t state = 12345;
    for (std::size_t i = 0; i < count; ++i) {
      std::string text = "{\"rows\":[";
      for (std::size_t r = 0; r < rows; ++r) {
        text += r > 0 ? ",{" : "{";
        for (int k = 0; k < 10; ++k) {
          state = state * 1664525U + 1013904223U;
          text +=
              (k > 0 ? ",\"k" : "\"k") + std::to_string(k) + "\":" + std::to_string(state >> 12U);
        }
        text += "}";
      }
      texts.push_back(text + "]}");
    }
    for (std::size_t i = 0; i < count; ++i) {
      slots.push_back(std::make_unique<DerivationSlot>());
      results.push_back({static_cast<std::uint32_t>(i), "t", 1, texts[i], slots[i].get()});
    }
  }
};

void derive_values(benchmark::State& state) {
  const Corpus corpus(static_cast<std::size_t>(state.range(0)));
  const std::string answer = "Of 52900 and 41200 and 7731 we keep 90417 in three places.";
  std::vector<Quoted> quoted;
  for (const char* raw : {"52900", "41200", "7731", "90417"}) {
    Quoted value;
    value.raw = raw;
    value.amount = Amount::of_number(*json::Decimal::parse(raw));
    const std::size_t at = answer.find(raw);
    value.span = {at, at + value.raw.size()};
    value.grounded = value.raw != "90417";
    quoted.push_back(value);
  }
  // Reads the tables once.
  (void)Deriver(answer, quoted, corpus.results, 1, no_strings).derive(3, quoted[3].amount);
  constexpr int kValues = 50;
  for (auto _ : state) {
    Deriver deriver(answer, quoted, corpus.results, 1, no_strings);
    for (int i = 0; i < kValues; ++i) {
      benchmark::DoNotOptimize(deriver.derive(3, quoted[3].amount).chance);
    }
  }
  state.counters["per_value"] = benchmark::Counter(
      kValues, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(derive_values)->Arg(1)->Arg(100)->Arg(10'000)->Unit(benchmark::kMillisecond);

void read_tables(benchmark::State& state) {
  const Corpus corpus(1);
  for (auto _ : state) {
    DerivationSlot slot;
    benchmark::DoNotOptimize(&slot.read(corpus.texts[0]));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * corpus.texts[0].size()));
}
BENCHMARK(read_tables)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace agentfootprint::evidence
