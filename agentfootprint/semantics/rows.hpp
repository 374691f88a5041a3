// Rows of a declaration: facts, a series, edges.
//
// What: three ways to give rows without copying them twice. A `json::Value` array of objects is
// shared as it is. `facts_of`, `series_of` and `edges_of` turn any range of a struct into rows in
// one pass. Columns (`{"entity": [...], "size_tb": [...]}` as a JSON object of arrays of one
// length) become rows in one pass.
//
// When to use: `.facts = rows`, `.series = series_of(...)` in the structs of described_result.hpp.
//
// Not guaranteed: FactList, SeriesList and EdgeList are views: they refer to the value they were
// made from, which must live as long as the full expression (a temporary written in place does).
//
// Limits: 2^32 - 1 rows. A double that is not finite throws Error "json-number".
//
// Example:
//   struct Port { std::string name; std::string time; double iops; };
//   std::vector<Port> ports = {{"fc1/3", "2026-11-01T00:00:00Z", 41200}};
//   semantics::FactRows facts = semantics::facts_of(
//       ports, semantics::entity(&Port::name), semantics::field("iops", &Port::iops));
//   semantics::SeriesRows series =
//       semantics::series_of(ports, &Port::time, &Port::name, "avg_iops", &Port::iops);
//   (void)facts.rows(); (void)series.rows();
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>

#include "agentfootprint/json/stream_builder.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::semantics {

// Rows made from structs. The tag keeps a series from being given where facts are meant.
template <class Tag>
class Rows {
 public:
  explicit Rows(json::Value rows) : rows_(std::move(rows)) {}
  [[nodiscard]] const json::Value& rows() const& noexcept { return rows_; }
  const json::Value& rows() const&& = delete;

 private:
  json::Value rows_;
};

template <class Tag>
class RowList {
 public:
  RowList(const json::Value& rows) : rows_(&rows) {}       // NOLINT implicit
  RowList(const Rows<Tag>& rows) : rows_(&rows.rows()) {}  // NOLINT implicit
  [[nodiscard]] const json::Value& rows() const noexcept { return *rows_; }

 private:
  const json::Value* rows_;
};

struct FactTag;
struct SeriesTag;
struct EdgeTag;
using FactRows = Rows<FactTag>;
using SeriesRows = Rows<SeriesTag>;
using EdgeRows = Rows<EdgeTag>;
using FactList = RowList<FactTag>;
using SeriesList = RowList<SeriesTag>;
using EdgeList = RowList<EdgeTag>;

// What a row's part is read with: a pointer to member, a callable, or a constant text.
template <class Get>
struct RowEntity {
  Get get;
};
template <class Get>
struct RowField {
  std::string_view name;
  Get get;
};
template <class Get>
[[nodiscard]] RowEntity<Get> entity(Get get) {
  return RowEntity<Get>{get};
}
template <class Get>
[[nodiscard]] RowField<Get> field(std::string_view name, Get get) {
  return RowField<Get>{name, get};
}

namespace internal {

template <class T>
void add_part(json::StreamBuilder& rows, const T& part) {
  if constexpr (std::same_as<T, bool>) {
    rows.boolean(part);
  } else if constexpr (std::signed_integral<T>) {
    rows.number(static_cast<std::int64_t>(part));
  } else if constexpr (std::unsigned_integral<T>) {
    rows.number(static_cast<std::uint64_t>(part));
  } else if constexpr (std::floating_point<T>) {
    rows.number(static_cast<double>(part));
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    rows.text(part);
  } else {
    rows.value(json::Value(part));
  }
}

// A member pointer or callable is asked of the row; anything else is a constant.
template <class Get, class Row>
void add_field(json::StreamBuilder& rows, json::StreamBuilder::Key key, const Get& get,
               const Row& row) {
  rows.key(key);
  if constexpr (std::is_invocable_v<const Get&, const Row&>) {
    add_part(rows, std::invoke(get, row));
  } else {
    add_part(rows, get);
  }
}

template <class Range, class AddRow>
[[nodiscard]] json::Value make_rows(const Range& range, json::StreamBuilder& rows,
                                    const AddRow& add_row) {
  rows.begin_array();
  for (const auto& item : range) {
    rows.begin_object();
    add_row(item);
    rows.end_object();
  }
  rows.end_array();
  return rows.finish();
}

}  // namespace internal

// One fact a row; what names it comes first and has to be given.
template <std::ranges::input_range Range, class Entity, class... Fields>
[[nodiscard]] FactRows facts_of(const Range& range, const RowEntity<Entity>& name,
                                const RowField<Fields>&... fields) {
  json::StreamBuilder rows;
  const auto entity_key = rows.intern("entity");
  const json::StreamBuilder::Key keys[] = {entity_key, rows.intern(fields.name)...};
  return FactRows(internal::make_rows(range, rows, [&](const auto& row) {
    internal::add_field(rows, keys[0], name.get, row);
    const json::StreamBuilder::Key* key = keys;
    (internal::add_field(rows, *++key, fields.get, row), ...);
  }));
}

// One point a row; each part is a pointer to member, a callable or a constant.
template <std::ranges::input_range Range, class Time, class Entity, class Metric, class Measure>
[[nodiscard]] SeriesRows series_of(const Range& range, const Time& t, const Entity& entity,
                                   const Metric& metric, const Measure& value) {
  json::StreamBuilder rows;
  const auto t_key = rows.intern("t");
  const auto entity_key = rows.intern("entity");
  const auto metric_key = rows.intern("metric");
  const auto value_key = rows.intern("value");
  return SeriesRows(internal::make_rows(range, rows, [&](const auto& row) {
    internal::add_field(rows, t_key, t, row);
    internal::add_field(rows, entity_key, entity, row);
    internal::add_field(rows, metric_key, metric, row);
    internal::add_field(rows, value_key, value, row);
  }));
}

template <std::ranges::input_range Range, class From, class To, class EdgeKind>
[[nodiscard]] EdgeRows edges_of(const Range& range, const From& from, const To& to,
                                const EdgeKind& kind) {
  json::StreamBuilder rows;
  const auto from_key = rows.intern("from");
  const auto to_key = rows.intern("to");
  const auto kind_key = rows.intern("kind");
  return EdgeRows(internal::make_rows(range, rows, [&](const auto& row) {
    internal::add_field(rows, from_key, from, row);
    internal::add_field(rows, to_key, to, row);
    internal::add_field(rows, kind_key, kind, row);
  }));
}

}  // namespace agentfootprint::semantics
