// Folding a text for reading, with the way back to its bytes. Not for direct use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agentfootprint::evidence::internal {

// A text as the reader sees it. Plain ASCII without escapes is read in place.
class WorkText {
 public:
  // `escaped`: the bytes are the inside of a JSON string with escapes. Views `raw` while it is
  // used.
  void assign(std::string_view raw, bool escaped);
  // The same for a text that is known to be plain ASCII without escapes.
  void assign_plain(std::string_view raw) noexcept {
    raw_ = text_ = raw;
    escaped_ = false;
    in_place_ = true;
  }

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  // The byte of the raw text that byte `at` of the folded text came from; the end maps to the end.
  [[nodiscard]] std::size_t original(std::size_t at) const noexcept {
    return in_place_ ? at : map_[at];
  }
  // The raw byte behind the character that folded byte `at - 1` came from.
  [[nodiscard]] std::size_t original_end(std::size_t at) const noexcept;
  // The first byte of the folded text that came from raw byte `at` or later.
  [[nodiscard]] std::size_t folded(std::size_t at) const noexcept;

 private:
  void fold(std::string_view source, const std::vector<std::uint32_t>* source_map);

  std::string_view raw_;
  bool escaped_ = false;
  std::string_view text_;
  std::string buffer_;
  std::vector<std::uint32_t> map_;
  std::string decoded_;
  std::vector<std::uint32_t> decoded_map_;
  bool in_place_ = true;
};

[[nodiscard]] bool is_plain(std::string_view text) noexcept;
// A stretch of folded text as it is compared: ASCII letters lowered, codes of chars.hpp spelled
// out.
void append_comparable(std::string& out, std::string_view folded);

}  // namespace agentfootprint::evidence::internal
