// Real transcripts, where they are present beside the repository: every file is read, every tool
// result is counted, and nothing is lost between the wire and the conversation.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/transcript/transcript.hpp"

namespace agentfootprint {
namespace {

const std::filesystem::path kData =
    std::filesystem::path(AGENTFOOTPRINT_SOURCE_DIR) / ".." / "shared" / "data";

struct Counts {
  std::size_t conversations = 0;
  std::size_t messages = 0;
  std::size_t results = 0;
  std::size_t orphans = 0;
  bool damage = false;
  std::set<std::string> formats;
};

Counts count(const std::filesystem::path& path) {
  Counts counts;
  TranscriptReader reader = TranscriptReader::open(path.string());
  while (const auto transcript = reader.next()) {
    ++counts.conversations;
    counts.messages += transcript->conversation.size();
    counts.results += transcript->result_count();
    counts.damage = counts.damage || transcript->incomplete;
    counts.formats.insert(transcript->format);
    for (const std::uint32_t result : transcript->conversation.results()) {
      counts.orphans += transcript->conversation.key_of_result(result)->orphan ? 1 : 0;
    }
  }
  return counts;
}

std::size_t occurrences(const std::filesystem::path& path, std::string_view piece) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::size_t found = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1))
    ++found;
  return found;
}

class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kData)) GTEST_SKIP() << "no real data beside this repository";
  }
};

TEST_F(RealData, TauBenchLosesNoResult) {
  const auto path = kData / "tau-bench" / "airline-a.json";
  const Counts counts = count(path);
  EXPECT_EQ(counts.conversations, 100U);
  EXPECT_EQ(counts.results, occurrences(path, R"("role": "tool")"));
  EXPECT_EQ(counts.orphans, 0U);
  EXPECT_FALSE(counts.damage);
  EXPECT_EQ(counts.formats, std::set<std::string>{"tau-bench"});
}

TEST_F(RealData, EveryFileOfAKnownKindIsRead) {
  const std::pair<const char*, const char*> folders[] = {
      {"swe-agent", "swe-agent"}, {"claude-code", "claude-code"}, {"who-and-when", "agent-log"}};
  for (const auto& [folder, format] : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kData / folder)) {
      if (!entry.is_regular_file()) continue;
      const Counts counts = count(entry.path());
      EXPECT_GT(counts.messages, 0U) << entry.path();
      EXPECT_EQ(counts.formats, std::set<std::string>{format}) << entry.path();
      EXPECT_EQ(counts.orphans, 0U) << entry.path();
    }
  }
}

TEST_F(RealData, ExchangesAreReadOrRefusedByName) {
  for (const char* folder : {"anthropic_messages", "openai_chat"}) {
    for (const auto& entry : std::filesystem::directory_iterator(kData / "exchanges" / folder)) {
      try {
        EXPECT_EQ(count(entry.path()).conversations, 1U) << entry.path();
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), "transcript-shape") << entry.path();
      }
    }
  }
}

}  // namespace
}  // namespace agentfootprint
