// Bytes that come piece by piece.
//
// What: the source a streamed put reads and a streamed get gives; helpers to make one from a text,
// to collect one under a ceiling, and to check a digest while the bytes pass.
//
// When to use: payloads too large to hold. Reads block.
//
// Not guaranteed: that a read fills its buffer; 0 is the end and only the end.
//
// Example:
//   StringSource source("hello");
//   CollectedStream all = collect_stream(source, 1024);
//   (void)all.bytes; (void)all.overflowed;   // "hello", false
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "agentfootprint/base/hash.hpp"

namespace agentfootprint {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // At most `size` bytes into `buffer`; the number written, 0 at the end.
  virtual std::size_t read(char* buffer, std::size_t size) = 0;
};

class StringSource final : public ByteSource {
 public:
  explicit StringSource(std::string bytes)
      : bytes_(std::make_shared<const std::string>(std::move(bytes))) {}
  explicit StringSource(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}
  std::size_t read(char* buffer, std::size_t size) override;

 private:
  std::shared_ptr<const std::string> bytes_;
  std::size_t at_ = 0;
};

// A file or any other descriptor; closes it. Throws ArtifactStoreError "artifact-store-io".
class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path);
  explicit FileSource(int descriptor) : descriptor_(descriptor) {}
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override;
  std::size_t read(char* buffer, std::size_t size) override;

 private:
  int descriptor_;
};

// Passes bytes on and, at the end, throws ArtifactIntegrityError when they are not those of
// `digest`.
class CheckedSource final : public ByteSource {
 public:
  CheckedSource(std::unique_ptr<ByteSource> inner, std::string ref, std::string digest)
      : inner_(std::move(inner)), ref_(std::move(ref)), digest_(std::move(digest)) {}
  std::size_t read(char* buffer, std::size_t size) override;

 private:
  std::unique_ptr<ByteSource> inner_;
  std::string ref_, digest_;
  Sha256 hash_;
  bool done_ = false;
};

struct CollectedStream {
  std::string bytes;  // empty when overflowed
  bool overflowed = false;
};
[[nodiscard]] CollectedStream collect_stream(ByteSource& source, std::size_t ceiling);

}  // namespace agentfootprint
