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
#include <functional>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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
  json::Value name;
  Get get;
};
template <class Get>
[[nodiscard]] RowEntity<Get> entity(Get get) {
  return RowEntity<Get>{get};
}
template <class Get>
[[nodiscard]] RowField<Get> field(std::string_view name, Get get) {
  return RowField<Get>{json::Value(name), get};
}

namespace internal {
template <class Get, class Row>
[[nodiscard]] json::Value read_part(const Get& get, const Row& row) {
  if constexpr (std::is_invocable_v<const Get&, const Row&>) {
    return json::Value(std::invoke(get, row));
  } else {
    return json::Value(get);
  }
}

template <class Range, class MakeRow>
[[nodiscard]] json::Value make_rows(const Range& range, const MakeRow& make_row) {
  std::vector<json::Value> rows;
  if constexpr (std::ranges::sized_range<const Range>) {
    rows.reserve(static_cast<std::size_t>(std::ranges::size(range)));
  }
  for (const auto& item : range) rows.push_back(json::object(make_row(item)));
  return json::array(std::move(rows));
}
}  // namespace internal

// One fact a row; what names it comes first and has to be given.
template <std::ranges::input_range Range, class Entity, class... Fields>
[[nodiscard]] FactRows facts_of(const Range& range, const RowEntity<Entity>& name,
                                const RowField<Fields>&... fields) {
  const json::Value key("entity");
  return FactRows(internal::make_rows(range, [&](const auto& row) {
    std::vector<json::Member> members;
    members.reserve(1 + sizeof...(Fields));
    members.emplace_back(key, internal::read_part(name.get, row));
    (members.emplace_back(fields.name, internal::read_part(fields.get, row)), ...);
    return members;
  }));
}

// One point a row; each part is a pointer to member, a callable or a constant.
template <std::ranges::input_range Range, class Time, class Entity, class Metric, class Measure>
[[nodiscard]] SeriesRows series_of(const Range& range, const Time& t, const Entity& entity,
                                   const Metric& metric, const Measure& value) {
  const json::Value keys[] = {json::Value("t"), json::Value("entity"), json::Value("metric"),
                              json::Value("value")};
  return SeriesRows(internal::make_rows(range, [&](const auto& row) {
    std::vector<json::Member> members;
    members.reserve(4);
    members.emplace_back(keys[0], internal::read_part(t, row));
    members.emplace_back(keys[1], internal::read_part(entity, row));
    members.emplace_back(keys[2], internal::read_part(metric, row));
    members.emplace_back(keys[3], internal::read_part(value, row));
    return members;
  }));
}

template <std::ranges::input_range Range, class From, class To, class EdgeKind>
[[nodiscard]] EdgeRows edges_of(const Range& range, const From& from, const To& to,
                                const EdgeKind& kind) {
  const json::Value keys[] = {json::Value("from"), json::Value("to"), json::Value("kind")};
  return EdgeRows(internal::make_rows(range, [&](const auto& row) {
    std::vector<json::Member> members;
    members.reserve(3);
    members.emplace_back(keys[0], internal::read_part(from, row));
    members.emplace_back(keys[1], internal::read_part(to, row));
    members.emplace_back(keys[2], internal::read_part(kind, row));
    return members;
  }));
}

}  // namespace agentfootprint::semantics
