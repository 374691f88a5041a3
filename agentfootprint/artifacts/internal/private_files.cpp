// Folders and files that only their owner can read.
#include "agentfootprint/artifacts/internal/private_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "agentfootprint/artifacts/errors.hpp"

namespace agentfootprint::artifacts_internal {

namespace fs = std::filesystem;

void throw_io(std::string_view what, int error_number) {
  throw ArtifactStoreError("artifact-store-io",
                           fmt::format("{}: {}", what, std::strerror(error_number)));
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  close();
}

int Descriptor::release() noexcept {
  const int number = number_;
  number_ = -1;
  return number;
}

void Descriptor::close() noexcept {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

void make_private_folders(const fs::path& folder) {
  if (folder.empty()) return;
  if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return;
  if (errno != ENOENT) throw_io("making a folder of the store", errno);
  make_private_folders(folder.parent_path());
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw_io("making a folder of the store", errno);
  }
}

// Without opening it: closing a descriptor of an SQLite file would drop the locks that another
// connection of this process holds on it.
void make_private_file(const fs::path& file) {
  if (mknod(file.c_str(), S_IFREG | 0600, 0) != 0 && errno != EEXIST) {
    throw_io("making a file of the store", errno);
  }
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(descriptor, bytes.data(), bytes.size());
    if (wrote < 0) {
      if (errno == EINTR) continue;
      throw_io("writing a file of the store", errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void sync_file(int descriptor) {
  if (::fsync(descriptor) != 0) throw_io("flushing a file of the store", errno);
}

void sync_folder(const fs::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.valid()) throw_io("opening a folder of the store", errno);
  sync_file(opened.get());
}

}  // namespace agentfootprint::artifacts_internal
