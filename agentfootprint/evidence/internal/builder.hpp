// Building a ResultIndex: one walk over the text. Not for direct use.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "agentfootprint/evidence/internal/fold.hpp"
#include "agentfootprint/evidence/internal/items.hpp"
#include "agentfootprint/evidence/internal/key_bag.hpp"
#include "agentfootprint/evidence/internal/keys.hpp"
#include "agentfootprint/evidence/result_index.hpp"
#include "agentfootprint/json/scanner.hpp"

namespace agentfootprint::evidence::internal {

class Builder {
 public:
  // Keys go to `keys`; the place of the first item is `first`.
  Builder(ResultIndex& index, bool respell, KeyBag& keys, std::uint32_t first);
  void run();

  // Events of the scanner.
  void begin_object(std::size_t at) { open(at, true); }
  void begin_array(std::size_t at) { open(at, false); }
  void end_object(std::size_t at) { close(at); }
  void end_array(std::size_t at) { close(at); }
  void key(json::Span raw, bool escaped);
  void string(json::Span raw, bool escaped);
  void number(json::Span raw);
  void literal(json::Span raw);
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
    keys_.add(key, first_ + static_cast<std::uint32_t>(index_.items_.size() - 1));
  }
  void see_name(std::string_view name, std::size_t begin);
  void hint(json::Span name);
  void add_hint(std::uint16_t unit);
  void drop_omitted();
  [[nodiscard]] bool in_rows() const noexcept;
  void mark_partial();

  friend struct PartEmitter;

  ResultIndex& index_;
  std::string_view text_;
  const UnitTable& units_;
  bool respell_;
  KeyBag& keys_;
  std::uint32_t first_;
  WorkText work_;
  std::uint32_t node_ = 0;
  std::uint32_t ordinal_ = 0;  // of the last leaf or container in the node
  bool in_object_ = false;
  json::Span name_;  // of the member being read
  // A member's name as it was seen first, for names that come again in every row.
  struct NameSeen {
    std::uint32_t begin_of_name = 0;
    std::uint32_t size = 0;
    NameSeen* next = nullptr;  // the name that came behind it last
    bool digits = false;
    bool hinted = false;
    bool of_unit = false;  // `unit` or `units`
    [[nodiscard]] std::string_view text(std::string_view of) const noexcept {
      return of.substr(begin_of_name, size);
    }
  };
  static constexpr std::size_t kNames = 128;
  std::array<NameSeen, kNames> seen_names_{};
  NameSeen* known_name_ = nullptr;  // of the member being read; null for odd names
  bool no_uris_ = false;
};

}  // namespace agentfootprint::evidence::internal
