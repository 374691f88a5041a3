// A model that follows a script: for tests, demonstrations and replay.
//
// What: a list of replies consumed in order, or a function from the request to a reply. A reply may
// hold text, tool calls, a stream with chosen chunks, a delay on the clock port, a fault, or an
// early end of the stream. Every request is kept for inspection.
//
// When to use: wherever a real model would make a run unrepeatable.
//
// Not guaranteed: usage; a reply states none unless told.
//
// A script that has run out throws ModelError "exhausted_script".
//
// Safe to share between concurrent runs when built from a function that is; a list is consumed
// under a lock, in the order of the calls.
//
// Example:
//   auto model = std::make_shared<ScriptedModel>();
//   model->then(ScriptedReply().call("ports", json::object({{"port", "fc1/3"}})));
//   model->then(ScriptedReply("fc1/3 is down").chunks({"fc1/3 ", "is down"}));
//   (void)model->requests_seen();   // 0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/model/port.hpp"

namespace agentfootprint {

class ScriptedReply {
 public:
  explicit ScriptedReply(std::string text = {}) { response_.text = std::move(text); }

  // Adds a tool call; `id` is the wire id, "call_<n>" when absent (n counts in the reply, so that
  // ids repeat between replies as they do on real wires).
  ScriptedReply& call(std::string tool, json::Value arguments, std::optional<std::string> id = {});
  // A call whose arguments are this text, valid JSON or not.
  ScriptedReply& call_text(std::string tool, std::string arguments,
                           std::optional<std::string> id = {});
  // How the text is cut when streamed; by default it comes in one piece.
  ScriptedReply& chunks(std::vector<std::string> pieces);
  ScriptedReply& usage(Usage usage);
  ScriptedReply& stop(StopReason reason, std::string raw = {});
  ScriptedReply& delay_ms(std::int64_t ms);
  // Throws this after `chunks_before` chunks have been given out.
  ScriptedReply& fail(ModelError error, std::size_t chunks_before = 0);
  // The stream ends without a terminal event: the response is not complete.
  ScriptedReply& cut();

  [[nodiscard]] const ModelResponse& response() const noexcept { return response_; }

 private:
  friend class ScriptedModel;
  ModelResponse response_;
  std::vector<std::string> chunks_;
  std::int64_t delay_ms_ = 0;
  std::optional<ModelError> error_;
  std::size_t error_after_ = 0;
};

class ScriptedModel final : public Model {
 public:
  using Respond = std::function<ScriptedReply(const ModelRequest& request)>;

  ScriptedModel() = default;
  explicit ScriptedModel(Respond respond) : respond_(std::move(respond)) {}

  ScriptedModel& then(ScriptedReply reply);
  // The clock delays wait on; the system's by default.
  ScriptedModel& use_clock(const Clock& clock);
  // Requests are kept only when asked for: a long simulation would hold them all.
  ScriptedModel& keep_requests(bool keep = true);

  [[nodiscard]] std::size_t requests_seen() const;
  [[nodiscard]] std::vector<ModelRequest> requests() const;

  [[nodiscard]] const std::string& provider_id() const noexcept override;
  [[nodiscard]] bool carries_forced_tool() const noexcept override { return true; }
  [[nodiscard]] Task<ModelResponse> complete(const ModelRequest& request, CancelToken cancel,
                                             TextSink on_text) override;

 private:
  [[nodiscard]] ScriptedReply next_reply(const ModelRequest& request);

  Respond respond_;
  const Clock* clock_ = &SystemClock::instance();
  mutable std::mutex mutex_;
  std::vector<ScriptedReply> replies_;
  std::size_t next_ = 0;
  std::size_t seen_ = 0;
  bool keep_ = false;
  std::vector<ModelRequest> requests_;
};

}  // namespace agentfootprint
