// Cutting a payload into rows while its bytes pass.
//
// What: three formats: a JSON array (one element a row), NDJSON (one line a row; blank lines are
// none) and CSV (RFC 4180; the first record names the columns and is a row of its own here). A
// quote opens a CSV field only at its front: the one in `5" disk` is text. A byte order mark at the
// front belongs to no row. The splitter holds at most one row, so a payload of any size is read in
// little memory; each row comes with the byte it starts at, so reading can go on from there later.
//
// When to use: previews, paging and loading rows. To read values out of one row see rows.hpp.
//
// Not guaranteed: that a row of JSON is well formed; only its brackets and strings are followed.
//
// Limits: a row has at most `kMaxRowBytes` bytes; a longer one throws Error "artifact-rows".
//
// Example:
//   RowSplitter splitter(RowFormat::json_array);
//   int rows = 0;
//   const auto count = [&](std::string_view, std::uint64_t) { ++rows; return true; };
//   splitter.feed("[{\"a\":1},", count);
//   splitter.feed("{\"a\":2}]", count);
//   splitter.finish(count);   // rows == 2
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/artifacts/artifact.hpp"

namespace agentfootprint {

enum class RowFormat : std::uint8_t { json_array, ndjson, csv };
[[nodiscard]] std::string_view name_of(RowFormat format) noexcept;

// The format of a payload: by its media type, and for JSON by its first bracket. Empty when it has
// no rows.
[[nodiscard]] std::optional<RowFormat> row_format_of(std::string_view media_type,
                                                     PayloadShape shape,
                                                     std::string_view first_bytes);

inline constexpr std::size_t kMaxRowBytes = std::size_t{16} << 20;

class RowSplitter {
 public:
  // Gets a row's text and the byte it starts at; false ends the reading.
  using OnRow = std::function<bool(std::string_view row, std::uint64_t at)>;

  // `start`: the byte the first feed stands at. A start above 0 is the start of a row.
  explicit RowSplitter(RowFormat format, std::uint64_t start = 0);

  // False once `on_row` said so.
  bool feed(std::string_view bytes, const OnRow& on_row);
  // The last row of NDJSON and CSV; throws Error "artifact-rows" when the payload ends inside a
  // row.
  void finish(const OnRow& on_row);

 private:
  enum class State : std::uint8_t { before, between, scalar, composite, after };
  bool feed_piece(std::string_view bytes, const OnRow& on_row);
  bool feed_json(std::string_view bytes, const OnRow& on_row);
  bool ends_record(char c) noexcept;
  [[nodiscard]] bool is_blank_row(std::string_view end) const noexcept;
  bool feed_lines(std::string_view bytes, const OnRow& on_row);
  bool between_rows(char c, std::size_t at);
  bool emit(std::string_view bytes, std::size_t end, const OnRow& on_row);
  void keep(std::string_view bytes);
  void reset_row() noexcept;

  RowFormat format_;
  State state_;
  bool in_string_ = false;
  bool escaped_ = false;
  bool field_start_ = true;    // CSV: the next byte is the first of a field
  bool after_quote_ = false;   // CSV: the last byte was a quote that closed
  bool at_front_;              // a byte order mark may still come
  std::size_t mark_seen_ = 0;  // bytes of it
  std::uint32_t depth_ = 0;
  std::uint64_t position_;       // byte of the payload the current feed starts at
  std::uint64_t row_start_ = 0;  // byte of the payload the open row starts at
  std::size_t row_begin_ = 0;    // where the open row starts in the current feed
  bool row_open_ = false;
  bool stopped_ = false;
  std::string carry_;  // the part of the open row in earlier feeds
};

// The fields of one CSV record.
[[nodiscard]] std::vector<std::string> csv_fields(std::string_view record);

}  // namespace agentfootprint
