// Waiting without exceptions.
//
// What: `wait_until` waits like `sleep_until` of base/task.hpp and says how it ended. When to use:
// where being woken is the normal end. Not guaranteed: that the token is not cancelled at the
// moment the time is up.
//
// Example:
//   internal::WaitEnd end = internal::WaitEnd::time;
//   (void)end;
#pragma once

#include <cstdint>

#include "agentfootprint/base/cancel.hpp"
#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/base/task.hpp"

namespace agentfootprint::internal {

// `operation`: the wait itself was cancelled, by neither time nor token.
enum class WaitEnd : std::uint8_t { time, token, operation };

[[nodiscard]] Task<WaitEnd> wait_until(const Clock& clock, std::int64_t steady_ns,
                                       CancelToken token);

}  // namespace agentfootprint::internal
