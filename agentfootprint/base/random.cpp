// Random words and ids.
#include "agentfootprint/base/random.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include "agentfootprint/base/error.hpp"

namespace agentfootprint {

std::uint64_t Random::below(std::uint64_t bound) {
  if (bound == 0) return 0;
  const std::uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t word = next();
    if (word >= threshold) return word % bound;
  }
}

std::uint64_t SeededRandom::next() {
  state_ += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

std::uint64_t SystemRandom::next() {
  std::uint64_t word = 0;
  if (getrandom(&word, sizeof word, 0) != static_cast<ssize_t>(sizeof word)) {
    throw Error("random-source", "the operating system gave no random bytes");
  }
  return word;
}

std::string IdSource::next(std::string_view prefix) {
  static constexpr char kBase32[] = "0123456789abcdefghjkmnpqrstvwxyz";
  std::uint64_t time = static_cast<std::uint64_t>(clock_.wall_ms());
  char stamp[10];
  for (int i = 9; i >= 0; --i) {
    stamp[i] = kBase32[time & 31];
    time >>= 5;
  }
  std::uint64_t word = 0;
  {
    const std::lock_guard lock(mutex_);
    word = random_.next();
  }
  return fmt::format("{}-{}-{:012x}", prefix, std::string_view(stamp, 10),
                     word & 0xFFFFFFFFFFFFULL);
}

}  // namespace agentfootprint
