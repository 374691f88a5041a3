// Staging datasets and wrapping an execute function.
#include "agentfootprint/artifacts/datasets.hpp"

#include <fmt/format.h>

#include <set>

#include "agentfootprint/artifacts/internal/text.hpp"
#include "agentfootprint/artifacts/internal/time_axis_check.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/semantics/projection_guard.hpp"

namespace agentfootprint {
namespace {

using artifacts_internal::is_blank;

constexpr std::string_view kStoreUnavailable = "store-unavailable";
constexpr std::string_view kMissing = "missing-or-expired";

std::string shown(std::string_view key) {
  return utf8::printable(utf8::clip(key, 64));
}

// The faults one dataset can have on its own.
class Preflight {
 public:
  void key(const std::string& key, std::size_t index) {
    if (is_blank(key)) {
      add("dataset-key", fmt::format("datasets[{}].key", index),
          fmt::format("dataset {} has no key: the receipt could not name it", index));
    } else if (!seen_.insert(key).second) {
      add("dataset-key", fmt::format("datasets[{}].key", index),
          fmt::format("dataset key \"{}\" stands twice: give each dataset its own", shown(key)));
    }
  }

  void artifact(const PutArtifactInput& input, const std::string& key, std::string_view part) {
    const auto name = [&](std::string_view member) { return fmt::format("{}.{}", part, member); };
    if (is_blank(input.kind)) {
      add("dataset-artifact", name("kind"),
          fmt::format("dataset \"{}\": kind of its {} is blank", shown(key), part));
    }
    if (is_blank(input.media_type)) {
      add("dataset-artifact", name("mediaType"),
          fmt::format("dataset \"{}\": mediaType of its {} is blank", shown(key), part));
    }
    if (!input.payload) {
      add("dataset-artifact", name("data"),
          fmt::format("dataset \"{}\": its {} has no data (null is data)", shown(key), part));
    }
    if (!input.time_axis) return;
    const std::string problems = artifacts_internal::time_axis_problems(*input.time_axis);
    if (!problems.empty()) {
      add("ERR_INVALID_ARTIFACT", name("timeAxis"),
          fmt::format("dataset \"{}\": {}", shown(key), problems));
    }
  }

  void add(std::string_view code, std::string field, std::string message) {
    issues_.push_back({std::string(code), std::move(field), std::move(message)});
  }

  void refuse_if_any() {
    if (!issues_.empty()) throw Refusal(std::move(issues_));
  }

 private:
  std::set<std::string> seen_;
  std::vector<Issue> issues_;
};

DatasetArtifactReceipt unavailable(std::string_view reason, std::optional<std::string> detail) {
  DatasetArtifactReceipt receipt;
  receipt.reason = reason;
  receipt.detail = std::move(detail);
  return receipt;
}

// The text of what a store throws may hold paths or connection strings: only its code goes on.
template <class Work>
DatasetArtifactReceipt receipt_of(Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    return unavailable(kStoreUnavailable, error.code());
  } catch (const std::exception&) {
    return unavailable(kStoreUnavailable, std::nullopt);
  }
}

DatasetArtifactReceipt stored(ArtifactMeta meta) {
  DatasetArtifactReceipt receipt;
  receipt.meta = std::move(meta);
  return receipt;
}

void recheck(DatasetArtifactReceipt& receipt, const ToolArtifacts& artifacts) {
  if (!receipt.stored()) return;
  receipt = receipt_of([&] {
    auto fresh = artifacts.head(receipt.meta->ref);
    if (!fresh) return unavailable(kMissing, std::nullopt);
    return stored(std::move(*fresh));
  });
}

std::vector<DatasetPublication> write_each(const std::vector<DatasetArtifactInput>& datasets,
                                           const ToolArtifacts& artifacts) {
  std::vector<DatasetPublication> out;
  for (const DatasetArtifactInput& dataset : datasets) {
    DatasetPublication publication;
    publication.key = dataset.key;
    PutArtifactInput artifact = dataset.artifact;
    if (dataset.source) {
      publication.source = receipt_of([&] { return stored(artifacts.put(*dataset.source)); });
      if (publication.source->stored()) {
        artifact.parent_refs.push_back(publication.source->meta->ref);
      }
    }
    publication.artifact = receipt_of([&] { return stored(artifacts.put(artifact)); });
    out.push_back(std::move(publication));
  }
  return out;
}

std::vector<DatasetPublication> write_batch(const std::vector<DatasetArtifactInput>& datasets,
                                            const ToolArtifacts& artifacts) {
  std::vector<ArtifactBatchEntry> entries;
  for (const DatasetArtifactInput& dataset : datasets) {
    std::vector<std::size_t> parents;
    if (dataset.source) {
      parents.push_back(entries.size());
      entries.push_back({*dataset.source, {}});
    }
    entries.push_back({dataset.artifact, std::move(parents)});
  }
  std::vector<ArtifactMeta> metas;
  const DatasetArtifactReceipt failed = receipt_of([&] {
    metas = artifacts.put_batch(std::move(entries));
    return DatasetArtifactReceipt();
  });
  std::vector<DatasetPublication> out;
  std::size_t next = 0;
  const auto receipt = [&] { return metas.empty() ? failed : stored(std::move(metas[next++])); };
  for (const DatasetArtifactInput& dataset : datasets) {
    DatasetPublication publication;
    publication.key = dataset.key;
    if (dataset.source) publication.source = receipt();
    publication.artifact = receipt();
    out.push_back(std::move(publication));
  }
  return out;
}

// One artifact of a JSON list. A member of a wrong type is a fault of the shape, not of the put.
std::optional<PutArtifactInput> artifact_from_json(const json::Value& value, const std::string& key,
                                                   std::string_view part, Preflight& preflight) {
  const auto fault = [&](std::string_view member, std::string_view why) {
    preflight.add("dataset-artifact",
                  member.empty() ? std::string(part) : fmt::format("{}.{}", part, member),
                  fmt::format("dataset \"{}\": {} {}", shown(key), part, why));
  };
  if (!value.is_object()) {
    fault("", "is not an object with kind, mediaType and data");
    return std::nullopt;
  }
  const json::Value* parents = value.find("parentRefs");
  bool texts = parents == nullptr || parents->is_array();
  if (parents != nullptr) {
    for (const json::Value& parent : parents->elements()) texts = texts && parent.is_string();
  }
  if (!texts) fault("parentRefs", "has parentRefs that are not an array of strings");
  return put_input_from_json(value);
}

}  // namespace

std::vector<DatasetArtifactInput> datasets_from_json(const json::Value& value) {
  if (!value.is_array()) {
    throw Refusal("dataset-list", "datasets", "datasets is not an array of {key, artifact}");
  }
  Preflight preflight;
  std::vector<DatasetArtifactInput> out;
  for (const json::Value& entry : value.elements()) {
    DatasetArtifactInput dataset;
    const json::Value* key = entry.find("key");
    if (key != nullptr && key->is_string()) dataset.key = std::string(*key->as_string());
    preflight.key(dataset.key, out.size());
    const json::Value* artifact = entry.find("artifact");
    auto input = artifact_from_json(artifact == nullptr ? json::Value() : *artifact, dataset.key,
                                    "artifact", preflight);
    if (input) {
      dataset.artifact = std::move(*input);
      preflight.artifact(dataset.artifact, dataset.key, "artifact");
    }
    if (const json::Value* source = entry.find("source")) {
      dataset.source = artifact_from_json(*source, dataset.key, "source", preflight);
      if (dataset.source) preflight.artifact(*dataset.source, dataset.key, "source");
    }
    out.push_back(std::move(dataset));
  }
  preflight.refuse_if_any();
  return out;
}

json::Value to_json(const DatasetArtifactReceipt& receipt) {
  if (receipt.stored()) {
    return json::object({{"status", "stored"}, {"meta", to_json(*receipt.meta)}});
  }
  json::ObjectBuilder out;
  out.add("status", "unavailable").add("reason", receipt.reason);
  out.add_if("detail", receipt.detail);
  return out.build();
}

json::Value to_json(const DatasetPublication& publication) {
  json::ObjectBuilder out;
  out.add("key", publication.key).add("artifact", to_json(publication.artifact));
  if (publication.source) out.add("source", to_json(*publication.source));
  return out.build();
}

std::vector<DatasetPublication> stage_dataset_artifacts(
    const std::vector<DatasetArtifactInput>& datasets, const ToolArtifacts& artifacts,
    const DatasetStagingOptions& options) {
  Preflight preflight;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    preflight.key(datasets[i].key, i);
    preflight.artifact(datasets[i].artifact, datasets[i].key, "artifact");
    if (datasets[i].source) preflight.artifact(*datasets[i].source, datasets[i].key, "source");
  }
  preflight.refuse_if_any();
  auto out =
      options.all_or_nothing ? write_batch(datasets, artifacts) : write_each(datasets, artifacts);
  for (DatasetPublication& publication : out) {
    recheck(publication.artifact, artifacts);
    if (publication.source) recheck(*publication.source, artifacts);
  }
  return out;
}

void check_dataset_plan(const DatasetResultPlan& plan) {
  if (plan.project) return;
  throw Refusal("dataset-plan", "project",
                "the dataset plan has no project: nothing could be answered with the receipts");
}

json::Value publish_datasets(const json::Value& result, const json::Value& args,
                             const ArtifactContext& context, const DescribeDatasets& describe,
                             const DatasetStagingOptions& options) {
  if (!context.has_artifacts) return result;
  const semantics::ProjectionSnapshot declared = semantics::snapshot_projection(result);
  auto plan = describe(result, args);
  if (!plan) return result;
  check_dataset_plan(*plan);
  const auto published = stage_dataset_artifacts(plan->datasets, context.artifacts, options);
  json::Value projected = plan->project(published);
  auto lost = semantics::projection_issues(declared, projected);
  if (!lost.empty()) throw Refusal(std::move(lost));
  return projected;
}

ArtifactExecute with_dataset_artifacts(ArtifactExecute execute, DescribeDatasets describe,
                                       DatasetStagingOptions options) {
  return [execute = std::move(execute), describe = std::move(describe), options](
             const json::Value& args, ArtifactContext& context) {
    return publish_datasets(execute(args, context), args, context, describe, options);
  };
}

}  // namespace agentfootprint
