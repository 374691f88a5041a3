// Where bytes come from: a file descriptor or a text.
//
// What: `read` fills a buffer as read(2) does; 0 is the end. When to use: the item reader, which
// keeps no more than the current item in memory. Not guaranteed: that a read fills the buffer.
//
// Example:
//   transcript::internal::TextSource source("abc");
//   char buffer[2];
//   (void)source.read(buffer, 2);   // 2
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agentfootprint::transcript::internal {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Throws Error "transcript-io".
  virtual std::size_t read(char* into, std::size_t room) = 0;
};

class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string_view text) : text_(text) {}
  std::size_t read(char* into, std::size_t room) override;

 private:
  std::string_view text_;
};

class FileSource final : public ByteSource {
 public:
  // Throws Error "transcript-io" naming the path.
  explicit FileSource(const std::string& path);
  // Standard input; not closed.
  FileSource();
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  std::size_t read(char* into, std::size_t room) override;

 private:
  std::string path_;
  int descriptor_;
};

}  // namespace agentfootprint::transcript::internal
