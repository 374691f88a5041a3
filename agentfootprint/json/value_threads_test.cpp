// Copies of one document read, copied and dropped by several threads.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/value.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::json {
namespace {

Value wide_document() {
  std::string text = "{";
  for (int i = 0; i < 200; ++i) {
    if (i > 0) text += ',';
    text += "\"a key of some length " + std::to_string(i) + "\":[" + std::to_string(i) +
            ",\"a text of more than fourteen bytes\"]";
  }
  return parse_or_throw(text + "}");
}

TEST(ValueThreads, ManyThreadsReadOneDocument) {
  for (int round = 0; round < 20; ++round) {
    Value document = wide_document();
    std::atomic<int> found{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      // All of them meet the index before it is built.
      threads.emplace_back([copy = document, &found] {
        for (int i = 0; i < 200; ++i) {
          const Value* value = copy.find("a key of some length " + std::to_string(i));
          if (value != nullptr && value->at(0).as_int64() == i) ++found;
          const Value part = *value;
          const Value again = part;
          if (again.size() != 2) found = -1'000'000;
        }
      });
    }
    document = Value();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(found, 800);
  }
}

TEST(ValueThreads, TheLastCopyFreesWhereverItIs) {
  Value built = array({"a text of more than fourteen bytes", object({{"k", array({1, 2})}})});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([copy = built] {
      for (int i = 0; i < 1'000; ++i) {
        Value other = copy;
        Value inner = other.at(1);
        other = inner;
      }
    });
  }
  built = Value();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace agentfootprint::json
