// The store, the tickets and the failures of a script.
#include "agentfootprint/cli/artifact_script.hpp"

#include <algorithm>

#include "agentfootprint/artifacts/internal/text.hpp"
#include "agentfootprint/cli/eval_messages.hpp"

namespace agentfootprint {

using json::Kind;
using json::Value;

namespace {

std::int64_t start_of(const Value& in) {
  const Value* now = eval_optional(in, "now", Kind::number);
  if (now == nullptr) return SystemClock::instance().wall_ms();
  const auto start = now->as_int64();
  if (!start) eval_refuse("now", "now is not a whole number of milliseconds");
  return *start;
}

}  // namespace

ScriptStore::ScriptStore(const Value& in) : clock_(start_of(in)) {
  options_.clock = &clock_;
  if (const Value* dials = eval_optional(in, "retention", Kind::object)) {
    options_.retention = retention_from_json(*dials);
  }
  const std::string kind = eval_required_text(in, "store");
  if (kind == "memory") {
    store_ = open_artifact_store("memory:", options_);
  } else if (kind == "sqlite") {
    store_ = open_artifact_store("sqlite:" + folder_.path("store.db?sync=off"), options_);
  } else if (kind == "file") {
    store_ = open_artifact_store("file:" + folder_.path("store?sync=off"), options_);
  } else {
    eval_refuse("store", "store is one of memory, sqlite, file");
  }
}

ScriptStore::~ScriptStore() {
  if (store_ != nullptr) store_->close();
}

std::string ScriptRefs::resolve(std::string_view text) const {
  long long step = 0;
  if (!text.starts_with('$') || !artifacts_internal::parse_int64(text.substr(1), step)) {
    return std::string(text);
  }
  const auto found = by_step_.find(static_cast<std::size_t>(step));
  return found == by_step_.end() ? std::string(text) : found->second;
}

std::string ScriptRefs::ref_of(const Value& step) const {
  const Value* ref = step.find("ref");
  if (ref == nullptr) eval_refuse("ref", "the step names no ref");
  const auto text = ref->as_string();
  return text ? resolve(*text) : std::string();
}

Value ScriptRefs::with_refs(const Value& args) const {
  json::ObjectBuilder out;
  for (const json::Member& member : args.members()) {
    const auto text = member.value.as_string();
    out.add(member.key(), text ? Value(resolve(*text)) : member.value);
  }
  return out.build();
}

Value ScriptRefs::with_parents(const Value& step) const {
  const Value* parents = step.find("parentRefs");
  if (parents == nullptr || !parents->is_array()) return step;
  json::ArrayBuilder resolved;
  for (const Value& parent : parents->elements()) {
    const auto text = parent.as_string();
    resolved.add(text ? Value(resolve(*text)) : parent);
  }
  return json::with_member(step, "parentRefs", resolved.build());
}

FailingStore::FailingStore(std::shared_ptr<ArtifactStore> inner,
                           const std::vector<DatasetArtifactInput>& datasets,
                           const std::vector<std::string>& fail)
    : inner_(std::move(inner)) {
  std::size_t turn = 0;
  const auto note = [&](const std::string& key) {
    if (std::find(fail.begin(), fail.end(), key) != fail.end()) fail_.insert(turn);
    ++turn;
  };
  for (const DatasetArtifactInput& dataset : datasets) {
    if (dataset.source) note(dataset.key + "/source");
    note(dataset.key);
  }
}

ArtifactPutResult FailingStore::put(const ArtifactScope& scope, const PutArtifactInput& input) {
  if (fail_.contains(puts_++)) {
    throw ArtifactStoreError("artifact-store-io", "this put was asked to fail");
  }
  return inner_->put(scope, input);
}

std::optional<ArtifactMeta> FailingStore::head(const ArtifactScope& scope, const std::string& ref) {
  return inner_->head(scope, ref);
}

std::optional<ArtifactRecord> FailingStore::get(const ArtifactScope& scope,
                                                const std::string& ref) {
  return inner_->get(scope, ref);
}

void FailingStore::remove(const ArtifactScope& scope, const std::string& ref) {
  inner_->remove(scope, ref);
}

ArtifactListResult FailingStore::list(const ArtifactScope& scope,
                                      const ArtifactListOptions& options) {
  return inner_->list(scope, options);
}

}  // namespace agentfootprint
