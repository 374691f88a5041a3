// The attempts of a model call across models, and the breakers between them.
#include "agentfootprint/model/resilient.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace agentfootprint {
namespace {

Random& system_random() {
  static SystemRandom random;
  return random;
}

// Knows whether text has reached the caller.
struct Heard {
  TextSink inner;
  bool any = false;
};

void tell(const ModelRequest& request, std::uint32_t attempt, const std::string& provider,
          const ModelError& error, std::int64_t delay_ms) {
  if (!request.on_attempt) return;
  ModelAttempt told;
  told.attempt = attempt;
  told.provider = provider;
  told.error = name_of(error.kind());
  told.delay_ms = delay_ms;
  request.on_attempt(told);
}

}  // namespace

ResilientModel::ResilientModel(std::vector<std::shared_ptr<Model>> models,
                               ResilienceOptions options)
    : models_(std::move(models)),
      options_(options),
      clock_(options.clock != nullptr ? *options.clock : SystemClock::instance()),
      random_(options.random != nullptr ? *options.random : system_random()) {
  std::vector<Issue> issues;
  if (models_.empty() || std::find(models_.begin(), models_.end(), nullptr) != models_.end()) {
    issues.push_back(
        {"model-chain", "models", "a resilient model needs at least one model, none null"});
  }
  if (options_.max_attempts < 1 || options_.max_attempts > 10) {
    issues.push_back({"model-resilience", "max_attempts",
                      fmt::format("{} attempts: give 1 to 10", options_.max_attempts)});
  }
  if (options_.initial_delay_ms < 0 || options_.max_delay_ms < options_.initial_delay_ms ||
      options_.cooldown_ms < 0 || options_.failure_threshold < 1) {
    issues.push_back(
        {"model-resilience", "delays",
         "delays must not be negative, the cap not below the first delay, the threshold "
         "at least 1"});
  }
  if (!issues.empty()) throw Refusal(std::move(issues));
  for (const std::shared_ptr<Model>& model : models_) {
    if (!id_.empty()) id_ += '|';
    id_ += model->provider_id();
  }
}

bool ResilientModel::carries_forced_tool() const noexcept {
  return std::all_of(models_.begin(), models_.end(),
                     [](const auto& model) { return model->carries_forced_tool(); });
}

ResilientModel::Breaker ResilientModel::breaker_of(const std::string& provider) const {
  const std::lock_guard lock(mutex_);
  const auto found = states_.find(provider);
  if (found == states_.end() || !found->second.open) return Breaker::closed;
  const std::int64_t since = clock_.steady_ns() - found->second.opened_ns;
  return since >= options_.cooldown_ms * 1'000'000 ? Breaker::half_open : Breaker::open;
}

// A half-open breaker lets one probe through at a time.
bool ResilientModel::admit(const std::string& provider) {
  const std::lock_guard lock(mutex_);
  State& state = states_[provider];
  if (!state.open) return true;
  const std::int64_t since = clock_.steady_ns() - state.opened_ns;
  if (since < options_.cooldown_ms * 1'000'000 || state.probing) return false;
  state.probing = true;
  return true;
}

void ResilientModel::succeeded(const std::string& provider) {
  const std::lock_guard lock(mutex_);
  states_[provider] = State();
}

void ResilientModel::failed(const std::string& provider) {
  const std::lock_guard lock(mutex_);
  State& state = states_[provider];
  ++state.failures;
  state.probing = false;
  if (state.open || state.failures >= options_.failure_threshold) {
    state.open = true;
    state.opened_ns = clock_.steady_ns();
  }
}

std::int64_t ResilientModel::delay_before(std::uint32_t attempt, const ModelError& error) {
  if (const auto asked = error.retry_after_ms(); asked && *asked >= 0) {
    return std::min(*asked, options_.max_delay_ms);
  }
  std::int64_t delay = options_.initial_delay_ms;
  for (std::uint32_t i = 1; i < attempt && delay < options_.max_delay_ms; ++i) delay *= 2;
  delay = std::min(delay, options_.max_delay_ms);
  const auto half = static_cast<std::uint64_t>(delay / 2);
  const std::lock_guard lock(mutex_);
  return delay - static_cast<std::int64_t>(random_.below(half + 1));
}

Task<ModelResponse> ResilientModel::complete(const ModelRequest& request, CancelToken cancel,
                                             TextSink on_text) {
  auto heard = std::make_shared<Heard>();
  heard->inner = std::move(on_text);
  TextSink sink;
  if (heard->inner) {
    sink = [heard](std::string_view delta) {
      heard->any = heard->any || !delta.empty();
      heard->inner(delta);
    };
  }
  std::optional<ModelError> last;
  for (const std::shared_ptr<Model>& model : models_) {
    const std::string& provider = model->provider_id();
    for (std::uint32_t attempt = 1; attempt <= options_.max_attempts; ++attempt) {
      if (!admit(provider)) break;
      std::optional<ModelError> error;
      try {
        ModelResponse response = co_await model->complete(request, cancel, sink);
        succeeded(provider);
        if (response.complete || heard->any) co_return response;
        error.emplace(ModelError::Kind::network, "the stream ended before anything arrived");
      } catch (const ModelError& thrown) {
        error = thrown;
      }
      const bool again = error->retryable() && !heard->any && !error->tokens_seen();
      if (error->retryable()) failed(provider);
      if (!again) throw ModelError(*error);
      const bool more = attempt < options_.max_attempts;
      const std::int64_t delay = more ? delay_before(attempt, *error) : 0;
      tell(request, attempt, provider, *error, delay);
      last = std::move(error);
      if (more) co_await sleep_for(clock_, delay, cancel);
    }
  }
  if (last) throw ModelError(*last);
  throw ModelError(ModelError::Kind::overloaded,
                   "every model's breaker is open: they failed repeatedly a moment ago");
}

}  // namespace agentfootprint
