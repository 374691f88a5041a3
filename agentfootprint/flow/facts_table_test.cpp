// Facts of the reference as a table: a chart, the rows it leaves, its final state. Rows stand in
// short form, `step | key:verb=value …`, an empty row as `step | -`. Facts that need more than that
// are in facts_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/flow/internal/facts.hpp"

namespace agentfootprint::flow::facts {
namespace {

// One case of the table: a chart, its rows and its final state.
struct Fact {
  const char* id;
  Chart chart;
  std::vector<std::string> rows;
  std::string state;
};

std::vector<Fact> linear_facts() {
  std::vector<Fact> facts;
  facts.push_back({"F01",
                   ChartBuilder("f")
                       .stage("a", sets("x", 1))
                       .stage("b", [](Scope& s) { s.set("y", int_at(s, "x") + 1); })
                       .stage("c", [](Scope& s) { s.set("z", int_at(s, "x") + int_at(s, "y")); })
                       .build(),
                   {"a#0 | x:set=1", "b#1 | y:set=2", "c#2 | z:set=3"},
                   R"({"x":1,"y":2,"z":3})"});
  facts.push_back({"F02",
                   ChartBuilder("f")
                       .stage("a", sets("k", 1))
                       .stage("b", sets("k", 1))
                       .stage("c",
                              [](Scope& s) {
                                s.set("k", 2);
                                s.set("k", 1);
                              })
                       .stage("d", nothing())
                       .build(),
                   {"a#0 | k:set=1", "b#1 | -", "c#2 | -", "d#3 | -"},
                   R"({"k":1})"});
  facts.push_back({"F03",
                   ChartBuilder("f")
                       .stage("a",
                              [](Scope& s) {
                                for (int i = 1; i <= 3; ++i) s.set("k", i);
                              })
                       .build(),
                   {"a#0 | k:set=3"},
                   R"({"k":3})"});
  facts.push_back(
      {"F04 F05",
       ChartBuilder("f")
           .stage("a", sets("h", J(R"(["a"])")))
           .stage("b", [](Scope& s) { s.append("h", "b"); })
           .stage("c",
                  [](Scope& s) {
                    s.append("h", "c");
                    s.append("h", "d");
                  })
           .stage("d", sets("h", J(R"(["b","c","d"])")))
           .stage("e", sets("h", J("[]")))
           .build(),
       {R"(a#0 | h:set=["a"])", R"(b#1 | h:append=["b"])", R"(c#2 | h:append=["c","d"])",
        R"(d#3 | h:set=["b","c","d"])", "e#4 | h:set=[]"},
       R"({"h":[]})"});
  facts.push_back(
      {"F06",
       ChartBuilder("f")
           .stage("a", sets("o", J(R"({"a":1,"b":{"c":2}})")))
           .stage("b", sets(Path("o") / "b" / "c", 3))
           .stage("c", sets(Path("o") / "n", "x"))
           .build(),
       {R"(a#0 | o:set={"a":1,"b":{"c":2}})", "b#1 | o/b/c:set=3", R"(c#2 | o/n:set="x")"},
       R"({"o":{"a":1,"b":{"c":3},"n":"x"}})"});
  facts.push_back({"F07 F07b",
                   ChartBuilder("f")
                       .stage("a", sets("o", J(R"({"t":["a"]})")))
                       .stage("b", [](Scope& s) { s.append(Path("o") / "t", "b"); })
                       .stage("c", [](Scope& s) { s.merge("o", J(R"({"t":["b","c"]})")); })
                       .stage("d", [](Scope& s) { s.merge("o", J(R"({"t":[]})")); })
                       .build(),
                   {R"(a#0 | o:set={"t":["a"]})", R"(b#1 | o/t:set=["a","b"])",
                    R"(c#2 | o/t:set=["a","b","c"])", "d#3 | o/t:set=[]"},
                   R"({"o":{"t":[]}})"});
  facts.push_back({"F08",
                   ChartBuilder("f")
                       .stage("a",
                              [](Scope& s) {
                                s.set("k", 1);
                                s.set("j", 2);
                              })
                       .stage("b", [](Scope& s) { s.erase("k"); })
                       .stage("c", [](Scope& s) { s.erase("nope"); })
                       .build(),
                   {"a#0 | k:set=1 j:set=2", "b#1 | k:erase", "c#2 | -"},
                   R"({"j":2})"});
  facts.push_back({"F59 (state)",
                   ChartBuilder("f")
                       .stage("a", sets("o", J(R"({"x":1})")))
                       .stage("b",
                              [](Scope& s) {
                                s.set(Path("o") / "x", 2);
                                s.set(Path("o") / "y", 3);
                                s.set("o", J(R"({"z":1})"));
                                s.set(Path("o") / "w", 9);
                              })
                       .build(),
                   {R"(a#0 | o:set={"x":1})", R"(b#1 | o:set={"z":1} o/w:set=9)"},
                   R"({"o":{"z":1,"w":9}})"});
  facts.push_back({"F51",
                   ChartBuilder("f")
                       .stage("a", sets("a", J("[1,2,3]")))
                       .stage("b", sets(Path("a") / 2, 9))
                       .build(),
                   {"a#0 | a:set=[1,2,3]", "b#1 | a/2:set=9"},
                   R"({"a":[1,2,9]})"});
  facts.push_back({"F56",
                   ChartBuilder("f")
                       .stage("a",
                              [](Scope& s) {
                                s.set("a.b", 1);
                                s.set("$foo", 2);
                                s.set("__proto__", 3);
                              })
                       .build(),
                   {"a#0 | a.b:set=1 $foo:set=2 __proto__:set=3"},
                   R"({"a.b":1,"$foo":2,"__proto__":3})"});
  facts.push_back(
      {"F74",
       ChartBuilder("f")
           .stage("a", sets("h", J(R"([1,{"a":1}])")))
           .stage("b", sets("h", J(R"([1,{"a":1}])")))
           .stage("c", sets("h", J(R"([{"a":1},1])")))
           .stage("d", sets("u", nullptr))
           .build(),
       {R"(a#0 | h:set=[1,{"a":1}])", "b#1 | -", R"(c#2 | h:set=[{"a":1},1])", "d#3 | u:set=null"},
       R"({"h":[{"a":1},1],"u":null})"});
  facts.push_back({"F15",
                   ChartBuilder("f")
                       .stage("a",
                              [](Scope& s) {
                                s.set("x", 1);
                                s.break_chart("enough");
                                s.set("y", 2);
                              })
                       .stage("b", nothing())
                       .build(),
                   {"a#0 | x:set=1 y:set=2"},
                   R"({"x":1,"y":2})"});
  return facts;
}

std::vector<Fact> structured_facts() {
  std::vector<Fact> facts;
  facts.push_back({"F16",
                   ChartBuilder("f")
                       .stage("a", sets("n", 0))
                       .stage("l",
                              [](Scope& s) {
                                const std::int64_t n = int_at(s, "n") + 1;
                                s.set("n", n);
                                if (n >= 3) s.break_chart();
                              })
                       .loop_to("l")
                       .build(),
                   {"a#0 | n:set=0", "l#1 | n:set=1", "l#2 | n:set=2", "l#3 | n:set=3"},
                   R"({"n":3})"});
  facts.push_back({"F20",
                   ChartBuilder("f")
                       .stage("s", nothing())
                       .decide("d",
                               [](Scope& s) {
                                 s.break_chart("stop here");
                                 return std::string("lo");
                               })
                       .branch("lo", nothing())
                       .stage("e", nothing())
                       .build(),
                   {"s#0 | -", "d#1 | -"},
                   "{}"});
  facts.push_back({"F21",
                   ChartBuilder("f")
                       .decide("d", [](Scope&) { return std::string("zzz"); })
                       .branch("hi", sets("x", 1))
                       .otherwise("hi")
                       .build(),
                   {"d#0 | -", "hi#1 | x:set=1"},
                   R"({"x":1})"});
  facts.push_back({"F22 (break in a selector ends the chart)",
                   ChartBuilder("f")
                       .stage("s", nothing())
                       .select("sel",
                               [](Scope& s) {
                                 s.break_chart();
                                 return std::vector<std::string>{"x"};
                               })
                       .branch("x", nothing())
                       .stage("e", nothing())
                       .build(),
                   {"s#0 | -", "sel#1 | -"},
                   "{}"});
  facts.push_back({"F23 (a branch chosen twice runs once)",
                   ChartBuilder("f")
                       .select("sel", [](Scope&) { return std::vector<std::string>{"x", "x"}; })
                       .branch("x", sets("v", 1))
                       .branch("y", sets("v", 2))
                       .build(),
                   {"sel#0 | -", "x#1 | runs/x/v:set=1"},
                   R"({"runs":{"x":{"v":1}}})"});
  facts.push_back({"F24 F24c F28 F29",
                   ChartBuilder("f")
                       .stage("r", sets("base", 1))
                       .fork("f")
                       .branch("c1",
                               [](Scope& s) {
                                 s.set("v", "one");
                                 s.set("b", *s.get("base"));
                                 s.break_chart();
                               })
                       .branch("c2", steps().stage("c2",
                                                   [](Scope& s) {
                                                     if (!s.has("v")) s.set("v", "two");
                                                   }))
                       .stage("j", [](Scope& s) { s.set("absent", !s.has("v")); })
                       .build(),
                   {"r#0 | base:set=1", "f#1 | -", R"(c1#2 | runs/c1/v:set="one" runs/c1/b:set=1)",
                    R"(c2#3 | runs/c2/v:set="two")", "j#4 | absent:set=true"},
                   R"({"base":1,"runs":{"c1":{"v":"one","b":1},"c2":{"v":"two"}},"absent":true})"});
  ForkOptions tolerate;
  tolerate.on_error = OnBranchError::tolerate;
  facts.push_back(
      {"F26",
       ChartBuilder("f")
           .fork("f", tolerate)
           .branch("c1", sets("v", 1))
           .branch("c2",
                   [](Scope& s) {
                     s.set("w", 1);
                     throw std::runtime_error("bad");
                   })
           .stage("j", sets("done", 1))
           .build(),
       {"f#0 | -", "c1#1 | runs/c1/v:set=1", "c2#2 | runs/c2/w:set=1", "j#3 | done:set=1"},
       R"({"runs":{"c1":{"v":1},"c2":{"w":1}},"done":1})"});
  facts.push_back(
      {"F30 (nested forks keep their branches apart)",
       ChartBuilder("f")
           .fork("f")
           .branch("c1",
                   steps().fork("g").branch("g1", sets("v", "g1")).branch("g2", sets("v", "g2")))
           .build(),
       {"f#0 | -", "g#1 | -", R"(g1#2 | runs/c1/runs/g1/v:set="g1")",
        R"(g2#3 | runs/c1/runs/g2/v:set="g2")"},
       R"({"runs":{"c1":{"runs":{"g1":{"v":"g1"},"g2":{"v":"g2"}}}}})"});
  return facts;
}

std::vector<Fact> mount_facts() {
  std::vector<Fact> facts;
  const Chart doubles = ChartBuilder("inner")
                            .stage("in1", [](Scope& s) { s.set("y", int_at(s, "x") * 2); })
                            .stage("in2", [](Scope& s) { s.set("z", int_at(s, "y") + 1); })
                            .build();
  MountOptions both;
  both.input = [](Scope& s) { s.set("x", *s.get("x")); };
  both.output = [](Scope& s) {
    s.set("out", *s.get("z"));
    s.append("list", "i");
  };
  facts.push_back({"F36",
                   ChartBuilder("f")
                       .stage("a",
                              [](Scope& s) {
                                s.set("x", 5);
                                s.set("list", J(R"(["p"])"));
                              })
                       .mount("sub", doubles, both)
                       .stage("b", nothing())
                       .build(),
                   {R"(a#0 | x:set=5 list:set=["p"])", "sub#1 | x:set=5", "sub/in1#2 | y:set=10",
                    "sub/in2#3 | z:set=11", R"(sub#4 | out:set=11 list:append=["i"])", "b#5 | -"},
                   R"({"x":5,"list":["p","i"],"out":11})"});
  const Chart sees =
      ChartBuilder("inner").stage("in", [](Scope& s) { s.set("saw", s.has("x")); }).build();
  facts.push_back({"F38",
                   ChartBuilder("f").stage("a", sets("x", 1)).mount("sub", sees).build(),
                   {"a#0 | x:set=1", "sub#1 | -", "sub/in#2 | saw:set=false"},
                   R"({"x":1})"});
  const Chart breaks = ChartBuilder("inner")
                           .stage("in",
                                  [](Scope& s) {
                                    s.set("m", 1);
                                    s.break_chart("done");
                                  })
                           .stage("never", nothing())
                           .build();
  MountOptions out_only;
  out_only.output = [](Scope& s) { s.set("m", *s.get("m")); };
  facts.push_back({"F40 (false)",
                   ChartBuilder("f").mount("sub", breaks, out_only).stage("e", nothing()).build(),
                   {"sub#0 | -", "sub/in#1 | m:set=1", "sub#2 | m:set=1", "e#3 | -"},
                   R"({"m":1})"});
  MountOptions propagates = out_only;
  propagates.propagate_break = true;
  facts.push_back({"F40 (true)",
                   ChartBuilder("f").mount("sub", breaks, propagates).stage("e", nothing()).build(),
                   {"sub#0 | -", "sub/in#1 | m:set=1", "sub#2 | m:set=1"},
                   R"({"m":1})"});
  facts.push_back({"F43",
                   ChartBuilder("f").mount("s1", sees).mount("s2", sees).build(),
                   {"s1#0 | -", "s1/in#1 | saw:set=false", "s2#2 | -", "s2/in#3 | saw:set=false"},
                   "{}"});
  MountOptions counts;
  counts.input = [](Scope& s) { s.set("n", *s.get("n")); };
  counts.output = [](Scope& s) { s.set("n", *s.get("n")); };
  const Chart plus =
      ChartBuilder("inner").stage("p", [](Scope& s) { s.set("n", int_at(s, "n") + 1); }).build();
  facts.push_back(
      {"F46",
       ChartBuilder("f")
           .stage("a", sets("n", 0))
           .mount("sub", plus, counts)
           .stage("c",
                  [](Scope& s) {
                    if (int_at(s, "n") >= 2) s.break_chart();
                  })
           .loop_to("sub")
           .build(),
       {"a#0 | n:set=0", "sub#1 | n:set=0", "sub/p#2 | n:set=1", "sub#3 | n:set=1", "c#4 | -",
        "sub#5 | n:set=1", "sub/p#6 | n:set=2", "sub#7 | n:set=2", "c#8 | -"},
       R"({"n":2})"});
  MountOptions outputs;
  outputs.output = [](Scope& s) { s.set("y", *s.get("v")); };
  const Chart leaf = ChartBuilder("leaf").stage("l0", sets("v", 1)).build();
  facts.push_back({"F65 (the output row carries the mount's id)",
                   ChartBuilder("f")
                       .decide("d", [](Scope&) { return std::string("sf"); })
                       .branch("sf", leaf, outputs)
                       .stage("e", nothing())
                       .build(),
                   {"d#0 | -", "sf#1 | -", "sf/l0#2 | v:set=1", "sf#3 | y:set=1", "e#4 | -"},
                   R"({"y":1})"});
  facts.push_back(
      {"F66",
       ChartBuilder("f")
           .stage("d0", nothing())
           .mount("mid", ChartBuilder("mid").stage("m0", nothing()).mount("leaf", leaf).build())
           .build(),
       {"d0#0 | -", "mid#1 | -", "mid/m0#2 | -", "mid/leaf#3 | -", "mid/leaf/l0#4 | v:set=1"},
       "{}"});
  return facts;
}

TEST(Facts, RowsAndStates) {
  std::vector<Fact> facts = linear_facts();
  for (Fact& fact : structured_facts()) facts.push_back(std::move(fact));
  for (Fact& fact : mount_facts()) facts.push_back(std::move(fact));
  for (const Fact& fact : facts) {
    SCOPED_TRACE(fact.id);
    const RunResult result = run(fact.chart);
    EXPECT_EQ(result.outcome, Outcome::completed) << result.reason;
    EXPECT_EQ(rows_of(result.log()), fact.rows);
    EXPECT_EQ(state_of(result), fact.state);
  }
}

}  // namespace
}  // namespace agentfootprint::flow::facts
