// A checkpoint is foreign bytes: resuming from any document must either refuse it with Error or run
// the chart to an outcome.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/flow/run.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint::flow {
namespace {

const Key<int> kN("n");

const Chart& chart() {
  static const Chart built = [] {
    const Chart inner =
        ChartBuilder("inner")
            .stage("w", [](Scope& s) { s.set(kN, s.get_or(kN, 0) + 1); })
            .fork("f")
            .branch("left", steps().pausable(
                                "ask", [](Scope&) { return std::optional(json::Value("?")); },
                                [](Scope& s, const json::Value& a) { s.set("got", a); }))
            .branch("right", [](Scope& s) { s.append("l", s.interrupt("which?")); })
            .decide("d", Rules().when(lt(kN, 2), "again").otherwise("end"))
            .branch("again", steps().loop_to("w"))
            .branch("end", [](Scope&) {})
            .build();
    MountOptions options;
    options.output = [](Scope& s) {
      if (auto runs = s.get(Path("runs"))) s.set("out", *runs);
    };
    return ChartBuilder("c").mount("m", inner, options).build();
  }();
  return built;
}

// A for_each over two elements, each of which asks, in a for_each of its own.
const Chart& each_chart() {
  static const Chart built = [] {
    const Chart leaf =
        ChartBuilder("leaf")
            .stage("ask", [](Scope& s) { s.set("got", s.interrupt(json::Value("which?"))); })
            .build();
    ForEach inner_over{Path("item"), Path("answers"), Path("got"), OnBranchError::wait_all};
    const Chart inner = ChartBuilder("inner").for_each("inner", inner_over, leaf).build();
    ForEach over{Path("list"), Path("all"), std::nullopt, OnBranchError::wait_all};
    return ChartBuilder("e")
        .stage("list",
               [](Scope& s) { s.set("list", json::array({json::array({1, 2}), json::array({})})); })
        .for_each("each", over, inner)
        .stage("end", [](Scope& s) { s.set("n", s.get(Path("all")).value_or(0).size()); })
        .build();
  }();
  return built;
}

// The document with the chart's own hash, so that damage behind it is reached.
json::Value with_own_hash(const json::Value& document, const Chart& chart) {
  return document.is_object() ? json::with_member(document, "chart", chart.hash()) : document;
}

void resume_from(const Chart& chart, const json::Value& document) {
  Budgets budgets;
  budgets.steps = 0xffffffff;
  budgets.loop_turns = 100;
  try {
    RunResult result =
        resume(chart, with_own_hash(document, chart), {}, RunOptions().with_budgets(budgets));
    for (int turn = 0; turn < 4 && result.outcome == Outcome::paused && !result.pauses.empty();
         ++turn) {
      std::vector<PauseAnswer> answers{{result.pauses.front().id, json::Value(turn)}};
      result = resume(std::move(result), answers);
    }
    (void)result.state().to_json();
  } catch (const Error& error) {
    // Refused: the document is no checkpoint of this chart. Any other error is a fault.
    if (!error.code().starts_with("flow-")) std::abort();
  }
}

void one(std::string_view text) {
  const auto parsed = json::parse(text);
  if (!parsed) return;
  resume_from(chart(), *parsed);
  resume_from(each_chart(), *parsed);
}

}  // namespace
}  // namespace agentfootprint::flow

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  agentfootprint::flow::one(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
