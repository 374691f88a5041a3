// The model port: what the agent loop asks of a language model, whoever serves it.
//
// What: a request is the served view of a conversation (shared messages, system pieces, tool
// schemas, parameters); a response is text, tool calls, usage and a stop reason. A `Model` is a
// codec over a transport, or a script (scripted.hpp). Everything a wire needs and nothing a vendor
// calls its own; what a vendor must have back verbatim travels as `opaque`.
//
// When to use: implement `Model` for a provider; hand it to an AgentBuilder.
//
// Not guaranteed: that usage is known. Absent counts are unknown, never 0.
//
// A response that is not `complete` (the stream ended early, the arguments of an open call were
// cut) is never a final answer; the loop reports it as an incomplete attempt.
//
// Example:
//   ModelRequest request("small-1");
//   request.add_system("You are a storage engineer.");
//   Message ask = Message::user("is fc1/3 down?");
//   request.add_message(std::make_shared<const Message>(ask));
//   (void)request.messages().size();   // 1
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/base/cancel.hpp"
#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/task.hpp"
#include "agentfootprint/conversation/message.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint {

// What a model sees of a tool.
struct ToolSchema {
  std::string name;
  std::string description;
  json::Value input_schema;  // a JSON Schema object
};

// One message as it is served. The message is shared; `content` replaces its content when the
// served view differs (a collapsed result), and `call_ids` its wire ids, in the order of the
// message's calls.
struct ServedMessage {
  std::shared_ptr<const Message> message;
  std::optional<json::Value> content;
  std::vector<std::string> call_ids;
  std::optional<std::string> tool_call_id;

  [[nodiscard]] const json::Value& served_content() const noexcept {
    return content ? *content : message->content;
  }
};

// An attempt of a call that failed and was followed by another.
struct ModelAttempt {
  std::uint32_t attempt = 0;  // from 1, for this provider
  std::string provider;
  std::string_view error;     // name of the error's kind
  std::int64_t delay_ms = 0;  // before the next one
};

class ModelRequest {
 public:
  explicit ModelRequest(std::string model) : model_(std::move(model)) {}

  [[nodiscard]] const std::string& model() const noexcept { return model_; }
  // System pieces, joined by a blank line on the wire; the order is kept. `joined_system` ends with
  // the upstream piece.
  ModelRequest& add_system(std::string piece);
  [[nodiscard]] const std::vector<std::string>& system() const noexcept { return system_; }
  [[nodiscard]] std::string joined_system() const;

  ModelRequest& add_message(std::shared_ptr<const Message> message);
  ModelRequest& add_message(ServedMessage message);
  [[nodiscard]] const std::vector<ServedMessage>& messages() const noexcept { return messages_; }
  [[nodiscard]] ServedMessage& message(std::size_t index) { return messages_.at(index); }
  // For a view that changed other than by growing.
  ModelRequest& clear_messages() noexcept {
    messages_.clear();
    return *this;
  }
  // A library piece at the end of the system prompt that may differ from call to call, "" for none.
  ModelRequest& set_upstream_piece(std::string piece);
  [[nodiscard]] const std::string& upstream_piece() const noexcept { return upstream_piece_; }
  // Library text behind the newest message (an offer, a served ledger), "" for none. It is part of
  // no message, so that consecutive requests share their prefix up to the last message.
  ModelRequest& set_last_piece(std::string piece);
  [[nodiscard]] const std::string& last_piece() const noexcept { return last_piece_; }

  ModelRequest& set_tools(std::shared_ptr<const std::vector<ToolSchema>> tools);
  [[nodiscard]] const std::vector<ToolSchema>& tools() const noexcept;

  std::optional<double> temperature;
  std::optional<std::int64_t> max_tokens;
  std::vector<std::string> stop;
  std::optional<std::string> forced_tool;               // only when the model carries forced choice
  std::function<void(const ModelAttempt&)> on_attempt;  // told of retries and fallbacks

 private:
  std::string model_;
  std::vector<std::string> system_;
  std::vector<ServedMessage> messages_;
  std::string upstream_piece_;
  std::string last_piece_;
  std::shared_ptr<const std::vector<ToolSchema>> tools_;
};

struct Usage {
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  std::optional<std::int64_t> cache_read_tokens;
  std::optional<std::int64_t> cache_write_tokens;

  // Adds what is known of both; unknown plus known is known.
  Usage& operator+=(const Usage& other);
};

// `refusal` and `content_filter`: the provider withheld the answer; not retried, not an answer.
enum class StopReason : std::uint8_t { stop, tool_use, max_tokens, content_filter, refusal, other };
[[nodiscard]] std::string_view name_of(StopReason reason) noexcept;

struct ModelResponse {
  std::string text;
  std::vector<ToolCall> calls;
  Usage usage;
  StopReason stop_reason = StopReason::stop;
  std::string raw_stop_reason;  // as the wire spelled it
  bool complete = true;
  json::Value opaque;  // carried back verbatim in the next request (signatures, reasoning)
  std::string response_id;
};

// Why a model call failed. `retryable` is the provider's word (429, 5xx, a broken connection), not
// a policy; `tokens_seen` tells that text already reached the caller.
class ModelError : public Error {
 public:
  enum class Kind : std::uint8_t {
    rate_limit,
    overloaded,
    server,
    network,
    timeout,
    invalid_request,
    authentication,
    quota,
    context_window,
    protocol,
    exhausted_script
  };
  ModelError(Kind kind, const std::string& message, bool tokens_seen = false,
             std::optional<std::int64_t> retry_after_ms = std::nullopt);

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] bool retryable() const noexcept;
  [[nodiscard]] bool tokens_seen() const noexcept { return tokens_seen_; }
  [[nodiscard]] std::optional<std::int64_t> retry_after_ms() const noexcept {
    return retry_after_ms_;
  }

 private:
  Kind kind_;
  bool tokens_seen_;
  std::optional<std::int64_t> retry_after_ms_;
};
[[nodiscard]] std::string_view name_of(ModelError::Kind kind) noexcept;

// Receives text as it arrives. Called on the run's executor, in order.
using TextSink = std::function<void(std::string_view delta)>;

class Model {
 public:
  virtual ~Model() = default;
  // A stable identity ("openai:https://…"): the key of breakers and caches. Not the display name.
  [[nodiscard]] virtual const std::string& provider_id() const noexcept = 0;
  [[nodiscard]] virtual bool carries_forced_tool() const noexcept { return false; }
  // One call. `on_text` may be empty; with one, the provider streams. Cancellation reaches the
  // socket. Throws ModelError, or Cancelled when the token fires. The request outlives the call.
  [[nodiscard]] virtual Task<ModelResponse> complete(const ModelRequest& request,
                                                     CancelToken cancel, TextSink on_text) = 0;
};

}  // namespace agentfootprint
