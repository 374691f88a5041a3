// Slices, element births and timelines on small charts with known answers.
#include "agentfootprint/flow/slice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/flow/provenance.hpp"
#include "agentfootprint/flow/run.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::flow {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

const Key<std::int64_t> kN("n");
const Key<bool> kTool("tool");
const Path kHistory("history");

std::vector<std::string> edges_of(const Slice& slice) {
  std::vector<std::string> out;
  for (const SliceEdge& edge : slice.edges) {
    const std::string key = edge.kind == EdgeKind::data ? slice.key_of(edge) : slice.label_of(edge);
    const char* arrow = edge.kind == EdgeKind::data ? "-" : "=";
    out.push_back(slice.step_of(edge.from) + " " + arrow + key + arrow + "> " +
                  slice.step_of(edge.to));
  }
  return out;
}

// The agent loop of the facts F49: call, decide, tools, back; then finish.
Chart agent_loop() {
  return ChartBuilder("agent")
      .stage("seed",
             [](Scope& s) {
               s.append(kHistory, "u1");
               s.set(kN, 0);
             })
      .stage("call",
             [](Scope& s) {
               const std::int64_t n = s.require(kN) + 1;
               s.set(kN, n);
               s.append(kHistory, "llm" + std::to_string(n));
               s.set(kTool, n < 3);
             })
      .decide("route", Rules().when(eq(kTool, true), "tools", "has tool").otherwise("fin"))
      .branch("tools", steps()
                           .stage("tools",
                                  [](Scope& s) {
                                    s.append(kHistory, "tool" + std::to_string(s.size(kHistory)));
                                  })
                           .loop_to("call"))
      .branch("fin", [](Scope& s) { s.set("answer", static_cast<std::int64_t>(s.size(kHistory))); })
      .build();
}

TEST(Slice, TheAgentLoopIsExplained) {
  const RunResult result = run(agent_loop());
  const Log& log = result.log();
  ASSERT_EQ(log.size(), 10u);
  const Slice slice = slice_of(log, Path("answer"));
  EXPECT_EQ(slice.nodes.size(), 10u);
  EXPECT_FALSE(slice.cut_by_depth || slice.cut_by_nodes);
  EXPECT_THAT(edges_of(slice), testing::IsSupersetOf(std::vector<std::string>{
                                   "fin#9 -/history-> call#7", "fin#9 ==> route#8",
                                   "call#7 =has tool=> route#5", "route#5 -/tool-> call#1",
                                   "call#7 -/history-> tools#6", "tools#6 -/history-> call#4"}));
  EXPECT_EQ(log.row(4).write_count(), 2u) << "tool stayed true: no write";
  EXPECT_EQ(log.row(9).governor(), 8u);
  EXPECT_EQ(log.row(4).governor(), 2u);
  EXPECT_EQ(log.row(0).governor(), std::nullopt);
}

TEST(Slice, LimitsAreReported) {
  const RunResult result = run(agent_loop());
  SliceOptions shallow;
  shallow.max_depth = 1;
  const Slice by_depth = slice_of(result.log(), Path("answer"), std::nullopt, shallow);
  EXPECT_TRUE(by_depth.cut_by_depth);
  EXPECT_FALSE(by_depth.cut_by_nodes);
  SliceOptions few;
  few.max_nodes = 2;
  const Slice by_nodes = slice_of(result.log(), Path("answer"), std::nullopt, few);
  EXPECT_FALSE(by_nodes.cut_by_depth);
  EXPECT_TRUE(by_nodes.cut_by_nodes);
  EXPECT_EQ(by_nodes.nodes.size(), 2u);
  EXPECT_EQ(slice_of(result.log(), kN.path(), 4).step_of(0), "call#1");
  EXPECT_EQ(slice_of(result.log(), Path("nothing")).missing, "never-written");
  EXPECT_EQ(backward_slice(result.log(), 99).missing, "no-such-row");
}

TEST(Slice, IsThinByWrite) {
  const Chart chart = ChartBuilder("c")
                          .stage("a", [](Scope& s) { s.set("a", 1); })
                          .stage("a2", [](Scope& s) { s.set("b", 2); })
                          .stage("b",
                                 [](Scope& s) {
                                   s.set("x", *s.get("a"));
                                   s.set("y", *s.get("b"));
                                 })
                          .stage("c", [](Scope& s) { s.set("q", *s.get("x")); })
                          .build();
  const RunResult result = run(chart);
  EXPECT_THAT(edges_of(slice_of(result.log(), Path("q"))),
              UnorderedElementsAre("c#3 -/x-> b#2", "b#2 -/a-> a#0"));
  SliceOptions by_stage;
  by_stage.per_write = false;
  EXPECT_THAT(edges_of(slice_of(result.log(), Path("q"), std::nullopt, by_stage)),
              UnorderedElementsAre("c#3 -/x-> b#2", "b#2 -/a-> a#0", "b#2 -/b-> a2#1"));
  const Slice fed = forward_slice(result.log(), 0);
  EXPECT_THAT(edges_of(fed), UnorderedElementsAre("a#0 -/a-> b#2", "b#2 -/x-> c#3"));
}

TEST(Slice, CrossesMountsAndJoins) {
  const Chart inner =
      ChartBuilder("inner").stage("in", [](Scope& s) { s.set("y", *s.get("x")); }).build();
  MountOptions options;
  options.input = [](Scope& s) { s.set("x", *s.get("base")); };
  options.output = [](Scope& s) { s.set("v", *s.get("y")); };
  const Chart chart =
      ChartBuilder("c")
          .stage("r", [](Scope& s) { s.set("base", 1); })
          .fork("f")
          .branch("m1", inner, options)
          .branch("c2", [](Scope& s) { s.set("v", 2); })
          .stage("j", [](Scope& s) { s.set("sum", *s.get(Path("runs") / "m1" / "v")); })
          .build();
  const RunResult result = run(chart);
  EXPECT_THAT(edges_of(slice_of(result.log(), Path("sum"))),
              UnorderedElementsAre("j#6 -/runs/m1/v-> m1#4", "m1#4 -/y-> m1/in#3",
                                   "m1/in#3 -/x-> m1#2", "m1#2 -/base-> r#0"));
  const json::Value document = slice_of(result.log(), Path("sum")).to_json();
  EXPECT_EQ(document.at("nodes").size(), 5u);
  EXPECT_EQ(json::dump(document.at("edges").at(0)),
            R"({"from":0,"to":1,"kind":"data","key":"/runs/m1/v"})");
}

TEST(Slice, AnElementIsSlicedFromItsBirth) {
  const RunResult result =
      run(ChartBuilder("c")
              .stage("a", [](Scope& s) { s.append("list", "one"); })
              .stage("b", [](Scope& s) { s.append("list", *s.element("list", 0)); })
              .stage("c", [](Scope& s) { s.append("list", "three"); })
              .stage("d", [](Scope& s) { s.set("d", *s.element("list", 1)); })
              .build());
  EXPECT_THAT(edges_of(slice_of(result.log(), Path("d"))),
              UnorderedElementsAre("d#3 -/list/1-> b#1", "b#1 -/list/0-> a#0"));
}

TEST(Slice, TextShowsWhoLedThere) {
  const RunResult result = run(ChartBuilder("c")
                                   .stage("a", [](Scope& s) { s.set("x", 1); })
                                   .stage("b", [](Scope& s) { s.set("y", *s.get("x")); })
                                   .build(),
                               RunOptions().with_state("z", 1));
  EXPECT_EQ(slice_of(result.log(), Path("y")).to_text(), "b#1\n  a#0  <- b#1 (/x)\n");
}

TEST(Slice, WhatWasThereBeforeIsAGap) {
  const RunResult result =
      run(ChartBuilder("c").stage("b", [](Scope& s) { s.set("y", *s.get("x")); }).build(),
          RunOptions().with_state("x", 1));
  const Slice slice = slice_of(result.log(), Path("y"));
  ASSERT_EQ(slice.gaps.size(), 1u);
  EXPECT_EQ(slice.gaps[0].second, "/x");
}

TEST(Provenance, ElementsKnowTheirBirth) {
  const RunResult result = run(agent_loop());
  const ArrayProvenance found = element_births(result.log(), kHistory);
  std::vector<std::string> births;
  for (const ElementBirth& birth : found.births) {
    births.push_back(json::dump(birth.value) + " " + result.log().row(*birth.row).id() + " " +
                     std::string(name_of(birth.basis)));
  }
  EXPECT_THAT(births, ElementsAre("\"u1\" seed#0 whole", "\"llm1\" call#1 append",
                                  "\"tool2\" tools#3 append", "\"llm2\" call#4 append",
                                  "\"tool4\" tools#6 append", "\"llm3\" call#7 append"));
  EXPECT_EQ(element_births(result.log(), kHistory, 3).births.size(), 3u);
  EXPECT_EQ(element_births(result.log(), Path("n")).missing, "not-an-array");
  EXPECT_EQ(element_births(result.log(), Path("no")).missing, "never-written");
}

TEST(Provenance, AWholeArrayThatGrewIsInferredFromItsPrefix) {
  const RunResult result =
      run(ChartBuilder("c")
              .stage("a", [](Scope& s) { s.set("h", json::array({1, 2})); })
              .stage("b", [](Scope& s) { s.set("h", json::array({1, 2, 3})); })
              .stage("c", [](Scope& s) { s.append("h", 4); })
              .stage("d", [](Scope& s) { s.set("h", json::array({1, 2, 3, 4, 5})); })
              .build());
  std::vector<std::string> births;
  for (const ElementBirth& birth : element_births(result.log(), Path("h")).births) {
    births.push_back(result.log().row(*birth.row).id() + " " + std::string(name_of(birth.basis)));
  }
  EXPECT_THAT(births,
              ElementsAre("a#0 whole", "a#0 whole", "b#1 prefix", "c#2 append", "d#3 prefix"));
}

TEST(Provenance, ATimelineListsReadsBeforeWrites) {
  const RunResult result = run(agent_loop());
  const auto moments = key_timeline(result.log(), kN.path());
  ASSERT_GE(moments.size(), 3u);
  EXPECT_TRUE(moments[0].write);
  EXPECT_FALSE(moments[1].write);
  EXPECT_EQ(moments[1].row, 1u);
  EXPECT_EQ(moments[1].writer, 0u);
  EXPECT_TRUE(moments[2].write);
  EXPECT_EQ(moments[2].row, 1u);
}

}  // namespace
}  // namespace agentfootprint::flow
