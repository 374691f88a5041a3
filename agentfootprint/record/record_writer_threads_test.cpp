// Many records written at once through one writer thread. Meant for the thread sanitizer.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "agentfootprint/record/reader.hpp"
#include "agentfootprint/record/writer.hpp"

namespace agentfootprint {
namespace {

class RecordThreads : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("agentfootprint-threads-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

void write_run(const std::string& path, const RecordThread& thread, int messages) {
  const ManualClock clock(0);
  FileSink sink(path, thread);
  RecordWriter writer(sink, RecordWriterOptions(path, clock));
  for (int i = 0; i < messages; ++i) {
    writer.message(Message::user(std::to_string(i)));
    writer.flush(i % 50 == 0);
  }
  writer.end("complete");
  sink.sync();
}

// More files than may be open, and so little room that writers must wait.
TEST_F(RecordThreads, RecordsDoNotMix) {
  constexpr int kRecords = 12;
  RecordThread::Options options;
  options.max_open_files = 3;
  options.max_waiting_bytes = 2'000;
  {
    const RecordThread thread(options);
    std::vector<std::thread> writers;
    for (int i = 0; i < kRecords; ++i) {
      writers.emplace_back([this, &thread, i] {
        write_run((folder_ / std::to_string(i)).string(), thread, 60 + i);
      });
    }
    for (std::thread& writer : writers) writer.join();
  }
  for (int i = 0; i < kRecords; ++i) {
    const Footprint footprint = read_footprint_file((folder_ / std::to_string(i)).string());
    EXPECT_TRUE(footprint.complete()) << i;
    EXPECT_EQ(footprint.conversation.size(), static_cast<std::uint32_t>(60 + i));
  }
}

TEST_F(RecordThreads, TheThreadWritesWhatWaitsBeforeItEnds) {
  const std::string path = (folder_ / "late").string();
  const ManualClock clock(0);
  auto thread = std::make_unique<RecordThread>();
  FileSink sink(path, *thread);
  RecordWriter writer(sink, RecordWriterOptions("run", clock));
  for (int i = 0; i < 200; ++i) writer.message(Message::user(std::to_string(i)));
  writer.flush();
  thread.reset();
  EXPECT_EQ(read_footprint_file(path).conversation.size(), 200U);
  writer.message(Message::user("too late"));
  EXPECT_ANY_THROW(writer.flush());
}

}  // namespace
}  // namespace agentfootprint
