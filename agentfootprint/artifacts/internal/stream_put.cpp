// What a streamed put checks while bytes pass.
#include "agentfootprint/artifacts/internal/stream_put.hpp"

#include <fmt/format.h>

#include "agentfootprint/artifacts/errors.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

[[noreturn]] void wrong_length(std::uint64_t declared, std::string_view found) {
  throw InvalidArtifactError(
      "bytes", fmt::format("put: bytes declares {} and the body is {}: nothing was stored",
                           declared, found));
}

}  // namespace

StreamIntake::StreamIntake(const ArtifactStreamPutInput& input, const PutPreparation& preparation,
                           ByteSource& body, bool previews)
    : preparation_(preparation), body_(body), previews_(previews), media_type_(input.media_type) {}

bool StreamIntake::next(std::string& piece, std::size_t size) {
  piece.resize(size);
  std::size_t filled = 0;
  while (filled < size) {
    const std::size_t got = body_.read(piece.data() + filled, size - filled);
    if (got == 0) break;
    filled += got;
    if (seen_ + filled > preparation_.size()) wrong_length(preparation_.size(), "longer");
  }
  piece.resize(filled);
  if (filled == 0) return false;
  if (seen_ == 0 && previews_) {
    const auto format = row_format_of(media_type_, preparation_.shape(), piece);
    if (format) measure_.emplace(*format);
  }
  seen_ += filled;
  if (preparation_.wants_digest()) hash_.update(piece);
  if (measure_) measure_->feed(piece);
  return true;
}

void StreamIntake::finish() {
  if (seen_ != preparation_.size()) {
    wrong_length(preparation_.size(), fmt::format("{}", seen_));
  }
  if (!preparation_.wants_digest()) return;
  digest_ = "sha-256:" + to_hex(hash_.finish());
  const auto expected = preparation_.expected_digest();
  if (expected && *expected != *digest_) {
    throw InvalidArtifactError(
        "digest", fmt::format("put: digest names {} and the body has {}: nothing was stored",
                              *expected, *digest_));
  }
}

std::optional<json::Value> StreamIntake::measured() {
  if (!measure_) return std::nullopt;
  return measure_->finish();
}

}  // namespace agentfootprint::artifacts_internal
