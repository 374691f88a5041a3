// Keyset cursors.
#include "agentfootprint/artifacts/internal/cursor.hpp"

#include <fmt/format.h>

#include "agentfootprint/artifacts/internal/text.hpp"
#include "agentfootprint/artifacts/ticket.hpp"

namespace agentfootprint::artifacts_internal {

std::string encode_cursor(const ListPosition& last) {
  return fmt::format("{}.{}", last.created_at, last.ref);
}

std::optional<ListPosition> decode_cursor(const std::optional<std::string>& cursor) {
  if (!cursor) return std::nullopt;
  const std::size_t dot = cursor->find('.');
  if (dot == std::string::npos) return std::nullopt;
  long long created = 0;
  const std::string ref = cursor->substr(dot + 1);
  if (!parse_int64(std::string_view(*cursor).substr(0, dot), created) || !is_artifact_ref(ref)) {
    return std::nullopt;
  }
  return ListPosition{created, ref};
}

}  // namespace agentfootprint::artifacts_internal
