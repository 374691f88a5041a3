// The scripted model: replies, streams, delays and faults.
#include "agentfootprint/model/scripted.hpp"

#include <fmt/format.h>

#include "agentfootprint/json/write.hpp"

namespace agentfootprint {

ScriptedReply& ScriptedReply::call(std::string tool, json::Value arguments,
                                   std::optional<std::string> id) {
  return call_text(std::move(tool), json::dump(arguments), std::move(id));
}

ScriptedReply& ScriptedReply::call_text(std::string tool, std::string arguments,
                                        std::optional<std::string> id) {
  if (!id) id = fmt::format("call_{}", response_.calls.size());
  response_.calls.emplace_back(std::move(id), std::move(tool), std::move(arguments));
  response_.stop_reason = StopReason::tool_use;
  return *this;
}

ScriptedReply& ScriptedReply::chunks(std::vector<std::string> pieces) {
  chunks_ = std::move(pieces);
  return *this;
}

ScriptedReply& ScriptedReply::usage(Usage usage) {
  response_.usage = usage;
  return *this;
}

ScriptedReply& ScriptedReply::stop(StopReason reason, std::string raw) {
  response_.stop_reason = reason;
  response_.raw_stop_reason = std::move(raw);
  return *this;
}

ScriptedReply& ScriptedReply::delay_ms(std::int64_t ms) {
  delay_ms_ = ms;
  return *this;
}

ScriptedReply& ScriptedReply::fail(ModelError error, std::size_t chunks_before) {
  error_ = std::move(error);
  error_after_ = chunks_before;
  return *this;
}

ScriptedReply& ScriptedReply::cut() {
  response_.complete = false;
  return *this;
}

ScriptedModel& ScriptedModel::then(ScriptedReply reply) {
  const std::lock_guard lock(mutex_);
  replies_.push_back(std::move(reply));
  return *this;
}

ScriptedModel& ScriptedModel::use_clock(const Clock& clock) {
  clock_ = &clock;
  return *this;
}

ScriptedModel& ScriptedModel::keep_requests(bool keep) {
  keep_ = keep;
  return *this;
}

std::size_t ScriptedModel::requests_seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

std::vector<ModelRequest> ScriptedModel::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

const std::string& ScriptedModel::provider_id() const noexcept {
  static const std::string kId = "scripted";
  return kId;
}

ScriptedReply ScriptedModel::next_reply(const ModelRequest& request) {
  std::size_t index = 0;
  {
    const std::lock_guard lock(mutex_);
    ++seen_;
    if (keep_) requests_.push_back(request);
    index = next_++;
    if (index < replies_.size()) return replies_[index];
  }
  if (respond_) return respond_(request);
  throw ModelError(
      ModelError::Kind::exhausted_script,
      fmt::format("the script has {} replies and was asked for reply {}: add one, or give "
                  "the model a function",
                  index, index + 1));
}

Task<ModelResponse> ScriptedModel::complete(const ModelRequest& request, CancelToken cancel,
                                            TextSink on_text) {
  cancel.throw_if_cancelled();
  ScriptedReply reply = next_reply(request);
  if (reply.delay_ms_ > 0) co_await sleep_for(*clock_, reply.delay_ms_, cancel);
  if (reply.chunks_.empty() && !reply.response_.text.empty()) {
    reply.chunks_.push_back(reply.response_.text);
  }
  std::size_t given = 0;
  for (const std::string& chunk : reply.chunks_) {
    if (reply.error_ && given == reply.error_after_) break;
    cancel.throw_if_cancelled();
    if (on_text) on_text(chunk);
    ++given;
  }
  if (reply.error_) {
    throw ModelError(reply.error_->kind(), reply.error_->what(), on_text && given > 0,
                     reply.error_->retry_after_ms());
  }
  co_return std::move(reply.response_);
}

}  // namespace agentfootprint
