// The put pipeline.
#include "agentfootprint/artifacts/put_pipeline.hpp"

#include <fmt/format.h>

#include "agentfootprint/artifacts/internal/text.hpp"
#include "agentfootprint/artifacts/internal/time_axis_check.hpp"
#include "agentfootprint/artifacts/retention.hpp"
#include "agentfootprint/artifacts/ticket.hpp"
#include "agentfootprint/base/hash.hpp"
#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint {
namespace {

void refuse(std::string_view field, const std::string& message) {
  throw InvalidArtifactError(field, "put: " + message);
}

// The texts of a ticket are written as JSON and shown to people: they must be UTF-8.
void check_text(std::string_view field, const std::string& text) {
  if (!utf8::is_valid(text)) {
    refuse(field, fmt::format("{} is not valid UTF-8: write it as text", field));
  }
}

}  // namespace

std::string payload_digest(std::string_view bytes) {
  return fmt::format("{}:{}", kDigestAlgorithm, sha256_hex(bytes));
}

bool is_payload_digest(std::string_view text) noexcept {
  if (!text.starts_with("sha-256:")) return false;
  text.remove_prefix(8);
  if (text.size() != 64) return false;
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

PutPreparation::PutPreparation(const PutArtifactInput& input, std::int64_t now)
    : declaration_(input), now_(now) {
  check_declaration(false);
  if (!input.payload) {
    payload_problem_ = "there is no data: give a text, bytes or a JSON value";
    return;
  }
  payload_problem_ = input.payload->problem();
  shape_ = input.payload->shape();
  bytes_ = input.payload->shared_bytes();
  size_ = bytes_->size();
  if (declaration_.digest && payload_problem_.empty()) digest_ = payload_digest(*bytes_);
}

PutPreparation::PutPreparation(const ArtifactStreamPutInput& input, std::int64_t now)
    : declaration_(input), now_(now), shape_(input.shape), size_(input.bytes.value_or(0)) {
  check_declaration(true);
  if (!input.bytes) {
    payload_problem_ = "bytes is not given: a streamed put states its length before the first byte";
  }
}

void PutPreparation::check_declaration(bool streamed) const {
  const ArtifactDeclaration& d = declaration_;
  if (artifacts_internal::is_blank(d.kind)) {
    refuse("kind", "kind is blank: name what the payload is, as in dataset/rows");
  }
  check_text("kind", d.kind);
  if (artifacts_internal::is_blank(d.media_type)) {
    refuse("mediaType", "mediaType is blank: name the format, as in application/json");
  }
  check_text("mediaType", d.media_type);
  if (d.expires_at && *d.expires_at <= now_) {
    refuse("expiresAt", "expiresAt is not later than now: the artifact would be gone already");
  }
  const bool known_digest = streamed && d.digest && is_payload_digest(*d.digest);
  if (d.digest && *d.digest != kDigestAlgorithm && !known_digest) {
    refuse("digest", "digest is not sha-256, the only algorithm: ask for sha-256 or leave it out");
  }
  if (d.time_axis) {
    const std::string problems = artifacts_internal::time_axis_problems(*d.time_axis);
    if (!problems.empty()) refuse("timeAxis", problems);
  }
  if (d.label) check_text("label", *d.label);
}

void PutPreparation::check_parents(const std::function<bool(const std::string&)>& is_live) const {
  std::vector<std::string> unresolved;
  for (const std::string& parent : declaration_.parent_refs) {
    if (!is_artifact_ref(parent) || !is_live(parent)) unresolved.push_back(parent);
  }
  if (!unresolved.empty()) throw UnknownParentRefError(std::move(unresolved));
}

void PutPreparation::check_payload() const {
  if (!payload_problem_.empty()) refuse("data", payload_problem_);
}

std::optional<std::string> PutPreparation::expected_digest() const {
  if (declaration_.digest && is_payload_digest(*declaration_.digest)) return declaration_.digest;
  return std::nullopt;
}

ArtifactMeta PutPreparation::mint(std::optional<std::int64_t> ttl_ms, Random& random) const {
  ArtifactMeta meta;
  meta.expires_at = resolve_expiry(declaration_.expires_at, ttl_ms, now_);
  meta.ref = mint_artifact_ref(random);
  meta.kind = declaration_.kind;
  meta.media_type = declaration_.media_type;
  meta.bytes = size_;
  meta.created_at = now_;
  meta.label = declaration_.label;
  meta.digest = digest_;
  meta.origin = declaration_.origin;
  meta.parent_refs = declaration_.parent_refs;
  if (declaration_.time_axis) meta.time_axis = declaration_.time_axis->detach();
  return meta;
}

}  // namespace agentfootprint
