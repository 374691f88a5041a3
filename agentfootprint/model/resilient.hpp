// Retry, fallback and circuit breaking for models, in one place.
//
// What: a `ResilientModel` is a model over a list of models. A call goes to the first whose breaker
// lets it pass; an error the provider calls retryable is tried again with exponential backoff and
// jitter, honouring the provider's own retry time up to a cap; when attempts are used up the next
// model is asked. Breakers are keyed by provider identity and shared by every run of this object.
//
// When to use: around every model that is reached over a network.
//
// Not guaranteed: a second attempt after text has reached the caller: a stream that broke is an
// error, since tokens cannot be taken back. Errors that are not retryable (a bad request, a used-up
// quota) never are.
//
// Limits: attempts 1 to 10 a model; a provider's retry time is honoured up to `max_delay_ms`.
//
// Example (file scope):
//   namespace example {
//   using namespace agentfootprint;
//   inline std::shared_ptr<Model> sturdy(std::shared_ptr<Model> primary,
//                                        std::shared_ptr<Model> reserve) {
//     ResilienceOptions options;
//     options.max_attempts = 2;
//     std::vector<std::shared_ptr<Model>> chain{primary, reserve};
//     return std::make_shared<ResilientModel>(std::move(chain), options);
//   }
//   }  // namespace example
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/base/random.hpp"
#include "agentfootprint/model/port.hpp"

namespace agentfootprint {

struct ResilienceOptions {
  ResilienceOptions() = default;
  std::uint32_t max_attempts = 3;       // of one model in one call
  std::int64_t initial_delay_ms = 200;  // doubled each time, with up to half of it as jitter
  std::int64_t max_delay_ms = 10'000;
  std::uint32_t failure_threshold = 5;  // failures in a row that open a breaker
  std::int64_t cooldown_ms = 30'000;    // until one probe is let through
  const Clock* clock = nullptr;         // null: the system's
  Random* random = nullptr;             // null: the system's
};

class ResilientModel final : public Model {
 public:
  // Refused: no model ("model-chain"), numbers outside the limits ("model-resilience").
  ResilientModel(std::vector<std::shared_ptr<Model>> models, ResilienceOptions options);

  enum class Breaker : std::uint8_t { closed, open, half_open };
  [[nodiscard]] Breaker breaker_of(const std::string& provider) const;

  [[nodiscard]] const std::string& provider_id() const noexcept override { return id_; }
  // Only when every model does.
  [[nodiscard]] bool carries_forced_tool() const noexcept override;
  [[nodiscard]] Task<ModelResponse> complete(const ModelRequest& request, CancelToken cancel,
                                             TextSink on_text) override;

 private:
  struct State {
    std::uint32_t failures = 0;
    std::int64_t opened_ns = 0;
    bool open = false;
    bool probing = false;
  };
  [[nodiscard]] bool admit(const std::string& provider);
  void succeeded(const std::string& provider);
  void failed(const std::string& provider);
  [[nodiscard]] std::int64_t delay_before(std::uint32_t attempt, const ModelError& error);

  std::vector<std::shared_ptr<Model>> models_;
  ResilienceOptions options_;
  const Clock& clock_;
  Random& random_;
  std::string id_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, State> states_;
};

}  // namespace agentfootprint
