// Measuring rows.
#include "agentfootprint/artifacts/preview.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "agentfootprint/artifacts/internal/row_values.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/decimal.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint {
namespace {

using json::Kind;
using json::Value;

constexpr std::size_t kMaxColumns = 256;
constexpr std::size_t kFirstRows = 5;
constexpr std::size_t kFirstRowBytes = 2'000;
constexpr std::uint64_t kIndexEvery = 1'024;
constexpr std::size_t kClip = 80;

// Numbers by exact value, texts by bytes; only called for two values of one kind.
bool less(const Value& a, const Value& b) {
  if (a.is_string()) return *a.as_string() < *b.as_string();
  const auto left = a.as_int64();
  const auto right = b.as_int64();
  if (left && right) return *left < *right;
  const auto exact_left = json::Decimal::parse(*a.number_text());
  const auto exact_right = json::Decimal::parse(*b.number_text());
  return exact_left && exact_right && *exact_left < *exact_right;
}

struct Column {
  std::string name;
  std::array<std::uint64_t, 6> kinds{};  // by json::Kind
  std::uint64_t seen = 0;
  std::uint64_t last_row = 0;  // that has it, counted from 1
  std::uint64_t present = 0;   // rows that have it: a row may name a column twice
  std::optional<Value> min, max;

  void take(const Value& value, std::uint64_t row) {
    ++seen;
    if (last_row != row) ++present;
    last_row = row;
    ++kinds[static_cast<std::size_t>(value.kind())];
    if (!value.is_number() && !value.is_string()) return;
    if (mixed()) return;
    if (!min || less(value, *min)) min = value.detach();
    if (!max || less(*max, value)) max = value.detach();
  }
  [[nodiscard]] std::uint64_t of(Kind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
  // Values of more than one kind beside null: no order between them.
  [[nodiscard]] bool mixed() const {
    const std::uint64_t valued = seen - of(Kind::null);
    return valued != of(Kind::number) && valued != of(Kind::string);
  }
  [[nodiscard]] static Value clipped(const Value& value) {
    if (const auto text = value.as_string()) return Value(utf8::clip(*text, kClip));
    return value;
  }
  [[nodiscard]] Value to_json(std::uint64_t rows) const {
    json::ObjectBuilder types;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const Kind kind = static_cast<Kind>(k);
      if (kind != Kind::null && kinds[k] > 0) types.add(json::name_of(kind), kinds[k]);
    }
    json::ObjectBuilder out;
    out.add("name", name).add("types", types.build()).add("nulls", of(Kind::null));
    out.add("missing", rows - present);
    if (!mixed() && min) out.add("min", clipped(*min)).add("max", clipped(*max));
    return out.build();
  }
};

}  // namespace

struct RowMeasure::State {
  explicit State(RowFormat row_format) : format(row_format), splitter(row_format) {}

  RowFormat format;
  RowSplitter splitter;
  artifacts_internal::RowReader reader{format};
  std::vector<Column> columns;
  std::unordered_map<std::string, std::size_t> by_name;
  std::vector<Value> first;
  std::vector<Value> index;
  std::uint64_t rows = 0;
  bool columns_cut = false;
  bool failed = false;

  bool on_row(std::string_view text, std::uint64_t at) {
    if (reader.is_header(text)) {
      for (const std::string& name : reader.header()) (void)column(name, columns.size());
      return true;
    }
    if (rows % kIndexEvery == 0) index.emplace_back(at);
    ++rows;
    const Value row = reader.read(text, at);
    std::size_t place = 0;
    for (const json::Member& member : row.members()) {
      if (Column* found = column(member.key(), place)) found->take(member.value, rows);
      ++place;
    }
    if (first.size() < kFirstRows && text.size() <= kFirstRowBytes) first.push_back(row.detach());
    return true;
  }

  // Rows mostly name their columns in one order: the expected place is looked at first.
  Column* column(std::string_view name, std::size_t place) {
    if (place < columns.size() && columns[place].name == name) return &columns[place];
    const auto found = by_name.find(std::string(name));
    if (found != by_name.end()) return &columns[found->second];
    if (columns.size() >= kMaxColumns) {
      columns_cut = true;
      return nullptr;
    }
    by_name.emplace(std::string(name), columns.size());
    columns.emplace_back();
    columns.back().name = std::string(name);
    return &columns.back();
  }
};

RowMeasure::RowMeasure(RowFormat format) : state_(std::make_unique<State>(format)) {}
RowMeasure::~RowMeasure() = default;

void RowMeasure::feed(std::string_view bytes) {
  State& s = *state_;
  if (s.failed) return;
  try {
    s.splitter.feed(bytes,
                    [&](std::string_view row, std::uint64_t at) { return s.on_row(row, at); });
  } catch (const Error&) {
    s.failed = true;  // not rows after all: no preview
  }
}

std::optional<Value> RowMeasure::finish() {
  State& s = *state_;
  try {
    if (!s.failed) {
      s.splitter.finish([&](std::string_view row, std::uint64_t at) { return s.on_row(row, at); });
    }
  } catch (const Error&) {
    s.failed = true;
  }
  if (s.failed) return std::nullopt;
  std::vector<Value> columns;
  for (const Column& column : s.columns) columns.push_back(column.to_json(s.rows));
  json::ObjectBuilder out;
  out.add("format", name_of(s.format)).add("rows", s.rows);
  out.add("columns", json::array(std::move(columns))).add("first", json::array(std::move(s.first)));
  if (s.columns_cut) out.add("columnsCut", true);
  out.add("rowIndex",
          json::object({{"every", kIndexEvery}, {"at", json::array(std::move(s.index))}}));
  return out.build();
}

std::optional<Value> measure_rows(std::string_view media_type, const ArtifactPayload& payload) {
  const auto format = row_format_of(media_type, payload.shape(), payload.bytes());
  if (!format) return std::nullopt;
  RowMeasure measure(*format);
  measure.feed(payload.bytes());
  return measure.finish();
}

std::optional<Value> shown_preview(const ArtifactMeta& meta, const std::optional<Value>& measured) {
  json::ObjectBuilder out;
  if (measured) out.add("measured", json::without_member(*measured, "rowIndex"));
  if (meta.time_axis) out.add("declared", json::object({{"timeAxis", *meta.time_axis}}));
  if (out.empty()) return std::nullopt;
  return out.build();
}

std::optional<RowFormat> measured_format(const std::optional<Value>& preview) {
  const Value* format = preview ? preview->find_pointer("/measured/format") : nullptr;
  const auto name = format == nullptr ? std::nullopt : format->as_string();
  for (const RowFormat one : {RowFormat::json_array, RowFormat::ndjson, RowFormat::csv}) {
    if (name && *name == name_of(one)) return one;
  }
  return std::nullopt;
}

std::optional<Value> preview_of(const ArtifactMeta& meta, const ArtifactPayload& payload) {
  return shown_preview(meta, measure_rows(meta.media_type, payload));
}

}  // namespace agentfootprint
