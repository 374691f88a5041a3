// Keyset cursors: where a page of a listing ended.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "agentfootprint/artifacts/artifact.hpp"

namespace agentfootprint::artifacts_internal {

// A place in the order "newest first, ties by ref".
struct ListPosition {
  std::int64_t created_at = 0;
  std::string ref;
};

[[nodiscard]] std::string encode_cursor(const ListPosition& last);
// Empty for a text `encode_cursor` does not write.
[[nodiscard]] std::optional<ListPosition> decode_cursor(const std::optional<std::string>& cursor);

// Does (created_at, ref) come after `position` in a listing?
[[nodiscard]] inline bool comes_after(std::int64_t created_at, const std::string& ref,
                                      const ListPosition& position) {
  if (created_at != position.created_at) return created_at < position.created_at;
  return ref > position.ref;
}

struct NewestFirst {
  bool operator()(const ListPosition& one, const ListPosition& other) const {
    return comes_after(other.created_at, other.ref, one);
  }
};

[[nodiscard]] inline std::size_t list_limit(const ArtifactListOptions& options) {
  if (options.limit < 1) return 1;
  return static_cast<std::size_t>(std::min(options.limit, kMaxArtifactListLimit));
}

}  // namespace agentfootprint::artifacts_internal
