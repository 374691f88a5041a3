// The asynchronous face of a store.
//
// What: the five verbs, and any other work over a store, as tasks. A store that blocks gets one
// worker thread of its own; the caller's thread never waits for a disk. A store that does not block
// is called in place. Results and exceptions come back on the caller's executor.
//
// When to use: coroutines of an agent, a server, a command that serves many. Plain programs call
// the store.
//
// Not guaranteed: that work which has begun can be stopped: a cancelled caller only stops waiting.
//
// The object must outlive the tasks it gave out. Its destructor waits for work that has begun.
//
// Example (file scope):
//   inline agentfootprint::Task<std::string> park(agentfootprint::AsyncArtifactStore& store) {
//     using namespace agentfootprint;
//     ArtifactScope scope("conv-a");
//     PutArtifactInput input("report", "text/plain", ArtifactPayload::text("hello"));
//     ArtifactPutResult done = co_await store.put(scope, input);
//     co_return done.meta.ref;
//   }
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agentfootprint/artifacts/datasets.hpp"
#include "agentfootprint/artifacts/store.hpp"
#include "agentfootprint/base/task.hpp"

namespace agentfootprint {

namespace artifacts_internal {

// One piece of work and what came of it.
template <class T>
struct StoreJob {
  std::function<T()> work;
  std::optional<T> result;
  std::exception_ptr error;
  void run() noexcept {
    try {
      result.emplace(work());
    } catch (...) {
      error = std::current_exception();
    }
  }
};

// Starts a job on the worker; the waiting coroutine goes on on its own executor.
template <class T>
class LaunchJob {
 public:
  LaunchJob(boost::asio::thread_pool& worker, std::shared_ptr<StoreJob<T>> job)
      : worker_(&worker), job_(std::move(job)) {}

  template <class Handler>
  void operator()(Handler&& handler) {
    auto executor = boost::asio::get_associated_executor(handler);
    auto guard = boost::asio::make_work_guard(executor);
    boost::asio::post(*worker_, [job = job_, executor, guard = std::move(guard),
                                 done = std::forward<Handler>(handler)]() mutable {
      job->run();
      boost::asio::post(executor, [done = std::move(done)]() mutable { std::move(done)(); });
      guard.reset();
    });
  }

 private:
  boost::asio::thread_pool* worker_;
  std::shared_ptr<StoreJob<T>> job_;
};

}  // namespace artifacts_internal

class AsyncArtifactStore {
 public:
  explicit AsyncArtifactStore(std::shared_ptr<ArtifactStore> store);
  ~AsyncArtifactStore();
  AsyncArtifactStore(const AsyncArtifactStore&) = delete;
  AsyncArtifactStore& operator=(const AsyncArtifactStore&) = delete;

  [[nodiscard]] const std::shared_ptr<ArtifactStore>& store() const noexcept { return store_; }

  [[nodiscard]] Task<ArtifactPutResult> put(ArtifactScope scope, PutArtifactInput input);
  [[nodiscard]] Task<std::optional<ArtifactMeta>> head(ArtifactScope scope, std::string ref);
  [[nodiscard]] Task<std::optional<ArtifactRecord>> get(ArtifactScope scope, std::string ref);
  [[nodiscard]] Task<void> remove(ArtifactScope scope, std::string ref);
  [[nodiscard]] Task<ArtifactListResult> list(ArtifactScope scope, ArtifactListOptions options);

  // Waits until the worker has let go of everything handed to it so far. Call it before the
  // executor of a caller that may have stopped waiting goes away.
  void settle();

  // Any work that blocks on the store: reading rows, a query, resolving arguments.
  template <class T>
  [[nodiscard]] Task<T> run(std::function<T()> work) {
    if (worker_ == nullptr) co_return work();
    auto job = std::make_shared<artifacts_internal::StoreJob<T>>();
    job->work = std::move(work);
    artifacts_internal::LaunchJob<T> launch(*worker_, job);
    co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>&, void()>(
        launch, boost::asio::use_awaitable);
    if (job->error) std::rethrow_exception(job->error);
    co_return std::move(*job->result);
  }

 private:
  std::shared_ptr<ArtifactStore> store_;
  std::unique_ptr<boost::asio::thread_pool> worker_;  // null: the store does not block
};

// `publish_datasets` for coroutines: `describe` and `project` run on the caller's executor, the
// writes on the store's worker.
[[nodiscard]] Task<json::Value> publish_datasets_async(AsyncArtifactStore& store,
                                                       json::Value result, json::Value args,
                                                       ArtifactContext context,
                                                       DescribeDatasets describe,
                                                       DatasetStagingOptions options);

using AsyncArtifactExecute =
    std::function<Task<json::Value>(json::Value args, ArtifactContext context)>;
// The store must outlive what is returned.
[[nodiscard]] AsyncArtifactExecute with_dataset_artifacts(
    AsyncArtifactStore& store, AsyncArtifactExecute execute, DescribeDatasets describe,
    DatasetStagingOptions options = DatasetStagingOptions());

}  // namespace agentfootprint
