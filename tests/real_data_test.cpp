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

// Messages of role tool, counted in the document itself.
std::size_t tool_messages(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const json::Value root = json::parse_or_throw(text);
  std::size_t found = 0;
  for (const json::Value& run : root.elements()) {
    for (const json::Value& message : run.at("traj").elements()) {
      found += message.at("role").as_string() == "tool" ? 1 : 0;
    }
  }
  return found;
}

// A clone without the data has nothing to read here; the tests of transcript/ do not need it.
bool present() {
  return std::filesystem::exists(kData);
}

TEST(RealData, TauBenchLosesNoResult) {
  if (!present()) return;
  const auto path = kData / "tau-bench" / "airline-a.json";
  const Counts counts = count(path);
  EXPECT_EQ(counts.conversations, 100U);
  EXPECT_EQ(counts.results, tool_messages(path));
  EXPECT_EQ(counts.orphans, 0U);
  EXPECT_FALSE(counts.damage);
  EXPECT_EQ(counts.formats, std::set<std::string>{"tau-bench"});
}

TEST(RealData, EveryFileOfAKnownKindIsRead) {
  if (!present()) return;
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

TEST(RealData, ExchangesAreReadOrRefusedByName) {
  if (!present()) return;
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
