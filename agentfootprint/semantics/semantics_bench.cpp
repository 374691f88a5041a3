// Mint, recognise and view of 100,000 facts, beside parsing the same JSON once in the same run. The
// counter `of_parse` is the time of an iteration over the time of a parse.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/semantics/described_result.hpp"
#include "agentfootprint/semantics/recognise.hpp"

namespace agentfootprint::semantics {
namespace {

constexpr std::size_t kFacts = 100'000;

struct Vm {
  std::string name, datastore;
  double size_tb = 0;
  std::int64_t cpus = 0;
};

const std::vector<Vm>& vms() {
  static const std::vector<Vm> rows = [] {
    std::vector<Vm> made;
    for (std::size_t i = 0; i < kFacts; ++i) {
      made.push_back({"virtual-machine-" + std::to_string(i), "datastore-" + std::to_string(i % 97),
                      static_cast<double>(i % 1000) / 8, static_cast<std::int64_t>(i % 64)});
    }
    return made;
  }();
  return rows;
}

const std::string& text() {
  static const std::string rows = [] {
    const FactRows made = facts_of(vms(), entity(&Vm::name), field("datastore", &Vm::datastore),
                                   field("size_tb", &Vm::size_tb), field("cpus", &Vm::cpus));
    return json::dump(made.rows());
  }();
  return rows;
}

// Processor time, so that a busy machine changes the figures less.
double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Seconds of one parse: the median of eleven.
double parse_seconds() {
  static const double seconds = [] {
    std::vector<double> all;
    for (int i = 0; i < 11; ++i) {
      const double start = cpu_seconds();
      json::Value value = json::parse_or_throw(text());
      benchmark::DoNotOptimize(value);
      all.push_back(cpu_seconds() - start);
    }
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
  }();
  return seconds;
}

class Measured {
 public:
  explicit Measured(benchmark::State& state)
      : state_(state), parse_(parse_seconds()), start_(cpu_seconds()) {}
  ~Measured() {
    const double seconds = cpu_seconds() - start_;
    state_.counters["of_parse"] = seconds / static_cast<double>(state_.iterations()) / parse_;
  }

 private:
  benchmark::State& state_;
  double parse_;
  double start_;
};

ToolSemantics mint(const json::Value& rows) {
  return described_result({
      .facts = rows,
      .provenance = {.measured_at = "2026-11-01T02:00:00Z", .source = "RVTools export"},
      .coverage = {.checked = {"every VM"}, .cannot_cover = {{"peers", "no access"}}},
  });
}

void parse(benchmark::State& state) {
  parse_seconds();
  const Measured measured(state);
  for (auto _ : state) {
    json::Value value = json::parse_or_throw(text());
    benchmark::DoNotOptimize(value);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(text().size()) *
                          static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(parse)->Unit(benchmark::kMillisecond);

void mint_recognise_view(benchmark::State& state) {
  const json::Value rows = json::parse_or_throw(text());
  const Measured measured(state);
  for (auto _ : state) {
    const ToolSemantics minted = mint(rows);
    const auto read = read_semantics(minted.envelope());
    json::Value view = model_view(*read);
    benchmark::DoNotOptimize(view);
  }
}
BENCHMARK(mint_recognise_view)->Unit(benchmark::kMillisecond);

void json_door(benchmark::State& state) {
  json::ObjectBuilder built;
  built.add("facts", json::parse_or_throw(text()));
  built.add("provenance", json::parse_or_throw(R"({"measuredAt":"x","source":"y"})"));
  const json::Value declaration = built.build();
  const Measured measured(state);
  for (auto _ : state) {
    const ToolSemantics minted = described_result(declaration);
    const auto read = read_semantics(minted.envelope());
    json::Value view = model_view(*read);
    benchmark::DoNotOptimize(view);
  }
}
BENCHMARK(json_door)->Unit(benchmark::kMillisecond);

void rows_from_structs(benchmark::State& state) {
  const Measured measured(state);
  for (auto _ : state) {
    const FactRows made = facts_of(vms(), entity(&Vm::name), field("datastore", &Vm::datastore),
                                   field("size_tb", &Vm::size_tb), field("cpus", &Vm::cpus));
    const ToolSemantics minted = mint(made.rows());
    const auto read = read_semantics(minted.envelope());
    json::Value view = model_view(*read);
    benchmark::DoNotOptimize(view);
  }
}
BENCHMARK(rows_from_structs)->Unit(benchmark::kMillisecond);

void write_view(benchmark::State& state) {
  const json::Value view = model_view(mint(json::parse_or_throw(text())));
  const Measured measured(state);
  for (auto _ : state) {
    std::string bytes = json::dump(view);
    benchmark::DoNotOptimize(bytes);
  }
}
BENCHMARK(write_view)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace agentfootprint::semantics
