// The memory sink, the shared writer thread and the file sink.
#include "agentfootprint/record/sink.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <list>
#include <mutex>
#include <thread>

#include "agentfootprint/base/error.hpp"

namespace agentfootprint {

// Many records wait in memory at once: a short one is one text, and no text has room beyond its
// bytes.
void MemorySink::write(std::string block, bool) {
  constexpr std::size_t kShort = std::size_t{4} << 10;
  const bool is_short = blocks_.empty() && text_.size() + block.size() <= kShort;
  block.shrink_to_fit();
  blocks_.push_back(std::move(block));
  if (is_short) join();
}

void MemorySink::join() const {
  std::size_t size = text_.size();
  for (const std::string& block : blocks_) size += block.size();
  std::string joined;
  joined.reserve(size);
  joined += text_;
  for (const std::string& block : blocks_) joined += block;
  text_ = std::move(joined);
  blocks_ = {};
}

const std::string& MemorySink::text() const {
  if (!blocks_.empty()) join();
  return text_;
}

struct FileSink::File {
  explicit File(std::string name) : path(std::move(name)) {}
  std::string path;
  // Of the writer thread only.
  int descriptor = -1;
  // Guarded by the state's mutex.
  std::uint64_t given = 0;    // blocks
  std::uint64_t written = 0;  // blocks
  std::string error;
};

struct RecordThread::State {
  struct Job {
    std::shared_ptr<FileSink::File> file;
    std::string block;
    bool durable = false;
    bool close = false;
  };

  explicit State(Options wanted) : options(wanted) {}

  void run();
  void work(Job& job);
  void open(FileSink::File& file);
  void close(FileSink::File& file);
  void give(Job job);

  Options options;
  std::mutex mutex;
  std::condition_variable work_there;
  std::condition_variable work_done;
  std::deque<Job> jobs;
  std::size_t waiting_bytes = 0;
  bool ending = false;
  std::list<std::shared_ptr<FileSink::File>> open_files;  // the writer thread's; newest first
  std::thread thread;
};

void RecordThread::State::open(FileSink::File& file) {
  if (file.descriptor >= 0) return;
  while (open_files.size() >= std::max<std::size_t>(options.max_open_files, 1)) {
    close(*open_files.back());
  }
  file.descriptor = ::open(file.path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file.descriptor < 0) {
    throw Error("record-io", fmt::format("cannot open {}: {}", file.path, std::strerror(errno)));
  }
}

void RecordThread::State::close(FileSink::File& file) {
  if (file.descriptor >= 0) ::close(file.descriptor);
  file.descriptor = -1;
  open_files.remove_if([&file](const auto& open) { return open.get() == &file; });
}

void RecordThread::State::work(Job& job) {
  if (job.close) return close(*job.file);
  const bool fresh = job.file->descriptor < 0;
  open(*job.file);
  if (fresh) open_files.push_front(job.file);
  std::string_view left = job.block;
  while (!left.empty()) {
    const ssize_t count = ::write(job.file->descriptor, left.data(), left.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw Error("record-io",
                  fmt::format("cannot write {}: {}", job.file->path, std::strerror(errno)));
    }
    left.remove_prefix(static_cast<std::size_t>(count));
  }
  if (job.durable && ::fsync(job.file->descriptor) != 0) {
    throw Error("record-io",
                fmt::format("cannot sync {}: {}", job.file->path, std::strerror(errno)));
  }
}

// A file that failed takes no further blocks: a record with a hole would be worse than one that
// ends.
void RecordThread::State::run() {
  std::unique_lock lock(mutex);
  while (true) {
    work_there.wait(lock, [this] { return ending || !jobs.empty(); });
    if (jobs.empty()) break;
    Job job = std::move(jobs.front());
    jobs.pop_front();
    const bool skip = !job.file->error.empty() && !job.close;
    lock.unlock();
    std::string error;
    try {
      if (!skip) work(job);
    } catch (const std::exception& failed) {
      error = failed.what();
    }
    lock.lock();
    if (!error.empty()) job.file->error = error;
    waiting_bytes -= job.block.size();
    if (!job.close) ++job.file->written;
    work_done.notify_all();
  }
  lock.unlock();
  while (!open_files.empty()) close(*open_files.front());
}

void RecordThread::State::give(Job job) {
  std::unique_lock lock(mutex);
  if (job.close) {
    if (ending) return;
  } else {
    if (!job.file->error.empty()) throw Error("record-io", job.file->error);
    work_done.wait(lock, [this] {
      return ending || waiting_bytes == 0 || waiting_bytes < options.max_waiting_bytes;
    });
    if (ending) throw Error("record-io", "the record's writer thread has ended");
    ++job.file->given;
  }
  waiting_bytes += job.block.size();
  jobs.push_back(std::move(job));
  work_there.notify_one();
}

RecordThread::RecordThread() : RecordThread(Options()) {}

RecordThread::RecordThread(Options options) : state_(std::make_shared<State>(options)) {
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

RecordThread::~RecordThread() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
  }
  state_->work_there.notify_all();
  state_->work_done.notify_all();
  state_->thread.join();
}

FileSink::FileSink(std::string path, const RecordThread& thread)
    : thread_(thread.state()), file_(std::make_shared<File>(std::move(path))) {}

FileSink::~FileSink() {
  RecordThread::State::Job job;
  job.file = file_;
  job.close = true;
  thread_->give(std::move(job));
}

void FileSink::write(std::string block, bool durable) {
  RecordThread::State::Job job;
  job.file = file_;
  job.block = std::move(block);
  job.durable = durable;
  thread_->give(std::move(job));
}

void FileSink::sync() {
  std::unique_lock lock(thread_->mutex);
  const std::uint64_t wanted = file_->given;
  thread_->work_done.wait(lock, [&] { return file_->written >= wanted; });
  if (!file_->error.empty()) throw Error("record-io", file_->error);
}

}  // namespace agentfootprint
