// The two hashes of the footprint file.
#include "agentfootprint/record/format.hpp"

namespace agentfootprint {
namespace {

std::string_view bytes_of(const Digest256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Digest256 hash_of_both(std::string_view first, std::string_view second) {
  thread_local Sha256 hash;
  hash.update(first);
  hash.update(second);
  return hash.finish();
}

}  // namespace

Digest256 view_hash(std::span<const Digest256> items, const Digest256& from) {
  Digest256 hash = from;
  for (const Digest256& item : items) hash = hash_of_both(bytes_of(hash), bytes_of(item));
  return hash;
}

Digest256 chain_hash(const Digest256& before, std::string_view block) {
  return hash_of_both(bytes_of(before), block);
}

}  // namespace agentfootprint
