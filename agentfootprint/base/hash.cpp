// SHA-256 by OpenSSL, 64-bit hashes by xxHash.
#include "agentfootprint/base/hash.hpp"

#include <openssl/evp.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "agentfootprint/base/error.hpp"

namespace agentfootprint {

namespace {

// Fetched once: OpenSSL looks the algorithm up each time it is asked for by its name.
const EVP_MD* sha256_algorithm() {
  static EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return fetched;
}

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { EVP_MD_CTX_free(context); }
  void start() {
    const EVP_MD* algorithm = sha256_algorithm();
    if (context == nullptr || algorithm == nullptr ||
        EVP_DigestInit_ex2(context, algorithm, nullptr) != 1) {
      throw Error("hash-unavailable", "SHA-256 is not available from OpenSSL");
    }
  }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  state_->start();
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

Digest256 Sha256::finish() {
  Digest256 out{};
  EVP_DigestFinal_ex(state_->context, out.data(), nullptr);
  state_->start();
  return out;
}

Digest256 sha256(std::string_view bytes) {
  thread_local Sha256 hash;  // a context is made once a thread, not once a text
  hash.update(bytes);
  return hash.finish();
}

std::string to_hex(const Digest256& digest) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out(64, '0');
  char* at = out.data();
  for (const std::uint8_t byte : digest) {
    *at++ = kHex[byte >> 4];
    *at++ = kHex[byte & 15];
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  return to_hex(sha256(bytes));
}

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace agentfootprint
