// The put pipeline: what every store checks, in one order.
//
// What: kind, media type, expiry, digest, time axis, parents, payload, digest, expiry of the store,
// mint. The order decides which refusal wins; a refused put never mints. Steps one to five and the
// costly part of seven and eight (measuring, hashing) run in the constructor, before a store takes
// its lock; parents are asked inside it.
//
// When to use: writing a store.
//
// Not guaranteed: budgets. The store plans retention between `check_parents` and writing.
//
// Example:
//   SystemRandom random;
//   PutArtifactInput input("report", "text/plain", ArtifactPayload::text("hello"));
//   PutPreparation preparation(input, 1'000'000);
//   preparation.check_parents([](const std::string&) { return false; });
//   ArtifactMeta meta = preparation.mint(std::nullopt, random);   // meta.bytes == 5
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agentfootprint/artifacts/artifact.hpp"
#include "agentfootprint/artifacts/errors.hpp"
#include "agentfootprint/base/random.hpp"

namespace agentfootprint {

inline constexpr std::string_view kDigestAlgorithm = "sha-256";

// `sha-256:` and 64 lower-case hex digits.
[[nodiscard]] std::string payload_digest(std::string_view bytes);
[[nodiscard]] bool is_payload_digest(std::string_view text) noexcept;

class PutPreparation {
 public:
  // Throw InvalidArtifactError for steps 1 to 5.
  PutPreparation(const PutArtifactInput& input, std::int64_t now);
  PutPreparation(const ArtifactStreamPutInput& input, std::int64_t now);

  // Step 6; throws UnknownParentRefError with every ref that names nothing live.
  void check_parents(const std::function<bool(const std::string&)>& is_live) const;
  // Step 7; throws InvalidArtifactError when there is no payload that can be stored.
  void check_payload() const;

  // Canonical bytes of a put; null for a streamed one.
  [[nodiscard]] const std::shared_ptr<const std::string>& bytes() const noexcept { return bytes_; }
  // The size budgets are planned on.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] PayloadShape shape() const noexcept { return shape_; }
  [[nodiscard]] std::int64_t now() const noexcept { return now_; }
  [[nodiscard]] const std::vector<std::string>& parent_refs() const noexcept {
    return declaration_.parent_refs;
  }
  // A streamed put that wants a digest, or names the one it expects.
  [[nodiscard]] bool wants_digest() const noexcept { return declaration_.digest.has_value(); }
  [[nodiscard]] std::optional<std::string> expected_digest() const;

  // Steps 9 and 10: the stamped ticket. A streamed put's digest is set by the store once known.
  [[nodiscard]] ArtifactMeta mint(std::optional<std::int64_t> ttl_ms, Random& random) const;

 private:
  void check_declaration(bool streamed) const;
  ArtifactDeclaration declaration_;
  std::int64_t now_;
  PayloadShape shape_ = PayloadShape::binary;
  std::shared_ptr<const std::string> bytes_;
  std::uint64_t size_ = 0;
  std::optional<std::string> digest_;
  std::string payload_problem_;
};

}  // namespace agentfootprint
