// Declared datasets become tickets: staging, and a wrapper around a tool's execution.
//
// What: a tool's author says which datasets a result holds (`describe`) and how the answer looks
// once they are parked (`project`). `stage_dataset_artifacts` checks the whole list before the
// first write, writes each source before its data, and heads every ticket again at the end, so that
// a receipt never claims what a later write evicted. Receipts carry no rows.
// `with_dataset_artifacts` does this around an execute function with the call's own capability;
// without a store, or when `describe` says there is nothing to park, the result passes through as
// the same value.
//
// When to use: results too large for a context. The projection owns wording, coverage and what
// stays inline.
//
// Not guaranteed: that a batch is one write: writes are independent and a failed source does not
// hide its data. Ask for `all_or_nothing` where half a batch is worse than none. A ticket may
// expire later.
//
// Example:
//   DatasetArtifactInput rows("vms", PutArtifactInput("dataset/rows", "application/json",
//                                                     ArtifactPayload::json(json::array({1}))));
//   auto store = open_artifact_store("memory:", ArtifactStoreOptions());
//   ArtifactBinding binding = bind_artifacts(store, ArtifactScope("c"), ArtifactOrigin(), nullptr);
//   auto published = stage_dataset_artifacts({rows}, binding.artifacts());
//   bool there = published.front().artifact.stored();
//   (void)there;
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/artifacts/capability.hpp"

namespace agentfootprint {

struct DatasetArtifactInput {
  std::string key;
  PutArtifactInput artifact;
  std::optional<PutArtifactInput> source;  // an artifact of its own, not an inferred fact

  DatasetArtifactInput() {}  // NOLINT
  DatasetArtifactInput(std::string name, PutArtifactInput data)
      : key(std::move(name)), artifact(std::move(data)) {}
};
// Reads `[{key, artifact, source?}]`; throws Refusal for every shape fault, before anything is
// written.
[[nodiscard]] std::vector<DatasetArtifactInput> datasets_from_json(const json::Value& value);

struct DatasetArtifactReceipt {
  std::optional<ArtifactMeta> meta;   // stored
  std::string reason;                 // unavailable: "store-unavailable" or "missing-or-expired"
  std::optional<std::string> detail;  // unavailable: the code of what went wrong, never its text

  [[nodiscard]] bool stored() const noexcept { return meta.has_value(); }
};
[[nodiscard]] json::Value to_json(const DatasetArtifactReceipt& receipt);

struct DatasetPublication {
  std::string key;
  DatasetArtifactReceipt artifact;
  std::optional<DatasetArtifactReceipt> source;  // there exactly when one was declared
};
[[nodiscard]] json::Value to_json(const DatasetPublication& publication);

struct DatasetStagingOptions {
  // One batch: all tickets or none. Needs a store with batches; else every receipt is unavailable.
  bool all_or_nothing = false;

  DatasetStagingOptions() {}  // NOLINT
};

// Throws Refusal (codes dataset-key, dataset-artifact, ERR_INVALID_ARTIFACT for a time axis) before
// any write; failures of writes are receipts.
[[nodiscard]] std::vector<DatasetPublication> stage_dataset_artifacts(
    const std::vector<DatasetArtifactInput>& datasets, const ToolArtifacts& artifacts,
    const DatasetStagingOptions& options = DatasetStagingOptions());

struct DatasetResultPlan {
  std::vector<DatasetArtifactInput> datasets;
  std::function<json::Value(const std::vector<DatasetPublication>&)> project;
};
// Throws Refusal "dataset-plan" when nothing could be answered with the receipts.
void check_dataset_plan(const DatasetResultPlan& plan);
// Empty: an intentional pass-through, for example of a declared absence.
using DescribeDatasets = std::function<std::optional<DatasetResultPlan>(const json::Value& result,
                                                                        const json::Value& args)>;
using ArtifactExecute =
    std::function<json::Value(const json::Value& args, ArtifactContext& context)>;

// Steps after the execution: describe, stage, project, and the guard that no declaration of the
// result (absence, coverage, semantics) was lost or changed by the projection (Refusal with the
// guard's code).
[[nodiscard]] json::Value publish_datasets(const json::Value& result, const json::Value& args,
                                           const ArtifactContext& context,
                                           const DescribeDatasets& describe,
                                           const DatasetStagingOptions& options);

// An exception of `execute` passes untouched; `describe` is then not called.
[[nodiscard]] ArtifactExecute with_dataset_artifacts(
    ArtifactExecute execute, DescribeDatasets describe,
    DatasetStagingOptions options = DatasetStagingOptions());

}  // namespace agentfootprint
