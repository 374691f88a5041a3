// Chunks read by many copies while other copies append. Meant for the thread sanitizer.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"

namespace agentfootprint {
namespace {

TEST(ConversationThreads, CopiesGrowApartWhileSharedChunksAreRead) {
  Conversation base;
  for (int i = 0; i < 45; ++i) base.append(Message::user(std::to_string(i)));
  constexpr int kThreads = 8;
  std::vector<Conversation> grown(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&grown, base, t]() mutable {
      for (int i = 0; i < 200; ++i) {
        base.append(Message::user(std::to_string(t) + "/" + std::to_string(i)));
        if (base[static_cast<std::uint32_t>(i % 45)].text() != std::to_string(i % 45)) return;
      }
      grown[t] = std::move(base);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < kThreads; ++t) {
    ASSERT_EQ(grown[t].size(), 245U);
    for (std::uint32_t i = 0; i < 200; ++i) {
      ASSERT_EQ(grown[t][45 + i].text(), std::to_string(t) + "/" + std::to_string(i));
    }
  }
  EXPECT_EQ(base.size(), 45U);
}

TEST(ConversationThreads, ReadersOfOneObjectNeedNoLock) {
  Conversation shared;
  shared.append(Message::assistant("", {ToolCall("a", "t", "{}"), ToolCall("b", "t", "{}")}));
  shared.append(Message::tool_result("b", "t", "1"));
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        const Conversation copy = shared;
        if (copy.result_of({0, 1, false}) == 1U && shared.open_calls().size() == 1) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 800);
}

}  // namespace
}  // namespace agentfootprint
