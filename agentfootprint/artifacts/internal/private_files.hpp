// Folders and files that only their owner can read, and writes that are whole or not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace agentfootprint::artifacts_internal {

// Throws ArtifactStoreError "artifact-store-io"; `what` names the step, the path is left out.
[[noreturn]] void throw_io(std::string_view what, int error_number);

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] bool valid() const noexcept { return number_ >= 0; }
  int release() noexcept;
  void close() noexcept;

 private:
  int number_;
};

// Every missing folder is made with mode 0700; those that exist are left as they are.
void make_private_folders(const std::filesystem::path& folder);
// Creates the file with mode 0600 unless it exists.
void make_private_file(const std::filesystem::path& file);

void write_all(int descriptor, std::string_view bytes);
void sync_file(int descriptor);
void sync_folder(const std::filesystem::path& folder);

}  // namespace agentfootprint::artifacts_internal
