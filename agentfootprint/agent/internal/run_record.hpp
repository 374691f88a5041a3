// The record of one run, written as it goes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/flow/log.hpp"
#include "agentfootprint/flow/observer.hpp"
#include "agentfootprint/model/port.hpp"
#include "agentfootprint/record/sink.hpp"
#include "agentfootprint/record/writer.hpp"

namespace agentfootprint::internal {

// In place of an index: a message of the request that is none of the conversation.
inline constexpr std::uint32_t kPiece = 0xFFFFFFFF;

class RunRecord {
 public:
  // The sink and the clock must outlive it.
  RunRecord(RecordSink& sink, const std::string& run, const Clock& clock);
  void follow(const Conversation& conversation);
  // The served view; `served_as` has the index of each message in the conversation, or kPiece. The
  // first `kept` messages are as they were in the request before, and are not looked at.
  void request(const ModelRequest& request, const std::vector<std::uint32_t>& served_as,
               std::size_t kept);
  // One committed step of the loop: what it read and from which step, what it changed.
  void commit(const flow::RowView& row);
  [[nodiscard]] RecordWriter& writer() noexcept { return writer_; }

 private:
  void add_message(std::vector<ItemNumber>& numbers, const ServedMessage& message,
                   std::uint32_t index);

  RecordWriter writer_;
  std::uint32_t written_ = 0;
  std::uint32_t requests_ = 0;
  std::vector<ItemNumber> items_;         // of all messages, in order
  std::vector<std::uint32_t> ends_;       // by message: where its items end
  std::vector<std::uint32_t> view_ends_;  // by message of the request: where its items end there
  struct Parameters {
    std::size_t tools = 0;
    std::optional<double> temperature;
    std::optional<std::int64_t> max_tokens;
    friend bool operator==(const Parameters&, const Parameters&) = default;
  };
  Parameters parameters_;
  std::optional<ItemNumber> parameters_item_;
  bool had_upstream_piece_ = false;
};

// Writes a commit line behind every step.
class CommitLines final : public flow::Observer {
 public:
  explicit CommitLines(RunRecord& record) : record_(record) {}
  void on_event(const flow::Event& event) override {
    if (event.log != nullptr) record_.commit(event.log->row(event.row));
  }

 private:
  RunRecord& record_;
};

}  // namespace agentfootprint::internal
