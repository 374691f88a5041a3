// Both doors written inside an awaited call: GCC 12.2 destroys owning aggregates twice there, so
// every part of a declaration must be trivially copyable. The sanitizer build proves that nothing
// is freed twice.
#include <gtest/gtest.h>

#include <coroutine>
#include <string>
#include <type_traits>
#include <utility>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/semantics/absent.hpp"
#include "agentfootprint/semantics/described_result.hpp"

namespace agentfootprint::semantics {
namespace {

// What may stand in a co_await expression: no aggregate that owns, no aggregate at all as a result.
template <class T>
inline constexpr bool kAwaited = !std::is_aggregate_v<T> || (std::is_trivially_copyable_v<T> &&
                                                             std::is_trivially_destructible_v<T>);
static_assert(kAwaited<DescribedFacts> && kAwaited<DescribedSeries> && kAwaited<DescribedEdges>);
static_assert(kAwaited<AbsentDeclaration> && kAwaited<CoverageDeclaration>);
static_assert(kAwaited<Provenance> && kAwaited<Grain> && kAwaited<Render> &&
              kAwaited<Clarification>);
static_assert(kAwaited<Coverage> && kAwaited<CoverageItem> && kAwaited<LimitItem>);
static_assert(!std::is_aggregate_v<ToolSemantics> && !std::is_aggregate_v<json::Value>);
static_assert(!std::is_aggregate_v<FactRows> && !std::is_aggregate_v<SeriesRows>);

struct Job {
  struct promise_type {
    Job get_return_object() {
      return Job{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  explicit Job(std::coroutine_handle<promise_type> h) : handle(h) {}
  Job(const Job&) = delete;
  ~Job() { handle.destroy(); }
  std::coroutine_handle<promise_type> handle;
};

// An awaited call that takes a result and gives its text after a suspension.
class Sent {
 public:
  explicit Sent(json::Value value) : value_(std::move(value)) {}
  bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<>) { return false; }
  std::string await_resume() { return json::dump(value_); }

 private:
  json::Value value_;
};
Sent send(const ToolSemantics& result) {
  return Sent(result.envelope());
}
Sent send(const json::Value& result) {
  return Sent(result);
}

struct Sample {
  std::string port, time;
  double iops = 0;
};

std::string long_text(const char* text) {
  return std::string(text) + " of a store with a long name";
}

Job declare_all(const std::vector<Sample>& samples, std::vector<std::string>& out) {
  out.push_back(co_await send(described_result({
      .facts = facts_of(samples, entity(&Sample::port), field("iops", &Sample::iops)),
      .provenance = {.measured_at = long_text("now"),
                     .source = long_text("export"),
                     .age_seconds = 3},
      .coverage = {.checked = {long_text("everything"), {"a", long_text("why")}},
                   .cannot_cover = {{long_text("peers"), "no access"}}},
  })));
  out.push_back(co_await send(described_result({
      .series = series_of(samples, &Sample::time, &Sample::port, "avg_iops", &Sample::iops),
      .grain = Grain{.interval = long_text("30m"), .aggregation = "avg", .is_counter = false},
      .provenance = {.measured_at = long_text("now"), .source = "InfluxDB"},
  })));
  out.push_back(co_await send(described_result(
      json::parse_or_throw(R"({"clarify":{"question":"Which of the many volumes is meant?"}})"))));
  out.push_back(co_await send(absent({
      .what = long_text("port fc1/33"),
      .checked = {long_text("the inventory")},
      .try_instead_tool = TryInsteadTool{.tool = long_text("find")},
      .provenance = Provenance{.measured_at = long_text("now"), .source = "inventory"},
  })));
  out.push_back(
      co_await send(coverage(json::parse_or_throw(R"(["a long text that is on the heap"])"),
                             {.checked = {long_text("ground")}})));
}

TEST(Await, BothDoorsMayStandInsideAnAwaitedCall) {
  const std::vector<Sample> samples = {{"fc1/3", "2026-11-01T00:00:00Z", 41200}};
  std::vector<std::string> out;
  {
    const Job job = declare_all(samples, out);
  }
  ASSERT_EQ(out.size(), 5U);
  EXPECT_NE(
      out[0].find(
          R"("checked":[{"what":"everything of a store with a long name"},{"what":"a","why")"),
      std::string::npos)
      << out[0];
  EXPECT_NE(out[1].find(R"("interval":"30m of a store with a long name")"), std::string::npos)
      << out[1];
  EXPECT_NE(out[2].find("Which of the many volumes"), std::string::npos) << out[2];
  EXPECT_NE(out[3].find(R"("looked_for":"port fc1/33 of a store with a long name")"),
            std::string::npos);
  EXPECT_NE(out[4].find(R"("result":["a long text that is on the heap"])"), std::string::npos)
      << out[4];
}

}  // namespace
}  // namespace agentfootprint::semantics
