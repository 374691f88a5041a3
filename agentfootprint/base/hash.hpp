// Hashing: SHA-256 for identity, xxHash for tables.
//
// What: `sha256` names content in records and tickets; `Sha256` does the same piece by piece.
// `hash64` spreads keys of in-memory tables.
//
// Not guaranteed: `hash64` across versions: never write it to a file.
//
// Example:
//   std::string digest = sha256_hex("abc");   // "ba7816bf…", 64 letters
//   std::uint64_t bucket = hash64("key");
//   (void)digest; (void)bucket;
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace agentfootprint {

using Digest256 = std::array<std::uint8_t, 32>;

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void update(std::string_view bytes);
  // Ends the digest; the object starts anew.
  [[nodiscard]] Digest256 finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[nodiscard]] Digest256 sha256(std::string_view bytes);
[[nodiscard]] std::string sha256_hex(std::string_view bytes);
[[nodiscard]] std::string to_hex(const Digest256& digest);
[[nodiscard]] std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0) noexcept;

}  // namespace agentfootprint
