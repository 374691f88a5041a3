// Cutting payloads into rows.
#include "agentfootprint/artifacts/row_splitter.hpp"

#include <fmt/format.h>

#include <cstring>

#include "agentfootprint/base/error.hpp"

namespace agentfootprint {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";  // the byte order mark

bool is_json_space(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

[[noreturn]] void bad_rows(std::uint64_t at, std::string_view why) {
  throw Error("artifact-rows", fmt::format("byte {}: {}", at, why));
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

std::string_view name_of(RowFormat format) noexcept {
  switch (format) {
    case RowFormat::json_array:
      return "json";
    case RowFormat::ndjson:
      return "ndjson";
    case RowFormat::csv:
      break;
  }
  return "csv";
}

std::optional<RowFormat> row_format_of(std::string_view media_type, PayloadShape shape,
                                       std::string_view first_bytes) {
  const std::string media = lower(media_type.substr(0, media_type.find(';')));
  if (shape != PayloadShape::json) {
    if (media.find("ndjson") != std::string::npos || media.find("jsonl") != std::string::npos ||
        media.find("json-lines") != std::string::npos) {
      return RowFormat::ndjson;
    }
    if (media == "text/csv" || media == "application/csv") return RowFormat::csv;
    if (media.find("json") == std::string::npos) return std::nullopt;
  }
  if (first_bytes.starts_with(kMark)) first_bytes.remove_prefix(kMark.size());
  for (const char c : first_bytes) {
    if (is_json_space(c)) continue;
    if (c == '[') return RowFormat::json_array;
    break;
  }
  return std::nullopt;
}

RowSplitter::RowSplitter(RowFormat format, std::uint64_t start)
    : format_(format),
      state_(start == 0 && format == RowFormat::json_array ? State::before : State::between),
      at_front_(start == 0),
      position_(start) {}

bool RowSplitter::feed(std::string_view bytes, const OnRow& on_row) {
  if (stopped_) return false;
  if (at_front_) {
    while (!bytes.empty() && mark_seen_ < kMark.size() && bytes.front() == kMark[mark_seen_]) {
      ++mark_seen_;
      bytes.remove_prefix(1);
    }
    if (bytes.empty() && mark_seen_ < kMark.size()) return true;
    at_front_ = false;
    if (mark_seen_ == kMark.size()) {
      position_ += kMark.size();
    } else if (!feed_piece(kMark.substr(0, mark_seen_), on_row)) {  // it was no mark
      return false;
    }
  }
  return feed_piece(bytes, on_row);
}

bool RowSplitter::feed_piece(std::string_view bytes, const OnRow& on_row) {
  row_begin_ = 0;
  const bool more =
      format_ == RowFormat::json_array ? feed_json(bytes, on_row) : feed_lines(bytes, on_row);
  if (!more) {
    stopped_ = true;
    return false;
  }
  if (row_open_) keep(bytes.substr(row_begin_));
  position_ += bytes.size();
  return true;
}

void RowSplitter::keep(std::string_view bytes) {
  if (carry_.size() + bytes.size() > kMaxRowBytes) bad_rows(row_start_, "a row is over 16 MiB");
  carry_ += bytes;
}

void RowSplitter::reset_row() noexcept {
  carry_.clear();
  row_open_ = false;
  in_string_ = escaped_ = after_quote_ = false;
  field_start_ = true;
  depth_ = 0;
}

// The open row ends before `end` of the current feed.
bool RowSplitter::emit(std::string_view bytes, std::size_t end, const OnRow& on_row) {
  std::string_view row = bytes.substr(row_begin_, end - row_begin_);
  if (!carry_.empty()) {
    keep(row);
    row = carry_;
  }
  if (row.size() > kMaxRowBytes) bad_rows(row_start_, "a row is over 16 MiB");
  if (format_ != RowFormat::json_array && row.ends_with('\r')) row.remove_suffix(1);
  const bool more = on_row(row, row_start_);
  reset_row();
  return more;
}

// A byte outside rows; true when it opens one.
bool RowSplitter::between_rows(char c, std::size_t at) {
  const std::uint64_t place = position_ + at;
  if (is_json_space(c)) return false;
  switch (state_) {
    case State::before:
      if (c == '[') {
        state_ = State::between;
      } else {
        bad_rows(place, "not a JSON array");
      }
      return false;
    case State::after:
      bad_rows(place, "something follows the JSON array");
    default:
      break;
  }
  if (c == ',') return false;
  if (c == ']') {
    state_ = State::after;
    return false;
  }
  if (c == '}') bad_rows(place, "a bracket closes nothing");
  row_open_ = true;
  row_begin_ = at;
  row_start_ = place;
  if (c == '{' || c == '[') {
    state_ = State::composite;
    depth_ = 1;
  } else {
    state_ = c == '"' ? State::composite : State::scalar;
    in_string_ = c == '"';
    depth_ = 0;
  }
  return true;
}

bool RowSplitter::feed_json(std::string_view bytes, const OnRow& on_row) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (state_ == State::composite) {
      if (in_string_) {
        if (escaped_) {
          escaped_ = false;
        } else if (c == '\\') {
          escaped_ = true;
        } else if (c == '"') {
          in_string_ = false;
        }
        if (in_string_ || depth_ > 0) continue;
      } else if (c == '"') {
        in_string_ = true;
        continue;
      } else if (c == '{' || c == '[') {
        ++depth_;
        continue;
      } else if (c != '}' && c != ']') {
        continue;
      } else if (--depth_ > 0) {
        continue;
      }
      state_ = State::between;
      if (!emit(bytes, i + 1, on_row)) return false;
    } else if (state_ == State::scalar) {
      if (c != ',' && c != ']' && !is_json_space(c)) continue;
      state_ = State::between;
      if (!emit(bytes, i, on_row)) return false;
      (void)between_rows(c, i);
    } else {
      (void)between_rows(c, i);
    }
  }
  return true;
}

// Follows the quotes of CSV as `csv_fields` reads them; true for the line feed that ends a record.
bool RowSplitter::ends_record(char c) noexcept {
  if (c == '"') {
    const bool opens = !in_string_ && (field_start_ || after_quote_);
    after_quote_ = in_string_;
    in_string_ = opens;  // a doubled quote closes and opens again
    field_start_ = false;
    return false;
  }
  after_quote_ = false;
  if (in_string_) return false;
  field_start_ = c == ',';
  return c == '\n';
}

// Is the open row, whose last part is `end`, a blank line?
bool RowSplitter::is_blank_row(std::string_view end) const noexcept {
  const std::string_view blanks = format_ == RowFormat::ndjson ? " \t\r" : "\r";
  return end.find_first_not_of(blanks) == std::string_view::npos &&
         carry_.find_first_not_of(blanks) == std::string::npos;
}

bool RowSplitter::feed_lines(std::string_view bytes, const OnRow& on_row) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!row_open_) {
      row_open_ = true;
      row_begin_ = i;
      row_start_ = position_ + i;
    }
    if (format_ == RowFormat::ndjson) {
      const void* end = std::memchr(bytes.data() + i, '\n', bytes.size() - i);
      if (end == nullptr) return true;
      i = static_cast<std::size_t>(static_cast<const char*>(end) - bytes.data());
    } else if (!ends_record(bytes[i])) {
      continue;
    }
    if (is_blank_row(bytes.substr(row_begin_, i - row_begin_))) {
      reset_row();  // a blank line is no row
    } else if (!emit(bytes, i, on_row)) {
      return false;
    }
  }
  return true;
}

void RowSplitter::finish(const OnRow& on_row) {
  if (stopped_) return;
  if (at_front_ && !feed_piece(kMark.substr(0, mark_seen_), on_row)) return;
  if (format_ == RowFormat::json_array) {
    if (state_ != State::after) bad_rows(position_, "the JSON array is not closed");
    return;
  }
  if (in_string_) bad_rows(row_start_, "the payload ends inside a quoted field");
  if (!row_open_ || is_blank_row({})) return;
  if (carry_.ends_with('\r')) carry_.pop_back();
  const std::string last = std::move(carry_);
  reset_row();
  on_row(last, row_start_);
}

std::vector<std::string> csv_fields(std::string_view record) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < record.size(); ++i) {
    const char c = record[i];
    if (quoted) {
      if (c != '"') {
        fields.back() += c;
      } else if (i + 1 < record.size() && record[i + 1] == '"') {
        fields.back() += '"';
        ++i;
      } else {
        quoted = false;
      }
    } else if (c == '"' && fields.back().empty()) {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace agentfootprint
