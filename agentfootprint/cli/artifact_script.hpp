// Scripts over a fresh artifact store, written as JSON.
//
// What: what `artifacts.script` and `datasets.stage` are made of: the store an input line describes
// (on disk in a private folder that is removed at the end, with a clock that stands still), the
// tickets its steps made, and a store whose chosen puts fail.
//
// When to use: by eval functions over a store. Tests give a script steps of their own.
//
// Not guaranteed: that two runs mint the same tickets.
//
// Example:
//   json::Value in = json::object({{"store", "memory"}, {"steps", json::array({})}});
//   json::Value out = run_artifact_script(in, nullptr);
//   (void)out.at("results").size();   // 0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/artifacts/datasets.hpp"
#include "agentfootprint/artifacts/internal/temporary_folder.hpp"
#include "agentfootprint/artifacts/store.hpp"
#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint {

// `store` (memory, sqlite, file), `retention?`, `now?` of an input line. Throws Refusal
// "eval-input" for another store.
class ScriptStore {
 public:
  explicit ScriptStore(const json::Value& in);
  ScriptStore(const ScriptStore&) = delete;
  ScriptStore& operator=(const ScriptStore&) = delete;
  ~ScriptStore();

  [[nodiscard]] const std::shared_ptr<ArtifactStore>& store() const { return store_; }
  [[nodiscard]] const ArtifactStoreOptions& options() const { return options_; }
  // "store.db" and "store" in it are the stores' own.
  [[nodiscard]] const artifacts_internal::TemporaryFolder& folder() const { return folder_; }
  ManualClock& clock() { return clock_; }

 private:
  ManualClock clock_;
  artifacts_internal::TemporaryFolder folder_;
  ArtifactStoreOptions options_;
  std::shared_ptr<ArtifactStore> store_;
};

// What earlier steps made: tickets and cursors, spelled `$k` in later steps.
class ScriptRefs {
 public:
  void note(std::size_t step, std::string text) { by_step_[step] = std::move(text); }
  [[nodiscard]] const std::map<std::size_t, std::string>& all() const { return by_step_; }
  [[nodiscard]] std::string resolve(std::string_view text) const;
  // The step's `ref`; empty for one that is no text, which names nothing.
  [[nodiscard]] std::string ref_of(const json::Value& step) const;
  // The members of an object that are spelled `$k`.
  [[nodiscard]] json::Value with_refs(const json::Value& args) const;
  [[nodiscard]] json::Value with_parents(const json::Value& step) const;

 private:
  std::map<std::size_t, std::string> by_step_;
};

// Counts puts and fails those of datasets that are listed: a key, or `key/source`.
class FailingStore final : public ArtifactStore {
 public:
  FailingStore(std::shared_ptr<ArtifactStore> inner,
               const std::vector<DatasetArtifactInput>& datasets,
               const std::vector<std::string>& fail);

  ArtifactPutResult put(const ArtifactScope& scope, const PutArtifactInput& input) override;
  std::optional<ArtifactMeta> head(const ArtifactScope& scope, const std::string& ref) override;
  std::optional<ArtifactRecord> get(const ArtifactScope& scope, const std::string& ref) override;
  void remove(const ArtifactScope& scope, const std::string& ref) override;
  ArtifactListResult list(const ArtifactScope& scope, const ArtifactListOptions& options) override;
  [[nodiscard]] std::string name() const override { return inner_->name(); }
  [[nodiscard]] std::size_t puts() const { return puts_; }

 private:
  std::shared_ptr<ArtifactStore> inner_;
  std::set<std::size_t> fail_;  // puts happen in a fixed order: each source before its data
  std::size_t puts_ = 0;
};

// Answers a step, or says with nothing that it is one of the script's own.
using ArtifactScriptSteps = std::function<std::optional<json::Value>(
    ScriptStore& script, const json::Value& step, ScriptRefs& made, std::size_t index)>;
// `{results: […]}`, one a step; a refusal of a step is its result.
[[nodiscard]] json::Value run_artifact_script(const json::Value& in,
                                              const ArtifactScriptSteps& more);

}  // namespace agentfootprint
