// Requests, usage and errors of the model port.
#include "agentfootprint/model/port.hpp"

#include <fmt/format.h>

namespace agentfootprint {

ModelRequest& ModelRequest::add_system(std::string piece) {
  if (!piece.empty()) system_.push_back(std::move(piece));
  return *this;
}

std::string ModelRequest::joined_system() const {
  std::string joined;
  for (const std::string& piece : system_) {
    if (!joined.empty()) joined += "\n\n";
    joined += piece;
  }
  if (!upstream_piece_.empty()) {
    if (!joined.empty()) joined += "\n\n";
    joined += upstream_piece_;
  }
  return joined;
}

ModelRequest& ModelRequest::add_message(std::shared_ptr<const Message> message) {
  ServedMessage served;
  served.message = std::move(message);
  messages_.push_back(std::move(served));
  return *this;
}

ModelRequest& ModelRequest::add_message(ServedMessage message) {
  messages_.push_back(std::move(message));
  return *this;
}

ModelRequest& ModelRequest::set_upstream_piece(std::string piece) {
  upstream_piece_ = std::move(piece);
  return *this;
}

ModelRequest& ModelRequest::set_last_piece(std::string piece) {
  last_piece_ = std::move(piece);
  return *this;
}

ModelRequest& ModelRequest::set_tools(std::shared_ptr<const std::vector<ToolSchema>> tools) {
  tools_ = std::move(tools);
  return *this;
}

const std::vector<ToolSchema>& ModelRequest::tools() const noexcept {
  static const std::vector<ToolSchema> kNone;
  return tools_ ? *tools_ : kNone;
}

namespace {

void add(std::optional<std::int64_t>& total, const std::optional<std::int64_t>& more) {
  if (more) total = total.value_or(0) + *more;
}

}  // namespace

Usage& Usage::operator+=(const Usage& other) {
  add(input_tokens, other.input_tokens);
  add(output_tokens, other.output_tokens);
  add(cache_read_tokens, other.cache_read_tokens);
  add(cache_write_tokens, other.cache_write_tokens);
  return *this;
}

std::string_view name_of(StopReason reason) noexcept {
  switch (reason) {
    case StopReason::stop:
      return "stop";
    case StopReason::tool_use:
      return "tool_use";
    case StopReason::max_tokens:
      return "max_tokens";
    case StopReason::content_filter:
      return "content_filter";
    case StopReason::refusal:
      return "refusal";
    case StopReason::other:
      break;
  }
  return "other";
}

std::string_view name_of(ModelError::Kind kind) noexcept {
  using Kind = ModelError::Kind;
  switch (kind) {
    case Kind::rate_limit:
      return "rate-limit";
    case Kind::overloaded:
      return "overloaded";
    case Kind::server:
      return "server";
    case Kind::network:
      return "network";
    case Kind::timeout:
      return "timeout";
    case Kind::invalid_request:
      return "invalid-request";
    case Kind::authentication:
      return "authentication";
    case Kind::quota:
      return "quota";
    case Kind::context_window:
      return "context-window";
    case Kind::protocol:
      return "protocol";
    case Kind::exhausted_script:
      break;
  }
  return "exhausted-script";
}

ModelError::ModelError(Kind kind, const std::string& message, bool tokens_seen,
                       std::optional<std::int64_t> retry_after_ms)
    : Error(fmt::format("model-{}", name_of(kind)), message),
      kind_(kind),
      tokens_seen_(tokens_seen),
      retry_after_ms_(retry_after_ms) {}

bool ModelError::retryable() const noexcept {
  switch (kind_) {
    case Kind::rate_limit:
    case Kind::overloaded:
    case Kind::server:
    case Kind::network:
    case Kind::timeout:
      return true;
    default:
      return false;
  }
}

}  // namespace agentfootprint
