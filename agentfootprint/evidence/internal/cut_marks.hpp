// Whether the end of a result says that the rest of it was left out. Not for direct use.
#pragma once

#include <string_view>

namespace agentfootprint::evidence::internal {

// `...[truncated 300 chars]`, `(12 lines omitted)`, `<response clipped>`, `… 200 more rows`. Prose
// that only speaks of something cut (`the queue was truncated`) is none. Linear in `tail`.
[[nodiscard]] bool tells_cut(std::string_view tail);

}  // namespace agentfootprint::evidence::internal
