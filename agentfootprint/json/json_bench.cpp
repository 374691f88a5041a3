// Parse, print and walk rows of JSON, beside Boost.JSON and nlohmann in the same run.
//
// The rows are generated: ids, names, states, measured numbers, a nested object and some text,
// compact, about 2 MB.
#include <benchmark/benchmark.h>

#include <boost/json/src.hpp>
#include <cstdint>
#include <string>
#include <vector>

#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>
#define AGENTFOOTPRINT_HAS_NLOHMANN 1
#endif

#include "agentfootprint/base/random.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/scanner.hpp"
#include "agentfootprint/json/value.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::json {
namespace {

std::string make_rows(std::size_t bytes) {
  static constexpr const char* kStates[] = {"up", "down", "testing", "degraded"};
  SeededRandom random(7);
  std::string out = "[";
  for (int row = 0; out.size() < bytes; ++row) {
    if (row > 0) out += ',';
    out += "{\"id\":" + std::to_string(random.next() >> 20) + ",\"port\":\"fc" +
           std::to_string(random.below(8)) + "/" + std::to_string(random.below(48)) +
           "\",\"switch\":\"core-switch-" + std::to_string(random.below(100)) + "\",\"state\":\"" +
           kStates[random.below(4)] + "\",\"rx_mbps\":" + std::to_string(random.below(16'000)) +
           "." + std::to_string(random.below(100)) +
           ",\"errors\":" + std::to_string(random.below(50)) +
           ",\"enabled\":" + (random.below(2) == 0 ? "true" : "false") +
           ",\"peer\":{\"wwn\":\"50:06:01:60:3b:20:" + std::to_string(10 + random.below(89)) + ":" +
           std::to_string(10 + random.below(89)) +
           "\",\"speed\":" + std::to_string(8 << random.below(3)) +
           "},\"note\":\"optical power within range, last change by the night shift\",\"since\":"
           "\"2026-04-" +
           std::to_string(10 + random.below(19)) + "T08:15:00Z\"}";
  }
  return out + "]";
}

const std::string& rows() {
  static const std::string text = make_rows(2'000'000);
  return text;
}

void report(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(bytes));
}

struct CountingHandler {
  std::size_t leaves = 0;
  void begin_object(std::size_t) {}
  void end_object(std::size_t) {}
  void begin_array(std::size_t) {}
  void end_array(std::size_t) {}
  void key(Span, bool) {}
  void string(Span, bool) { ++leaves; }
  void number(Span) { ++leaves; }
  void literal(Span) { ++leaves; }
  void cut_string(Span, bool) {}
  void tolerated(const char*, std::size_t) {}
};

void scan_ours(benchmark::State& state) {
  for (auto _ : state) {
    CountingHandler handler;
    const ScanResult result = scan(rows(), handler, ScanOptions());
    if (result.status != ScanStatus::complete) state.SkipWithError("not JSON");
    benchmark::DoNotOptimize(handler.leaves);
  }
  report(state, rows().size());
}
BENCHMARK(scan_ours);

void parse_ours(benchmark::State& state) {
  for (auto _ : state) {
    auto parsed = parse(rows());
    if (!parsed) state.SkipWithError("not JSON");
    benchmark::DoNotOptimize(parsed);
  }
  report(state, rows().size());
}
BENCHMARK(parse_ours);

void parse_boost(benchmark::State& state) {
  for (auto _ : state) {
    boost::json::monotonic_resource memory;
    boost::json::value value = boost::json::parse(rows(), &memory);
    benchmark::DoNotOptimize(value);
  }
  report(state, rows().size());
}
BENCHMARK(parse_boost);

void print_ours(benchmark::State& state) {
  const Value value = parse_or_throw(rows());
  for (auto _ : state) benchmark::DoNotOptimize(dump(value));
  report(state, rows().size());
}
BENCHMARK(print_ours);

void print_boost(benchmark::State& state) {
  const boost::json::value value = boost::json::parse(rows());
  for (auto _ : state) benchmark::DoNotOptimize(boost::json::serialize(value));
  report(state, rows().size());
}
BENCHMARK(print_boost);

// Walking: looks two members of every row up, by name, and counts every leaf.
std::size_t walk(const Value& value) {
  if (value.is_array()) {
    std::size_t count = 0;
    for (const Value& element : value.elements()) count += walk(element);
    return count;
  }
  if (!value.is_object()) return 1;
  std::size_t count = value.contains("state") && value.contains("errors") ? 1 : 0;
  for (const Member& member : value.members()) count += walk(member.value);
  return count;
}

void walk_ours(benchmark::State& state) {
  const Value value = parse_or_throw(rows());
  for (auto _ : state) benchmark::DoNotOptimize(walk(value));
  report(state, rows().size());
}
BENCHMARK(walk_ours);

std::size_t walk(const boost::json::value& value) {
  if (const boost::json::array* array = value.if_array()) {
    std::size_t count = 0;
    for (const boost::json::value& element : *array) count += walk(element);
    return count;
  }
  const boost::json::object* object = value.if_object();
  if (object == nullptr) return 1;
  std::size_t count = object->contains("state") && object->contains("errors") ? 1 : 0;
  for (const auto& member : *object) count += walk(member.value());
  return count;
}

void walk_boost(benchmark::State& state) {
  const boost::json::value value = boost::json::parse(rows());
  for (auto _ : state) benchmark::DoNotOptimize(walk(value));
  report(state, rows().size());
}
BENCHMARK(walk_boost);

#ifdef AGENTFOOTPRINT_HAS_NLOHMANN
void parse_nlohmann(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(nlohmann::json::parse(rows()));
  report(state, rows().size());
}
BENCHMARK(parse_nlohmann);

void print_nlohmann(benchmark::State& state) {
  const nlohmann::json value = nlohmann::json::parse(rows());
  for (auto _ : state) benchmark::DoNotOptimize(value.dump());
  report(state, rows().size());
}
BENCHMARK(print_nlohmann);

std::size_t walk(const nlohmann::json& value) {
  if (!value.is_structured()) return 1;
  std::size_t count =
      value.is_object() && value.contains("state") && value.contains("errors") ? 1 : 0;
  for (const nlohmann::json& element : value) count += walk(element);
  return count;
}

void walk_nlohmann(benchmark::State& state) {
  const nlohmann::json value = nlohmann::json::parse(rows());
  for (auto _ : state) benchmark::DoNotOptimize(walk(value));
  report(state, rows().size());
}
BENCHMARK(walk_nlohmann);
#endif

// A tool call's arguments: what small documents cost.
void parse_small_ours(benchmark::State& state) {
  const std::string text = R"({"port":"fc1/3","switch":"core-switch-12","limit":50})";
  for (auto _ : state) benchmark::DoNotOptimize(parse(text));
  report(state, text.size());
}
BENCHMARK(parse_small_ours);

void parse_small_boost(benchmark::State& state) {
  const std::string text = R"({"port":"fc1/3","switch":"core-switch-12","limit":50})";
  for (auto _ : state) benchmark::DoNotOptimize(boost::json::parse(text));
  report(state, text.size());
}
BENCHMARK(parse_small_boost);

}  // namespace
}  // namespace agentfootprint::json
