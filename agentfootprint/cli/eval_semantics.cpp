// Declaring, judging and reading described results as a filter; times and projections too.
#include "agentfootprint/cli/eval_semantics.hpp"

#include "agentfootprint/cli/eval_messages.hpp"
#include "agentfootprint/semantics/absence.hpp"
#include "agentfootprint/semantics/absent.hpp"
#include "agentfootprint/semantics/described_result.hpp"
#include "agentfootprint/semantics/gate.hpp"
#include "agentfootprint/semantics/limits_travel.hpp"
#include "agentfootprint/semantics/projection_guard.hpp"
#include "agentfootprint/semantics/recognise.hpp"
#include "agentfootprint/semantics/time_axis.hpp"

namespace agentfootprint {
namespace {

json::Value one(std::string_view key, json::Value value) {
  json::ObjectBuilder object;
  object.add(key, std::move(value));
  return object.build();
}

json::Value issues_value(const std::vector<Issue>& issues) {
  json::ArrayBuilder list;
  for (const Issue& issue : issues) {
    json::ObjectBuilder row;
    row.add("code", issue.code).add("field", issue.field).add("message", issue.message);
    list.add(row.build());
  }
  return list.build();
}

json::Value eval_describe(const json::Value& in) {
  return one("envelope", described_result(eval_required(in, "declaration")).envelope());
}

json::Value eval_issues(const json::Value& in) {
  return one("issues", issues_value(semantics::semantic_issues(eval_required(in, "value"))));
}

json::Value eval_read(const json::Value& in) {
  const json::Value& value = eval_required(in, "value");
  json::ObjectBuilder out;
  if (const auto described = semantics::read_semantics(value)) {
    out.add("recognised", true);
    if (described->declares_coverage()) out.add("coverage", to_json(described->coverage()));
  } else if (const auto absence = semantics::read_absence(value)) {
    out.add("recognised", true).add("coverage", to_json(absence->coverage));
  } else if (const auto ledger = semantics::read_coverage_ledger(value)) {
    out.add("recognised", true).add("coverage", to_json(ledger->coverage));
  } else {
    out.add("recognised", false);
    const std::vector<Issue> issues = semantics::explain_semantics(value);
    if (!issues.empty()) out.add("issues", issues_value(issues));
  }
  return out.build();
}

json::Value eval_model_view(const json::Value& in) {
  return one("view", semantics::served_view(eval_required(in, "value")));
}

json::Value eval_absent(const json::Value& in) {
  return one("envelope", absent(eval_required(in, "declaration")));
}

json::Value eval_coverage(const json::Value& in) {
  return one("envelope", coverage(eval_required(in, "result"), eval_required(in, "declaration")));
}

json::Value eval_counter_word(const json::Value& in) {
  return one("counter", semantics::is_counter_looking_aggregation(eval_required_text(in, "text")));
}

json::Value eval_gate(const json::Value& in) {
  const json::Value* strict = eval_optional(in, "strict", json::Kind::boolean);
  const semantics::SemanticsReport report =
      semantics::check_semantics(semantics::read_semantics_catalog(eval_required(in, "catalog")));
  const bool is_strict = strict != nullptr && strict->as_bool().value_or(false);
  return json::with_member(to_json(report), "exit", report.exit_code(is_strict));
}

// What the funnel reads of returned values: rows, status, the view, the answer's block.
json::Value eval_declared(const json::Value& in) {
  semantics::ResultReader reader;
  json::ArrayBuilder rows;
  std::vector<semantics::CoverageDeclared> declared;
  bool any_absent = false;
  for (const json::Value& value : eval_required(in, "results", json::Kind::array).elements()) {
    const semantics::ReadResult read = reader.read(value, "tool");
    any_absent = any_absent || read.absent;
    for (const semantics::CoverageDeclared& row : read.declared) {
      rows.add(to_json(row));
      declared.push_back(row);
    }
  }
  json::ObjectBuilder out;
  out.add("declared", rows.build()).add("absent", any_absent);
  out.add("answerCoverage", semantics::answer_coverage(declared));
  if (const json::Value* answer = eval_optional(in, "answer", json::Kind::string)) {
    out.add("answer", semantics::with_limits(*answer->as_string(), declared));
  }
  return out.build();
}

json::Value eval_projection(const json::Value& in) {
  return one("issues", issues_value(semantics::projection_issues(
                           semantics::snapshot_projection(eval_required(in, "before")),
                           eval_required(in, "after"))));
}

json::Value eval_time_axis(const json::Value& in) {
  const json::Value& axis = eval_required(in, "axis");
  const std::vector<Issue> issues = semantics::time_axis_issues(axis);
  json::ObjectBuilder out;
  out.add("issues", issues_value(issues));
  if (issues.empty()) {
    out.add_if("describe", semantics::describe_time_axis(*semantics::parse_time_axis(axis)));
  }
  return out.build();
}

json::Value eval_instants(const json::Value& in) {
  semantics::NormaliseOptions options;
  if (const json::Value* naive = eval_optional(in, "naive", json::Kind::string)) {
    const std::string_view word = *naive->as_string();
    if (word != "flag" && word != "refuse") {
      throw Refusal("malformed-time-axis", "naive", "naive must be flag or refuse");
    }
    options.refuse_naive = word == "refuse";
  }
  return to_json(semantics::normalise_instants(
      eval_required(in, "rows"), semantics::checked_time_axis(eval_required(in, "axis")), options));
}

}  // namespace

std::vector<EvalFunction> semantics_eval_functions() {
  return {{"semantics.absent", eval_absent},
          {"semantics.counter_word", eval_counter_word},
          {"semantics.coverage", eval_coverage},
          {"semantics.declared", eval_declared},
          {"semantics.describe", eval_describe},
          {"semantics.gate", eval_gate},
          {"semantics.instants", eval_instants},
          {"semantics.issues", eval_issues},
          {"semantics.model_view", eval_model_view},
          {"semantics.projection", eval_projection},
          {"semantics.read", eval_read},
          {"semantics.time_axis", eval_time_axis}};
}

}  // namespace agentfootprint
