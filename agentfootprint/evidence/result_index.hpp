// The values of one tool result, indexed once.
//
// What: a `ResultIndex` holds every value of one text (JSON by its leaves and keys, several JSON
// values, JSON followed by text, cut JSON, or plain text): where it stands, the JSON pointer of its
// leaf, and a key by which equal and near values are found. It also gives what derivations need:
// the object a value stands in, its members, and columns (one JSON pointer with the row index
// wild).
//
// When to use: built when a result lands, shared by every copy of the conversation.
// `ConversationIndex` (conversation_index.hpp) merges many.
//
// Not guaranteed: pointers into text that is no JSON ("" there). Values of omitted subtrees (the
// `looked_for` of an absence) are not here.
//
// Limits: texts of 2^32 - 1 bytes. Columns and members are read from the text when asked for;
// columns are kept. Safe to read from several threads.
//
// Example:
//   auto index = evidence::ResultIndex::build(share_text(R"({"rows":[{"iops":41200}]})"));
//   (void)index->size();                       // 1
//   std::string pointer = index->pointer(0);   // "/rows/0/iops"
//   auto record = index->record_of(0);         // {"iops": 41200}, pointer "/rows/0"
//   (void)record;
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/conversation/message.hpp"
#include "agentfootprint/evidence/derivation.hpp"
#include "agentfootprint/evidence/internal/items.hpp"
#include "agentfootprint/evidence/reading.hpp"
#include "agentfootprint/evidence/units.hpp"
#include "agentfootprint/evidence/value.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::evidence {

namespace internal {
class KeyBag;
}

using ItemId = std::uint32_t;

// A scalar member of an object, or an element of an array.
struct Leaf {
  std::string key;      // of the member; "" for an array element
  std::string pointer;  // "/rows/3/iops"
  Span span;            // of the leaf in the text, without quotes
  bool is_string = false;
  bool is_number = false;
  bool escaped = false;  // the string holds JSON escapes
};

// An object of the result.
struct Record {
  std::string pointer;
  bool whole_result = false;  // the result is this one object, not rows
  std::vector<Leaf>
      members;  // direct scalar members, in order; of nested objects too when `whole_result`
  bool truncated = false;  // more members than asked for
};

// All leaves under one pointer with the row index wild.
struct Column {
  std::string pointer;      // "/rows/*/iops"
  std::string rows;         // "/rows", the array the index of which is wild
  std::vector<Leaf> cells;  // in order; `row` of a cell stands in `row_of`
  std::vector<std::uint32_t> row_of;
  bool numeric = false;  // every cell is a number (JSON, or a string that is one value)
};

class ResultIndex {
 public:
  struct Options {
    const UnitTable* units = nullptr;  // nullptr: the standard table; must outlive the index
    std::size_t size_cap = 0;          // a text of exactly this size counts as cut; 0: no cap known
    bool respell = false;  // dates also by their numbers: for texts of a person or an app
  };

  [[nodiscard]] static std::shared_ptr<const ResultIndex> build(SharedText text);
  [[nodiscard]] static std::shared_ptr<const ResultIndex> build(SharedText text,
                                                                const Options& options);
  // For ConversationIndex: a text inside `content` (its string, or one of its blocks), which is
  // kept alive; keys go to `keys`, the first value's place being `first`.
  [[nodiscard]] static std::shared_ptr<const ResultIndex> build(const json::Value& content,
                                                                std::string_view text,
                                                                const Options& options,
                                                                internal::KeyBag& keys,
                                                                std::uint32_t first);

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  // Number of indexed values, parts and list members included.
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] bool partial() const noexcept { return partial_; }  // the text was cut
  [[nodiscard]] bool absence() const noexcept { return absence_; }  // a declared absence
  [[nodiscard]] bool is_json() const noexcept { return json_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

  [[nodiscard]] Span span(ItemId item) const noexcept;
  [[nodiscard]] std::string pointer(ItemId item) const;
  // The item read again, with every reading.
  [[nodiscard]] Value value(ItemId item) const;
  // The same without its normal spelling: quicker, for comparing.
  [[nodiscard]] Value readings(ItemId item) const;
  void readings(ItemId item, Value& into) const;
  // The name of the member the item's leaf is; "" in an array or in text.
  [[nodiscard]] std::string key_of(ItemId item) const;
  // The unit told by the member's name or by a sibling `unit`; 0 for none.
  [[nodiscard]] std::uint16_t unit_hint(ItemId item) const;
  // Is the item a part of a composite value (host of an address, …)?
  [[nodiscard]] bool is_part(ItemId item) const noexcept;
  // The text of the leaf the item stands in (decoded), and where the item starts in it.
  [[nodiscard]] std::string leaf_text(ItemId item, std::size_t* offset = nullptr) const;

  // Items whose bytes end with these digits and hold more than them.
  [[nodiscard]] std::vector<ItemId> items_ending_in(std::string_view digits) const;

  // The innermost object the item stands in; empty in text and in arrays without one.
  [[nodiscard]] std::optional<Record> record_of(ItemId item, std::size_t max_members = 64) const;
  // The items that stand in the same innermost object (in order), this one included.
  [[nodiscard]] std::vector<ItemId> items_of_record(ItemId item) const;
  // Every column of the result, in order of first appearance; read once and kept.
  [[nodiscard]] const std::vector<Column>& columns() const;
  // The value a leaf as a whole is, when it is one value (numbers always).
  [[nodiscard]] std::optional<Value> leaf_value(const Leaf& leaf) const;

  // For derivations (derivation.hpp).
  [[nodiscard]] const DerivationSlot& derivations() const noexcept { return derivations_; }

  // For the merged index.
  [[nodiscard]] const std::vector<internal::Item>& items() const noexcept { return items_; }
  [[nodiscard]] const std::vector<std::uint16_t>& hint_units() const noexcept {
    return hint_units_;
  }
  [[nodiscard]] const UnitTable& units() const noexcept { return *units_; }

 private:
  friend class internal::Builder;
  void read_item(ItemId item, bool spelled, Value& out) const;
  // The container of the leaf an item stands in; 0 for the text itself.
  [[nodiscard]] std::uint32_t node_of(ItemId item) const noexcept;
  // In an array: the place of the item's leaf in it.
  [[nodiscard]] std::uint32_t ordinal_of(ItemId item, std::uint32_t node) const noexcept;
  // Where the value of an item's leaf begins in the text: its quote, or its number.
  [[nodiscard]] std::size_t leaf_begin(ItemId item) const noexcept;
  [[nodiscard]] std::string key_in(ItemId item, std::uint32_t node) const;
  [[nodiscard]] std::string pointer_of_node(std::uint32_t node) const;
  ResultIndex() = default;
  void read(const Options& options, internal::KeyBag& keys, std::uint32_t first);

  SharedText shared_;    // what `text_` looks at: this,
  json::Value content_;  // or this
  std::string_view text_;
  const UnitTable* units_ = nullptr;
  std::vector<internal::Item> items_;  // in order of the text
  std::vector<internal::Node> nodes_;  // containers; [0] is the text itself
  std::vector<internal::ElementMark> marks_;
  std::size_t text_begin_ = 0;             // of the text behind the JSON values
  std::vector<std::uint16_t> hint_units_;  // units that member names tell, each once
  bool partial_ = false;
  bool absence_ = false;
  bool json_ = false;
  mutable std::once_flag columns_once_;
  mutable std::vector<Column> columns_;
  DerivationSlot derivations_;
};

}  // namespace agentfootprint::evidence
