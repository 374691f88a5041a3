// The record of one run, written as it goes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/model/port.hpp"
#include "agentfootprint/record/sink.hpp"
#include "agentfootprint/record/writer.hpp"

namespace agentfootprint::internal {

class RunRecord {
 public:
  RunRecord(std::shared_ptr<RecordSink> sink, const std::string& run, const Clock& clock);
  void follow(const Conversation& conversation);
  // The served view: `messages` of the request are messages of the conversation, in order.
  void request(const ModelRequest& request, std::uint32_t messages);
  [[nodiscard]] RecordWriter& writer() noexcept { return writer_; }

 private:
  std::shared_ptr<RecordSink> sink_;
  RecordWriter writer_;
  std::uint32_t written_ = 0;
  std::vector<std::vector<ItemNumber>> items_;  // by message
  std::optional<std::uint32_t> last_request_;
};

}  // namespace agentfootprint::internal
