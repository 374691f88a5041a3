// Streams of the SQLite store.
#pragma once

#include "agentfootprint/artifacts/internal/sqlite_core.hpp"

namespace agentfootprint::artifacts_internal {

// Throws ArtifactIntegrityError when the bytes are not the ticket's length or digest.
void check_payload(const ArtifactMeta& meta, std::string_view bytes);

[[nodiscard]] ArtifactPutResult put_sqlite_stream(SqliteCore& core, const std::string& scope_ns,
                                                  const ArtifactStreamPutInput& input,
                                                  ByteSource& body);
[[nodiscard]] std::optional<ArtifactStreamRecord> get_sqlite_stream(SqliteCore& core,
                                                                    const std::string& scope_ns,
                                                                    const std::string& ref);
// Removes the chunks of streams whose writer has not been heard of for a while.
std::size_t drop_stale_stages(SqliteCore& core);

}  // namespace agentfootprint::artifacts_internal
