// Threads that judge; results in order.
#include "agentfootprint/cli/audit_pipeline.hpp"

#include <algorithm>

namespace agentfootprint {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 20;
constexpr std::size_t kMaxThreads = 4;

std::size_t machine_threads() {
  const std::size_t processors = std::thread::hardware_concurrency();
  return processors < 2 ? 0 : std::min(processors, kMaxThreads);
}

}  // namespace

AuditJob::AuditJob(Transcript read, AuditOptions wanted)
    : transcript(std::move(read)), options(std::move(wanted)) {
  if (transcript.format == "footprint") recorded = read_recorded(transcript.lines);
}

AuditPipeline::AuditPipeline(Sink sink, std::size_t threads)
    : sink_(std::move(sink)), wanted_threads_(threads == 0 ? machine_threads() : threads) {}

AuditPipeline::~AuditPipeline() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void AuditPipeline::judge(Entry& entry) {
  AuditJob& job = entry.job;
  if (!job.transcript.structured) return;
  AuditOptions options = job.options;
  if (job.transcript.format == "footprint") options.recorded = &job.recorded;
  try {
    job.audit = audit_conversation(job.transcript.conversation, options);
  } catch (...) {
    entry.error = std::current_exception();
  }
}

void AuditPipeline::start_threads() {
  if (!threads_.empty()) return;
  threads_.reserve(wanted_threads_);
  for (std::size_t i = 0; i < wanted_threads_; ++i) threads_.emplace_back([this] { work(); });
}

void AuditPipeline::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [this] { return stopping_ || taken_ < waiting_.size(); });
    if (stopping_) return;
    Entry& entry = *waiting_[taken_++];
    lock.unlock();
    judge(entry);
    lock.lock();
    entry.done = true;
    judged_.notify_one();
  }
}

void AuditPipeline::enqueue(std::unique_ptr<Entry> entry) {
  if (wanted_threads_ == 0) {
    judge(*entry);
    if (entry->error) std::rethrow_exception(entry->error);
    sink_(entry->job);
    return;
  }
  start_threads();
  std::unique_lock lock(mutex_);
  bytes_ += entry->job.bytes;
  waiting_.push_back(std::move(entry));
  more_.notify_one();
  while (!waiting_.empty() && (waiting_.front()->done || bytes_ > kMaxBytes)) {
    if (waiting_.size() == 1 && !waiting_.front()->done) break;  // a large one waits alone
    give_out(lock);
  }
}

// Waits for the first one and gives it out.
void AuditPipeline::give_out(std::unique_lock<std::mutex>& lock) {
  judged_.wait(lock, [this] { return waiting_.front()->done; });
  std::unique_ptr<Entry> entry = std::move(waiting_.front());
  waiting_.pop_front();
  --taken_;
  bytes_ -= entry->job.bytes;
  lock.unlock();
  if (entry->error) std::rethrow_exception(entry->error);
  sink_(entry->job);
  entry.reset();
  lock.lock();
}

void AuditPipeline::submit(AuditJob job) {
  auto entry = std::make_unique<Entry>(std::move(job));
  if (threads_.empty() && !first_) {
    first_ = std::move(entry);
    return;
  }
  if (first_) enqueue(std::exchange(first_, nullptr));
  enqueue(std::move(entry));
}

void AuditPipeline::finish() {
  if (first_) {
    const std::unique_ptr<Entry> only = std::exchange(first_, nullptr);
    judge(*only);
    if (only->error) std::rethrow_exception(only->error);
    sink_(only->job);
  }
  std::unique_lock lock(mutex_);
  while (!waiting_.empty()) give_out(lock);
}

}  // namespace agentfootprint
