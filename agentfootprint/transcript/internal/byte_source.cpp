// Bytes from a file descriptor or a text.
#include "agentfootprint/transcript/internal/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "agentfootprint/base/error.hpp"

namespace agentfootprint::transcript::internal {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw Error("transcript-io", fmt::format("{} {}: {}", what, path, std::strerror(errno)));
}

}  // namespace

std::size_t TextSource::read(char* into, std::size_t room) {
  const std::size_t count = std::min(room, text_.size());
  std::memcpy(into, text_.data(), count);
  text_.remove_prefix(count);
  return count;
}

FileSource::FileSource(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail(path_, "cannot open");
}

FileSource::FileSource() : path_("standard input"), descriptor_(0) {}

FileSource::~FileSource() {
  if (descriptor_ > 0) ::close(descriptor_);
}

std::size_t FileSource::read(char* into, std::size_t room) {
  while (true) {
    const ssize_t count = ::read(descriptor_, into, room);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) fail(path_, "cannot read");
  }
}

}  // namespace agentfootprint::transcript::internal
