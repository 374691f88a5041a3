// The small JSON file that stands for an artifact in the file store.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agentfootprint/artifacts/artifact.hpp"

namespace agentfootprint::artifacts_internal {

inline constexpr std::int64_t kEnvelopeFormat = 2;

// `{"format", "scope", "shape", "order", "meta", "measured"?, "record"}`; `record` is the digest
// over scope, shape and meta.
struct FileEnvelope {
  std::string scope_ns;
  PayloadShape shape = PayloadShape::binary;
  std::int64_t order = 0;  // of minting, for eviction
  ArtifactMeta meta;
  std::optional<json::Value> measured;
  bool intact = true;  // the record digest holds
};

[[nodiscard]] std::string encode_envelope(const FileEnvelope& envelope);
// Empty when the text is no envelope; `why` says so.
[[nodiscard]] std::optional<FileEnvelope> decode_envelope(std::string_view text, std::string& why);

[[nodiscard]] std::optional<SweptArtifact> swept_from_json(const json::Value& value);

}  // namespace agentfootprint::artifacts_internal
