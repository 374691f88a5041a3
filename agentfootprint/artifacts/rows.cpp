// Reading a part of a ticket.
#include "agentfootprint/artifacts/rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>

#include "agentfootprint/artifacts/internal/row_values.hpp"
#include "agentfootprint/artifacts/preview.hpp"
#include "agentfootprint/artifacts/row_splitter.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/cursor.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

using json::Value;

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kRangePiece = std::size_t{128} << 10;  // where a page starts in the middle
constexpr std::size_t kHeaderBytes = 65'536;
constexpr std::int64_t kMaxRows = 10'000;
constexpr std::size_t kMaxPageBytes = std::size_t{4} << 20;

// Bytes of a ticket from a place on, by ranges.
class RangeSource final : public ByteSource {
 public:
  RangeSource(ArtifactStore& store, const ArtifactScope& scope, std::string ref, std::uint64_t at)
      : store_(store), scope_(scope), ref_(std::move(ref)), at_(at) {}
  std::size_t read(char* buffer, std::size_t size) override {
    auto part = store_.read_range(scope_, ref_, at_, size);
    if (!part || part->empty()) return 0;
    std::copy(part->begin(), part->end(), buffer);
    at_ += part->size();
    return part->size();
  }

 private:
  ArtifactStore& store_;
  const ArtifactScope& scope_;
  std::string ref_;
  std::uint64_t at_;
};

// Where in the payload to start for a row, from the index kept at mint.
struct Start {
  std::uint64_t row = 0;
  std::uint64_t byte = 0;
};

Start start_of(ArtifactStore& store, const ArtifactScope& scope, const std::string& ref,
               std::uint64_t row) {
  Start start;
  if (row == 0) return start;
  const auto index = store.row_index(scope, ref);
  if (!index) return start;
  const Value* every = index->find("every");
  const Value* places = index->find("at");
  const std::uint64_t stride = every == nullptr ? 0 : every->as_uint64().value_or(0);
  const auto bytes = places == nullptr ? std::span<const Value>() : places->elements();
  if (stride == 0 || bytes.empty()) return start;
  const std::uint64_t slot = std::min<std::uint64_t>(row / stride, bytes.size() - 1);
  const auto byte = bytes[static_cast<std::size_t>(slot)].as_uint64();
  if (byte) start = {slot * stride, *byte};
  return start;
}

[[noreturn]] void no_rows(const ArtifactMeta& meta, const ArtifactPayload* payload) {
  std::vector<std::string> arrays;
  if (payload != nullptr && payload->shape() == PayloadShape::json) {
    const Value value = payload->value();
    for (const json::Member& member : value.members()) {
      if (member.value.is_array() && arrays.size() < 8) {
        arrays.push_back("/" + json::pointer_token(member.key()));
      }
    }
  }
  const std::string hint =
      arrays.empty() ? "rows are a JSON array, NDJSON or CSV"
                     : fmt::format("name the array in it with `at`: {}", fmt::join(arrays, ", "));
  throw Refusal("artifact-rows", "ref",
                fmt::format("{} ({}) is not a list of rows: {}", meta.ref,
                            utf8::printable(meta.media_type), hint));
}

using OnRow = std::function<bool(const Value& row, std::size_t bytes)>;

// Rows from `first` on. `reader` keeps the CSV header.
void scan_rows(ByteSource& source, RowFormat format, const Start& start, std::size_t size,
               artifacts_internal::RowReader& reader, std::uint64_t first, const OnRow& on_row) {
  RowSplitter splitter(format, start.byte);
  std::uint64_t number = start.row;
  const auto take = [&](std::string_view text, std::uint64_t at) {
    if (reader.is_header(text)) return true;
    if (number++ < first) return true;
    return on_row(reader.read(text, at), text.size());
  };
  std::string piece;
  for (;;) {
    piece.resize(size);
    piece.resize(source.read(piece.data(), piece.size()));
    if (piece.empty()) break;
    if (!splitter.feed(piece, take)) return;
  }
  splitter.finish(take);
}

// The array a pointer leads to; empty when there is no such ticket.
std::optional<Value> array_at(ArtifactStore& store, const ArtifactScope& scope,
                              const std::string& ref, const std::string& at) {
  const auto record = store.get(scope, ref);
  if (!record) return std::nullopt;
  const Value whole =
      record->payload.shape() == PayloadShape::json ? record->payload.value() : Value();
  const Value* rows = whole.find_pointer(at);
  if (rows == nullptr || !rows->is_array()) {
    throw Refusal("artifact-rows", "at",
                  fmt::format("at \"{}\" leads to no array in {}", utf8::printable(at), ref));
  }
  return *rows;
}

bool scan_pointer(ArtifactStore& store, const ArtifactScope& scope, const std::string& ref,
                  const std::string& at, const OnRow& on_row) {
  const auto rows = array_at(store, scope, ref, at);
  if (!rows) return false;
  for (const Value& row : rows->elements()) {
    if (!on_row(artifacts_internal::row_object(row), 0)) break;
  }
  return true;
}

// As it was measured at mint. Without that, the shape of the payload is not on the ticket: where a
// bracket stands first it has to be looked at.
std::optional<RowFormat> format_of(ArtifactStore& store, const ArtifactScope& scope,
                                   const ArtifactMeta& meta, std::string_view front,
                                   const std::optional<Value>& preview) {
  if (const auto measured = measured_format(preview)) return measured;
  auto shape = PayloadShape::text;
  if (row_format_of({}, PayloadShape::json, front)) {
    const auto record = store.get(scope, meta.ref);
    if (record) shape = record->payload.shape();
  }
  return row_format_of(meta.media_type, shape, front);
}

// False when there is no such ticket.
bool scan_ticket(ArtifactStore& store, const ArtifactScope& scope, const std::string& ref,
                 const std::optional<Value>& preview, std::uint64_t first, const OnRow& on_row) {
  const auto meta = store.head(scope, ref);
  if (!meta) return false;
  const auto front = store.read_range(scope, ref, 0, kHeaderBytes);
  if (!front) return false;
  const auto format = format_of(store, scope, *meta, *front, preview);
  if (!format) {
    const auto record = store.get(scope, ref);
    no_rows(*meta, record ? &record->payload : nullptr);
  }
  Start start = start_of(store, scope, ref, first);
  artifacts_internal::RowReader reader(*format);
  if (*format == RowFormat::csv && start.byte > 0) {
    RowSplitter header(*format);
    bool have = false;
    header.feed(*front, [&](std::string_view text, std::uint64_t) {
      have = reader.is_header(text);
      return false;
    });
    if (!have) start = Start();
  }
  std::unique_ptr<ByteSource> source;
  std::size_t size = kPiece;
  if (start.byte == 0 && store.can_get_stream()) {
    auto stream = store.get_stream(scope, ref);
    if (!stream) return false;
    source = std::move(stream->body);
  } else {
    source = std::make_unique<RangeSource>(store, scope, ref, start.byte);
    size = kRangePiece;
  }
  scan_rows(*source, *format, start, size, reader, first, on_row);
  return true;
}

std::vector<std::string> known_columns(const std::optional<Value>& preview) {
  std::vector<std::string> names;
  const Value* columns = preview ? preview->find_pointer("/measured/columns") : nullptr;
  if (columns == nullptr || preview->find_pointer("/measured/columnsCut") != nullptr) return names;
  for (const Value& column : columns->elements()) {
    const Value* name = column.find("name");
    if (name != nullptr && name->is_string()) names.emplace_back(*name->as_string());
  }
  return names;
}

std::vector<std::string> columns_of(const Value& rows) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const Value& element : rows.elements()) {
    const Value row = artifacts_internal::row_object(element);
    for (const json::Member& member : row.members()) {
      if (seen.contains(member.key())) continue;
      names.emplace_back(member.key());
      seen.emplace(member.key());
    }
  }
  return names;
}

void check_columns(const RowsOptions& options, const std::vector<std::string>& known) {
  if (known.empty()) return;
  for (const std::string& column : options.columns) {
    if (std::find(known.begin(), known.end(), column) != known.end()) continue;
    const std::size_t shown = std::min<std::size_t>(known.size(), 32);
    throw Refusal(
        "artifact-rows", "columns",
        fmt::format(
            "there is no column \"{}\"; there are {}", utf8::printable(utf8::clip(column, 64)),
            utf8::printable(fmt::format(
                "{}", fmt::join(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(shown),
                                ", ")))));
  }
}

Value only_columns(const Value& row, const std::vector<std::string>& columns) {
  if (columns.empty()) return row;
  json::ObjectBuilder out;
  for (auto column = columns.begin(); column != columns.end(); ++column) {
    if (std::find(columns.begin(), column, *column) != column) continue;  // named twice
    if (const Value* value = row.find(*column)) out.add(*column, *value);
  }
  return out.build();
}

// Rows of a page as they come, until the page is full.
class PageBuilder {
 public:
  explicit PageBuilder(const RowsOptions& options)
      : options_(options),
        limit_(static_cast<std::size_t>(std::clamp<std::int64_t>(options.limit, 1, kMaxRows))) {
    page_.offset = options.offset;
  }

  bool take(const Value& row, std::size_t size) {
    if (rows_.size() == limit_ || (bytes_ + size > kMaxPageBytes && !rows_.empty())) {
      page_.more = true;
      page_.cut = rows_.size() < limit_;
      return false;
    }
    bytes_ += size;
    rows_.add(only_columns(row, options_.columns));
    return true;
  }
  RowsPage finish(std::optional<std::uint64_t> total) {
    page_.rows = rows_.build();
    page_.total = total;
    return std::move(page_);
  }

 private:
  const RowsOptions& options_;
  std::size_t limit_;
  std::size_t bytes_ = 0;
  json::ArrayBuilder rows_;
  RowsPage page_;
};

std::optional<RowsPage> read_rows_at(ArtifactStore& store, const ArtifactScope& scope,
                                     const std::string& ref, const RowsOptions& options) {
  const auto rows = array_at(store, scope, ref, *options.at);
  if (!rows) return std::nullopt;
  if (!options.columns.empty()) check_columns(options, columns_of(*rows));
  PageBuilder page(options);
  for (std::uint64_t i = options.offset; i < rows->size(); ++i) {
    const Value row = artifacts_internal::row_object(rows->at(static_cast<std::size_t>(i)));
    if (!page.take(row, json::dump(row).size())) break;
  }
  return page.finish(rows->size());
}

}  // namespace

Value to_json(const RowsPage& page) {
  json::ObjectBuilder out;
  out.add("rows", page.rows).add("offset", page.offset).add("more", page.more);
  out.add_if("total", page.total);
  if (page.cut) out.add("cut", true);
  return out.build();
}

std::optional<RowsPage> read_rows(ArtifactStore& store, const ArtifactScope& scope,
                                  const std::string& ref, const RowsOptions& options) {
  if (options.at) return read_rows_at(store, scope, ref, options);
  const auto preview = store.preview(scope, ref);
  check_columns(options, known_columns(preview));
  PageBuilder page(options);
  const bool found =
      scan_ticket(store, scope, ref, preview, options.offset,
                  [&](const Value& row, std::size_t size) { return page.take(row, size); });
  if (!found) return std::nullopt;
  const Value* total = preview ? preview->find_pointer("/measured/rows") : nullptr;
  return page.finish(total == nullptr ? std::nullopt : total->as_uint64());
}

std::optional<RowsPage> read_rows(const ToolArtifacts& artifacts, const std::string& ref,
                                  const RowsOptions& options) {
  return artifacts.read_part(ArtifactOp::get, "rows", ref,
                             [&](ArtifactStore& store, const ArtifactScope& scope) {
                               return read_rows(store, scope, ref, options);
                             });
}

bool for_each_row(ArtifactStore& store, const ArtifactScope& scope, const std::string& ref,
                  const std::optional<std::string>& at,
                  const std::function<bool(const Value& row)>& on_row) {
  const auto take = [&](const Value& row, std::size_t) { return on_row(row); };
  if (at) return scan_pointer(store, scope, ref, *at, take);
  return scan_ticket(store, scope, ref, store.preview(scope, ref), 0, take);
}

std::optional<Value> preview_artifact(const ToolArtifacts& artifacts, const std::string& ref) {
  return artifacts.read_part(
      ArtifactOp::head, "preview", ref,
      [&](ArtifactStore& store, const ArtifactScope& scope) { return store.preview(scope, ref); });
}

}  // namespace agentfootprint
