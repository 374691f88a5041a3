// The tables of the SQLite store, and opening a file that may not be ours.
#pragma once

#include <memory>
#include <string>

#include "agentfootprint/artifacts/internal/sqlite.hpp"
#include "agentfootprint/artifacts/sqlite_store.hpp"

namespace agentfootprint::artifacts_internal {

inline constexpr std::int64_t kSchemaVersion = 1;
inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
inline constexpr std::int64_t kChunksPerPayload = std::int64_t{1} << 20;
inline constexpr std::size_t kInlineBytes = 16'384;

// Opens the file, makes it private, and creates or checks the tables. Throws
// UnreadableArtifactStoreError.
[[nodiscard]] std::unique_ptr<Connection> open_sqlite_store(const std::string& file,
                                                            const SqliteStoreSettings& settings);

}  // namespace agentfootprint::artifacts_internal
