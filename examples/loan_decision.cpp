// A loan decision whose every "because" is a slice.
//
// The chart reads an application, checks credit and income at the same time, and decides by rules.
// Nothing in it writes an explanation. The explanation is computed afterwards from the log: the
// rule that matched with what it saw, and for each value the steps it came from. docs/flow.md walks
// through the output.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "agentfootprint/flow/run.hpp"
#include "agentfootprint/flow/slice.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace loan {

namespace flow = agentfootprint::flow;
namespace json = agentfootprint::json;

const flow::Key<std::int64_t> kIncome("income");
const flow::Key<std::int64_t> kAmount("amount");
const flow::Key<std::int64_t> kScore("score");
const flow::Key<std::int64_t> kRatio("ratio");
const flow::Key<std::string> kDecision("decision");
const flow::Key<std::int64_t> kRate("rate");

void read_application(flow::Scope& scope) {
  const json::Value& input = scope.input();
  scope.set(kIncome, input.at("income").as_int64().value());
  scope.set(kAmount, input.at("amount").as_int64().value());
  scope.set("history", input.at("history"));
}

void check_credit(flow::Scope& scope) {
  std::int64_t score = 800;
  const json::Value history = scope.get("history").value();
  for (const json::Value& event : history.elements()) {
    if (event.as_string() == "late payment") score -= 60;
  }
  scope.set(kScore, score);
}

void check_income(flow::Scope& scope) {
  scope.set(kRatio, scope.require(kAmount) / scope.require(kIncome));
}

flow::Rules rules() {
  flow::Rules rules;
  rules.when(flow::all(flow::gte(kScore, 750), flow::lte(kRatio, 5)), "approve", "good and small")
      .when(flow::lt(kScore, 600), "decline", "poor credit")
      .otherwise("refer", "neither clear case");
  return rules;
}

flow::Chart chart() {
  flow::ForkOptions merge;
  merge.join = flow::Join::merge_disjoint;
  const auto rate = [](flow::Scope& s) { s.set(kRate, 3 + s.require(kRatio) / 2); };
  return flow::ChartBuilder("loan")
      .stage("read-application", read_application)
      .fork("checks", merge)
      .branch("check-credit", check_credit)
      .branch("check-income", check_income)
      .decide("assess", rules())
      .branch("approve", flow::steps()
                             .stage("approve", [](flow::Scope& s) { s.set(kDecision, "approved"); })
                             .stage("set-rate", rate))
      .branch("decline", [](flow::Scope& s) { s.set(kDecision, "declined"); })
      .branch("refer", [](flow::Scope& s) { s.set(kDecision, "referred to a person"); })
      .stage("notify", [](flow::Scope& s) { s.append("letters", s.require(kDecision)); })
      .build();
}

std::string why_chosen(const flow::DecisionRecord& decision) {
  std::string out = fmt::format("  {}: {}\n", decision.chosen.front(), decision.label);
  for (const flow::RuleRecord& rule : decision.rules) {
    for (const flow::ConditionRecord& condition : rule.conditions) {
      out += fmt::format("    {} is {}, {} {}: {}\n", condition.pointer,
                         condition.actual ? json::dump(*condition.actual) : "absent", condition.op,
                         json::dump(condition.threshold), condition.result ? "yes" : "no");
    }
  }
  return out;
}

// What was decided, the evidence of the rules, and the steps each value came from.
std::string explain(const flow::Log& log, const flow::Path& key) {
  const auto value = log.final_state().find(key);
  std::string out =
      fmt::format("{} = {}, because\n", key.pointer(), value ? json::dump(*value) : "absent");
  const flow::Slice slice = flow::slice_of(log, key);
  for (const flow::SliceNode& node : slice.nodes) {
    if (const auto decision = log.row(node.row).decision()) out += why_chosen(*decision);
  }
  return out + slice.to_text();
}

std::string run(std::string_view application) {
  const json::Value input = json::parse_or_throw(application);
  const flow::RunResult result = flow::run(chart(), flow::RunOptions().with_input(input));
  if (result.outcome != flow::Outcome::completed) return result.reason + "\n";
  std::string out = explain(result.log(), kDecision.path());
  if (result.state().get(kRate)) out += explain(result.log(), kRate.path());
  return out;
}

inline constexpr std::string_view kGoodApplication =
    R"({"income":50000,"amount":200000,"history":[]})";
inline constexpr std::string_view kLateApplication =
    R"({"income":50000,"amount":200000,"history":["late payment","late payment"]})";

}  // namespace loan

#ifndef AGENTFOOTPRINT_EXAMPLE_WITHOUT_MAIN
int main() {
  std::fputs(loan::run(loan::kGoodApplication).c_str(), stdout);
  std::fputs(loan::run(loan::kLateApplication).c_str(), stdout);
  return 0;
}
#endif
