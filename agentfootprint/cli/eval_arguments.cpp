// `evidence.arguments`: the values in a call's arguments.
#include "agentfootprint/cli/eval_arguments.hpp"

#include "agentfootprint/cli/eval_messages.hpp"
#include "agentfootprint/evidence/arguments.hpp"
#include "agentfootprint/evidence/gate.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/report/verdict_json.hpp"

namespace agentfootprint {
namespace {

evidence::ArgumentOptions options_of(const json::Value& in) {
  evidence::ArgumentOptions options;
  if (const auto* classes = eval_optional(in, "classes", json::Kind::object)) {
    for (const json::Member& member : classes->members()) {
      const auto name = member.value.as_string();
      const auto parsed = name ? evidence::parse_parameter_class(*name) : std::nullopt;
      if (!parsed) {
        throw Refusal("eval-input", "classes." + std::string(member.key()),
                      "a class is value, identifier or text");
      }
      options.classes[std::string(member.key())] = *parsed;
    }
  }
  if (const auto* schema = eval_optional(in, "schema", json::Kind::object))
    options.schema = *schema;
  if (const auto* numbers = eval_optional(in, "numbers", json::Kind::boolean)) {
    options.numbers = *numbers->as_bool();
  }
  return options;
}

// An object, or its JSON text.
json::Value arguments_of(const json::Value& in) {
  const json::Value& args = eval_required(in, "args");
  if (args.is_object()) return args;
  if (const auto text = args.as_string()) {
    const auto parsed = json::parse(*text);
    if (parsed && parsed->is_object()) return *parsed;
  }
  throw Refusal("eval-input", "args", "args is an object or the JSON text of one");
}

json::Value eval_arguments(const json::Value& in) {
  evidence::GateOptions gate;
  if (const auto* written = eval_optional(in, "options", json::Kind::object)) {
    gate = evidence::read_gate_options(*written);
  }
  auto index = evidence::ConversationIndex::of(eval_conversation(in));
  for (std::string& text : eval_texts(in, "supplied")) {
    index.supply(std::move(text), evidence::SuppliedBy::app);
  }
  const evidence::Judge judge(index, gate.judge);
  const evidence::ArgumentsVerdict verdict =
      evidence::check_arguments(judge, arguments_of(in), options_of(in));
  json::ArrayBuilder values;
  for (const evidence::ArgumentValue& value : verdict.values) {
    values.add(json::with_member(judged_value_to_json(value.judged, index, false), "path",
                                 json::Value(value.path)));
  }
  json::ArrayBuilder unsupported;
  for (const std::size_t at : verdict.unsupported) {
    unsupported.add(verdict.values[at].judged.value.raw);
  }
  return json::object({{"values", values.build()},
                       {"unsupported", unsupported.build()},
                       {"candidates", verdict.candidates},
                       {"truncated", verdict.truncated}});
}

}  // namespace

std::vector<EvalFunction> arguments_eval_functions() {
  return {{"evidence.arguments", eval_arguments}};
}

}  // namespace agentfootprint
