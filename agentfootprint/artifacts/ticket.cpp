// Minting and recognising tickets.
#include "agentfootprint/artifacts/ticket.hpp"

namespace agentfootprint {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

bool is_ref_letter(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

}  // namespace

bool is_artifact_ref(std::string_view text) noexcept {
  if (text.size() != kArtifactRefLength || !text.starts_with(kArtifactRefPrefix)) return false;
  for (const char c : text.substr(kArtifactRefPrefix.size())) {
    if (!is_ref_letter(c)) return false;
  }
  return true;
}

std::string mint_artifact_ref(Random& random) {
  // The largest multiple of 62 in a byte; bytes above it are drawn anew so that no letter is
  // favoured.
  constexpr unsigned kFair = 248;
  std::string ref(kArtifactRefPrefix);
  while (ref.size() < kArtifactRefLength) {
    std::uint64_t word = random.next();
    for (int i = 0; i < 8 && ref.size() < kArtifactRefLength; ++i, word >>= 8) {
      const unsigned byte = static_cast<unsigned>(word & 0xFF);
      if (byte < kFair) ref += kAlphabet[byte % kAlphabet.size()];
    }
  }
  return ref;
}

}  // namespace agentfootprint
