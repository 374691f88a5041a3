// The digest over a ticket's record.
#pragma once

#include <string>
#include <string_view>

namespace agentfootprint::artifacts_internal {

// 32 bytes over scope, shape and ticket, so that a row moved to another scope or edited is noticed.
[[nodiscard]] std::string record_digest(std::string_view scope_ns, std::string_view shape,
                                        std::string_view meta_text);

}  // namespace agentfootprint::artifacts_internal
