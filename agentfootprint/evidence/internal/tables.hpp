// The records and columns of one result, for derivations.
//
// A record is an object that is a row (an element of an array) or stands at the top; its members
// are the leaves under it that no array parts from it. A column is one JSON pointer with the row
// index wild: over every row (`/orders/*/items/*/price`), and for an array inside a row also over
// that row alone (`/orders/3/items/*/price`). Sums are exact. Built in one pass over the text and
// immutable afterwards; the text itself stays with its owner and is handed in again where members
// are read.
//
// Limits: 10^6 rows a column, 64 members a record, 65,536 columns of single rows a result, texts of
// 64 bytes as group keys. What is past a limit is left out and `clipped()` says so.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/json/decimal.hpp"
#include "agentfootprint/json/scanner.hpp"

namespace agentfootprint::evidence::internal {

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;
inline constexpr std::size_t kMaxMembers = 64;
inline constexpr std::uint32_t kMaxColumnRows = 1'000'000;
inline constexpr std::size_t kMaxRowColumns = 65'536;
inline constexpr std::size_t kMaxGroupBytes = 64;

// An exact sum of written numbers: integers by decimals while they fit, decimals beyond.
class Total {
 public:
  // False when the text is no plain number.
  bool add(std::string_view number);
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] bool integers() const noexcept { return integers_; }
  [[nodiscard]] json::Decimal sum() const;
  // Adds a sum of `count` numbers.
  void add_sum(const json::Decimal& sum, std::uint32_t count, bool integers);

 private:
  static constexpr std::size_t kPlaces = 7;
  std::int64_t parts_[kPlaces] = {};
  std::optional<json::Decimal> spill_;
  std::uint32_t count_ = 0;
  bool integers_ = true;
};

struct TableColumn {
  std::uint32_t node = 0;     // its path
  std::uint32_t row = kNone;  // the record it is confined to
  std::uint32_t rows = 0;     // numbers in it
  bool integers = true;
  json::Decimal sum;
  std::string unit;  // "$", "%": glued to every one of its texts; "" for none
};

struct TableLeaf {
  std::uint32_t node = 0;
  json::Span span;
  bool text = false;  // a string
  bool escaped = false;
};

struct TableRecord {
  std::uint32_t node = 0;
  std::uint32_t parent = kNone;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint32_t index = 0;  // its row index
  bool holds_rows = false;
};

struct RowCount {
  std::uint32_t node = 0;  // of the elements
  std::uint32_t row = kNone;
  std::uint32_t count = 0;
};

// Text of a leaf: at most 64 bytes, ASCII letters small; a single letter as it is written.
struct TextPosting {
  std::uint64_t hash = 0;
  std::uint32_t node = 0;
  std::uint32_t record = 0;
};

class Tables {
 public:
  // Reads the JSON values the text opens with; a text that opens with none gives empty tables.
  [[nodiscard]] static std::shared_ptr<const Tables> read(std::string_view text);

  [[nodiscard]] const std::vector<TableColumn>& columns() const noexcept { return columns_; }
  [[nodiscard]] const std::vector<RowCount>& row_counts() const noexcept { return row_counts_; }
  [[nodiscard]] const std::vector<TableRecord>& records() const noexcept { return records_; }
  // Sorted by hash.
  [[nodiscard]] const std::vector<TextPosting>& postings() const noexcept { return postings_; }
  [[nodiscard]] bool clipped() const noexcept { return clipped_; }

  // `/rows/*/x`; `row` puts that record's own indexes in.
  [[nodiscard]] std::string pointer_of(std::uint32_t node, std::uint32_t row = kNone) const;
  // The same without the indexes, as a key for columns over several results.
  [[nodiscard]] std::uint64_t path_hash(std::uint32_t node) const { return nodes_[node].hash; }
  [[nodiscard]] std::string_view key_of(std::uint32_t node) const { return nodes_[node].key; }
  // A record's own pointer, `/rows/3`.
  [[nodiscard]] std::string record_pointer(std::uint32_t record) const;

  // The record that holds a byte of the text.
  [[nodiscard]] std::optional<std::uint32_t> record_at(std::size_t byte) const;
  // Is `outer` the record or one around it?
  [[nodiscard]] bool within(std::uint32_t record, std::uint32_t outer) const;
  // Its members; empty when there are more than 64.
  [[nodiscard]] std::optional<std::vector<TableLeaf>> members(std::string_view text,
                                                              std::uint32_t record) const;
  // The one record a result is when it holds no rows.
  [[nodiscard]] std::optional<std::uint32_t> lone_record() const;

 private:
  friend class TableReader;
  struct Node {
    std::uint32_t parent = kNone;
    std::string key;  // "*" for elements
    bool element = false;
    std::uint64_t hash = 0;
    std::vector<std::uint32_t> children;
  };
  std::uint32_t child(std::uint32_t node, std::string_view key, bool element, std::uint32_t& guess);

  std::vector<Node> nodes_;
  std::vector<TableColumn> columns_;
  std::vector<RowCount> row_counts_;
  std::vector<TableRecord> records_;
  std::vector<std::pair<std::uint32_t, std::vector<TableLeaf>>>
      kept_members_;  // of records with rows
  std::vector<TextPosting> postings_;
  std::uint32_t tops_ = 0;
  bool clipped_ = false;
};

[[nodiscard]] std::uint64_t text_hash(std::string_view text);

// A number, or a number with a glued currency or percent sign: `12.50`, `$1,137`, `61.1%`.
struct PlainAmount {
  std::string number;  // without group marks
  std::string unit;
};
[[nodiscard]] std::optional<PlainAmount> plain_amount(std::string_view text);

}  // namespace agentfootprint::evidence::internal
