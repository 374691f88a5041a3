// The two hashes of the footprint file.
#include "agentfootprint/record/format.hpp"

namespace agentfootprint {
namespace {

std::string_view bytes_of(const Digest256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

Digest256 view_hash(const std::vector<Digest256>& items, const Digest256& from) {
  Digest256 hash = from;
  for (const Digest256& item : items) {
    Sha256 next;
    next.update(bytes_of(hash));
    next.update(bytes_of(item));
    hash = next.finish();
  }
  return hash;
}

Digest256 chain_hash(const Digest256& before, std::string_view block) {
  Sha256 next;
  next.update(bytes_of(before));
  next.update(block);
  return next.finish();
}

}  // namespace agentfootprint
