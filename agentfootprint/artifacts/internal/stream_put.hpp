// What a streamed put checks while bytes pass, for every store.
#pragma once

#include <optional>
#include <string>

#include "agentfootprint/artifacts/byte_stream.hpp"
#include "agentfootprint/artifacts/preview.hpp"
#include "agentfootprint/artifacts/put_pipeline.hpp"

namespace agentfootprint::artifacts_internal {

// Reads the body in pieces, counts and hashes it, and measures rows on the way.
class StreamIntake {
 public:
  StreamIntake(const ArtifactStreamPutInput& input, const PutPreparation& preparation,
               ByteSource& body, bool previews);
  // Fills `piece` to its capacity of `size` unless the body ends; false at the end. Throws
  // InvalidArtifactError as soon as the body is longer than declared.
  bool next(std::string& piece, std::size_t size);
  // After the end: throws InvalidArtifactError for a short body or a digest that is not the named
  // one.
  void finish();
  [[nodiscard]] const std::optional<std::string>& digest() const noexcept { return digest_; }
  [[nodiscard]] std::optional<json::Value> measured();

 private:
  const PutPreparation& preparation_;
  ByteSource& body_;
  bool previews_;
  std::string media_type_;
  std::uint64_t seen_ = 0;
  Sha256 hash_;
  std::optional<std::string> digest_;
  std::optional<RowMeasure> measure_;
};

}  // namespace agentfootprint::artifacts_internal
