// The asynchronous face of a store.
#include "agentfootprint/artifacts/async_store.hpp"

#include <future>

#include "agentfootprint/semantics/projection_guard.hpp"

namespace agentfootprint {

static_assert(check_await_safe<ArtifactScope, PutArtifactInput, ArtifactListOptions,
                               ArtifactContext, DatasetStagingOptions>());

AsyncArtifactStore::AsyncArtifactStore(std::shared_ptr<ArtifactStore> store)
    : store_(std::move(store)) {
  if (store_->blocks()) worker_ = std::make_unique<boost::asio::thread_pool>(1);
}

AsyncArtifactStore::~AsyncArtifactStore() {
  if (worker_ != nullptr) worker_->join();
}

void AsyncArtifactStore::settle() {
  if (worker_ == nullptr) return;
  std::promise<void> idle;
  boost::asio::post(*worker_, [&idle] { idle.set_value(); });
  idle.get_future().wait();
}

Task<ArtifactPutResult> AsyncArtifactStore::put(ArtifactScope scope, PutArtifactInput input) {
  std::function<ArtifactPutResult()> work = [this, &scope, &input] {
    return store_->put(scope, input);
  };
  co_return co_await run<ArtifactPutResult>(std::move(work));
}

Task<std::optional<ArtifactMeta>> AsyncArtifactStore::head(ArtifactScope scope, std::string ref) {
  std::function<std::optional<ArtifactMeta>()> work = [this, &scope, &ref] {
    return store_->head(scope, ref);
  };
  co_return co_await run<std::optional<ArtifactMeta>>(std::move(work));
}

Task<std::optional<ArtifactRecord>> AsyncArtifactStore::get(ArtifactScope scope, std::string ref) {
  std::function<std::optional<ArtifactRecord>()> work = [this, &scope, &ref] {
    return store_->get(scope, ref);
  };
  co_return co_await run<std::optional<ArtifactRecord>>(std::move(work));
}

Task<void> AsyncArtifactStore::remove(ArtifactScope scope, std::string ref) {
  std::function<bool()> work = [this, &scope, &ref] {
    store_->remove(scope, ref);
    return true;
  };
  (void)co_await run<bool>(std::move(work));
}

Task<ArtifactListResult> AsyncArtifactStore::list(ArtifactScope scope,
                                                  ArtifactListOptions options) {
  std::function<ArtifactListResult()> work = [this, &scope, &options] {
    return store_->list(scope, options);
  };
  co_return co_await run<ArtifactListResult>(std::move(work));
}

Task<json::Value> publish_datasets_async(AsyncArtifactStore& store, json::Value result,
                                         json::Value args, ArtifactContext context,
                                         DescribeDatasets describe, DatasetStagingOptions options) {
  if (!context.has_artifacts) co_return result;
  const semantics::ProjectionSnapshot declared = semantics::snapshot_projection(result);
  auto plan = describe(result, args);
  if (!plan) co_return result;
  check_dataset_plan(*plan);
  std::function<std::vector<DatasetPublication>()> work = [&plan, &context, &options] {
    return stage_dataset_artifacts(plan->datasets, context.artifacts, options);
  };
  const auto published = co_await store.run<std::vector<DatasetPublication>>(std::move(work));
  json::Value projected = plan->project(published);
  auto lost = semantics::projection_issues(declared, projected);
  if (!lost.empty()) throw Refusal(std::move(lost));
  co_return projected;
}

namespace {

Task<json::Value> execute_and_publish(AsyncArtifactStore& store, AsyncArtifactExecute execute,
                                      DescribeDatasets describe, DatasetStagingOptions options,
                                      json::Value args, ArtifactContext context) {
  json::Value result = co_await execute(args, context);
  co_return co_await publish_datasets_async(store, std::move(result), std::move(args),
                                            std::move(context), std::move(describe), options);
}

}  // namespace

AsyncArtifactExecute with_dataset_artifacts(AsyncArtifactStore& store, AsyncArtifactExecute execute,
                                            DescribeDatasets describe,
                                            DatasetStagingOptions options) {
  return [&store, execute = std::move(execute), describe = std::move(describe), options](
             json::Value args, ArtifactContext context) {
    return execute_and_publish(store, execute, describe, options, std::move(args),
                               std::move(context));
  };
}

}  // namespace agentfootprint
