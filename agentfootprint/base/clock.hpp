// The clock port: wall time and steady time.
//
// What: everything that needs "now" takes a `Clock&`, so that a whole run is reproducible.
// `SystemClock` reads the machine; `ManualClock` moves only when told. Waiting goes through
// `sleep_until` of base/task.hpp, which asks the same port.
//
// Not guaranteed: that wall time never goes back. Measure durations with `steady_ns`.
//
// Example:
//   ManualClock clock(1'700'000'000'000);
//   clock.advance_ms(250);
//   (void)clock.wall_ms();   // 1'700'000'000'250
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace agentfootprint {

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual std::int64_t wall_ms() const = 0;    // since 1970-01-01T00:00:00Z
  [[nodiscard]] virtual std::int64_t steady_ns() const = 0;  // from an arbitrary start
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t wall_ms() const override;
  [[nodiscard]] std::int64_t steady_ns() const override;
  // A shared instance; it has no state.
  [[nodiscard]] static const SystemClock& instance();
};

// Safe to read and move from several threads.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(std::int64_t start_wall_ms = 0) : wall_ns_(start_wall_ms * 1'000'000) {}
  [[nodiscard]] std::int64_t wall_ms() const override { return wall_ns_.load() / 1'000'000; }
  [[nodiscard]] std::int64_t steady_ns() const override { return wall_ns_.load(); }
  void advance_ms(std::int64_t ms) { wall_ns_.fetch_add(ms * 1'000'000); }
  void advance_ns(std::int64_t ns) { wall_ns_.fetch_add(ns); }

 private:
  std::atomic<std::int64_t> wall_ns_;
};

// `2026-04-12T08:15:00.250Z`; milliseconds are always written.
[[nodiscard]] std::string format_instant_utc(std::int64_t wall_ms);

}  // namespace agentfootprint
