// The digest over a ticket's record.
#include "agentfootprint/artifacts/internal/record_digest.hpp"

#include <cstdint>

#include "agentfootprint/base/hash.hpp"

namespace agentfootprint::artifacts_internal {

std::string record_digest(std::string_view scope_ns, std::string_view shape,
                          std::string_view meta_text) {
  Sha256 hash;
  const auto part = [&](std::string_view text) {
    const std::uint64_t size = text.size();
    char length[8];
    for (int i = 0; i < 8; ++i) length[i] = static_cast<char>(size >> (8 * i));
    hash.update({length, 8});
    hash.update(text);
  };
  part(scope_ns);
  part(shape);
  part(meta_text);
  const Digest256 digest = hash.finish();
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace agentfootprint::artifacts_internal
