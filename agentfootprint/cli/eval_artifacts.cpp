// The eval functions of artifacts.
#include "agentfootprint/cli/eval_artifacts.hpp"

#include <fmt/format.h>

#include "agentfootprint/artifacts/capability.hpp"
#include "agentfootprint/artifacts/datasets.hpp"
#include "agentfootprint/artifacts/placement.hpp"
#include "agentfootprint/artifacts/present.hpp"
#include "agentfootprint/artifacts/recording.hpp"
#include "agentfootprint/artifacts/wants.hpp"
#include "agentfootprint/cli/artifact_script.hpp"
#include "agentfootprint/cli/eval_messages.hpp"

namespace agentfootprint {
namespace {

using json::Kind;
using json::Value;

Value swept_to_json(const std::vector<SweptArtifact>& swept) {
  json::ArrayBuilder out;
  for (const SweptArtifact& one : swept) out.add(to_json(one));
  return out.build();
}

ArtifactListOptions list_options(const Value& step, const ScriptRefs& made) {
  ArtifactListOptions options;
  if (const Value* limit = eval_optional(step, "limit", Kind::number)) {
    options.limit =
        static_cast<std::int64_t>(std::max(-1.0, std::min(1e15, limit->as_double().value_or(1))));
  }
  if (const Value* cursor = eval_optional(step, "cursor", Kind::string)) {
    options.cursor = made.resolve(*cursor->as_string());
  }
  return options;
}

Value run_list(ArtifactStore& store, const ArtifactScope& scope, const Value& step,
               ScriptRefs& made, std::size_t index) {
  const ArtifactListResult page = store.list(scope, list_options(step, made));
  json::ArrayBuilder artifacts;
  for (const ArtifactMeta& meta : page.artifacts) artifacts.add(to_json(meta));
  json::ObjectBuilder out;
  out.add("artifacts", artifacts.build());
  out.add_if("cursor", page.cursor);
  if (page.cursor) made.note(index, *page.cursor);
  return out.build();
}

// What a dispatcher does in one step, through the capability of one call: its facts, and whether
// the text for the model mentions what the step asks for.
class DispatchStep {
 public:
  DispatchStep(ScriptStore& script, const Value& step, const ScriptRefs& made)
      : step_(step), made_(made), tool_(text_or("tool", "tool")), binding_(bind(script)) {}

  Value wants() {
    ToolWants wants;
    for (const json::Member& one : eval_required(step_, "wants", Kind::object).members()) {
      wants.emplace_back(one.key(), one.value.as_string().value_or(""));
    }
    const Value* schema = step_.find("inputSchema");
    const auto given = schema == nullptr ? std::nullopt : std::optional<Value>(*schema);
    if (step_.contains("declare")) {
      check_tool_wants(tool_, wants, given);
      return json::object({});
    }
    if (!binding_.artifacts().has_store()) return said(wants_needs_store_refusal(tool_, wants));
    const Value args = made_.with_refs(eval_required(step_, "args", Kind::object));
    const auto done = resolve_tool_wants(binding_.artifacts(), tool_, wants, args, given);
    out_.add("ok", done.ok);
    if (done.ok) {
      json::ObjectBuilder wanted;
      for (const auto& [name, meta] : done.wanted) wanted.add(name, to_json(meta));
      out_.add("args", done.args).add("wanted", wanted.build());
    }
    json::ArrayBuilder refusals;
    for (const WantsRefusal& one : done.refusals) {
      json::ObjectBuilder refusal;
      refusal.add("argument", one.argument).add("reason", name_of(one.reason));
      refusal.add_if("ref", one.ref);
      refusals.add(refusal.build());
    }
    out_.add("refusals", refusals.build());
    return said(done.refusal);
  }

  Value place(ScriptRefs& made, std::size_t index) {
    const auto limit = eval_required(step_, "maxInlineChars", Kind::number).as_int64();
    check_max_inline_chars(limit.value_or(0));
    const Value* kind = eval_optional(step_, "resultKind", Kind::string);
    std::optional<std::string> declared;
    if (kind != nullptr) declared = std::string(*kind->as_string());
    check_result_kind(tool_, declared);
    const Value* chars = eval_optional(step_, "chars", Kind::number);
    const Value result = chars == nullptr ? eval_required(step_, "result")
                                          : Value(std::string(chars->as_uint64().value_or(0), 'x'));
    const auto placed = place_tool_result(binding_.artifacts(), tool_, result, *limit, declared);
    if (placed) {
      out_.add("placed", to_json(*placed)).add("meta", to_json(placed->meta));
      made.note(index, placed->meta.ref);
    }
    return said(placed ? placed->reason : "");
  }

  Value present() {
    const Value args = made_.with_refs(eval_required(step_, "args", Kind::object));
    const PresentOutcome done = present_artifact(binding_.artifacts(), args);
    out_.add("ok", done.ok);
    if (done.ok) out_.add("result", done.result);
    out_.add_if("missedRef", done.missed_ref);
    return said(done.refusal);
  }

  Value record(ScriptRefs& made, std::size_t index) {
    const auto text = [this](std::string_view key) -> std::optional<std::string> {
      const Value* value = eval_optional(step_, key, Kind::string);
      if (value == nullptr) return std::nullopt;
      return std::string(*value->as_string());
    };
    const auto meta = binding_.artifacts().put(
        recording_put_input(eval_required_text(step_, "recording"), text("runId"), text("label")));
    out_.add("meta", to_json(meta));
    made.note(index, meta.ref);
    return said("");
  }

 private:
  std::string text_or(std::string_view key, std::string_view fallback) {
    const Value* value = eval_optional(step_, key, Kind::string);
    return std::string(value == nullptr ? fallback : *value->as_string());
  }

  ArtifactBinding bind(ScriptStore& script) {
    const auto sink = [this](const ArtifactFact& fact) {
      facts_.add(json::with_member(to_json(fact, tool_), "fact", name_of(fact.kind)));
    };
    if (step_.contains("withoutStore")) return unconfigured_artifacts(sink);
    ArtifactOrigin origin;
    origin.run_id = "run-1";
    origin.tool_call_id = "c1";
    const Value* scope = eval_optional(step_, "scope", Kind::object);
    return bind_artifacts(script.store(),
                          scope == nullptr ? ArtifactScope("") : artifact_scope_from_json(*scope),
                          origin, sink);
  }

  Value said(std::string_view text) {
    json::ArrayBuilder mentions;
    for (const std::string& one : eval_texts(step_, "mentions")) {
      mentions.add(text.find(made_.resolve(one)) != std::string_view::npos);
    }
    out_.add("facts", facts_.build());
    if (!mentions.empty()) out_.add("mentions", mentions.build());
    return out_.build();
  }

  const Value& step_;
  const ScriptRefs& made_;
  std::string tool_;
  json::ArrayBuilder facts_;
  json::ObjectBuilder out_;
  ArtifactBinding binding_;
};

Value run_step(ScriptStore& script, const Value& step, ScriptRefs& made, std::size_t index) {
  const std::string op = eval_required_text(step, "op");
  if (op == "advance") {
    const auto ms = eval_required(step, "ms", Kind::number).as_int64();
    if (!ms) throw Refusal("eval-input", "ms", "ms is not a whole number");
    script.clock().advance_ms(*ms);
    return json::object({});
  }
  if (op == "wants") return DispatchStep(script, step, made).wants();
  if (op == "place") return DispatchStep(script, step, made).place(made, index);
  if (op == "present") return DispatchStep(script, step, made).present();
  if (op == "record") return DispatchStep(script, step, made).record(made, index);
  ArtifactStore& store = *script.store();
  const ArtifactScope scope = artifact_scope_from_json(eval_required(step, "scope", Kind::object));
  if (op == "put") {
    const auto done = store.put(scope, put_input_from_json(made.with_parents(step)));
    made.note(index, done.meta.ref);
    return json::object({{"meta", to_json(done.meta)}, {"swept", swept_to_json(done.swept)}});
  }
  if (op == "head") {
    const auto meta = store.head(scope, made.ref_of(step));
    return meta ? json::object({{"meta", to_json(*meta)}}) : Value();
  }
  if (op == "get") {
    const auto record = store.get(scope, made.ref_of(step));
    if (!record) return {};
    return json::object({{"meta", to_json(record->meta)}, {"data", record->payload.value()}});
  }
  if (op == "delete") {
    store.remove(scope, made.ref_of(step));
    return json::object({});
  }
  if (op == "list") return run_list(store, scope, step, made, index);
  throw Refusal(
      "eval-input", "op",
      "op is one of put, head, get, delete, list, advance, wants, place, present, record");
}

Value eval_artifacts_script(const Value& in) {
  return run_artifact_script(in, nullptr);
}

Value eval_datasets_stage(const Value& in) {
  ScriptStore script(in);
  const ArtifactScope scope = artifact_scope_from_json(eval_required(in, "scope", Kind::object));
  const auto datasets = datasets_from_json(eval_required(in, "datasets"));
  const auto failing =
      std::make_shared<FailingStore>(script.store(), datasets, eval_texts(in, "fail"));
  const ArtifactBinding binding = bind_artifacts(failing, scope, ArtifactOrigin(), nullptr);
  json::ArrayBuilder publications;
  for (const auto& publication : stage_dataset_artifacts(datasets, binding.artifacts())) {
    publications.add(to_json(publication));
  }
  return json::object({{"publications", publications.build()}, {"puts", failing->puts()}});
}

}  // namespace

Value run_artifact_script(const Value& in, const ArtifactScriptSteps& more) {
  ScriptStore script(in);
  const Value steps = eval_required(in, "steps", Kind::array);
  ScriptRefs made;
  json::ArrayBuilder results;
  std::size_t index = 0;
  for (const Value& step : steps.elements()) {
    try {
      auto answer = more ? more(script, step, made, index) : std::nullopt;
      results.add(answer ? std::move(*answer) : run_step(script, step, made, index));
    } catch (const Refusal& refusal) {
      if (refusal.code() == "eval-input") throw;
      results.add(json::object(
          {{"refused", json::object({{"code", refusal.code()}, {"field", refusal.field()}})}}));
    } catch (const Error& error) {
      if (error.code() == "eval-input") throw;
      results.add(json::object({{"refused", json::object({{"code", error.code()}})}}));
    }
    ++index;
  }
  return json::object({{"results", results.build()}});
}

std::vector<EvalFunction> artifacts_eval_functions() {
  return {{"artifacts.script", eval_artifacts_script}, {"datasets.stage", eval_datasets_stage}};
}

}  // namespace agentfootprint
