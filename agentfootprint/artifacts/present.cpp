// Presenting an artifact.
#include "agentfootprint/artifacts/present.hpp"

#include <fmt/format.h>

#include "agentfootprint/artifacts/internal/text.hpp"
#include "agentfootprint/artifacts/live_refs.hpp"
#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint {
namespace {

// A member that is a text with something in it.
std::optional<std::string> text_of(const json::Value& args, std::string_view key) {
  const json::Value* member = args.find(key);
  const auto text = member == nullptr ? std::nullopt : member->as_string();
  if (!text || artifacts_internal::is_blank(*text)) return std::nullopt;
  return std::string(*text);
}

json::Value snapshot_of(const ArtifactMeta& meta, const std::optional<std::string>& label) {
  json::ObjectBuilder out;
  out.add("kind", meta.kind).add("mediaType", meta.media_type).add("bytes", meta.bytes);
  out.add_if("label", label ? label : meta.label);
  return out.build();
}

PresentOutcome refused(const ToolArtifacts& artifacts, ArtifactRefusalReason reason,
                       std::optional<std::string> ref, std::string text) {
  artifacts.tell_refused(ArtifactOp::dispatch, reason, ref, std::nullopt);
  PresentOutcome out;
  out.refusal = std::move(text);
  out.missed_ref = std::move(ref);
  return out;
}

}  // namespace

std::string_view present_description() noexcept {
  return "Show a stored artifact to the person. Pass its ref and how to show it; the content is "
         "not "
         "read and not returned.";
}

json::Value present_input_schema() {
  const auto text = [](std::string_view description) {
    return json::object({{"type", "string"}, {"description", description}});
  };
  return json::object(
      {{"type", "object"},
       {"properties",
        json::object({{"ref", text("The ref of the artifact, as in art_…")},
                      {"as", text("How to show it: table, bar-chart, file, …")},
                      {"label", text("A title; the artifact's own label when left out")}})},
       {"required", json::array({"ref", "as"})},
       {"additionalProperties", false}});
}

PresentOutcome present_artifact(const ToolArtifacts& artifacts, const json::Value& args) {
  const auto ref = text_of(args, "ref");
  const auto as = text_of(args, "as");
  if (!ref || !as) {
    return refused(artifacts, ArtifactRefusalReason::invalid_input, std::nullopt,
                   fmt::format("Nothing was presented: {} must be a text that is not blank.",
                               ref ? "as" : "ref"));
  }
  std::string clause;
  bool changed = false;
  const auto look = [&](ArtifactStore& store,
                        const ArtifactScope& scope) -> std::optional<ArtifactMeta> {
    try {
      auto found = store.head(scope, *ref);
      if (!found) clause = live_refs_clause(store, scope, std::nullopt);
      return found;
    } catch (const ArtifactIntegrityError&) {  // its record was changed
      changed = true;
      return std::nullopt;
    }
  };
  const auto meta = artifacts.with_store(ArtifactOp::dispatch, *ref, look);
  if (changed) {
    return refused(artifacts, ArtifactRefusalReason::digest_mismatch, ref,
                   fmt::format("Nothing was presented: {} is not what was stored; create it again.",
                               utf8::printable(utf8::clip(*ref, 64))));
  }
  if (!meta) {
    return refused(artifacts, ArtifactRefusalReason::missing_or_expired, ref,
                   fmt::format("Nothing was presented: {} is not here or has expired; {}.",
                               utf8::printable(utf8::clip(*ref, 64)), clause));
  }
  artifacts.tell_resolved(*meta, "head");
  ArtifactFact fact;
  fact.kind = ArtifactFact::Kind::presented;
  fact.meta = *meta;
  fact.as = *as;
  fact.snapshot = snapshot_of(*meta, text_of(args, "label"));
  artifacts.tell(fact);
  PresentOutcome out;
  out.ok = true;
  out.result =
      json::object({{"presented", true}, {"ref", *ref}, {"as", *as}, {"snapshot", fact.snapshot}});
  return out;
}

}  // namespace agentfootprint
