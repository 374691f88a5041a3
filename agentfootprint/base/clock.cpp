// The machine's clocks and the one way the project writes an instant.
#include "agentfootprint/base/clock.hpp"

#include <fmt/format.h>

#include <chrono>

namespace agentfootprint {

std::int64_t SystemClock::wall_ms() const {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::int64_t SystemClock::steady_ns() const {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

const SystemClock& SystemClock::instance() {
  static const SystemClock clock;
  return clock;
}

std::string format_instant_utc(std::int64_t wall_ms) {
  using namespace std::chrono;
  const sys_time<milliseconds> instant{milliseconds(wall_ms)};
  const auto day = floor<days>(instant);
  const year_month_day date{day};
  const hh_mm_ss<milliseconds> time{instant - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count(),
                     time.subseconds().count());
}

}  // namespace agentfootprint
