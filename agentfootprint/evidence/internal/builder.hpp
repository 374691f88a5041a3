// Building a ResultIndex: one walk over the text. Not for direct use.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "agentfootprint/evidence/internal/fold.hpp"
#include "agentfootprint/evidence/internal/items.hpp"
#include "agentfootprint/evidence/internal/keys.hpp"
#include "agentfootprint/evidence/result_index.hpp"
#include "agentfootprint/json/scanner.hpp"

namespace agentfootprint::evidence::internal {

struct KeyedItem {
  std::uint64_t key = 0;
  std::uint32_t item = 0;
};
// In place, by key, then by item; the input is in order of items.
void sort_keys(std::vector<KeyedItem>& entries);

class Builder {
 public:
  Builder(ResultIndex& index, bool respell);
  void run();

  // Events of the scanner.
  void begin_object(std::size_t at) { open(at, true); }
  void begin_array(std::size_t at) { open(at, false); }
  void end_object(std::size_t at) { close(at); }
  void end_array(std::size_t at) { close(at); }
  void key(json::Span raw, bool escaped);
  void string(json::Span raw, bool escaped);
  void number(json::Span raw);
  void literal(json::Span) { next_ordinal(); }
  void cut_string(json::Span raw, bool escaped);
  void tolerated(const char*, std::size_t) {}

 private:
  void open(std::size_t at, bool object);
  void close(std::size_t at);
  void next_ordinal() {
    if (!in_object_) ++ordinal_;
  }
  [[nodiscard]] std::size_t documents(std::size_t start);
  void text_run(std::size_t begin, std::size_t end);
  // Values of a stretch of the text; `base` flags go to each item.
  void leaf(std::size_t begin, std::size_t end, bool escaped, std::uint8_t flags);
  void lex(const WorkText& work, std::size_t begin, std::uint8_t flags);
  void emit(const WorkText& work, std::size_t begin, const Lexeme& lexeme, std::uint8_t flags);
  void members(const WorkText& work, std::size_t begin, const Lexeme& lexeme, std::uint8_t flags);
  void parts(const WorkText& work, std::size_t begin, const Lexeme& lexeme, std::uint8_t flags);
  void push(std::size_t begin, std::size_t end, ValueKind kind, std::uint8_t flags);
  void add_key(std::uint64_t key) {
    entries_.push_back({key, static_cast<std::uint32_t>(index_.items_.size() - 1)});
  }
  void hint(json::Span name);
  void drop_omitted();
  void mark_partial();
  void finish();

  friend struct PartEmitter;

  ResultIndex& index_;
  std::string_view text_;
  const UnitTable& units_;
  bool respell_;
  std::vector<KeyedItem> entries_;
  WorkText work_;
  std::uint32_t node_ = 0;
  std::uint32_t ordinal_ = 0;  // of the last leaf or container in the node
  bool in_object_ = false;
  json::Span name_;  // of the member being read
  // A member's name as it was seen first, for names that come again in every row.
  struct NameSeen {
    std::uint32_t begin_of_name = 0;
    std::uint32_t size = 0;
    bool digits = false;
    bool hinted = false;
    [[nodiscard]] std::string_view text(std::string_view of) const noexcept {
      return of.substr(begin_of_name, size);
    }
  };
  std::array<NameSeen, 256> seen_names_{};
  NameSeen* known_name_ = nullptr;  // of the member being read; null for odd names
  bool no_uris_ = false;
};

}  // namespace agentfootprint::evidence::internal
