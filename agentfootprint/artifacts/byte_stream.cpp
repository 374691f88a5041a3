// Byte sources.
#include "agentfootprint/artifacts/byte_stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "agentfootprint/artifacts/errors.hpp"

namespace agentfootprint {

std::size_t StringSource::read(char* buffer, std::size_t size) {
  const std::size_t take = std::min(size, bytes_->size() - at_);
  if (take > 0) std::memcpy(buffer, bytes_->data() + at_, take);
  at_ += take;
  return take;
}

FileSource::FileSource(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw ArtifactStoreError("artifact-store-io",
                             fmt::format("{} cannot be opened: {}", path, std::strerror(errno)));
  }
}

FileSource::~FileSource() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t FileSource::read(char* buffer, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(descriptor_, buffer, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) {
      throw ArtifactStoreError("artifact-store-io",
                               fmt::format("reading failed: {}", std::strerror(errno)));
    }
  }
}

std::size_t CheckedSource::read(char* buffer, std::size_t size) {
  if (done_) return 0;
  const std::size_t got = inner_->read(buffer, size);
  if (got > 0) {
    hash_.update({buffer, got});
    return got;
  }
  if (size > 0) {
    done_ = true;
    const std::string actual = "sha-256:" + to_hex(hash_.finish());
    if (actual != digest_) throw ArtifactIntegrityError(ref_, digest_, actual);
  }
  return 0;
}

CollectedStream collect_stream(ByteSource& source, std::size_t ceiling) {
  CollectedStream out;
  std::vector<char> buffer(std::min<std::size_t>(std::max<std::size_t>(ceiling, 1), 1U << 18));
  for (;;) {
    const std::size_t got = source.read(buffer.data(), buffer.size());
    if (got == 0) return out;
    if (out.bytes.size() + got > ceiling) {
      out.bytes.clear();
      out.overflowed = true;
      return out;
    }
    out.bytes.append(buffer.data(), got);
  }
}

}  // namespace agentfootprint
