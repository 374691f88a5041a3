// Judging many conversations beside the reading of them.
//
// What: conversations go in as they are read, are judged by a few threads, and come out in the
// order they went in. One conversation alone is judged in place: no thread is started for it.
//
// When to use: the command `audit`. Submit and finish from one thread; the sink is called there.
//
// Not guaranteed: that a job is judged before `finish`. What judging throws leaves `submit` or
// `finish`, in order.
//
// Units and limits: at most 4 MiB of input wait to be judged or given out (one larger conversation
// waits alone); at most 4 threads, none on a machine of one processor.
//
// Example:
//   AuditPipeline pipeline([](AuditJob& job) { (void)job.audit.counts.answers; });
//   pipeline.finish();
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "agentfootprint/explain/audit.hpp"
#include "agentfootprint/transcript/transcript.hpp"

namespace agentfootprint {

struct AuditJob {
  AuditJob(Transcript read, AuditOptions wanted);
  Transcript transcript;
  Recorded recorded;  // of a record
  AuditOptions options;
  std::uint64_t bytes = 0;  // of the input
  ConversationAudit audit;  // once judged, when the transcript is structured
};

class AuditPipeline {
 public:
  using Sink = std::function<void(AuditJob& job)>;
  // `threads`: as many; 0: what the machine has.
  explicit AuditPipeline(Sink sink, std::size_t threads = 0);
  ~AuditPipeline();  // drops what was not given out
  AuditPipeline(const AuditPipeline&) = delete;
  AuditPipeline& operator=(const AuditPipeline&) = delete;

  void submit(AuditJob job);
  // Gives out everything.
  void finish();

 private:
  struct Entry {
    explicit Entry(AuditJob submitted) : job(std::move(submitted)) {}
    AuditJob job;
    std::exception_ptr error;
    bool done = false;
  };

  static void judge(Entry& entry);
  void start_threads();
  void work();
  void enqueue(std::unique_ptr<Entry> entry);
  void give_out(std::unique_lock<std::mutex>& lock);

  Sink sink_;
  std::size_t wanted_threads_;
  std::unique_ptr<Entry> first_;  // until a second one comes
  std::mutex mutex_;
  std::condition_variable more_;
  std::condition_variable judged_;
  std::deque<std::unique_ptr<Entry>> waiting_;  // in order: judged, being judged, to be judged
  std::size_t taken_ = 0;                       // of `waiting_`, by threads
  std::uint64_t bytes_ = 0;                     // of `waiting_`
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace agentfootprint
