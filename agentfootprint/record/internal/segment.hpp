// The lines of one segment of a footprint, taken into effect one by one.
//
// What: resolves item numbers, rebuilds messages and served views, checks content and view hashes,
// and notes every fault. When to use: RecordReader. Not guaranteed: anything about sequence and
// chain; the reader checks those.
//
// Example:
//   Footprint footprint;
//   record::internal::Segment segment(footprint);
//   segment.begin();
//   segment.apply(2, json::object({{"kind", "end"}, {"status", "complete"}}));
//   (void)footprint.end_status;   // "complete"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/record/reader.hpp"

namespace agentfootprint::record::internal {

class Segment {
 public:
  explicit Segment(Footprint& footprint) : footprint_(footprint) {}
  // Item and request numbers start anew.
  void begin();
  void apply(std::uint64_t line, const json::Value& value);

 private:
  struct Item {
    SharedText text;  // null when redacted or broken
    Digest256 digest{};
  };
  struct View {
    std::vector<std::uint32_t> items;
    std::vector<Digest256> hashes;
  };

  void apply_item(const json::Value& value);
  [[nodiscard]] SharedText item_text(const json::Value& value);
  void apply_message(const json::Value& value);
  void append_message(Message message, const json::Value& value);
  [[nodiscard]] json::Value content_of(const json::Value& value);
  void add_calls(const json::Value& value, Message& message);
  void apply_request(const json::Value& value);
  [[nodiscard]] View resolve(const json::Value& value, std::size_t& keep);
  void fault(std::string code, std::string message);
  [[nodiscard]] const Item* item(const json::Value& value, std::string_view key);

  Footprint& footprint_;
  std::uint64_t line_ = 0;
  std::vector<Item> items_;
  std::vector<View> views_;
};

// The member when it is a string, "" otherwise.
[[nodiscard]] std::string text_at(const json::Value& value, std::string_view key);
// The member when it is an integer that is not negative.
[[nodiscard]] std::optional<std::uint64_t> number_at(const json::Value& value,
                                                     std::string_view key);
// 64 hex digits.
[[nodiscard]] std::optional<Digest256> digest_from_hex(std::string_view text);

}  // namespace agentfootprint::record::internal
