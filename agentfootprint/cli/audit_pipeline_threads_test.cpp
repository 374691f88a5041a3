// Conversations judged by several threads come out in order, whole, and equal to those judged
// alone.
#include <gtest/gtest.h>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/cli/audit_pipeline.hpp"

namespace agentfootprint {
namespace {

Transcript numbered(int number) {
  Transcript made;
  made.format = "openai-chat";
  made.label = "#" + std::to_string(number);
  Conversation& c = made.conversation;
  c.append(Message::user("how many?"));
  for (int i = 0; i <= number % 7; ++i) {
    const std::string id = "c" + std::to_string(i);
    c.append(Message::assistant("", {ToolCall(id, "count", R"({"of":"a"})")}));
    c.append(Message::tool_result(id, "count", "{\"n\":" + std::to_string(41'200 + i) + "}"));
  }
  c.append(Message::assistant(std::to_string(41'200 + number % 9) + " rows"));
  return made;
}

struct Seen {
  std::string label;
  std::uint64_t findings;
  friend bool operator==(const Seen&, const Seen&) = default;
};

std::vector<Seen> judged(std::size_t threads, int count) {
  std::vector<Seen> seen;
  AuditPipeline pipeline(
      [&](AuditJob& job) { seen.push_back({job.transcript.label, job.audit.counts.findings}); },
      threads);
  for (int i = 0; i < count; ++i) {
    AuditJob job(numbered(i), AuditOptions());
    job.bytes = i % 50 == 0 ? 9'000'000 : 1'000;  // some fill the pipeline alone
    pipeline.submit(std::move(job));
  }
  pipeline.finish();
  return seen;
}

TEST(AuditPipeline, KeepsTheOrderAndTheVerdicts) {
  std::vector<Seen> alone;
  for (int i = 0; i < 300; ++i) {
    const Transcript one = numbered(i);
    alone.push_back(
        {one.label, audit_conversation(one.conversation, AuditOptions()).counts.findings});
  }
  EXPECT_EQ(judged(3, 300), alone);
  EXPECT_EQ(judged(1, 300), alone);
  EXPECT_EQ(judged(0, 300), alone);
  EXPECT_EQ(judged(3, 1).size(), 1U);
  EXPECT_TRUE(judged(3, 0).empty());
}

// A pipeline that is given up joins its threads.
TEST(AuditPipeline, WhatTheSinkThrowsLeaves) {
  int given = 0;
  const auto submit_all = [&] {
    AuditPipeline pipeline(
        [&](AuditJob&) {
          if (++given == 3) throw Error("cli-input", "enough");
        },
        2);
    for (int i = 0; i < 100; ++i) pipeline.submit(AuditJob(numbered(i), AuditOptions()));
    pipeline.finish();
  };
  EXPECT_THROW(submit_all(), Error);
  EXPECT_EQ(given, 3);
}

}  // namespace
}  // namespace agentfootprint
