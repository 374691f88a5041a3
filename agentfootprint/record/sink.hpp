// Where the lines of a record go: memory, or a file written by a shared thread.
//
// What: a sink takes whole blocks of lines. `MemorySink` keeps them. `FileSink` hands them to a
// `RecordThread`, which writes for any number of records with one thread and a bounded number of
// open files, and syncs where the writer says so.
//
// When to use: one sink a record. Make one `RecordThread` for the process and share it.
//
// Not guaranteed: that a block is on the disk when `write` returns; `sync` waits until it is.
//
// Limits: 64 MiB wait for the thread at most, then `write` waits; 64 files stay open.
//
// Example:
//   MemorySink sink;
//   sink.write("{}\n", false);
//   (void)sink.text();   // "{}\n"
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace agentfootprint {

class RecordSink {
 public:
  virtual ~RecordSink() = default;
  // A block of whole lines. `durable`: the block must survive a power cut once `sync` returned.
  // Throws Error "record-io" when an earlier block could not be written.
  virtual void write(std::string block, bool durable) = 0;
  // Waits until everything written is where it should be. Throws Error "record-io".
  virtual void sync() = 0;
};

// Not for several threads at once.
class MemorySink final : public RecordSink {
 public:
  void write(std::string block, bool durable) override;
  void sync() override {}
  // The whole record so far. The blocks are joined when this is asked, so that writing copies none.
  [[nodiscard]] const std::string& text() const;

 private:
  void join() const;

  mutable std::string text_;                 // what was joined
  mutable std::vector<std::string> blocks_;  // what came since
};

// Writes blocks of many files in the order they came, each file's in its own order.
class RecordThread {
 public:
  struct Options {
    std::size_t max_waiting_bytes = std::size_t{64} << 20;
    std::size_t max_open_files = 64;
  };
  RecordThread();
  explicit RecordThread(Options options);
  // Writes what waits, then ends.
  ~RecordThread();
  RecordThread(const RecordThread&) = delete;
  RecordThread& operator=(const RecordThread&) = delete;

  // The thread's own, for sinks.
  struct State;
  [[nodiscard]] const std::shared_ptr<State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<State> state_;
};

// May outlive the object it was made with; the thread ends with its RecordThread, and writing then
// throws.
class FileSink final : public RecordSink {
 public:
  // Appends to the file, which is made when it is not there (mode 0600). Folders must be there.
  FileSink(std::string path, const RecordThread& thread);
  ~FileSink() override;
  void write(std::string block, bool durable) override;
  void sync() override;

 private:
  struct File;
  std::shared_ptr<RecordThread::State> thread_;
  std::shared_ptr<File> file_;
  friend struct RecordThread::State;
};

}  // namespace agentfootprint
