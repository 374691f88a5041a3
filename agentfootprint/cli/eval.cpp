// The table of eval functions and the filter.
#include "agentfootprint/cli/eval.hpp"

#include <algorithm>
#include <exception>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/cli/eval_arguments.hpp"
#include "agentfootprint/cli/eval_artifacts.hpp"
#include "agentfootprint/cli/eval_evidence.hpp"
#include "agentfootprint/cli/eval_findings.hpp"
#include "agentfootprint/cli/eval_flow.hpp"
#include "agentfootprint/cli/eval_integrity.hpp"
#include "agentfootprint/cli/eval_semantics.hpp"
#include "agentfootprint/cli/eval_transcript.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

constexpr std::size_t kMaxDepth = 2'000;

std::vector<EvalFunction> all_functions() {
  std::vector<EvalFunction> all;
  const auto add = [&all](const std::vector<EvalFunction>& area) {
    all.insert(all.end(), area.begin(), area.end());
  };
  // One line an area, its include above.
  add(evidence_eval_functions());
  add(semantics_eval_functions());
  add(arguments_eval_functions());
  add(artifacts_eval_functions());
  add(findings_eval_functions());
  add(flow_eval_functions());
  add(integrity_eval_functions());
  add(transcript_eval_functions());
  std::sort(all.begin(), all.end(),
            [](const EvalFunction& a, const EvalFunction& b) { return a.name < b.name; });
  return all;
}

json::Value refusal_value(const Refusal& refusal) {
  json::ArrayBuilder issues;
  for (const Issue& issue : refusal.issues()) {
    issues.add(json::object({{"code", issue.code}, {"field", issue.field}}));
  }
  return json::object({{"code", refusal.code()},
                       {"field", refusal.field()},
                       {"issues", issues.build()},
                       {"message", refusal.what()}});
}

json::Value run_function(const EvalFunction& function, const json::Value& in, bool& refused) {
  refused = true;
  try {
    if (!in.is_object()) throw Refusal("eval-input", "", "an input line is a JSON object");
    json::Value out = function.run(in);
    refused = false;
    return out;
  } catch (const Refusal& refusal) {
    return refusal_value(refusal);
  } catch (const Error& error) {
    const bool shape = error.code() == "json-missing" || error.code() == "json-type";
    return refusal_value(Refusal(shape ? "eval-input" : error.code(), "", error.what()));
  } catch (const std::exception& error) {
    return refusal_value(Refusal("eval-failed", "", error.what()));
  }
}

}  // namespace

const std::vector<EvalFunction>& eval_functions() {
  static const std::vector<EvalFunction> functions = all_functions();
  return functions;
}

const EvalFunction* find_eval_function(std::string_view name) {
  for (const EvalFunction& function : eval_functions()) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

json::Value eval_answer(const EvalFunction& function, const json::Value& in) {
  json::ObjectBuilder answer;
  if (const json::Value* id = in.find("id")) answer.add("id", *id);
  bool refused = false;
  json::Value value = run_function(function, in, refused);
  answer.add(refused ? "refused" : "out", std::move(value));
  return answer.build();
}

EvalStreamResult eval_stream(const EvalFunction& function, std::istream& in, std::ostream& out) {
  EvalStreamResult result;
  std::string line;
  std::string text;
  while (true) {
    if (in.rdbuf()->in_avail() <= 0) out.flush();
    if (!std::getline(in, line)) break;
    ++result.lines_read;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    json::ParseOptions options;
    options.max_depth = kMaxDepth;
    const auto parsed = json::parse(line, options);
    if (!parsed) {
      result.bad_line = result.lines_read;
      result.reason = parsed.error().message();
      break;
    }
    text.clear();
    json::dump_to(text, eval_answer(function, *parsed));
    text += '\n';
    out << text;
  }
  out.flush();
  return result;
}

}  // namespace agentfootprint
