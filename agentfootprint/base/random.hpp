// The random port and the ids made from it.
//
// What: `Random` gives 64-bit words; `SeededRandom` gives the same ones for the same seed
// (SplitMix64), `SystemRandom` takes them from the operating system. `IdSource` makes printable ids
// from a clock and a random port: sortable by time, unique per process and resume.
//
// When to use: wherever something must be unpredictable or unique; never call the system directly.
//
// Not guaranteed: `SeededRandom` is not for secrets.
//
// Example:
//   SeededRandom random(7);
//   ManualClock clock(1'700'000'000'000);
//   IdSource ids(clock, random);
//   std::string run = ids.next("run");   // "run-01hf7yat00-8f3c2a1b9d4e"
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "agentfootprint/base/clock.hpp"

namespace agentfootprint {

class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;
  // Uniform in [0, bound); 0 when bound is 0.
  std::uint64_t below(std::uint64_t bound);
};

class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() override;

 private:
  std::uint64_t state_;
};

// Safe from several threads.
class SystemRandom final : public Random {
 public:
  std::uint64_t next() override;
};

// Safe from several threads when its random port is.
class IdSource {
 public:
  IdSource(const Clock& clock, Random& random) : clock_(clock), random_(random) {}
  // `<prefix>-<time in base 32, 10 letters>-<12 hex digits>`.
  [[nodiscard]] std::string next(std::string_view prefix);

 private:
  const Clock& clock_;
  Random& random_;
  std::mutex mutex_;
};

}  // namespace agentfootprint
